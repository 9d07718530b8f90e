//! Profiles in the format perf-data, also with copied stacks.

use lotse_formats::unwind::{CopiedThread, FramePointer, MappedByte, MemoryMap, Unwind, UserFrame, unwound};
use lotse_model::bytes::Memory as Bytes;

/// Treats every word of a stack as a return address, and lets the position in the object decide what a function has of a frame.
struct AnyWord;

impl Unwind for AnyWord {
    fn unwind(&mut self, thread: &CopiedThread<'_>, memory: &dyn MemoryMap) -> Vec<UserFrame> {
        let words = (0..64).filter_map(|row| thread.stack_word(8 * row));
        let words = words.chain((0..64).filter_map(|number| thread.register(number)));
        let frame = |address| memory.at(address).map(|_| UserFrame { address, is_return: true });
        words.filter_map(frame).collect()
    }

    fn frame_pointer(&mut self, at: &MappedByte<'_>) -> Option<FramePointer> {
        match at.offset % 5 {
            0 => None,
            1 => Some(FramePointer::Own),
            2 => Some(FramePointer::OfCaller),
            3 => Some(FramePointer::Other),
            _ => Some(FramePointer::Outermost),
        }
    }
}

pub(super) fn fuzz(data: &[u8]) {
    crate::profile(data, "perf-data");
    if let Some(Ok(reading)) = unwound(&Bytes { name: "-", bytes: data }, "perf-data", &mut AnyWord) {
        reading.value.check().expect("readers promise it");
    }
}
