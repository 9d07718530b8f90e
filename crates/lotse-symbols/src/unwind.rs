//! Stack unwinding by the call frame information of a binary (`.eh_frame`, `.debug_frame`).
//!
//! Promises: a step applies the rules that the compiler wrote, for all registers, or returns why it cannot; nothing is
//! guessed. Where no rule covers the code, a caller found by the frame pointer would often be wrong without any sign of it.
//! Addresses are those of the file; the stack is read through a function.
//!
//! ```text
//! rules at f+4:  CFA = rsp + 24,  return address at CFA - 8,  rbx at CFA - 16
//!
//!  rsp ─▸ │ locals          │
//!         │ saved rbx       │  CFA - 16
//!         │ return address  │  CFA - 8    pc of the caller
//!  CFA ─▸ │ frame of caller │             rsp of the caller
//! ```
//!
//! Supports x86-64 and little-endian 64-bit ARM.

mod frames;
mod link;
mod registers;
mod rules;

use std::collections::HashMap;
use std::rc::Rc;

pub use link::FramePointer;
pub use registers::Registers;

use crate::binary::Segment;
use crate::{Architecture, Binary};
use frames::{CallFrames, UnwindRow};

/// The call frame information of one binary. It owns its bytes, so that it can outlive the binary.
pub struct UnwindTable {
    architecture: Architecture,
    segments: Vec<Segment>,
    sections: Vec<CallFrames>,
    /// A cache of rows by address, since most stacks contain the same addresses.
    rows: HashMap<u64, Option<Rc<UnwindRow>>>,
}

/// The result of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The registers are now those of the caller.
    Caller {
        /// Whether the caller was interrupted at exactly this instruction, as by a signal; else the address is a return
        /// address, and the call is before it.
        interrupted: bool,
    },
    /// The function has no caller.
    Outermost,
}

/// Why a step is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwindFailure {
    /// The binary has no rule for the address.
    NoRule,
    /// The stack cannot be read at this address.
    Unreadable(u64),
    /// The rule needs an unknown register, is invalid, or does not lead towards the outermost frame.
    Unsound,
}

impl UnwindTable {
    /// The table of a binary; `None` if it has none, or if its architecture is not supported.
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

    /// The first address of the function that contains an address. Every function that is described has it, also in a
    /// binary without symbols.
    #[must_use]
    pub fn function_start(&self, address: u64) -> Option<u64> {
        self.sections.iter().find_map(|section| section.start_at(address))
    }

    /// The architecture of the registers.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Replaces the registers of the function at an address by those of its caller. On failure they stay unchanged.
    ///
    /// `is_call` states that the address is inside a call instruction, that is, the function is in the middle of a call.
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

    /// The rules at an address, from the first section that has any.
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
