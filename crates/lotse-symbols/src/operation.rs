//! The semantics of instructions: the registers and memory they read and write, their class, and how the written value is
//! computed. Only for x86-64.
//!
//! ```text
//! addsd xmm0, [rdi+rax*8]     class FloatAdd, reads xmm0, loads [rdi + 8 rax], writes xmm0
//! add   rax, 1                class Integer, rax = rax + 1
//! ```

mod class;
mod x86;

use std::ops::Range;

pub use class::OperationClass;

use crate::binary::{Architecture, Binary};
use crate::disassembly::Flow;
use crate::error::SymbolError;

/// A full register: `eax` and `rax` are the same, `xmm0` and `ymm0` are the same, and all flags are one register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub(crate) u16);

/// The memory operand of an instruction: its address is the sum of the terms and the displacement.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryOperand {
    /// Registers of the address, each with its factor.
    pub terms: Vec<(Register, i64)>,
    pub displacement: i64,
    /// The number of bytes accessed; 0 if unknown.
    pub bytes: u32,
}

/// How an instruction computes the value that it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A register is set to a linear combination of registers and a constant. Copies and constants are special cases.
    Sum {
        to: Register,
        /// Registers with their factors.
        terms: Vec<(Register, i64)>,
        constant: i64,
    },
    /// A register is loaded from memory.
    Load(Register),
    /// A register is stored to memory.
    Store(Register),
    /// A register is combined with another operand by an associative and commutative operation: sum, product, minimum,
    /// maximum, bit operations.
    Combine(Register),
    /// A register is conditionally set to another one.
    Select {
        to: Register,
        from: Register,
    },
    Other,
}

/// The role of a register in the System V calling convention.
impl Register {
    /// Whether it is the stack pointer.
    #[must_use]
    pub fn is_stack(self) -> bool {
        x86::is_stack(self)
    }

    /// Whether it is the frame pointer, in functions that use one.
    #[must_use]
    pub fn is_frame(self) -> bool {
        x86::is_frame(self)
    }

    /// Whether it represents the flags.
    #[must_use]
    pub fn is_flags(self) -> bool {
        self == x86::FLAGS
    }

    /// Whether a called function may change it (caller-saved).
    #[must_use]
    pub fn is_lost_by_calls(self) -> bool {
        x86::is_lost_by_calls(self)
    }

    /// The registers of return values.
    #[must_use]
    pub fn results() -> [Self; 4] {
        x86::RESULTS
    }

    /// Whether it is likely to contain an argument of a called function. Only the first vector register counts, since the
    /// others often hold unrelated values.
    #[must_use]
    pub fn is_argument(self) -> bool {
        x86::is_argument(self)
    }
}

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    pub address: u64,
    pub length: u32,
    pub class: OperationClass,
    /// The size of its register operands in bytes: 16, 32 or 64 for vectors.
    pub width: u32,
    /// The size of one vector element in bytes; the width if unknown or scalar.
    pub number: u32,
    /// Registers that it reads, without those of addresses.
    pub reads: Vec<Register>,
    pub writes: Vec<Register>,
    /// The memory that it reads.
    pub load: Option<MemoryOperand>,
    /// The memory that it writes.
    pub store: Option<MemoryOperand>,
    pub effect: Effect,
    pub flow: Flow,
    /// Whether it is atomic, or accesses thread-local memory.
    pub of_threads: bool,
}

impl Operation {
    /// Whether it is a vector operation on several elements.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.number < self.width
    }
}

/// The operations of x86-64 code that starts at an address.
#[must_use]
pub fn decode(code: &[u8], address: u64) -> Vec<Operation> {
    x86::operations(code, address)
}

impl Binary<'_> {
    /// The operations of `range`, up to the end of the section that contains its start.
    pub fn operations(&self, range: Range<u64>) -> Result<Vec<Operation>, SymbolError> {
        let architecture = self.architecture();
        if architecture != Architecture::X86_64 {
            return Err(SymbolError::Architecture(architecture));
        }
        let code = self.code(&range).ok_or_else(|| SymbolError::NoCode(range.clone()))?;
        Ok(decode(code, range.start))
    }
}
