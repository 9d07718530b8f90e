//! Patterns of waiting. Each pattern has a file with its rule text, its search and its tests, and an entry in [`PATTERNS`].
//!
//! Notation of the rule texts: for a call c, E(c) is its enter and X(c) its exit. A wait is attributed to the call path and
//! the location of the waiting call and never exceeds the call.

use lotse_model::Rule;
use lotse_model::id::LocationId;
use lotse_model::rule::Prior;
use lotse_model::trace::EventKind;

use crate::class::RegionClass;
use crate::metric::Metric;
use crate::store::{CallRef, OpRef};
use crate::waits::{Scene, WaitCollector};

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
pub(crate) use busy_wait::{TestSeries, is_test, test_series};
pub(crate) use condition_wait::is_condition_wait;
pub(crate) use late_receiver::posting;
pub(crate) use late_sender::entered;
pub(crate) use lock_contention::{LOCK_CONTENTION, lock_requested_at};
pub(crate) use omp_idle_threads::{OMP_IDLE_THREADS, outer_parallel_intervals};
pub(crate) use rma_lock_contention::RMA_LOCK_CONTENTION;

/// A kind of waiting, and how it is found.
#[derive(Debug)]
pub struct Pattern {
    /// The text that `lotse explain` prints, and to which findings refer.
    pub rule: &'static Rule,
    /// The metrics to which it attributes time.
    pub metrics: &'static [&'static Metric],
    /// The search for waits.
    pub search: Search,
}

/// Searches a record for waits.
pub type OnRecord = fn(&Scene<'_>, OpRef, &mut WaitCollector);
/// Searches a call for waits.
pub type OnCall = fn(&Scene<'_>, CallRef, &mut WaitCollector);
/// Searches a location for waits.
pub type OnLocation = fn(&Scene<'_>, LocationId, &mut WaitCollector);

/// To what the search of a pattern is applied.
#[derive(Debug, Clone, Copy)]
pub enum Search {
    /// To records of these kinds, in their order.
    Records(&'static [EventKind], OnRecord),
    /// To primitive calls of the regions that the predicate selects, in the order of their enters.
    Calls(fn(&RegionClass) -> bool, OnCall),
    /// To collective calls of the regions that the predicate selects; without collective records, the n-th calls of the
    /// same name are matched.
    Meetings(fn(&RegionClass) -> bool, OnCall),
    /// To locations.
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

/// The metrics of a name: a metric with its parts, or all metrics of a pattern with their parts.
pub fn named(name: &str) -> Vec<&'static Metric> {
    let of_pattern = PATTERNS.iter().find(|pattern| pattern.rule.id == name).map(|pattern| pattern.metrics);
    let ids: Vec<&str> = match metrics().find(|metric| metric.id == name) {
        Some(metric) => vec![metric.id],
        None => of_pattern.into_iter().flatten().map(|metric| metric.id).collect(),
    };
    metrics().filter(|metric| ids.iter().any(|id| metric.is_within(id))).collect()
}

/// Whether a pattern needs the calls of a region matched between processes.
pub(crate) fn meets(class: &RegionClass) -> bool {
    PATTERNS.iter().any(|pattern| matches!(pattern.search, Search::Meetings(selects, _) if selects(class)))
}

/// Records that end a member's part in a collective.
const COLLECTIVES: &[EventKind] = &[EventKind::MpiCollectiveEnd, EventKind::NonBlockingCollectiveComplete];

/// The prior of a pattern's advice before any experience with it: it helps half of the time.
const PRIOR: Prior = Prior { helped: 1.0, failed: 1.0 };

/// Publications that describe several patterns.
const WOLF_2003: &str =
    "F. Wolf, B. Mohr: Automatic performance analysis of hybrid MPI/OpenMP applications, 2003";
const GEIMER_2009: &str =
    "M. Geimer, F. Wolf, B. Wylie, B. Mohr: A scalable tool architecture for diagnosing wait states, 2009";
const HERMANNS_2009: &str = "M.-A. Hermanns, M. Geimer, B. Mohr, F. Wolf: Scalable detection of MPI-2 remote memory \
                             access inefficiency patterns, 2009";

#[cfg(test)]
pub(crate) fn search_waits(trace: &crate::store::Trace) -> crate::waits::Waits {
    let thresholds = lotse_model::rule::Thresholds::default();
    crate::waits::search(trace, &thresholds, &lotse_model::work::Sequential)
}

/// All rows of the severity cube: metric, location, call path, ticks.
#[cfg(test)]
pub(crate) fn cube_rows(script: &crate::fixture::Script) -> Vec<(&'static str, u32, String, u64)> {
    let trace = script.trace();
    let row =
        |row: &crate::waits::CubeRow| (row.metric.id, row.location.0, trace.path_name(row.path), row.ticks);
    search_waits(&trace).cube.iter().map(row).collect()
}

/// The rows of one metric: location, call path, ticks.
#[cfg(test)]
pub(crate) fn amounts(script: &crate::fixture::Script, metric: &str) -> Vec<(u32, String, u64)> {
    let rows = cube_rows(script).into_iter().filter(|row| row.0 == metric);
    rows.map(|(_, location, path, ticks)| (location, path, ticks)).collect()
}

#[cfg(test)]
mod tests;
