//! Recording: the collector process that drains rings into a history file.

mod collector;
mod executables;

pub use collector::{CollectorOptions, collect};
