//! What it costs to fetch a line that a cache does not have.

use serde::{Deserialize, Serialize};

/// The cost of one miss of a cache: of fetching the line from the next level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// The cache that misses.
    pub cache: String,
    /// Nanoseconds for each line of a stream that the hardware fetches in advance.
    pub stream_ns: f64,
    /// Nanoseconds for each line if addresses jump but do not depend on each other.
    pub scattered_ns: f64,
    /// Nanoseconds for each line if its address is known only after the line before it arrived.
    pub latency_ns: f64,
    /// Nanoseconds in addition for each line that is written back.
    pub write_back_ns: f64,
}

/// Typical costs of misses of the first, second and third cache, as measured on a server of 2023. The last one is for
/// misses of the last cache, whichever it is.
const TYPICAL: [(f64, f64, f64, f64); 3] =
    [(0.8, 1.2, 4.5, 0.8), (4.0, 8.0, 25.0, 4.0), (7.0, 16.0, 110.0, 7.0)];

/// The typical costs of a machine with these caches, the nearest first.
pub(super) fn typical(names: &[&str]) -> Vec<Transfer> {
    let last = names.len().saturating_sub(1);
    let of_cache = |(index, name): (usize, &&str)| {
        let row = if index == last { 2 } else { index.min(1) };
        let (stream_ns, scattered_ns, latency_ns, write_back_ns) = TYPICAL[row];
        Transfer { cache: (*name).to_owned(), stream_ns, scattered_ns, latency_ns, write_back_ns }
    };
    names.iter().enumerate().map(of_cache).collect()
}
