//! Unwinds stacks that were recorded as raw bytes, with the call frame information of the binaries. For stacks that were
//! recorded by frame pointers, it tells which functions have a frame.
//!
//! Starting from the recorded registers, each step looks up the unwind rule of the program counter and reads the return
//! address and saved registers from the copy of the stack:
//!
//! ```text
//! pc in f -> rule of f: return address at sp + 24 -> pc in main, sp + 32 -> rule of main: outermost
//! ```
//!
//! A stack ends where its outermost function is reached, or where the next caller cannot be found reliably: the copy is
//! too short, a binary is missing, or code has no unwind information. Such stacks are counted by reason; the inclusive
//! costs of the missing callers are lower bounds. One table per binary is kept in memory, and no stack.

use hashbrown::HashMap;
use lotse_formats::unwind::{CopiedThread, FramePointer, MappedByte, MemoryMap, Unwind, UserFrame};
use lotse_model::id::ObjectId;
use lotse_symbols::{Step, UnwindFailure, UnwindTable};

use crate::resolve::{Binaries, WantedBinary};

mod cuts;
mod processor;
mod stacks;

use cuts::{Truncation, Truncations};
pub use stacks::{MappedFrame, MappedStack, mapped_stacks};

/// Unwinds the stacks of one file.
pub(crate) struct Unwinder<'b> {
    binaries: &'b Binaries<'b>,
    /// When the file was recorded, in nanoseconds since 1970.
    recorded: Option<i64>,
    tables: HashMap<ObjectId, Result<UnwindTable, Truncation>>,
    truncations: Truncations,
}

impl<'b> Unwinder<'b> {
    pub(crate) fn new(binaries: &'b Binaries<'b>, recorded: Option<i64>) -> Self {
        Self { binaries, recorded, tables: HashMap::new(), truncations: Truncations::default() }
    }

    /// Notes about truncated stacks.
    pub(crate) fn into_notes(self) -> Vec<String> {
        self.truncations.into_notes()
    }

    /// Finds the frames of a stack, the innermost first; an error says why the outermost function was not reached.
    fn walk(
        &mut self,
        thread: &CopiedThread<'_>,
        memory: &dyn MemoryMap,
        frames: &mut Vec<UserFrame>,
    ) -> Result<(), Truncation> {
        let mut registers = processor::registers(thread).ok_or(Truncation::Processor)?;
        let bottom = registers.stack_pointer().ok_or(Truncation::Processor)?;
        let stack = |address: u64| thread.stack_word(address.checked_sub(bottom)?);
        let mut is_return = false;
        // Every call takes at least a word of the stack, so this limits the number of frames.
        for _ in 0..=thread.stack_length() / 8 + 1 {
            let address = registers.program_counter().ok_or(Truncation::Processor)?;
            let frame = UserFrame { address, is_return };
            let at = memory.at(address.wrapping_sub(u64::from(is_return)));
            let mapped = match at {
                Some(mapped) => mapped,
                None if is_return => return Err(Truncation::Nowhere),
                None => {
                    frames.push(frame);
                    return Err(Truncation::Nowhere);
                }
            };
            frames.push(frame);
            let table = self.table(&mapped)?;
            let linked = table.address_of_offset(mapped.offset).ok_or(Truncation::NoRule(mapped.object))?;
            match table.step(linked, is_return, &mut registers, &stack) {
                Ok(Step::Outermost) => return Ok(()),
                Ok(Step::Caller { interrupted }) => is_return = !interrupted,
                Err(UnwindFailure::NoRule) => return Err(Truncation::NoRule(mapped.object)),
                Err(UnwindFailure::Unreadable(_)) if thread.is_cut => return Err(Truncation::Short),
                Err(UnwindFailure::Unreadable(_) | UnwindFailure::Unsound) => {
                    return Err(Truncation::Nowhere);
                }
            }
        }
        Err(Truncation::Nowhere)
    }

    /// The unwind table of a mapped binary, read at the first use.
    fn table(&mut self, mapped: &MappedByte<'_>) -> Result<&mut UnwindTable, Truncation> {
        let (binaries, object) = (self.binaries, mapped.object);
        let known = self.tables.entry(object).or_insert_with(|| {
            self.truncations.name(object, mapped.path);
            let wanted = WantedBinary::mapped(mapped.path, mapped.build, self.recorded);
            // Problems of debug information are reported when names are looked up.
            let read = binaries.with(&wanted, &mut Vec::new(), |binary, _| UnwindTable::of_binary(binary));
            match read {
                Ok(table) => table.ok_or(Truncation::NoRule(object)),
                Err(missing) => {
                    self.truncations.missing(object, missing.reason(&wanted));
                    Err(Truncation::Absent(object))
                }
            }
        });
        known.as_mut().map_err(|truncation| *truncation)
    }
}

impl Unwind for Unwinder<'_> {
    fn unwind(&mut self, thread: &CopiedThread<'_>, memory: &dyn MemoryMap) -> Vec<UserFrame> {
        let mut frames = Vec::new();
        let end = self.walk(thread, memory, &mut frames);
        self.truncations.count(end.err(), thread.stack_length());
        frames
    }

    fn frame_pointer(&mut self, at: &MappedByte<'_>) -> Option<FramePointer> {
        let table = self.table(at).ok()?;
        let linked = table.address_of_offset(at.offset)?;
        Some(match table.frame_pointer(linked)? {
            lotse_symbols::FramePointer::Own => FramePointer::Own,
            lotse_symbols::FramePointer::OfCaller => FramePointer::OfCaller,
            lotse_symbols::FramePointer::Other => FramePointer::Other,
            lotse_symbols::FramePointer::Outermost => FramePointer::Outermost,
        })
    }
}
