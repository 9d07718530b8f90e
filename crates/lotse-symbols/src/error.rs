//! Errors in binaries, and requests that a binary cannot answer.

use std::ops::Range;

use thiserror::Error;

use crate::binary::Architecture;

/// Why a binary cannot be read or analysed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymbolError {
    /// The bytes are no ELF, Mach-O or PE file, or a damaged one.
    #[error("cannot read the object file")]
    Object(#[from] object::Error),
    /// A universal Mach-O file ends before the file for the chosen architecture.
    #[error("the file ends after {bytes} bytes, but its part for one processor needs {needed}")]
    CutShort {
        /// The length of the file.
        bytes: usize,
        /// The end of the part for the architecture.
        needed: u64,
    },
    /// The debug information is inconsistent.
    #[error("cannot read the debug information")]
    Debug(#[from] gimli::Error),
    /// The debug file was made for another build of the program.
    #[error("the debug file belongs to another build (build id {debug}, the program has {program})")]
    OtherBuild {
        /// The program's build id in hexadecimal digits.
        program: String,
        /// The debug file's build id in hexadecimal digits.
        debug: String,
    },
    /// The header of a compressed section claims an implausible size.
    #[error("section `{section}` claims to inflate from {compressed} to {inflated} bytes")]
    Bomb {
        section: String,
        /// The size in the file.
        compressed: u64,
        /// The size in the section's header.
        inflated: u64,
    },
    /// Lines were requested for an object file that is not linked.
    #[error("an object file that is not linked has no addresses to look up lines for")]
    NotLinked,
    /// There is no disassembler for the program's instructions.
    #[error("cannot disassemble {0} code, only x86, x86-64 and aarch64")]
    Architecture(Architecture),
    /// The file has no code at these addresses.
    #[error("no code at {:#x}..{:#x}", .0.start, .0.end)]
    NoCode(Range<u64>),
}
