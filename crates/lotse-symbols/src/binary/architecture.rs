//! The architectures of binaries.

use std::fmt;

/// The architecture of a binary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Architecture {
    /// 32 bits.
    X86,
    /// 64 bits, also with 32-bit pointers (x32).
    X86_64,
    /// 64-bit ARM.
    Aarch64,
    /// An architecture that cannot be disassembled, by name.
    Other(&'static str),
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Architecture::X86 => "x86",
            Architecture::X86_64 => "x86-64",
            Architecture::Aarch64 => "aarch64",
            Architecture::Other(name) => name,
        })
    }
}

impl From<object::Architecture> for Architecture {
    fn from(architecture: object::Architecture) -> Self {
        use object::Architecture as Given;
        match architecture {
            Given::I386 => Architecture::X86,
            Given::X86_64 | Given::X86_64_X32 => Architecture::X86_64,
            Given::Aarch64 | Given::Aarch64_Ilp32 => Architecture::Aarch64,
            Given::Arm => Architecture::Other("arm"),
            Given::LoongArch32 | Given::LoongArch64 => Architecture::Other("loongarch"),
            Given::Mips | Given::Mips64 => Architecture::Other("mips"),
            Given::PowerPc | Given::PowerPc64 => Architecture::Other("powerpc"),
            Given::Riscv32 | Given::Riscv64 => Architecture::Other("riscv"),
            Given::S390x => Architecture::Other("s390x"),
            Given::Sparc | Given::Sparc32Plus | Given::Sparc64 => Architecture::Other("sparc"),
            Given::Wasm32 | Given::Wasm64 => Architecture::Other("wasm"),
            _ => Architecture::Other("unknown"),
        }
    }
}
