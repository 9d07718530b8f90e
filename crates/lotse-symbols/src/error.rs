//! What can be wrong with a binary, or asked of one in vain.

use std::ops::Range;

use thiserror::Error;

use crate::binary::Architecture;

/// Why a binary gives no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymbolError {
    /// The bytes are no ELF, Mach-O or PE file, or a damaged one.
    #[error("cannot read the object file")]
    Object(#[from] object::Error),
    /// A Mach-O file for several processors ends before the one that was chosen.
    #[error("the file ends after {bytes} bytes, but its part for one processor needs {needed}")]
    CutShort {
        /// Bytes there are.
        bytes: usize,
        /// Where the part would end.
        needed: u64,
    },
    /// The line tables contradict themselves.
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
    /// A compressed section claims to inflate to more than any honest one.
    #[error("section `{section}` claims to inflate from {compressed} to {inflated} bytes")]
    Bomb {
        section: String,
        /// Bytes in the file.
        compressed: u64,
        /// Bytes the section's header promises.
        inflated: u64,
    },
    /// Lines of an object file that was not linked yet.
    #[error("an object file that is not linked has no addresses to look up lines for")]
    NotLinked,
    /// There is no disassembler for the program's instructions.
    #[error("cannot disassemble {0} code, only x86, x86-64 and aarch64")]
    Architecture(Architecture),
    /// The file holds no code at these addresses.
    #[error("no code at {:#x}..{:#x}", .0.start, .0.end)]
    NoCode(Range<u64>),
}
