//! Decodes the events of a history (loads, stores, allocations, basic blocks) into accesses to data structures.
//!
//! Four steps: the events of all threads are merged into one order (`lanes`); the active library calls of each event are
//! determined (`thread`); its address is looked up among the memory blocks of data structures (`blocks`); operations and
//! single accesses are reported for the structure (`structures`).
//!
//! ```text
//! main:14  push      store 8 bytes at 0x7f10
//!   thread           active call: Vec::push, called at main:14
//!   blocks           0x7f10 is in the block 0x7f00..0x7f40 of structure 3
//!   structures       element size 8: place 2, so insert at index 2
//! ```
//!
//! A *guard* is the event at the beginning of a basic block: the compiler inserts a callback there (SanitizerCoverage,
//! `trace-pc-guard`). Guards show which functions run, and where loop iterations begin.
//!
//! Nothing is guessed: accesses to no known structure, or without a known operation, are counted in [`Coverage`].

mod blocks;
mod contexts;
mod coverage;
mod engine;
mod iterations;
mod lanes;
mod lookup;
mod processes;
mod selection;
mod shadow;
mod structures;
mod thread;

pub use coverage::Coverage;
pub use engine::{Consumer, Decoded, decode_process};
pub(crate) use processes::executable_of_map;
pub use processes::{LoadedFile, RecordedProcess, processes};
pub use selection::{Selection, UnknownStructure};

pub use crate::code::image::Image;
