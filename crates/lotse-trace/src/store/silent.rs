//! Threads of which only the begin and the end were recorded, in processes that use MPI.
//!
//! Libraries start threads of their own (for linear algebra, for the progress of messages), which mostly sleep. A recorder of
//! MPI sees that they begin, keeps one region open on them until the process ends, and writes nothing else:
//!
//! ```text
//! thread 0   ├ Working ──┤MPI_Recv├──────┤MPI_Send├──────┤
//! thread 1       ├ Working ──────────────────────────────────┤      works, or sleeps: nobody knows
//! ```
//!
//! Taken for work, such a thread would be computing all the time, end last, and so be the critical path. It is left out
//! instead, and that is said. These threads are known to matter, and stay:
//!
//! - those of a process that creates or joins threads by records or by recorded calls (`pthread_create`);
//! - those with a region of their own: the one region that a recorder keeps open is also the outermost of the threads that
//!   use MPI, while a function of the program (`worker`) is only on the thread itself;
//! - those whose events were lost: what they did is unknown, but they did something.

use hashbrown::HashSet;
use lotse_model::id::{LocationId, PathId, ProcessId, RegionId};
use lotse_model::trace::EventKind;

use super::{Paths, Trace};
use crate::class::Class;

/// What a silent thread has records of.
const OWN: &[EventKind] =
    &[EventKind::ThreadBegin, EventKind::ThreadEnd, EventKind::Enter, EventKind::Leave, EventKind::Unknown];

/// Records of what a thread has to do with others of its process.
const FOLLOWED: [EventKind; 3] = [EventKind::ThreadCreate, EventKind::ThreadWait, EventKind::ThreadFork];

/// The begins of names of functions that start or join threads, in lower case, beside those of pthreads.
const STARTS_OR_JOINS: &[&str] = &[
    "std::thread::thread",
    "std::thread::join",
    "std::thread::spawn",
    "std::thread::scope",
    "std::thread::builder::spawn",
    "thrd_create",
    "thrd_join",
];

/// The silent threads, in the order of locations.
pub(super) fn silent(trace: &Trace) -> Vec<LocationId> {
    let candidates: Vec<LocationId> =
        trace.cpu_locations().filter(|&it| only_begins_and_ends(trace, it)).collect();
    if candidates.is_empty() {
        return candidates;
    }
    let process = |location: LocationId| trace.location(location).process;
    let processes_with = |has: &dyn Fn(LocationId) -> bool| -> HashSet<ProcessId> {
        trace.cpu_locations().filter(|&it| has(it)).map(process).collect()
    };
    let with_mpi = processes_with(&|it| calls_mpi(trace, it));
    let followed = processes_with(&|it| follows_threads(trace, it));
    let is_beside_mpi = |it: ProcessId| with_mpi.contains(&it) && !followed.contains(&it);
    let has_mpi_in_its_region = |silent: LocationId, region: RegionId| {
        let mut beside = trace.cpu_locations().filter(|&it| process(it) == process(silent));
        beside.any(|it| calls_mpi(trace, it) && outermost(trace, it).any(|used| used == region))
    };
    let has_only_the_recorders =
        |it: LocationId| outermost(trace, it).all(|region| has_mpi_in_its_region(it, region));
    candidates.into_iter().filter(|&it| is_beside_mpi(process(it)) && has_only_the_recorders(it)).collect()
}

fn calls_mpi(trace: &Trace, location: LocationId) -> bool {
    called(trace, location).any(|path| trace.class_of(path).is_mpi())
}

/// Whether a thread creates or joins others by records or by recorded calls.
fn follows_threads(trace: &Trace, location: LocationId) -> bool {
    FOLLOWED.into_iter().any(|kind| trace.timeline(location).kinds.has(kind))
        || called(trace, location).any(|path| starts_or_joins(trace, path))
}

fn starts_or_joins(trace: &Trace, path: PathId) -> bool {
    let is_known = |name: &str| STARTS_OR_JOINS.iter().any(|known| name.starts_with(known));
    trace.class_of(path) == Class::Threading
        || path != Paths::ROOT && is_known(&trace.classes[trace.paths.region(path).index()].name)
}

/// The call paths that a thread entered.
fn called(trace: &Trace, location: LocationId) -> impl Iterator<Item = PathId> + '_ {
    trace.uses[location.index()].iter().filter(|used| used.visits > 0).map(|used| used.path)
}

/// The regions that a thread entered outside of every other.
fn outermost(trace: &Trace, location: LocationId) -> impl Iterator<Item = RegionId> + '_ {
    let paths = called(trace, location).filter(|&path| path != Paths::ROOT);
    paths.filter(|&path| trace.paths.depth(path) == 1).map(|path| trace.paths.region(path))
}

/// Whether a thread records its begin and at most one call, and none of its events was lost.
fn only_begins_and_ends(trace: &Trace, location: LocationId) -> bool {
    let timeline = trace.timeline(location);
    let calls: u64 = trace.uses[location.index()].iter().map(|used| used.visits).sum();
    timeline.kinds.has(EventKind::ThreadBegin)
        && timeline.kinds.seen().all(|(kind, _)| OWN.contains(&kind))
        && calls <= 1
        && timeline.calls.is_empty()
        && !trace.incomplete.contains(&location)
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{CommunicatorId, LocationId};
    use lotse_model::trace::{Event, EventKind};

    use crate::fixture::Script;
    use crate::store::Trace;
    use crate::unrecorded::{GapKind, Hidden};

    /// Two processes that meet at a barrier, and a second thread of the first process that ends last.
    fn with_helper(calls: u64, is_created: bool) -> Trace {
        helped(calls, is_created, "Working", None).trace()
    }

    /// The same, with the region that the second thread is in at its end, and a call of the first thread.
    fn helped(calls: u64, is_created: bool, last: &str, called: Option<&str>) -> Script {
        let mut script = Script::processes(3);
        script.definitions.locations[2].process = script.definitions.locations[0].process;
        let (team, count) = (CommunicatorId(0), 1);
        for rank in [0, 1] {
            script.enter(rank, 0, "Working");
            if is_created && rank == 0 {
                script.event(0, 5, EventKind::ThreadCreate, Event::ThreadCreate { team, count });
            }
            if let Some(name) = called.filter(|_| rank == 0) {
                script.call(0, 6, 9, name);
            }
            let came = if rank == 0 { 400 } else { 100 };
            script.barrier(rank, came, 410).leave(rank, 500, "Working");
        }
        script.event(2, 10, EventKind::ThreadBegin, Event::ThreadBegin { team, count });
        for call in 0..calls {
            script.call(2, 10 + call * 100, 110 + call * 100, "Working");
        }
        script.call(2, 110 + calls * 100, 510, last);
        script.event(2, 510, EventKind::ThreadEnd, Event::ThreadEnd { team, count });
        script
    }

    #[test]
    fn a_thread_that_only_begins_and_ends_is_left_out_and_named() {
        let trace = with_helper(0, false);
        assert_eq!(trace.silent, [LocationId(2)]);
        assert_eq!(trace.cpu_locations().map(|it| it.0).collect::<Vec<_>>(), [0, 1]);
        let (_, gaps) = crate::unrecorded::left_out(&trace);
        let found: Vec<_> = gaps.iter().map(|gap| (gap.kind, gap.count, gap.of)).collect();
        assert_eq!(found, [(GapKind::SilentThreads, 1, 3)]);
        assert_eq!(crate::answer::Facts::new(&trace, 0).what_is_hidden(), Hidden::Nothing);
    }

    #[test]
    fn it_is_not_the_critical_path() {
        let trace = with_helper(0, false);
        let waits = crate::patterns::search_waits(&trace);
        let path = crate::critical::critical_path(&trace, &waits);
        assert!(path.rows.iter().all(|row| row.location != LocationId(2)), "{:?}", path.rows);
    }

    #[test]
    fn a_thread_with_calls_or_one_that_is_created_by_a_record_stays() {
        assert_eq!(with_helper(2, false).silent, []);
        assert_eq!(with_helper(0, true).silent, []);
    }

    #[test]
    fn a_thread_that_a_recorded_call_creates_or_joins_stays() {
        for name in [
            "pthread_create",
            "pthread_join",
            "std::thread::thread<void (&)()>(void (&)())",
            "std::thread::spawn",
        ] {
            assert_eq!(helped(0, false, "Working", Some(name)).trace().silent, [], "{name}");
        }
        assert_eq!(helped(0, false, "Working", Some("solve")).trace().silent, [LocationId(2)]);
    }

    #[test]
    fn a_thread_in_a_region_of_its_own_stays() {
        assert_eq!(helped(0, false, "worker", None).trace().silent, []);
    }

    /// What a thread did whose events were lost is not known.
    #[test]
    fn a_thread_that_lost_events_stays() {
        let mut trace = with_helper(0, false);
        trace.incomplete = vec![LocationId(2)];
        assert_eq!(super::silent(&trace), []);
    }

    #[test]
    fn the_run_lasts_as_long_as_the_threads_that_count() {
        let trace = with_helper(0, false);
        assert_eq!((trace.first_tick(), trace.last_tick()), (0, 500));
    }
}
