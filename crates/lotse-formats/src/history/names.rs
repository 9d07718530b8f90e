//! Names of functions, files and types in a history, so that it can be analysed without the executable.

use serde::{Deserialize, Serialize};

use super::chunk::{NAMES, chunk};
use super::packed::{pack, unpack};

/// Names of the code addresses of one executable.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredNames {
    pub path: String,
    /// In bytes.
    pub size: u64,
    /// When the file was last changed, in nanoseconds since 1970.
    pub modified: u64,
    /// Names of functions and files.
    pub texts: Vec<String>,
    /// Frames: function and file (indices into `texts`), line and column (0: unknown).
    pub frames: Vec<(u32, u32, u32, u32)>,
    /// Return addresses relative to the beginning of the executable, sorted: address, address of the compiled function,
    /// indices into `frames` with the innermost (inlined) function first.
    pub places: Vec<(u64, u64, Vec<u32>)>,
    /// Sizes of types in bytes, by name.
    pub sizes: Vec<(String, u64)>,
    /// Basic blocks of compiled functions, sorted by function; missing if the compiler did not list them.
    #[serde(default)]
    pub flow: Vec<StoredFlow>,
    /// Functions that are missing in call stacks because they end with a jump to another one: the return address of a direct
    /// call, sorted; and the ways to each function that may run there instead of the called one.
    #[serde(default)]
    pub tails: Vec<(u64, Vec<TailPath>)>,
}

/// The address of a function, and the places of the jumps that led to it, the innermost first.
pub type TailPath = (u64, Vec<u64>);

/// The basic blocks of a compiled function.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredFlow {
    /// The address of the function.
    pub function: u64,
    /// The address of each block, sorted, and the indices of its successors.
    pub blocks: Vec<(u64, Vec<u32>)>,
    /// What loops carry from one iteration to the next in registers, by the index of the block that begins an iteration.
    /// Loops that are not listed were not examined.
    #[serde(default)]
    pub carried: Vec<(u32, CarriedVariable)>,
    /// Loops whose iterations do not begin at the first block of the loop: the index of the loop's first block, and the
    /// index of the block that begins an iteration.
    #[serde(default)]
    pub borders: Vec<(u32, u32)>,
    /// The source lines of each block: the index of the block, and indices of frames with the innermost first. If the
    /// block calls a function that is not inlined, a frame of that function without a line comes first. Missing if the
    /// function has no loops.
    #[serde(default)]
    pub lines: Vec<(u32, Vec<u32>)>,
}

/// The strongest loop-carried dependence through registers, over all variables of a loop.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CarriedVariable {
    /// Only loop counters and induction variables.
    #[default]
    None,
    /// A reduction, such as a sum, whose order does not matter.
    Combined,
    /// At most a reduction, but the loop has several exits: an iteration may end the loop.
    Leaves,
    /// A value that an iteration needs from the previous one.
    State,
}

/// The chunk with the names of an executable.
#[must_use]
pub fn names_chunk(names: &StoredNames) -> Vec<u8> {
    chunk(NAMES, &pack(names))
}

pub(super) fn read(payload: &[u8]) -> Option<StoredNames> {
    let names: StoredNames = unpack(payload)?;
    names.is_consistent().then_some(names)
}

impl StoredNames {
    /// Whether all indices are valid, and all lists that are searched are sorted.
    fn is_consistent(&self) -> bool {
        let (texts, frames) = (self.texts.len(), self.frames.len());
        self.frames.iter().all(|frame| (frame.0.max(frame.1) as usize) < texts)
            && self.places.iter().all(|place| place.2.iter().all(|&frame| (frame as usize) < frames))
            && self.places.is_sorted_by_key(|place| place.0)
            && self.tails.is_sorted_by_key(|tail| tail.0)
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
    use super::{CarriedVariable, StoredFlow, StoredNames, names_chunk, read};

    fn sample() -> StoredNames {
        StoredNames {
            path: "/a/b".into(),
            texts: vec!["main".into(), "src/main.rs".into()],
            frames: vec![(0, 1, 7, 3)],
            places: vec![(16, 0, vec![0]), (48, 32, vec![0, 0])],
            sizes: vec![("u64".into(), 8)],
            flow: vec![blocks()],
            tails: vec![(16, vec![(32, vec![48])])],
            ..StoredNames::default()
        }
    }

    #[test]
    fn names_come_back() {
        assert_eq!(read(&names_chunk(&sample())[HEAD..]), Some(sample()));
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
            StoredNames { tails: vec![(48, vec![]), (16, vec![])], ..sample() },
            StoredNames { flow: vec![flow(vec![(16, vec![1])])], ..sample() },
            StoredNames { flow: vec![flow(vec![(48, vec![]), (16, vec![])])], ..sample() },
            StoredNames { flow: vec![StoredFlow { borders: vec![(0, 2)], ..blocks() }], ..sample() },
            StoredNames { flow: vec![StoredFlow { lines: vec![(2, vec![0])], ..blocks() }], ..sample() },
            StoredNames { flow: vec![StoredFlow { lines: vec![(0, vec![1])], ..blocks() }], ..sample() },
        ] {
            assert_eq!(read(&names_chunk(&damaged)[HEAD..]), None);
        }
    }
}
