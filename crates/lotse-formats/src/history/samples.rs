//! Where the program was when it ran without recording: stacks of its source, each with how often it was met.

use serde::{Deserialize, Serialize};

use super::chunk::{SAMPLES, chunk};
use super::packed::{pack, unpack};

/// Samples of the unrecorded run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSamples {
    /// Names of functions and files.
    pub texts: Vec<String>,
    /// Frames: function and file (numbers of texts), line and column (0: unknown).
    pub frames: Vec<(u32, u32, u32, u32)>,
    /// Distinct stacks.
    pub stacks: Vec<StoredStack>,
    /// Why there are none, or not of all programs.
    #[serde(default)]
    pub missing: Vec<String>,
}

/// A stack of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredStack {
    /// Numbers of frames, the innermost first, functions that were inlined included.
    pub frames: Vec<u32>,
    /// How many samples have it.
    pub samples: u64,
    /// Nanoseconds of processor time that they stand for.
    pub time: u64,
    /// Whether its outer frames are missing.
    pub is_cut: bool,
}

/// The chunk of samples.
#[must_use]
pub fn samples(samples: &StoredSamples) -> Vec<u8> {
    chunk(SAMPLES, &pack(samples))
}

pub(super) fn read(payload: &[u8]) -> Option<StoredSamples> {
    let samples: StoredSamples = unpack(payload)?;
    let (texts, frames) = (samples.texts.len(), samples.frames.len());
    let is_consistent = samples.frames.iter().all(|frame| (frame.0.max(frame.1) as usize) < texts)
        && samples.stacks.iter().all(|stack| stack.frames.iter().all(|&frame| (frame as usize) < frames));
    is_consistent.then_some(samples)
}

#[cfg(test)]
mod tests {
    use super::super::chunk::HEAD;
    use super::{StoredSamples, StoredStack, read, samples};

    fn sample() -> StoredSamples {
        StoredSamples {
            texts: vec!["main".into(), "src/main.rs".into()],
            frames: vec![(0, 1, 7, 3)],
            stacks: vec![StoredStack { frames: vec![0, 0], samples: 3, time: 9, is_cut: true }],
            missing: vec!["a reason".into()],
        }
    }

    #[test]
    fn samples_come_back() {
        assert_eq!(read(&samples(&sample())[HEAD..]), Some(sample()));
    }

    #[test]
    fn numbers_that_refer_to_nothing_are_refused() {
        for damaged in [
            StoredSamples { texts: Vec::new(), ..sample() },
            StoredSamples { frames: Vec::new(), ..sample() },
        ] {
            assert_eq!(read(&samples(&damaged)[HEAD..]), None);
        }
    }
}
