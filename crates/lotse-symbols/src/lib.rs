//! Addresses to functions, files, lines and inline stacks; names demangled and cut; disassembly; unwinding.
//!
//! Promises: no files, processes or clocks (bytes are all it sees); no panic on any input; work and memory
//! bounded by the size of the input; an address that nothing is known of gives an empty answer, not an error.
//! Lines come from DWARF alone: a Windows program's PDB and split DWARF (`.dwo`) are not read.
//!
//! [`Binary`] is the way in. [`demangle()`], [`class()`] and [`short`] also serve names that other tools wrote.

pub mod binary;
pub mod class;
pub mod demangle;
pub mod disassembly;
mod error;
pub mod graph;
pub mod kernel;
pub mod loops;
pub mod operation;
pub mod unwind;
pub mod variant;

pub use binary::{Architecture, BasicBlock, Binary, DebugLink, InlineFrame, Function, Identity, Resolved};
pub use class::{class, short};
pub use demangle::{demangle, without_hash};
pub use disassembly::{Flow, Instruction, Syntax};
pub use error::SymbolError;
pub use kernel::KernelSymbols;
pub use loops::{CodeLoop, blocks, loops};
pub use operation::{Effect, MemoryOperand, Operation, OperationClass, Register};
pub use unwind::{Registers, Step, UnwindFailure, UnwindTable};
pub use variant::{without_cold, without_variant};
