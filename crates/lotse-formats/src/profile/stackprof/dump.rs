//! The contents of a dump, filled from JSON or from Ruby's Marshal format.

use crate::json::{Fill, Number};

/// Field names are those of the file, but for `missed_samples` and `raw_sample_timestamps`.
#[derive(Debug, Default)]
pub(super) struct StackprofDump {
    pub(super) version: Number,
    pub(super) mode: String,
    /// Microseconds in the modes `wall` and `cpu`, allocations in the mode `object`.
    pub(super) interval: Number,
    pub(super) samples: Number,
    pub(super) gc_samples: Number,
    pub(super) missed: Number,
    pub(super) has_frames: bool,
    pub(super) frames: Entries<StackprofFrame>,
    /// Runs of equal stacks: the number of frames, the ids of the frames from the outermost, the number of samples.
    pub(super) raw: Vec<RawNumber>,
    /// The same with lines in place of ids; stackprof keeps the lower 16 bits of a line.
    pub(super) raw_lines: Vec<RawNumber>,
    /// Of each sample, in microseconds of the monotonic clock.
    pub(super) timestamps: Vec<RawNumber>,
}

impl StackprofDump {
    /// The samples of all frames, which lack only samples without a frame.
    pub(super) fn own_samples(&self) -> u64 {
        let own = self.frames.0.iter().filter_map(|(_, frame)| frame.samples.id());
        own.fold(0, u64::saturating_add)
    }
}

impl Fill for StackprofDump {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "version" => Some(&mut self.version),
            "mode" => Some(&mut self.mode),
            "interval" => Some(&mut self.interval),
            "samples" => Some(&mut self.samples),
            "gc_samples" => Some(&mut self.gc_samples),
            "missed_samples" => Some(&mut self.missed),
            "frames" => {
                self.has_frames = true;
                Some(&mut self.frames)
            }
            "raw" => Some(&mut self.raw),
            "raw_lines" => Some(&mut self.raw_lines),
            "raw_sample_timestamps" => Some(&mut self.timestamps),
            _ => None,
        }
    }
}

/// What is known about one method or block.
#[derive(Debug, Default)]
pub(super) struct StackprofFrame {
    pub(super) name: String,
    pub(super) file: String,
    /// Of the definition.
    pub(super) line: Number,
    /// Samples with the frame anywhere on the stack.
    pub(super) total_samples: Number,
    /// Samples with the frame innermost.
    pub(super) samples: Number,
    /// Samples by the id of the callee.
    pub(super) edges: Entries<Number>,
    pub(super) lines: Entries<LineSamples>,
}

impl Fill for StackprofFrame {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "file" => Some(&mut self.file),
            "line" => Some(&mut self.line),
            "total_samples" => Some(&mut self.total_samples),
            "samples" => Some(&mut self.samples),
            "edges" => Some(&mut self.edges),
            "lines" => Some(&mut self.lines),
            _ => None,
        }
    }
}

/// The samples of a line: `[all, innermost]`, in version 1.0 only those with the line innermost.
#[derive(Debug, Default)]
pub(super) struct LineSamples {
    cells: [Number; 2],
    filled: usize,
}

impl LineSamples {
    /// Samples with the line innermost.
    pub(super) fn own(&self) -> u64 {
        self.cells[1].id().unwrap_or(0)
    }
}

impl Fill for LineSamples {
    fn number(&mut self, number: Number) {
        self.cells[1] = number;
    }

    fn element(&mut self) -> Option<&mut dyn Fill> {
        self.filled += 1;
        self.cells.get_mut(self.filled - 1).map(|cell| -> &mut dyn Fill { cell })
    }
}

/// The entries of an object, in the order of the file.
#[derive(Debug)]
pub(super) struct Entries<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Fill + Default> Fill for Entries<T> {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        self.0.push((key.to_owned(), T::default()));
        self.0.last_mut().map(|(_, value)| -> &mut dyn Fill { value })
    }
}

/// A number of a long list, in eight bytes; what is no whole number from 0 is larger than all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawNumber(pub(super) u64);

impl Default for RawNumber {
    fn default() -> Self {
        Self(u64::MAX)
    }
}

impl RawNumber {
    /// The number, if it is one.
    pub(super) fn known(self) -> Option<u64> {
        (self != Self::default()).then_some(self.0)
    }
}

impl Fill for RawNumber {
    fn number(&mut self, number: Number) {
        self.0 = number.id().unwrap_or(u64::MAX);
    }
}
