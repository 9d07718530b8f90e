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
//! instead, and that is said. A thread that another one creates and joins by records is known to matter, and stays.

use hashbrown::HashSet;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::EventKind;

use super::Trace;

/// What a silent thread has records of.
const OWN: &[EventKind] =
    &[EventKind::ThreadBegin, EventKind::ThreadEnd, EventKind::Enter, EventKind::Leave, EventKind::Unknown];

/// Records of what a thread has to do with others of its process.
const FOLLOWED: [EventKind; 3] = [EventKind::ThreadCreate, EventKind::ThreadWait, EventKind::ThreadFork];

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
    let followed = processes_with(&|it| FOLLOWED.into_iter().any(|kind| trace.timeline(it).kinds.has(kind)));
    let is_beside_mpi = |it: ProcessId| with_mpi.contains(&it) && !followed.contains(&it);
    candidates.into_iter().filter(|&it| is_beside_mpi(process(it))).collect()
}

fn calls_mpi(trace: &Trace, location: LocationId) -> bool {
    trace.uses[location.index()].iter().any(|used| used.visits > 0 && trace.class_of(used.path).is_mpi())
}

/// Whether a thread records its begin and at most one call.
fn only_begins_and_ends(trace: &Trace, location: LocationId) -> bool {
    let timeline = trace.timeline(location);
    let calls: u64 = trace.uses[location.index()].iter().map(|used| used.visits).sum();
    timeline.kinds.has(EventKind::ThreadBegin)
        && timeline.kinds.seen().all(|(kind, _)| OWN.contains(&kind))
        && calls <= 1
        && timeline.calls.is_empty()
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
        let mut script = Script::processes(3);
        script.definitions.locations[2].process = script.definitions.locations[0].process;
        let (team, count) = (CommunicatorId(0), 1);
        for rank in [0, 1] {
            script.enter(rank, 0, "Working");
            if is_created && rank == 0 {
                script.event(0, 5, EventKind::ThreadCreate, Event::ThreadCreate { team, count });
            }
            let came = if rank == 0 { 400 } else { 100 };
            script.barrier(rank, came, 410).leave(rank, 500, "Working");
        }
        script.event(2, 10, EventKind::ThreadBegin, Event::ThreadBegin { team, count });
        for call in 0..calls {
            script.call(2, 10 + call * 100, 110 + call * 100, "Working");
        }
        script.call(2, 110 + calls * 100, 510, "Working").event(
            2,
            510,
            EventKind::ThreadEnd,
            Event::ThreadEnd { team, count },
        );
        script.trace()
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
}
