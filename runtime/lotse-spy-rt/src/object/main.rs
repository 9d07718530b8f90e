//! What is linked into a recorded program.
//!
//! The compiler calls the functions of [`callbacks`] before every load and store and at the beginning of every basic
//! block; the linker sends allocations through those of [`memory`]. Each thread writes records into a ring of its own
//! ([`ring`]); what repeats at equal distances becomes one record ([`runs`]).
//!
//! The object must not refer to anything but the C library: it is linked into programs whose own crates are compiled with
//! callbacks, and is itself compiled without. It therefore allocates nothing, and panics nowhere.

mod callbacks;
mod frames;
mod libc;
mod memory;
mod moves;
mod path;
mod process;
mod ring;
mod runs;
mod stack;
