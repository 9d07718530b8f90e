//! Disassembly: the text of each instruction, and the control flow after it.
//!
//! Targets of jumps and calls outside the range are written with the name of their function (`call memcpy@plt`,
//! `jmp f+0x10`); targets inside the range are addresses of other instructions. Bytes that are no instruction become `(bad)`
//! instructions of one byte (of a whole word on aarch64), and decoding continues after it. It needs about a hundred bytes of
//! memory per instruction.

mod aarch64;
pub(crate) mod x86;

use std::ops::Range;

use crate::SymbolError;
use crate::binary::{Architecture, Binary};

/// The text for bytes that cannot be decoded.
const BAD: &str = "(bad)";

/// A disassembled instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    pub address: u64,
    pub bytes: Vec<u8>,
    /// Mnemonic, space, operands.
    pub text: String,
    pub flow: Flow,
}

/// Where execution can continue after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// At the next instruction.
    Next,
    /// At the target of a jump.
    Jump {
        /// `None` for a jump through a register or memory.
        target: Option<u64>,
        /// Whether it can also continue at the next instruction.
        conditional: bool,
    },
    /// In a function, and then at the next instruction.
    Call {
        /// `None` for a call through a register or memory.
        target: Option<u64>,
    },
    /// In the caller.
    Return,
    /// Nowhere: a trap that does not return, or bytes that are no instruction.
    Stop,
}

/// The assembly syntax for x86; other architectures have only one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// `mov rax, [rdi+8]`
    #[default]
    Intel,
    /// `mov 8(%rdi),%rax`
    Att,
}

impl Binary<'_> {
    /// Disassembles `range` in Intel syntax, up to the end of the section that contains its start.
    pub fn disassemble(&self, range: Range<u64>) -> Result<Vec<Instruction>, SymbolError> {
        self.disassemble_as(range, Syntax::default())
    }

    /// Disassembles `range`, up to the end of the section that contains its start.
    pub fn disassemble_as(&self, range: Range<u64>, syntax: Syntax) -> Result<Vec<Instruction>, SymbolError> {
        let architecture = self.architecture();
        if let Architecture::Other(_) = architecture {
            return Err(SymbolError::Architecture(architecture));
        }
        let code = self.code(&range).ok_or_else(|| SymbolError::NoCode(range.clone()))?;
        let target_text = |target: u64| target_text(self, &range, target);
        Ok(match architecture {
            Architecture::X86 => x86::disassemble(code, range.start, 32, syntax, &target_text),
            Architecture::Aarch64 => aarch64::disassemble(code, range.start, &target_text),
            _ => x86::disassemble(code, range.start, 64, syntax, &target_text),
        })
    }
}

/// The text of a jump target: the function and an offset in it, or an address inside of the range.
fn target_text(binary: &Binary<'_>, range: &Range<u64>, target: u64) -> String {
    let outside = binary.function_at(target).filter(|_| !range.contains(&target));
    match outside {
        Some(function) if function.address == target => function.display().into_owned(),
        Some(function) => format!("{}+{:#x}", function.display(), target - function.address),
        None => format!("{target:#x}"),
    }
}
