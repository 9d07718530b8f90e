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

mod accelerator_wait;
mod barrier_completion;
mod busy_wait;
mod collective_io;
mod comm_create;
mod condition_wait;
mod early_reduce;
mod early_scan;
mod frequent_calls;
mod init_finalize;
mod io_share;
mod large_messages;
mod late_broadcast;
mod late_member;
mod late_progress;
mod late_receiver;
mod late_sender;
mod late_sender_at_probe;
mod late_sender_wrong_order;
mod lock_contention;
mod master_worker;
mod nxn_completion;
mod omp_idle_threads;
mod omp_limited_parallelism;
mod omp_management;
mod omp_wait_at_barrier;
mod rma_early_fence;
mod rma_early_transfer;
mod rma_early_wait;
mod rma_late_complete;
mod rma_late_post;
mod rma_lock_contention;
mod rma_wait_at_fence;
mod rma_wait_for_progress;
mod rwlock_contention;
mod semaphore_wait;
mod thread_barrier_wait;
mod thread_wait;
mod unexplained_lock_wait;
mod wait_at_barrier;
mod wait_at_nxn;
mod win_create;

pub(crate) use accelerator_wait::{is_unexplained, last_to_end as last_stream_to_end};
pub(crate) use busy_wait::{Run as TestRun, asks, runs as test_runs};
pub(crate) use condition_wait::is_condition_wait;
pub(crate) use lock_contention::{LOCK_CONTENTION, asked as asked_for_lock};
pub(crate) use omp_idle_threads::{OMP_IDLE_THREADS, outer_runs};
pub(crate) use rma_lock_contention::RMA_LOCK_CONTENTION;

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

/// Looks at a record and books what it finds.
pub type OnRecord = fn(&Scene<'_>, OpRef, &mut Book);
/// Looks at a call.
pub type OnCall = fn(&Scene<'_>, CallRef, &mut Book);
/// Looks at a location.
pub type OnLocation = fn(&Scene<'_>, LocationId, &mut Book);

/// What a pattern wants to be asked about, and what it does then.
#[derive(Debug, Clone, Copy)]
pub enum Search {
    /// Records of these kinds, in their order.
    Records(&'static [EventKind], OnRecord),
    /// Primitive calls of regions that it chooses, in the order of their enters.
    Calls(fn(&RegionClass) -> bool, OnCall),
    /// The same, of calls that processes make together: without a record, the n-th of a name are paired.
    Meetings(fn(&RegionClass) -> bool, OnCall),
    /// Whole locations.
    Locations(OnLocation),
}

/// All patterns.
pub const PATTERNS: &[Pattern] = &[
    late_sender::PATTERN,
    late_sender_wrong_order::PATTERN,
    late_sender_at_probe::PATTERN,
    master_worker::PATTERN,
    late_receiver::PATTERN,
    late_progress::PATTERN,
    busy_wait::PATTERN,
    wait_at_barrier::PATTERN,
    barrier_completion::PATTERN,
    early_reduce::PATTERN,
    late_broadcast::PATTERN,
    late_member::PATTERN,
    wait_at_nxn::PATTERN,
    nxn_completion::PATTERN,
    early_scan::PATTERN,
    init_finalize::PATTERN,
    comm_create::PATTERN,
    win_create::PATTERN,
    collective_io::PATTERN,
    large_messages::PATTERN,
    frequent_calls::PATTERN,
    io_share::PATTERN,
    omp_wait_at_barrier::PATTERN,
    omp_management::PATTERN,
    omp_idle_threads::PATTERN,
    omp_limited_parallelism::PATTERN,
    lock_contention::PATTERN,
    condition_wait::PATTERN,
    semaphore_wait::PATTERN,
    rwlock_contention::PATTERN,
    unexplained_lock_wait::PATTERN,
    thread_barrier_wait::PATTERN,
    thread_wait::PATTERN,
    accelerator_wait::PATTERN,
    rma_wait_at_fence::PATTERN,
    rma_early_fence::PATTERN,
    rma_late_post::PATTERN,
    rma_early_transfer::PATTERN,
    rma_early_wait::PATTERN,
    rma_late_complete::PATTERN,
    rma_lock_contention::PATTERN,
    rma_wait_for_progress::PATTERN,
];

/// All metrics, in the order of the patterns.
pub fn metrics() -> impl Iterator<Item = &'static Metric> {
    PATTERNS.iter().flat_map(|pattern| pattern.metrics).copied()
}

/// The metrics that people mean by a name: a metric with its parts, or all that a pattern books with theirs.
pub fn named(name: &str) -> Vec<&'static Metric> {
    let of_pattern = PATTERNS.iter().find(|pattern| pattern.rule.id == name).map(|pattern| pattern.metrics);
    let meant: Vec<&str> = match metrics().find(|metric| metric.id == name) {
        Some(metric) => vec![metric.id],
        None => of_pattern.into_iter().flatten().map(|metric| metric.id).collect(),
    };
    metrics().filter(|metric| meant.iter().any(|id| metric.is_within(id))).collect()
}

/// Whether a pattern wants the calls of a region paired.
pub(crate) fn meets(class: &RegionClass) -> bool {
    PATTERNS.iter().any(|pattern| matches!(pattern.search, Search::Meetings(wants, _) if wants(class)))
}

/// Records that end a member's part in a collective.
const COLLECTIVES: &[EventKind] = &[EventKind::MpiCollectiveEnd, EventKind::NonBlockingCollectiveComplete];

/// A pattern's advice has not been learned about; its author expects it to help every other time.
const PRIOR: Prior = Prior { helped: 1.0, failed: 1.0 };

/// What describes several patterns.
const WOLF_2003: &str =
    "F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP applications, 2003";
const GEIMER_2009: &str =
    "M. Geimer, F. Wolf, B. Wylie, B. Mohr: A scalable tool architecture for diagnosing wait states, 2009";
const HERMANNS_2009: &str = "M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Scalable detection of MPI-2 remote memory \
                             access inefficiency patterns, 2009";

#[cfg(test)]
pub(crate) fn searched(trace: &crate::store::Trace) -> crate::waits::Waits {
    let thresholds = lotse_model::rule::Thresholds::default();
    crate::waits::search(trace, &thresholds, &lotse_model::work::Sequential)
}

#[cfg(test)]
pub(crate) fn booked(script: &crate::fixture::Script) -> Vec<(&'static str, u32, String, u64)> {
    let trace = script.trace();
    let row =
        |row: &crate::waits::CubeRow| (row.metric.id, row.location.0, trace.path_name(row.path), row.ticks);
    searched(&trace).cube.iter().map(row).collect()
}

/// What is booked as one metric: location, call path, ticks.
#[cfg(test)]
pub(crate) fn amounts(script: &crate::fixture::Script, metric: &str) -> Vec<(u32, String, u64)> {
    let rows = booked(script).into_iter().filter(|row| row.0 == metric);
    rows.map(|(_, location, path, ticks)| (location, path, ticks)).collect()
}

#[cfg(test)]
mod tests;
