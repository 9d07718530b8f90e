//! Frames of stacks that were copied as bytes, found with the call frame information of the binaries.
//!
//! A stack ends where its outermost function is reached, or where the next caller cannot be found for certain: the
//! copy is too short, a binary is missing, or code has no unwind information. Such stacks are counted by reason;
//! inclusive costs of the callers they miss are lower bounds. One table per binary is kept, and no stack.

use hashbrown::HashMap;
use lotse_formats::unwind::{Mapped, Memory, ThreadState, Unwind, UserFrame};
use lotse_model::id::ObjectId;
use lotse_symbols::{Step, UnwindFailure, UnwindTable};

use crate::resolve::{Binaries, Wanted};

mod cuts;
mod processor;
mod stacks;

use cuts::{Cut, Cuts};
pub use stacks::{MappedFrame, MappedStack, mapped_stacks};

/// Unwinds the stacks of one file.
pub(crate) struct Unwinder<'b> {
    binaries: &'b Binaries<'b>,
    /// When the file was recorded, in nanoseconds since 1970.
    recorded: Option<i64>,
    tables: HashMap<ObjectId, Result<UnwindTable, Cut>>,
    cuts: Cuts,
}

impl<'b> Unwinder<'b> {
    pub(crate) fn new(binaries: &'b Binaries<'b>, recorded: Option<i64>) -> Self {
        Self { binaries, recorded, tables: HashMap::new(), cuts: Cuts::default() }
    }

    /// How many stacks were cut, and why.
    pub(crate) fn into_notes(self) -> Vec<String> {
        self.cuts.into_notes()
    }

    fn walk(
        &mut self,
        thread: &ThreadState<'_>,
        memory: &dyn Memory,
        frames: &mut Vec<UserFrame>,
    ) -> Result<(), Cut> {
        let mut registers = processor::registers(thread).ok_or(Cut::Processor)?;
        let bottom = registers.stack_pointer().ok_or(Cut::Processor)?;
        let stack = |address: u64| thread.stack_word(address.checked_sub(bottom)?);
        let mut is_return = false;
        // Every call takes at least a word of the stack.
        for _ in 0..=thread.stack_length() / 8 + 1 {
            let address = registers.program_counter().ok_or(Cut::Processor)?;
            let frame = UserFrame { address, is_return };
            let at = memory.at(address.wrapping_sub(u64::from(is_return)));
            let mapped = match at {
                Some(mapped) => mapped,
                None if is_return => return Err(Cut::Nowhere),
                None => {
                    frames.push(frame);
                    return Err(Cut::Nowhere);
                }
            };
            frames.push(frame);
            let table = self.table(&mapped)?;
            let linked = table.address_of_offset(mapped.offset).ok_or(Cut::NoRule(mapped.object))?;
            match table.step(linked, is_return, &mut registers, &stack) {
                Ok(Step::Outermost) => return Ok(()),
                Ok(Step::Caller { interrupted }) => is_return = !interrupted,
                Err(UnwindFailure::NoRule) => return Err(Cut::NoRule(mapped.object)),
                Err(UnwindFailure::Unreadable(_)) if thread.is_cut => return Err(Cut::Short),
                Err(UnwindFailure::Unreadable(_) | UnwindFailure::Unsound) => return Err(Cut::Nowhere),
            }
        }
        Err(Cut::Nowhere)
    }

    fn table(&mut self, mapped: &Mapped<'_>) -> Result<&mut UnwindTable, Cut> {
        let (binaries, object) = (self.binaries, mapped.object);
        let known = self.tables.entry(object).or_insert_with(|| {
            self.cuts.name(object, mapped.path);
            let wanted = Wanted::mapped(mapped.path, mapped.build, self.recorded);
            // Problems of debug information are reported when names are looked up.
            let read = binaries.with(&wanted, &mut Vec::new(), |binary, _| UnwindTable::of_binary(binary));
            match read {
                Ok(table) => table.ok_or(Cut::NoRule(object)),
                Err(missing) => {
                    self.cuts.missing(object, missing.reason(&wanted));
                    Err(Cut::Absent(object))
                }
            }
        });
        known.as_mut().map_err(|cut| *cut)
    }
}

impl Unwind for Unwinder<'_> {
    fn unwind(&mut self, thread: &ThreadState<'_>, memory: &dyn Memory) -> Vec<UserFrame> {
        let mut frames = Vec::new();
        let end = self.walk(thread, memory, &mut frames);
        self.cuts.count(end.err(), thread.stack_length());
        frames
    }
}
