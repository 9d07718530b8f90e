//! Recording: the collector that drains rings into a history.

mod collector;

pub use collector::{CollectorOptions, collect};
