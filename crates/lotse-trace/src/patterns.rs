//! Patterns of waiting. A pattern is one file: its text, its rule, its test; and a line in [`PATTERNS`].
//!
//! Notation of the texts: for a call c, E(c) is its enter and X(c) its exit. A wait is booked at the call path and
//! the location of the waiting call and never exceeds the call.

use lotse_model::Rule;
use lotse_model::id::LocationId;
use lotse_model::rule::Prior;
use lotse_model::trace::EventKind;

use crate::class::RegionClass;
use crate::metric::Metric;
use crate::store::{CallRef, OpRef};
use crate::waits::{Book, Scene};

mod late_sender;

/// A kind of waiting, and how it is found.
#[derive(Debug)]
pub struct Pattern {
    /// What `lotse explain` prints, and what findings refer to.
    pub rule: &'static Rule,
    /// What it books.
    pub metrics: &'static [&'static Metric],
    /// How it is found.
    pub search: Search,
}

/// What a pattern wants to be asked about, and what it does then.
#[derive(Debug, Clone, Copy)]
pub enum Search {
    /// Records of these kinds, in their order.
    Records(&'static [EventKind], fn(&Scene<'_>, OpRef, &mut Book)),
    /// Primitive calls of regions that it chooses, in the order of their enters.
    Calls(fn(&RegionClass) -> bool, fn(&Scene<'_>, CallRef, &mut Book)),
    /// Whole locations.
    Locations(fn(&Scene<'_>, LocationId, &mut Book)),
}

/// All patterns.
pub const PATTERNS: &[Pattern] = &[late_sender::PATTERN];

/// All metrics, in the order of the patterns.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    PATTERNS.iter().flat_map(|pattern| pattern.metrics).copied()
}

/// A pattern's advice has not been learned about; its author expects it to help every other time.
const PRIOR: Prior = Prior { helped: 1.0, failed: 1.0 };

#[cfg(test)]
pub(crate) fn booked(script: &crate::fixture::Script) -> Vec<(&'static str, u32, String, u64)> {
    let trace = script.trace();
    let waits = crate::waits::search(
        &trace,
        &lotse_model::rule::Thresholds::default(),
        &lotse_model::work::Sequential,
    );
    let row =
        |row: &crate::waits::CubeRow| (row.metric.id, row.location.0, trace.path_name(row.path), row.ticks);
    waits.cube.iter().map(row).collect()
}
