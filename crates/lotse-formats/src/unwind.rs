//! Stacks that were copied into a file as bytes, for an engine that can unwind them.
//!
//! A codec knows what was copied and what lay where in memory; only the engine has the binaries that tell how to
//! get from a function to its caller. So the reader asks an [`Unwind`] about every sample, in the order of time.

use lotse_model::Profile;
use lotse_model::bytes::Source;
use lotse_model::id::ObjectId;
use lotse_model::profile::BuildId;

use crate::error::FormatError;
use crate::profile::perf_data;
use crate::reading::Reading;

/// What a reader notes where stacks were copied and nobody unwinds them.
pub const NOT_UNWOUND: &str = "copied user stacks are not unwound; the frames perf gives are kept";

/// Finds the callers in copied stacks.
pub trait Unwind {
    /// The frames of a thread in user mode, the innermost first.
    fn unwind(&mut self, thread: &ThreadState<'_>, memory: &dyn Memory) -> Vec<UserFrame>;
}

/// The memory of a process at the time of a sample.
pub trait Memory {
    /// What lies at an address.
    fn at(&self, address: u64) -> Option<Mapped<'_>>;
}

/// A byte of an object in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mapped<'a> {
    /// The object; its number stays the same throughout a file.
    pub object: ObjectId,
    /// The object's path.
    pub path: &'a str,
    /// The object's build, where the file states it.
    pub build: Option<&'a BuildId>,
    /// The byte's place in the object's file.
    pub offset: u64,
}

/// A function on a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserFrame {
    /// The instruction that is executed next, in the memory of the process.
    pub address: u64,
    /// Whether this is a return address: the call is right before it.
    pub is_return: bool,
}

/// What was copied of a thread when a sample was taken.
#[derive(Debug, Clone, Copy)]
pub struct ThreadState<'a> {
    /// Which registers there are, by the bits of their numbers in Linux's `perf_regs.h`.
    pub(crate) mask: u64,
    pub(crate) registers: &'a [u8],
    /// Whether it ran in 64-bit mode.
    pub is_64_bit: bool,
    /// The stack from the stack pointer on.
    pub(crate) stack: &'a [u8],
    /// Whether there was no room to copy all of the stack.
    pub is_cut: bool,
    pub(crate) big: bool,
}

impl ThreadState<'_> {
    /// A register by its number in Linux's `perf_regs.h`.
    pub fn register(&self, number: u32) -> Option<u64> {
        let bit = 1_u64.checked_shl(number)?;
        let row = (self.mask & (bit - 1)).count_ones() as usize;
        if self.mask & bit == 0 { None } else { self.long(self.registers, 8 * row) }
    }

    /// The word of the stack that lies so many bytes above the stack pointer.
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

/// Reads a profile again, now with the frames of its copied stacks; `None` where no stacks were copied. The source
/// is the one the profile was read from, [unpacked](crate::unpack()).
pub fn unwound(
    source: &dyn Source,
    format: &str,
    unwinder: &mut dyn Unwind,
) -> Option<Result<Reading<Profile>, FormatError>> {
    (format == perf_data::FORMAT.id).then(|| perf_data::unwound(source, unwinder)).flatten()
}
