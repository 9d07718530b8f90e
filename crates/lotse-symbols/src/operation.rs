//! What instructions do: which registers and memory they read and write, what kind of work they are, and how values pass
//! through them. x86-64 alone.
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

/// A whole register: `eax` and `rax` are one, `xmm0` and `ymm0` are one, and so are all flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub(crate) u16);

/// Memory that an instruction touches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoryOperand {
    /// Registers of the address, each with its factor.
    pub terms: Vec<(Register, i64)>,
    /// The constant part of the address.
    pub displacement: i64,
    /// How much is touched; 0 where that is not known.
    pub bytes: u32,
}

/// How the value that an instruction writes follows from what it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A register becomes a sum of registers, each with its factor, and a constant. Copies and constants are such sums.
    Sum {
        /// The register that is written.
        to: Register,
        /// What is added up.
        terms: Vec<(Register, i64)>,
        constant: i64,
    },
    /// A register becomes what is in memory.
    Load(Register),
    /// Memory becomes what is in a register.
    Store(Register),
    /// A register is combined with something else by an operation whose order does not matter: sums, products, least and
    /// greatest values, bits.
    Combine(Register),
    /// A register becomes another one, or stays as it is.
    Select {
        /// The register that is written.
        to: Register,
        /// What it may become.
        from: Register,
    },
    Other,
}

/// How functions of the System V calling convention treat a register.
impl Register {
    /// Whether it points to the stack.
    #[must_use]
    pub fn is_stack(self) -> bool {
        x86::is_stack(self)
    }

    /// Whether it points to the frame of a function that has a frame pointer.
    #[must_use]
    pub fn is_frame(self) -> bool {
        x86::is_frame(self)
    }

    /// Whether it stands for the flags.
    #[must_use]
    pub fn is_flags(self) -> bool {
        self == x86::FLAGS
    }

    /// Whether a function that is called may change it.
    #[must_use]
    pub fn is_lost_by_calls(self) -> bool {
        x86::is_lost_by_calls(self)
    }

    /// The registers in which functions give values back.
    #[must_use]
    pub fn results() -> [Self; 4] {
        x86::RESULTS
    }

    /// Whether it is likely to hand a value over to a function that is called: not all that may do so.
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
    /// What kind of work it is.
    pub class: OperationClass,
    /// Bytes of the register that it works on: 16, 32 or 64 for vectors.
    pub width: u32,
    /// Bytes of one number; the width where that is not known.
    pub number: u32,
    /// Registers that it reads, those of addresses left out.
    pub reads: Vec<Register>,
    /// Registers that it writes.
    pub writes: Vec<Register>,
    /// Memory that it reads.
    pub load: Option<MemoryOperand>,
    /// Memory that it writes.
    pub store: Option<MemoryOperand>,
    /// How what it writes follows from what it reads.
    pub effect: Effect,
    pub flow: Flow,
    /// Whether it changes memory in one step for all threads, or uses that of a thread alone.
    pub of_threads: bool,
}

impl Operation {
    /// Whether one instruction works on several numbers.
    #[must_use]
    pub fn is_vector(&self) -> bool {
        self.number < self.width
    }
}

/// What the instructions of some x86-64 code do, which begins at an address.
#[must_use]
pub fn decode(code: &[u8], address: u64) -> Vec<Operation> {
    x86::operations(code, address)
}

impl Binary<'_> {
    /// What the instructions of `range` do, as far as the section of its start holds it.
    pub fn operations(&self, range: Range<u64>) -> Result<Vec<Operation>, SymbolError> {
        let architecture = self.architecture();
        if architecture != Architecture::X86_64 {
            return Err(SymbolError::Architecture(architecture));
        }
        let code = self.code(&range).ok_or_else(|| SymbolError::NoCode(range.clone()))?;
        Ok(decode(code, range.start))
    }
}
