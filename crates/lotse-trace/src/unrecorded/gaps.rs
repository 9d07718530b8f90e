//! Operations of which only one half was recorded: the other half must have happened, and may have taken time.
//!
//! These signs are searched for. Each is about the whole trace, because a single operation without its counterpart may be
//! caused by the program itself (`MPI_PROC_NULL`, a cancelled request):
//! - threads of which nothing, or only the start and the end, was recorded (`threads`, `store::silent`);
//! - one-sided operations, and no call that synchronises their windows;
//! - processes without any event that others communicate with (`absent`);
//! - messages without a receive or without a send, from one in a hundred on, or all of a communicator;
//! - requests that are completed outside every recorded call of MPI;
//! - non-blocking collectives without a record of their completion;
//! - teams of threads that are joined long after the last thread has reached their end;
//! - threads of a team that continue at the same time without a recorded barrier (`inner_barriers`);
//! - tasks that do not begin while threads are idle, and threads that continue when their tasks have ended (`tasks`).
//!
//! A trace that was cut off has such halves as well; for it the lost events are reported instead, and only processes of which
//! all events are missing are a gap.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, RegionId};
use lotse_model::trace::{Event, EventKind, Ticks};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::absent::absent;
use super::inner_barriers::waited;
use super::tasks;
use crate::class::Class;
use crate::store::{CallRef, NO_CALL, OpRef, Trace};

/// What kind of record is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// Calls that synchronise windows: the time in them counts as computation.
    Synchronisation,
    /// All events of processes with which others communicate.
    Processes,
    /// Receives of messages that were sent.
    Receives,
    /// Sends of messages that were received.
    Sends,
    /// Calls in which requests are completed: the time in them counts as computation.
    Completions,
    /// Completions of non-blocking collectives.
    Collectives,
    /// The activity of threads at the end of parallel regions after the last of them has arrived.
    Barriers,
    /// Barriers inside parallel regions: the time in them counts as computation.
    InnerBarriers,
    /// Dependences between tasks: the time in which threads are idle because of them counts as OpenMP.
    TaskDependences,
    /// Calls that wait for tasks: the time in them counts as computation.
    TaskWaits,
    /// All that makes threads wait for each other: the time waited counts as computation. `calls` has those that start
    /// and join threads, if these were recorded.
    Threads,
    /// All but the begin and the end of threads beside those that use MPI: they count nowhere.
    SilentThreads,
}

/// Records that are missing.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GapAnswer {
    /// The kind of missing records.
    pub kind: GapKind,
    /// The number of operations without a counterpart.
    pub count: u64,
    /// The number of all such operations.
    pub of: u64,
    /// The calls that make the operations or would complete them, those with the most time first.
    pub calls: Vec<String>,
    /// Time of waits with unknown causes in these calls, over all locations.
    pub seconds: f64,
    /// `seconds` as a share of the time of all threads on CPUs.
    pub share: f64,
}

impl GapKind {
    /// Whether waiting counts as computation because of these missing records.
    pub(crate) fn hides_waits(self) -> bool {
        matches!(
            self,
            Self::Synchronisation | Self::Completions | Self::InnerBarriers | Self::TaskWaits | Self::Threads
        )
    }
}

/// Operations without a counterpart are a gap of the recorder from 1 in this many on.
const FEW: u64 = 100;

/// All gaps; `total_time` is the time of all threads on CPUs.
pub(super) fn gaps(trace: &Trace, total_time: Ticks) -> Vec<GapAnswer> {
    let absent = absent(trace, total_time);
    let silent = super::threads::silent(trace);
    if !trace.incomplete.is_empty() {
        return absent.into_iter().chain(silent).collect();
    }
    let [dependences, task_waits] = task_gaps(trace, total_time);
    let found = [
        synchronisation(trace),
        // Messages from and to absent processes have one half only.
        absent.or_else(|| messages(trace, total_time)),
        completions(trace),
        collectives(trace, total_time),
        joins(trace, total_time),
        barriers_in_regions(trace, total_time),
        dependences,
        task_waits,
        super::threads::without_synchronisation(trace, total_time),
        silent,
    ];
    found.into_iter().flatten().collect()
}

/// Records of the synchronisation of windows.
const SYNCHRONISES: &[EventKind] = &[
    EventKind::RmaCollectiveEnd,
    EventKind::RmaGroupSync,
    EventKind::RmaRequestLock,
    EventKind::RmaAcquireLock,
    EventKind::RmaReleaseLock,
    EventKind::RmaSync,
    EventKind::RmaWaitChange,
];

/// One-sided operations without any call or record that synchronises windows.
fn synchronisation(trace: &Trace) -> Option<GapAnswer> {
    let mut calls: BTreeMap<RegionId, u64> = BTreeMap::new();
    for used in trace.uses.iter().flatten().filter(|used| trace.class_of(used.path) == Class::Rma) {
        let region = trace.paths.region(used.path);
        match trace.classes[region.index()].name.as_str() {
            "mpi_win_create"
            | "mpi_win_allocate"
            | "mpi_win_allocate_shared"
            | "mpi_win_create_dynamic"
            | "mpi_win_free" => {}
            name if name.starts_with("mpi_win_") => return None,
            _ => *calls.entry(region).or_default() += used.visits,
        }
    }
    let has = |kind: &EventKind| trace.timelines.iter().any(|it| it.kinds.has(*kind));
    let count: u64 = calls.values().sum();
    (count > 0 && !SYNCHRONISES.iter().any(has)).then(|| GapAnswer {
        kind: GapKind::Synchronisation,
        count,
        of: count,
        calls: calls.into_keys().map(|region| trace.region_name(region).to_owned()).collect(),
        seconds: 0.0,
        share: 0.0,
    })
}

fn messages(trace: &Trace, total_time: Ticks) -> Option<GapAnswer> {
    let links = &trace.links;
    let (kind, count) = match (links.unmatched_sends, links.unmatched_recvs) {
        (sends, receives) if sends >= receives => (GapKind::Receives, sends),
        (_, receives) => (GapKind::Sends, receives),
    };
    let of = links.messages + count;
    if count == 0 || (count * FEW < of && !one_way(trace)) {
        return None;
    }
    Some(with_unexplained(trace, total_time, kind, (count, of)))
}

/// A gap with the time in calls whose waits are therefore not explained.
fn with_unexplained(trace: &Trace, total_time: Ticks, kind: GapKind, (count, of): (u64, u64)) -> GapAnswer {
    unexplained_in(trace, total_time, kind, (count, of), unexplained(trace))
}

/// A gap with the time in calls, by region, whose waits are therefore not explained.
pub(super) fn unexplained_in(
    trace: &Trace,
    total_time: Ticks,
    kind: GapKind,
    (count, of): (u64, u64),
    sums: BTreeMap<RegionId, Ticks>,
) -> GapAnswer {
    let ticks = sums.values().copied().fold(0, Ticks::saturating_add);
    let mut rows: Vec<(RegionId, Ticks)> = sums.into_iter().filter(|(_, ticks)| *ticks > 0).collect();
    rows.sort_by_key(|&(region, ticks)| (std::cmp::Reverse(ticks), region));
    GapAnswer {
        kind,
        count,
        of,
        calls: rows.into_iter().map(|(region, _)| trace.region_name(region).to_owned()).collect(),
        seconds: trace.seconds(ticks),
        share: ticks as f64 / total_time as f64,
    }
}

/// Non-blocking collectives.
const NONBLOCKING_COLLECTIVES: &[&str] = &[
    "mpi_ibarrier",
    "mpi_ibcast",
    "mpi_igather",
    "mpi_igatherv",
    "mpi_iscatter",
    "mpi_iscatterv",
    "mpi_iallgather",
    "mpi_iallgatherv",
    "mpi_ialltoall",
    "mpi_ialltoallv",
    "mpi_ialltoallw",
    "mpi_ireduce",
    "mpi_iallreduce",
    "mpi_ireduce_scatter",
    "mpi_ireduce_scatter_block",
    "mpi_iscan",
    "mpi_iexscan",
];

fn collectives(trace: &Trace, total_time: Ticks) -> Option<GapAnswer> {
    let name = |path| trace.classes[trace.paths.region(path).index()].name.as_str();
    let begins =
        trace.uses.iter().flatten().filter(|used| NONBLOCKING_COLLECTIVES.contains(&name(used.path)));
    let begun: u64 = begins.map(|used| used.visits).sum();
    let kind = EventKind::NonBlockingCollectiveComplete;
    let ended: u64 = trace.timelines.iter().map(|timeline| timeline.kinds.count_of(kind) as u64).sum();
    let count = begun.saturating_sub(ended);
    (count * FEW > begun).then(|| with_unexplained(trace, total_time, GapKind::Collectives, (count, begun)))
}

/// Whether some communicator has only sends, or only receives.
fn one_way(trace: &Trace) -> bool {
    let mut ends: BTreeMap<u32, (bool, bool)> = BTreeMap::new();
    for op in trace.timelines.iter().flat_map(|timeline| &timeline.ops) {
        match *op.shape() {
            Event::MpiSend { communicator, .. } | Event::MpiIsend { communicator, .. } => {
                ends.entry(communicator.0).or_default().0 = true;
            }
            Event::MpiRecv { communicator, .. } | Event::MpiIrecv { communicator, .. } => {
                ends.entry(communicator.0).or_default().1 = true;
            }
            _ => {}
        }
    }
    ends.values().any(|&(sent, received)| sent != received)
}

/// By region: the time in calls that complete messages and have no record, or only receives without a matching send.
pub(super) fn unexplained(trace: &Trace) -> BTreeMap<RegionId, Ticks> {
    let mut sums: BTreeMap<RegionId, Ticks> = BTreeMap::new();
    for location in trace.cpu_locations() {
        for number in 0..trace.timeline(location).calls.len() as u32 {
            let call = CallRef { location, call: number };
            if completes(&trace.class(call).name) && !is_explained(trace, call) {
                let sum = sums.entry(trace.paths.region(trace.path(call))).or_default();
                *sum = sum.saturating_add(trace.exit(call) - trace.enter(call));
            }
        }
    }
    sums
}

/// Whether a call waits for messages.
fn completes(name: &str) -> bool {
    let Some(rest) = name.strip_prefix("mpi_") else { return false };
    matches!(rest, "recv" | "mrecv" | "wait" | "waitall" | "waitany" | "waitsome" | "probe" | "mprobe")
}

fn is_explained(trace: &Trace, call: CallRef) -> bool {
    let location: LocationId = call.location;
    let mut records = trace.timeline(location).ops_of(call.call);
    records.any(|(op, record)| match record.event() {
        Event::MpiRecv { .. } | Event::MpiIrecv { .. } => {
            trace.links.partner(OpRef { location, op }).is_some()
        }
        _ => true,
    })
}

/// Requests that are completed outside of every recorded call of MPI.
fn completions(trace: &Trace) -> Option<GapAnswer> {
    let (mut outside, mut all) = (0, 0);
    let has_mpi = trace.uses.iter().flatten().any(|used| trace.class_of(used.path).is_mpi());
    for timeline in trace.timelines.iter().filter(|_| has_mpi) {
        for op in &timeline.ops {
            if matches!(op.shape(), Event::MpiIrecv { .. } | Event::MpiIsendComplete { .. }) {
                all += 1;
                let inside = op.call != NO_CALL && trace.class_of(timeline.call_path(op.call)).is_mpi();
                outside += u64::from(!inside);
            }
        }
    }
    (outside > 0 && outside * FEW >= all).then(|| GapAnswer {
        kind: GapKind::Completions,
        count: outside,
        of: all,
        calls: Vec::new(),
        seconds: 0.0,
        share: 0.0,
    })
}

/// The time between the ends of teams and their joins is a gap from this share on; a small share is needed to wake threads.
const MOST_JOINING: f64 = 0.05;

/// Time at the ends of teams after the last thread has arrived and before the join. Tasks may run there.
fn joins(trace: &Trace, total_time: Ticks) -> Option<GapAnswer> {
    let is_team_end = |calls: &&Vec<CallRef>| calls.first().is_some_and(|&call| trace.is_team_end(call));
    let (mut joins, mut ticks): (u64, Ticks) = (0, 0);
    for calls in trace.links.barriers.iter().filter(is_team_end) {
        let last_arrival = calls.iter().map(|&call| trace.enter(call)).max();
        let joined = calls.iter().map(|&call| trace.exit(call)).max();
        let (Some(last_arrival), Some(joined)) = (last_arrival, joined) else { continue };
        joins += 1;
        let of_each = joined.saturating_sub(last_arrival);
        ticks = ticks.saturating_add(of_each.saturating_mul(calls.len() as Ticks));
    }
    let share = ticks as f64 / total_time as f64;
    (share >= MOST_JOINING).then(|| GapAnswer {
        kind: GapKind::Barriers,
        count: joins,
        of: joins,
        calls: Vec::new(),
        seconds: trace.seconds(ticks),
        share,
    })
}

/// Time in unrecorded barriers is a gap from this share on.
const MOST_INSIDE: f64 = 0.01;

fn barriers_in_regions(trace: &Trace, total_time: Ticks) -> Option<GapAnswer> {
    let (count, ticks) = waited(trace);
    let share = ticks as f64 / total_time as f64;
    (share >= MOST_INSIDE).then(|| GapAnswer {
        kind: GapKind::InnerBarriers,
        count,
        of: count,
        calls: Vec::new(),
        seconds: trace.seconds(ticks),
        share,
    })
}

/// Unrecorded waiting for tasks is a gap from this share on.
const MOST_FOR_TASKS: f64 = 0.01;

fn task_gaps(trace: &Trace, total_time: Ticks) -> [Option<GapAnswer>; 2] {
    let waited = tasks::waited(trace);
    let answer = |kind, count, ticks: Ticks| {
        let share = ticks as f64 / total_time as f64;
        let (of, calls, seconds) = (count, Vec::new(), trace.seconds(ticks));
        (share >= MOST_FOR_TASKS).then_some(GapAnswer { kind, count, of, calls, seconds, share })
    };
    let (times, ticks) = waited.for_ends;
    [
        answer(GapKind::TaskDependences, waited.tasks, waited.for_ready),
        answer(GapKind::TaskWaits, times, ticks),
    ]
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::CollectiveOp;

    use super::GapKind;
    use crate::fixture::Script;
    use crate::unrecorded::left_out;

    /// Kind, operations without a counterpart, all, calls, share of the time in percent.
    fn found(script: &Script) -> Vec<(GapKind, u64, u64, String, f64)> {
        let (_, gaps) = left_out(&script.trace());
        let row = |gap: super::GapAnswer| {
            (gap.kind, gap.count, gap.of, gap.calls.join(","), (gap.share * 100.0).round())
        };
        gaps.into_iter().map(row).collect()
    }

    #[test]
    fn puts_without_any_synchronisation_have_lost_it() {
        let mut script = Script::processes(2);
        for rank in 0..2 {
            script.enter(rank, 0, "main").call(rank, 10, 20, "MPI_Put").call(rank, 50, 60, "MPI_Put");
            script.leave(rank, 100, "main");
        }
        assert_eq!(found(&script), [(GapKind::Synchronisation, 4, 4, "MPI_Put".to_owned(), 0.0)]);
        script.call(0, 100, 110, "MPI_Win_fence");
        assert_eq!(found(&script), []);
    }

    /// Posted receives are completed in `MPI_Waitall`, of which only the times are recorded.
    #[test]
    fn messages_without_a_receive_leave_the_waiting_time_unexplained() {
        let mut script = Script::processes(2);
        for (rank, peer) in [(0, 1), (1, 0)] {
            script.enter(rank, 0, "main").irecv(rank, 10, 1).isend(rank, 20, peer, 0, 2);
            script.call(rank, 30, 80, "MPI_Waitall").leave(rank, 100, "main");
        }
        assert_eq!(found(&script), [(GapKind::Receives, 2, 2, "MPI_Waitall".to_owned(), 50.0)]);
    }

    #[test]
    fn collectives_that_are_begun_have_to_be_completed() {
        let mut script = Script::processes(2);
        for rank in 0..2 {
            script.enter(rank, 0, "main").call(rank, 10, 20, "MPI_Iallreduce");
            script.call(rank, 30, 80, "MPI_Wait").leave(rank, 100, "main");
        }
        assert_eq!(found(&script), [(GapKind::Collectives, 2, 2, "MPI_Wait".to_owned(), 50.0)]);
        let mut recorded = Script::processes(2);
        for rank in 0..2 {
            recorded.posted_collective(rank, (0, 30, 50), "MPI_Ibarrier", CollectiveOp::Barrier, None);
        }
        assert_eq!(found(&recorded), []);
    }

    /// The worker reaches the end of the team at 80, the master at 30; they are joined at 82 or much later.
    #[test]
    fn the_time_between_the_last_end_and_the_join_is_not_recorded() {
        let kinds = |joined: u64, barrier: bool| {
            let mut script = Script::threads(2);
            script.enter(0, 0, "main").fork(0, 10, 2).team_begin(0, 10, 0).team_end(0, 30, 0);
            if barrier {
                script.call(0, 31, joined, "!$omp implicit barrier @a.c:1");
            }
            script.join(0, joined).leave(0, 200, "main").team_begin(1, 10, 0).team_end(1, 80, 0);
            found(&script).iter().map(|row| row.0).collect::<Vec<_>>()
        };
        assert_eq!(kinds(82, false), []);
        assert_eq!(kinds(190, false), [GapKind::Barriers]);
        assert_eq!(kinds(190, true), []);
    }

    #[test]
    fn one_message_in_many_may_be_caused_by_the_program() {
        let mut script = Script::processes(2);
        for round in 0..200 {
            script.send(0, round * 10, round * 10 + 1, 1, 0).recv(1, round * 10, round * 10 + 2, 0, 0);
        }
        script.send(0, 3000, 3001, 1, 7);
        assert_eq!(found(&script), []);
        for round in 0..3 {
            script.send(0, 3010 + round, 3010 + round, 1, 7);
        }
        assert_eq!(found(&script), [(GapKind::Receives, 4, 204, String::new(), 0.0)]);
    }

    #[test]
    fn receives_without_sends_are_unexplained() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").leave(0, 100, "main");
        script.enter(1, 0, "main").recv(1, 20, 80, 0, 0).leave(1, 100, "main");
        assert_eq!(found(&script), [(GapKind::Sends, 1, 1, "MPI_Recv".to_owned(), 30.0)]);
    }
}
