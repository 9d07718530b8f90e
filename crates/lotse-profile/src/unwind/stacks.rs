//! Unwound stacks as offsets in files, for callers that need more than a profile.

use lotse_formats::FormatError;
use lotse_formats::unwind::{CopiedThread, FramePointer, MappedByte, MemoryMap, Unwind, UserFrame, unwound};
use lotse_model::bytes::Source;

use super::Unwinder;
use crate::resolve::Binaries;

/// A sampled stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MappedStack {
    /// The innermost first. The offset of a caller is inside its call instruction.
    pub frames: Vec<MappedFrame>,
    /// Whether the outermost function was reached.
    pub is_whole: bool,
}

/// A place in a program or library.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MappedFrame {
    pub path: String,
    /// The offset in the file.
    pub offset: u64,
}

/// The stacks of all samples of a perf.data file with copied stacks, in the order of time.
///
/// # Errors
/// If the file cannot be read.
pub fn mapped_stacks(source: &dyn Source, binaries: &Binaries<'_>) -> Result<Vec<MappedStack>, FormatError> {
    let mut collector = StackCollector { unwinder: Unwinder::new(binaries, None), stacks: Vec::new() };
    match unwound(source, "perf-data", &mut collector) {
        Some(Err(error)) => Err(error),
        // A file without copied stacks gives an empty list.
        Some(Ok(_)) | None => Ok(collector.stacks),
    }
}

struct StackCollector<'b> {
    unwinder: Unwinder<'b>,
    stacks: Vec<MappedStack>,
}

impl Unwind for StackCollector<'_> {
    /// Stores the frames, and returns none, because the profile that is built at the same time is not used.
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
    /// Chains by frame pointers are not collected.
    fn frame_pointer(&mut self, _at: &MappedByte<'_>) -> Option<FramePointer> {
        None
    }
}
