//! Names of the code that a history is about, so that it can be read without the executable.

use serde::{Deserialize, Serialize};

use super::chunk::{NAMES, chunk};
use super::packed::{pack, unpack};

/// Names of the places of one executable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredNames {
    /// Where the file was.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub modified: u64,
    /// Names of functions and files.
    pub texts: Vec<String>,
    /// Frames: function and file (numbers of texts), line and column (0: unknown).
    pub frames: Vec<(u32, u32, u32, u32)>,
    /// Return addresses from the beginning of the executable, sorted: address, where the compiled function begins, numbers of
    /// frames, the innermost first.
    pub places: Vec<(u64, u64, Vec<u32>)>,
    /// Sizes of types in bytes, by name.
    pub sizes: Vec<(String, u64)>,
    /// Basic blocks of compiled functions, sorted by function; missing where the compiler did not list them.
    #[serde(default)]
    pub flow: Vec<StoredFlow>,
}

/// The basic blocks of a compiled function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFlow {
    /// Where the function begins.
    pub function: u64,
    /// Where each block begins, sorted, and the numbers of its successors.
    pub blocks: Vec<(u64, Vec<u32>)>,
    /// What loops carry from one iteration to the next in registers, by the number of the block that begins each iteration; loops
    /// that are not here were not looked at.
    #[serde(default)]
    pub carried: Vec<(u32, CarriedVariable)>,
    /// Loops whose iterations begin elsewhere than at the first block of the loop, by the number of that block: the number of the one
    /// that begins them.
    #[serde(default)]
    pub borders: Vec<(u32, u32)>,
    /// Which lines the code of each block is from: the number of the block, and numbers of frames, the innermost first. Where the
    /// code calls a function that is not inlined, a frame of that function without a line comes first. Missing where
    /// the function has no loops.
    #[serde(default)]
    pub lines: Vec<(u32, Vec<u32>)>,
}

/// What a loop carries from one iteration to the next in registers, the worst of all variables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CarriedVariable {
    /// Counters and positions at most.
    #[default]
    None,
    /// A sum or the like, whose order does not matter.
    Combined,
    /// Not more, but the loop can be left in several places: an iteration may decide that there is no later one.
    Leaves,
    /// Something that an iteration needs from the one before.
    State,
}

/// The chunk of names.
#[must_use]
pub fn names(names: &StoredNames) -> Vec<u8> {
    chunk(NAMES, &pack(names))
}

pub(super) fn read(payload: &[u8]) -> Option<StoredNames> {
    let names: StoredNames = unpack(payload)?;
    names.is_consistent().then_some(names)
}

impl StoredNames {
    /// Whether all numbers refer to something, and places can be searched.
    fn is_consistent(&self) -> bool {
        let (texts, frames) = (self.texts.len(), self.frames.len());
        self.frames.iter().all(|frame| (frame.0.max(frame.1) as usize) < texts)
            && self.places.iter().all(|place| place.2.iter().all(|&frame| (frame as usize) < frames))
            && self.places.is_sorted_by_key(|place| place.0)
            && self.flow.is_sorted_by_key(|flow| flow.function)
            && self.flow.iter().all(|flow| flow.is_consistent(frames))
    }
}

impl StoredFlow {
    fn is_consistent(&self, frames: usize) -> bool {
        let count = self.blocks.len();
        let is_line = |(block, line): &(u32, Vec<u32>)| {
            (*block as usize) < count && line.iter().all(|&frame| (frame as usize) < frames)
        };
        self.lines.iter().all(is_line)
            && self.borders.iter().all(|(_, border)| (*border as usize) < count)
            && self.blocks.is_sorted_by_key(|block| block.0)
            && self.blocks.iter().all(|block| block.1.iter().all(|&next| (next as usize) < count))
    }
}

#[cfg(test)]
mod tests {
    use super::super::chunk::HEAD;
    use super::{CarriedVariable, StoredFlow, StoredNames, names, read};

    fn sample() -> StoredNames {
        StoredNames {
            path: "/a/b".into(),
            texts: vec!["main".into(), "src/main.rs".into()],
            frames: vec![(0, 1, 7, 3)],
            places: vec![(16, 0, vec![0]), (48, 32, vec![0, 0])],
            sizes: vec![("u64".into(), 8)],
            flow: vec![blocks()],
            ..StoredNames::default()
        }
    }

    #[test]
    fn names_come_back() {
        assert_eq!(read(&names(&sample())[HEAD..]), Some(sample()));
    }

    fn flow(blocks: Vec<(u64, Vec<u32>)>) -> StoredFlow {
        let lines = vec![(0, vec![0])];
        let carried = vec![(1, CarriedVariable::State)];
        StoredFlow { function: 16, blocks, carried, borders: vec![(0, 1)], lines }
    }

    fn blocks() -> StoredFlow {
        flow(vec![(16, vec![1]), (48, vec![])])
    }

    #[test]
    fn numbers_that_refer_to_nothing_are_refused() {
        for damaged in [
            StoredNames { texts: Vec::new(), ..sample() },
            StoredNames { frames: Vec::new(), ..sample() },
            StoredNames { places: vec![(48, 0, vec![]), (16, 0, vec![])], ..sample() },
            StoredNames { flow: vec![flow(vec![(16, vec![1])])], ..sample() },
            StoredNames { flow: vec![flow(vec![(48, vec![]), (16, vec![])])], ..sample() },
            StoredNames { flow: vec![StoredFlow { borders: vec![(0, 2)], ..blocks() }], ..sample() },
            StoredNames { flow: vec![StoredFlow { lines: vec![(2, vec![0])], ..blocks() }], ..sample() },
            StoredNames { flow: vec![StoredFlow { lines: vec![(0, vec![1])], ..blocks() }], ..sample() },
        ] {
            assert_eq!(read(&names(&damaged)[HEAD..]), None);
        }
    }
}
