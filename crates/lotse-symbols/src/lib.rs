//! Resolves addresses to functions, files, lines and inline stacks; demangles and splits names; disassembles; unwinds.
//!
//! Promises: no access to files, processes or clocks (the input is bytes); no panic on any input; work and memory bounded
//! by the size of the input; an unknown address gives an empty result, not an error. Lines come from DWARF only: the PDB of
//! a Windows program and split DWARF (`.dwo`) are not read.
//!
//! [`Binary`] is the entry point. [`demangle()`], [`class()`] and [`short`] also work on names that other tools wrote.

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

pub use binary::{Architecture, BasicBlock, Binary, DebugLink, Function, Identity, InlineFrame, Resolved};
pub use class::{class, short};
pub use demangle::{demangle, without_hash};
pub use disassembly::{Flow, Instruction, Syntax};
pub use error::SymbolError;
pub use kernel::KernelSymbols;
pub use loops::{CodeLoop, blocks, loops};
pub use operation::{Effect, MemoryOperand, Operation, OperationClass, Register};
pub use unwind::{FramePointer, Registers, Step, UnwindFailure, UnwindTable};
pub use variant::{without_cold, without_variant};
