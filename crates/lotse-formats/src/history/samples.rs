//! Samples of a run of the program without recording: call stacks, each with its number of samples.

use serde::{Deserialize, Serialize};

use super::chunk::{SAMPLES, chunk};
use super::packed::{pack, unpack};

/// Samples of the unrecorded run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredSamples {
    /// Names of functions and files.
    pub texts: Vec<String>,
    /// Frames: function and file (indices into `texts`), line and column (0: unknown).
    pub frames: Vec<(u32, u32, u32, u32)>,
    /// Distinct call stacks.
    pub stacks: Vec<StoredStack>,
    /// Why samples are missing, of all or of some programs.
    #[serde(default)]
    pub missing: Vec<String>,
}

/// A call stack of source functions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredStack {
    /// Indices of frames, the innermost first, including inlined functions.
    pub frames: Vec<u32>,
    /// The number of samples with this stack.
    pub samples: u64,
    /// The CPU time of these samples in nanoseconds.
    pub time: u64,
    /// Whether the outer frames are missing.
    pub is_cut: bool,
}

/// The chunk with the samples of a run without recording.
#[must_use]
pub fn samples_chunk(samples: &StoredSamples) -> Vec<u8> {
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
    use super::{StoredSamples, StoredStack, read, samples_chunk};

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
        assert_eq!(read(&samples_chunk(&sample())[HEAD..]), Some(sample()));
    }

    #[test]
    fn numbers_that_refer_to_nothing_are_refused() {
        for damaged in [
            StoredSamples { texts: Vec::new(), ..sample() },
            StoredSamples { frames: Vec::new(), ..sample() },
        ] {
            assert_eq!(read(&samples_chunk(&damaged)[HEAD..]), None);
        }
    }
}
