//! Measures commands and decides whether one of them is faster.
//!
//! Programs run in randomised, mirrored blocks, each run spawned by one small launcher process. Ratios are
//! estimated from pairs within blocks; decisions stay valid however often the data are looked at. The
//! result is an [`Answer`] with findings. This crate prints nothing and does not parse the command line.

pub mod analysis;
pub mod answer;
pub mod builds;
pub mod command;
mod control;
pub mod csv;
pub mod enough;
pub mod gate;
pub mod history;
pub mod import;
pub mod layout;
pub mod log;
pub mod options;
pub mod order;
pub mod package;
mod pairing;
pub mod parameters;
pub mod report;
pub mod rules;
pub mod runner;
pub mod select;
pub mod session;
pub mod setups;
mod shell_error;
pub mod suite;
pub mod trial;
mod validate;

pub use answer::Answer;
pub use bench::{Finished, bench};
pub use options::Options;

mod bench;
