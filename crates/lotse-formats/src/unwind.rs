//! Stacks that a reader cannot follow without the binaries: copied as bytes, or recorded by frame pointers.
//!
//! The reader knows the copied bytes and the memory map of the process; only the engine has the binaries with the
//! information how to get from a function to its caller. So the reader calls an [`Unwind`] for each sample, in the order
//! of time. Of a chain that was recorded by frame pointers it asks which functions have a frame.

use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::ObjectId;
use lotse_model::profile::BuildId;

use crate::error::FormatError;
pub use crate::frame_pointers::{LOST, SKIPPED, is_frame_pointer_note, is_missing_caller};
use crate::profile::perf_data;
use crate::reading::Reading;

/// The note of a reader if stacks were copied and it has no [`Unwind`].
pub const NOT_UNWOUND: &str = "copied user stacks are not unwound; the frames perf gives are kept";

/// Unwinds copied stacks, and knows which functions have a frame.
pub trait Unwind {
    /// The frames of a thread in user mode, the innermost first.
    fn unwind(&mut self, thread: &CopiedThread<'_>, memory: &dyn MemoryMap) -> Vec<UserFrame>;

    /// What the frame pointer refers to while a thread is at a byte of code; `None` where that is not known.
    fn frame_pointer(&mut self, at: &MappedByte<'_>) -> Option<FramePointer>;
}

/// What the frame pointer refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FramePointer {
    /// The frame of the function itself, whose return address is found through it.
    Own,
    /// The frame of one of its callers: its own return address is not found.
    OfCaller,
    /// Perhaps no frame at all: the register may have any value.
    Other,
    /// The function has no caller.
    Outermost,
}

/// What is mapped into the memory of a process at the time of a sample.
pub trait MemoryMap {
    /// The byte of a mapped object at an address.
    fn at(&self, address: u64) -> Option<MappedByte<'_>>;
}

/// A byte of a mapped object, such as an executable or a library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedByte<'a> {
    /// The same object has the same number throughout a file.
    pub object: ObjectId,
    pub path: &'a str,
    /// The object's build, if the file states it.
    pub build: Option<&'a BuildId>,
    /// The position of the byte in the object's file.
    pub offset: u64,
}

/// A stack frame in user mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserFrame {
    /// The address of the instruction to be executed next in this frame.
    pub address: u64,
    /// Whether `address` is a return address, so that the call instruction ends right before it.
    pub is_return: bool,
}

/// Registers and stack of a thread, copied when a sample was taken.
#[derive(Debug, Clone, Copy)]
pub struct CopiedThread<'a> {
    /// The bit of each copied register is set; the bits are the numbers in Linux's `perf_regs.h`.
    pub(crate) mask: u64,
    pub(crate) registers: &'a [u8],
    /// Whether the thread ran in 64-bit mode.
    pub is_64_bit: bool,
    /// The stack from the stack pointer on.
    pub(crate) stack: &'a [u8],
    /// Whether only a part of the stack was copied, for lack of room.
    pub is_cut: bool,
    /// Whether values are big endian.
    pub(crate) big: bool,
}

impl CopiedThread<'_> {
    /// A register by its number in Linux's `perf_regs.h`.
    pub fn register(&self, number: u32) -> Option<u64> {
        let bit = 1_u64.checked_shl(number)?;
        let row = (self.mask & (bit - 1)).count_ones() as usize;
        if self.mask & bit == 0 { None } else { self.long(self.registers, 8 * row) }
    }

    /// The 64-bit word of the stack `above` bytes above the stack pointer.
    pub fn stack_word(&self, above: u64) -> Option<u64> {
        self.long(self.stack, usize::try_from(above).ok()?)
    }

    /// How many bytes of the stack were copied.
    pub fn stack_length(&self) -> usize {
        self.stack.len()
    }

    fn long(&self, bytes: &[u8], at: usize) -> Option<u64> {
        let word = bytes.get(at..at.checked_add(8)?)?.try_into().ok()?;
        Some(if self.big { u64::from_be_bytes(word) } else { u64::from_le_bytes(word) })
    }
}

/// Reads a profile again, with the frames of its copied stacks and the gaps in chains by frame pointers; `None` if there
/// are neither. `source` is the source that the profile was read from, [unpacked](crate::unpack()).
pub fn unwound(
    source: &dyn Source,
    format: &str,
    unwinder: &mut dyn Unwind,
) -> Option<Result<Reading<Profile>, FormatError>> {
    (format == perf_data::FORMAT.id).then(|| perf_data::unwound(source, unwinder)).flatten()
}
