//! The cost of fetching a line that a cache does not have.

use serde::{Deserialize, Serialize};

/// The cost of one miss in a cache: fetching the line from the next level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// The cache that misses.
    pub cache: String,
    /// Nanoseconds for each line of a stream that the hardware prefetches.
    pub stream_ns: f64,
    /// Nanoseconds for each line if addresses jump but do not depend on each other.
    pub scattered_ns: f64,
    /// Nanoseconds for each line if its address is known only after the previous line has arrived.
    pub latency_ns: f64,
    /// Additional nanoseconds for each line that is written back.
    pub write_back_ns: f64,
}

/// Typical costs of misses: in the first cache, in caches between the first and the last one, and in the last cache. Measured on a
/// server of 2023.
const TYPICAL: [(f64, f64, f64, f64); 3] =
    [(0.8, 1.2, 4.5, 0.8), (4.0, 8.0, 25.0, 4.0), (7.0, 16.0, 110.0, 7.0)];

/// The typical costs of a machine with these caches, the nearest first.
pub(super) fn typical(names: &[&str]) -> Vec<Transfer> {
    let last = names.len().saturating_sub(1);
    let transfer = |(index, name): (usize, &&str)| {
        let row = if index == last { 2 } else { index.min(1) };
        let (stream_ns, scattered_ns, latency_ns, write_back_ns) = TYPICAL[row];
        Transfer { cache: (*name).to_owned(), stream_ns, scattered_ns, latency_ns, write_back_ns }
    };
    names.iter().enumerate().map(transfer).collect()
}
