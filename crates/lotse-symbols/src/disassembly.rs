//! Machine code to text, one line per instruction, with where it may go next.
//!
//! Targets of jumps and calls outside the range carry the name of their function (`call memcpy@plt`,
//! `jmp f+0x10`); inside the range they are addresses, which are addresses of other lines.
//! Bytes that are no instruction become a line `(bad)` of one byte (of a whole word on aarch64) and the next
//! byte is tried. Memory grows with the range: some hundred bytes per instruction.

mod aarch64;
pub(crate) mod x86;

use std::ops::Range;

use crate::SymbolError;
use crate::binary::{Architecture, Binary};

/// What undecodable bytes are shown as.
const BAD: &str = "(bad)";

/// One line of disassembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub address: u64,
    pub bytes: Vec<u8>,
    /// Mnemonic, blank, operands.
    pub text: String,
    pub flow: Flow,
}

/// Where execution may go after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// To another place, without coming back.
    Jump {
        /// Absent for a jump through a register or memory.
        target: Option<u64>,
        /// Whether it may also go to the next instruction.
        conditional: bool,
    },
    /// Into a function, and then to the next instruction.
    Call {
        /// Absent for a call through a register or memory.
        target: Option<u64>,
    },
    /// Back to the caller.
    Return,
    /// Nowhere: a trap that never goes on, or bytes that are no instruction.
    Stop,
}

/// How x86 instructions are written; others have one way only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// `mov rax, [rdi+8]`
    #[default]
    Intel,
    /// `mov 8(%rdi),%rax`
    Att,
}

impl Binary<'_> {
    /// Disassembles `range` in Intel's syntax, as far as the section of its start holds it.
    pub fn disassemble(&self, range: Range<u64>) -> Result<Vec<Instruction>, SymbolError> {
        self.disassemble_as(range, Syntax::default())
    }

    /// Disassembles `range`, as far as the section of its start holds it.
    pub fn disassemble_as(&self, range: Range<u64>, syntax: Syntax) -> Result<Vec<Instruction>, SymbolError> {
        let architecture = self.architecture();
        if let Architecture::Other(_) = architecture {
            return Err(SymbolError::Architecture(architecture));
        }
        let code = self.code(&range).ok_or_else(|| SymbolError::NoCode(range.clone()))?;
        let place = |target: u64| place(self, &range, target);
        Ok(match architecture {
            Architecture::X86 => x86::disassemble(code, range.start, 32, syntax, &place),
            Architecture::Aarch64 => aarch64::disassemble(code, range.start, &place),
            _ => x86::disassemble(code, range.start, 64, syntax, &place),
        })
    }
}

/// How a target is written.
fn place(binary: &Binary<'_>, range: &Range<u64>, target: u64) -> String {
    let outside = binary.function_at(target).filter(|_| !range.contains(&target));
    match outside {
        Some(function) if function.address == target => function.display().into_owned(),
        Some(function) => format!("{}+{:#x}", function.display(), target - function.address),
        None => format!("{target:#x}"),
    }
}
