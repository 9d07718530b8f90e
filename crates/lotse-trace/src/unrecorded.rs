//! What the recorder left out: calls of which only the times were recorded, and operations without their counterpart
//! (`gaps`). What these wait for is not known.
//!
//! A call to `MPI_PROC_NULL` sends nothing, so a single call without a record proves nothing. A kind of call that never has a
//! record was left out by the recorder; and so were the completions of requests if requests are started and no call of a
//! kind that completes them ever has a record.

use lotse_model::id::RegionId;
use lotse_model::trace::{EventKind, Region, RegionRole, Ticks};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::Facts;
use crate::class::{Class, RegionClass};
use crate::store::{NO_CALL, Trace};

mod absent;
mod gaps;
mod inner_barriers;
mod tasks;
mod threads;

pub use gaps::{GapAnswer, GapKind};
pub(crate) use threads::has_only_arrows;

/// Calls of one name without any record.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct UnrecordedAnswer {
    /// The name of the calls.
    pub region: String,
    /// The number of calls.
    pub calls: u64,
    /// Their time, over all locations.
    pub seconds: f64,
    /// `seconds` as a share of the time of all threads on CPUs.
    pub share: f64,
}

/// Calls that send or receive a message, unless their peer is `MPI_PROC_NULL`.
const COMMUNICATING: [&str; 13] = [
    "mpi_send",
    "mpi_ssend",
    "mpi_bsend",
    "mpi_rsend",
    "mpi_isend",
    "mpi_issend",
    "mpi_ibsend",
    "mpi_irsend",
    "mpi_recv",
    "mpi_irecv",
    "mpi_mrecv",
    "mpi_sendrecv",
    "mpi_sendrecv_replace",
];

/// Calls that complete requests.
const COMPLETING: [&str; 4] = ["mpi_wait", "mpi_waitall", "mpi_waitany", "mpi_waitsome"];

/// Records that start a request.
const BEGUN: [EventKind; 2] = [EventKind::MpiIsend, EventKind::MpiIrecvRequest];

/// Which results are unreliable because the recorder left something out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Hidden {
    /// Nothing important is missing.
    Nothing,
    /// The causes of some waits are missing: waits are lower bounds, causes and gains are unknown.
    Causes,
    /// In addition, some waiting counts as computation: efficiencies are upper bounds or unknown.
    Waits,
}

/// If calls without a known cause take at least this share of the time, gains are unknown.
const MOST_UNKNOWN: f64 = 0.01;

impl Facts {
    /// Which results about this trace are unreliable.
    pub(crate) fn what_is_hidden(&self) -> Hidden {
        let unknown =
            self.unrecorded.iter().map(|row| row.share).chain(self.gaps.iter().map(|gap| gap.share));
        if self.gaps.iter().any(|gap| gap.kind.hides_waits()) {
            Hidden::Waits
        } else if self.lacks_processes()
            || !self.incomplete_locations.is_empty()
            || unknown.sum::<f64>() >= MOST_UNKNOWN
        {
            Hidden::Causes
        } else {
            Hidden::Nothing
        }
    }

    /// Whether processes have no events: any of them may be the true cause of any wait.
    pub(crate) fn lacks_processes(&self) -> bool {
        self.gaps.iter().any(|gap| gap.kind == GapKind::Processes)
    }
}

/// Kinds of calls that never have a record, and operations without their counterpart.
pub(crate) fn left_out(trace: &Trace) -> (Vec<UnrecordedAnswer>, Vec<GapAnswer>) {
    (unrecorded(trace), gaps::gaps(trace, total_time(trace)))
}

/// Kinds of calls that never have a record, those with the most time first.
fn unrecorded(trace: &Trace) -> Vec<UnrecordedAnswer> {
    let has = |kind: EventKind| trace.timelines.iter().any(|timeline| timeline.kinds.has(kind));
    let begins_requests = BEGUN.into_iter().any(has);
    let may_be_unrecorded = |(class, region): (&RegionClass, &Region)| {
        communicates(class) || begins_requests && completes(class) || is_critical(class, region)
    };
    let mut is_unrecorded: Vec<bool> =
        trace.classes.iter().zip(&trace.definitions.regions).map(may_be_unrecorded).collect();
    let called = called(trace);
    is_unrecorded.iter_mut().zip(&called).for_each(|(is_unrecorded, called)| *is_unrecorded &= called);
    clear_recorded(trace, &mut is_unrecorded);
    answers(trace, &is_unrecorded)
}

/// By region: whether it was ever called.
fn called(trace: &Trace) -> Vec<bool> {
    let mut called = vec![false; trace.classes.len()];
    let used = trace.uses.iter().flatten().filter(|used| used.visits > 0);
    used.for_each(|used| called[trace.paths.region(used.path).index()] = true);
    called
}

/// Clears the regions whose calls have a record. Usually the first few records clear all of them.
fn clear_recorded(trace: &Trace, is_unrecorded: &mut [bool]) {
    let mut left = is_unrecorded.iter().filter(|&&is_unrecorded| is_unrecorded).count();
    for timeline in &trace.timelines {
        let calls = (0..timeline.ops.len()).map(|number| timeline.ops.call(number));
        for call in calls.filter(|&call| call != NO_CALL) {
            if left == 0 {
                return;
            }
            let region = trace.paths.region(timeline.call_path(call));
            left -= usize::from(std::mem::take(&mut is_unrecorded[region.index()]));
        }
    }
}

fn communicates(class: &RegionClass) -> bool {
    match class.class {
        Class::PointToPoint => COMMUNICATING.contains(&class.name.as_str()),
        Class::Collective => true,
        _ => false,
    }
}

/// Whether a region is a critical section: without records of its lock, the waiting in it and its cause are not known.
fn is_critical(class: &RegionClass, region: &Region) -> bool {
    let by_name = matches!(class.name.as_str(), "openmp critical" | "openmp ordered");
    class.class == Class::Lock && (region.role == RegionRole::Critical || by_name)
}

fn completes(class: &RegionClass) -> bool {
    class.class == Class::PointToPoint && COMPLETING.contains(&class.name.as_str())
}

fn answers(trace: &Trace, is_unrecorded: &[bool]) -> Vec<UnrecordedAnswer> {
    let mut sums: Vec<(u64, Ticks)> = vec![(0, 0); is_unrecorded.len()];
    for used in trace.uses.iter().flatten() {
        let sum = &mut sums[trace.paths.region(used.path).index()];
        *sum = (sum.0 + used.visits, sum.1.saturating_add(used.exclusive));
    }
    let total_time = total_time(trace);
    let answer = |(region, &(calls, ticks)): (usize, &(u64, Ticks))| UnrecordedAnswer {
        region: trace.region_name(RegionId::from(region)).to_owned(),
        calls,
        seconds: trace.seconds(ticks),
        share: ticks as f64 / total_time as f64,
    };
    let found = sums.iter().enumerate().filter(|(region, (calls, _))| is_unrecorded[*region] && *calls > 0);
    let mut rows: Vec<UnrecordedAnswer> = found.map(answer).collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.region.cmp(&b.region)));
    rows
}

/// The time of all threads on CPUs, at least 1.
fn total_time(trace: &Trace) -> Ticks {
    let span = |location| trace.timeline(location).last - trace.timeline(location).first;
    trace.cpu_locations().map(span).fold(0, Ticks::saturating_add).max(1)
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind, LockKind, Paradigm, RegionRole};

    use super::unrecorded;
    use crate::fixture::Script;

    #[test]
    fn calls_that_never_have_a_record_are_named() {
        let mut script = Script::processes(2);
        for rank in 0..2 {
            script.enter(rank, 0, "main").call(rank, 0, 60, "MPI_Sendrecv").call(
                rank,
                60,
                70,
                "MPI_Comm_rank",
            );
            script.call(rank, 70, 80, "MPI_Send");
        }
        script.send(0, 80, 85, 1, 0).recv(1, 80, 90, 0, 0);
        script.leave(0, 100, "main").leave(1, 100, "main");
        let rows = unrecorded(&script.trace());
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.region.as_str(), row.calls, row.share), ("MPI_Sendrecv", 2, 0.6));
    }

    /// All ranks call MPI_Send without a record at first; only the last one has a record, at its very end.
    #[test]
    fn one_late_record_is_enough_and_what_is_never_called_is_not_named() {
        let script = |has_record: bool| {
            let mut script = Script::processes(3);
            script.define("MPI_Ssend", RegionRole::PointToPoint, Paradigm::Mpi);
            for rank in 0..3 {
                script.enter(rank, 0, "main").call(rank, 10, 20, "MPI_Send");
            }
            if has_record {
                script.send(2, 80, 85, 0, 0).recv(0, 80, 90, 2, 0);
            }
            (0..3).for_each(|rank| {
                script.leave(rank, 100, "main");
            });
            let rows = unrecorded(&script.trace());
            rows.iter().map(|row| (row.region.clone(), row.calls)).collect::<Vec<_>>()
        };
        assert_eq!(script(true), []);
        assert_eq!(script(false), [("MPI_Send".to_owned(), 3)]);
    }

    /// Requests are started; the calls that complete them have only their times, or records of completions too.
    #[test]
    fn completions_that_the_recorder_left_out_are_named() {
        for (records, expected) in [(false, vec!["MPI_Waitall".to_owned()]), (true, vec![])] {
            let mut script = Script::processes(2);
            script.isend(0, 0, 1, 0, 7).enter(0, 10, "MPI_Waitall");
            if records {
                script.event(0, 20, EventKind::MpiIsendComplete, Event::MpiIsendComplete { request: 7 });
            }
            script.leave(0, 50, "MPI_Waitall").recv(1, 0, 40, 0, 0);
            let rows = unrecorded(&script.trace());
            assert_eq!(rows.into_iter().map(|row| row.region).collect::<Vec<_>>(), expected);
        }
    }

    /// The records of its lock make the difference.
    #[test]
    fn critical_sections_without_their_locks_are_named() {
        let by_role = (RegionRole::Critical, Paradigm::OpenMp);
        let by_name = (RegionRole::Function, Paradigm::User);
        for ((role, paradigm), records) in
            [(by_role, false), (by_name, false), (by_role, true), (by_name, true)]
        {
            let mut script = Script::threads(2);
            script.define("OpenMP critical", role, paradigm);
            for thread in [0, 1] {
                script.enter(thread, 0, "OpenMP critical");
                if records {
                    let event = Event::AcquireLock { kind: LockKind::OpenMp, lock: 1, order: thread as u32 };
                    script.event(thread, 10, EventKind::ThreadAcquireLock, event);
                }
                script.leave(thread, 50, "OpenMP critical");
            }
            let rows = unrecorded(&script.trace());
            assert_eq!(rows.len(), usize::from(!records), "{role:?}: {rows:?}");
        }
    }

    #[test]
    fn without_requests_there_is_nothing_to_complete() {
        let mut script = Script::processes(1);
        script.call(0, 0, 10, "MPI_Waitall");
        assert_eq!(unrecorded(&script.trace()), []);
    }
}
