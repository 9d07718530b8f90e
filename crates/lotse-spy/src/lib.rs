//! What a program's data structures tell.

mod code;
pub mod record;
pub mod container;
