//! Shared code of the benchmarks: builds the measured programs, runs Lotse and its peers, stores and prints results.
//!
//! Each program in `src/bin` runs Lotse and a peer interleaved on the same input, appends every trial to a journal as it ends (a
//! rerun only makes the missing trials), and prints a table. Nothing here is part of Lotse.

pub mod calibration;
pub mod callgrind;
pub mod callgrind_check;
pub mod callgrind_of_rustc;
pub mod campaign;
pub mod collapsed;
pub mod date;
pub mod dice;
pub mod error;
pub mod few_blocks;
pub mod hyperfine;
pub mod journal;
pub mod load;
pub mod lotse;
pub mod machine;
pub mod peers;
pub mod places;
pub mod predict;
pub mod projects;
pub mod spawning;
pub mod spy;
pub mod subject;
pub mod table;
pub mod tally;
pub mod tools;
pub mod trace;
pub mod trial;
pub mod workshop;

pub use dice::Dice;
pub use error::{Error, finish};
