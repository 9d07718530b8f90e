//! Recording: the collector that drains rings into a history.

mod collector;
mod programs;

pub use collector::{CollectorOptions, collect};
