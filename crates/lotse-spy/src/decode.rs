//! From the events of a history to accesses of data structures.
//!
//! What happens to memory becomes operations in four steps: events of all threads are put in order (`lanes`); each
//! is given the calls that are under way (`thread`); its address is looked up among the blocks of data structures
//! (`blocks`); and operations and single accesses are reported for the structure (`structures`).
//!
//! Nothing is guessed: what belongs to no structure or has no name is counted in [`Coverage`].

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
