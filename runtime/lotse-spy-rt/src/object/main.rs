//! The runtime that is linked into a recorded program.
//!
//! The compiler calls the functions of [`callbacks`] before every load and store and at the beginning of every basic
//! block; the linker redirects allocations to those of [`memory`]. Each thread writes records into a ring of its own
//! ([`ring`]); events that repeat at equal distances become one record ([`runs`]).
//!
//! The object may refer only to the C library: it is linked into instrumented programs, but is not instrumented itself. It
//! therefore does not allocate and cannot panic.

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
