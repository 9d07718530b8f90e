//! Copied stacks as places in files, for those who ask other questions than a profile answers.

use lotse_formats::FormatError;
use lotse_formats::unwind::{CopiedThread, MemoryMap, Unwind, UserFrame, unwound};
use lotse_model::bytes::Source;

use super::Unwinder;
use crate::resolve::Binaries;

/// A stack that was sampled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MappedStack {
    /// The innermost first. Of a caller, the place is within its call.
    pub frames: Vec<MappedFrame>,
    /// Whether its outermost function was reached.
    pub is_whole: bool,
}

/// A place in a program or library.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MappedFrame {
    /// Its file.
    pub path: String,
    /// The place in the file.
    pub offset: u64,
}

/// The stacks of all samples of a perf.data file that copied stacks, in the order of time.
///
/// # Errors
/// If the file cannot be read.
pub fn mapped_stacks(source: &dyn Source, binaries: &Binaries<'_>) -> Result<Vec<MappedStack>, FormatError> {
    let mut collecting = Collecting { unwinder: Unwinder::new(binaries, None), stacks: Vec::new() };
    match unwound(source, "perf-data", &mut collecting) {
        Some(Err(error)) => Err(error),
        // A file without copied stacks has none.
        Some(Ok(_)) | None => Ok(collecting.stacks),
    }
}

struct Collecting<'b> {
    unwinder: Unwinder<'b>,
    stacks: Vec<MappedStack>,
}

impl Unwind for Collecting<'_> {
    /// Keeps the frames, and gives none: the profile that is made meanwhile is not wanted.
    fn unwind(&mut self, thread: &CopiedThread<'_>, memory: &dyn MemoryMap) -> Vec<UserFrame> {
        let mut frames = Vec::new();
        let is_whole = self.unwinder.walk(thread, memory, &mut frames).is_ok();
        let mapped = |frame: &UserFrame| {
            let mapped = memory.at(frame.address.wrapping_sub(u64::from(frame.is_return)))?;
            Some(MappedFrame { path: mapped.path.to_owned(), offset: mapped.offset })
        };
        self.stacks.push(MappedStack { frames: frames.iter().filter_map(mapped).collect(), is_whole });
        Vec::new()
    }
}
