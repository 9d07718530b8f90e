//! From a function to its caller by the call frame information of a binary (`.eh_frame`, `.debug_frame`).
//!
//! Promises: a step follows the rules that the compiler wrote down, for all registers, or says why it cannot;
//! nothing is guessed. A caller found by the frame pointer where no rule covers the code would often be wrong,
//! and nobody would see it. Addresses are those of the file; the stack is read through a function.
//!
//! Done for x86-64 and 64-bit ARM in little endian.

mod frames;
mod registers;
mod rules;

use std::collections::HashMap;
use std::rc::Rc;

pub use registers::Registers;

use crate::binary::Segment;
use crate::{Architecture, Binary};
use frames::{CallFrames, UnwindRow};

/// The call frame information of one binary. It owns its bytes, so that those of many binaries can be kept.
pub struct UnwindTable {
    architecture: Architecture,
    segments: Vec<Segment>,
    sections: Vec<CallFrames>,
    /// Rows by address: the same addresses are on most stacks.
    rows: HashMap<u64, Option<Rc<UnwindRow>>>,
}

/// Where a step leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the caller, whose registers are known now.
    Caller {
        /// Whether the caller was interrupted at this very instruction, as by a signal; else the address is the
        /// one to return to, and the call is before it.
        interrupted: bool,
    },
    /// There is no caller.
    Outermost,
}

/// Why a step cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwindFailure {
    /// The binary has no rule for the address.
    NoRule,
    /// The stack cannot be read there.
    Unreadable(u64),
    /// The rule needs a register that is not known, is not valid, or does not lead outwards.
    Unsound,
}

impl UnwindTable {
    /// The table of a binary; `None` where it has none, or one of a processor that is not supported.
    #[must_use]
    pub fn of_binary(binary: &Binary<'_>) -> Option<Self> {
        let architecture = binary.architecture();
        Registers::layout(architecture)?;
        let (sections, segments) = (frames::of_binary(binary), binary.segments().collect());
        (!sections.is_empty()).then(|| Self { architecture, segments, sections, rows: HashMap::new() })
    }

    /// The address at which a byte of the binary's file is loaded.
    #[must_use]
    pub fn address_of_offset(&self, file_offset: u64) -> Option<u64> {
        self.segments.iter().find_map(|segment| segment.address_of_offset(file_offset))
    }

    /// Whose registers the rules speak of.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Turns the registers in the function around an address into those of its caller.
    ///
    /// `is_call` tells that the address is inside a call instruction: the function is in the middle of a call.
    pub fn step(
        &mut self,
        address: u64,
        is_call: bool,
        registers: &mut Registers,
        stack: &dyn Fn(u64) -> Option<u64>,
    ) -> Result<Step, UnwindFailure> {
        let row = self.row(address).ok_or(UnwindFailure::NoRule)?;
        let section = &self.sections[row.section];
        let step = rules::apply(section, &row, registers, stack)?;
        let Some(caller) = step else { return Ok(Step::Outermost) };
        let (before, after) = (registers.stack_pointer(), caller.stack_pointer());
        let outwards = row.is_signal || after > before || after == before && !is_call;
        if !outwards {
            return Err(UnwindFailure::Unsound);
        }
        *registers = caller;
        Ok(Step::Caller { interrupted: row.is_signal })
    }

    fn row(&mut self, address: u64) -> Option<Rc<UnwindRow>> {
        let sections = &self.sections;
        let find = || {
            let mut all = sections.iter().enumerate();
            all.find_map(|(at, section)| section.row(at, address)).map(Rc::new)
        };
        self.rows.entry(address).or_insert_with(find).clone()
    }
}

#[cfg(test)]
mod tests;
