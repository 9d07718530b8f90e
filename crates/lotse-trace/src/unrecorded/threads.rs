//! Threads of which nothing, or only the start and the end, was recorded: what one waits for and another does is unknown.
//!
//! ```text
//! thread 1  ├ create ┤                          ├ join ┤
//! thread 2           ├── Working ──────────────┤              works, or waits for thread 3: both look alike
//! thread 3           ├── Working ──────────────┤
//! ```
//!
//! Traces of functions (Chrome trace events) have no records of synchronisation; arrows (flow events) between their calls
//! say what depends on what, but not when a thread waits for it. Recorders of pthreads do not see locks that
//! call the kernel directly (futexes), as those of Rust and Go do.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, EventKind, Ticks};

use super::gaps::{GapAnswer, GapKind};
use crate::class::Class;
use crate::store::Trace;

/// The gap of threads without synchronisation; `total_time` is the time of all threads on CPUs.
pub(super) fn without_synchronisation(trace: &Trace, total_time: Ticks) -> Option<GapAnswer> {
    let threads: Vec<LocationId> =
        trace.cpu_locations().filter(|&it| !trace.timeline(it).at.is_empty()).collect();
    if threads.len() < 2 || has_other_dependencies(trace) {
        return None;
    }
    let calls = match threads.iter().any(|&it| !trace.timeline(it).ops.is_empty()) {
        false => Vec::new(),
        true if has_only_arrows(trace) => Vec::new(),
        true if only_starts_and_ends(trace, &threads) => {
            vec!["pthread_create".to_owned(), "pthread_join".to_owned()]
        }
        true => return None,
    };
    let computing = |&location: &LocationId| {
        let uses = trace.uses[location.index()].iter();
        let computes = uses.filter(|used| trace.class_of(used.path) == Class::Computation);
        computes.map(|used| used.exclusive).fold(0, Ticks::saturating_add)
    };
    let ticks = threads.iter().map(computing).fold(0, Ticks::saturating_add);
    let count = threads.len() as u64;
    Some(GapAnswer {
        kind: GapKind::Threads,
        count,
        of: count,
        calls,
        seconds: trace.seconds(ticks),
        share: ticks as f64 / total_time as f64,
    })
}

/// Whether threads have records of messages, but none of them is in a call of MPI and there is no such call.
pub(crate) fn has_only_arrows(trace: &Trace) -> bool {
    const ARROWS: [EventKind; 2] = [EventKind::MpiSend, EventKind::MpiRecv];
    let is_arrow = |event: &Event| matches!(event, Event::MpiSend { .. } | Event::MpiRecv { .. });
    let threads = || trace.cpu_locations().map(|it| trace.timeline(it));
    threads().any(|it| ARROWS.iter().any(|&kind| it.kinds.has(kind)))
        && !has_other_dependencies(trace)
        && threads().all(|it| it.ops.iter().all(|op| is_arrow(op.shape())))
}

/// The gap of threads beside those that use MPI, of which only the begin and the end was recorded.
pub(super) fn silent(trace: &Trace) -> Option<GapAnswer> {
    let count = trace.silent.len() as u64;
    (count > 0).then(|| GapAnswer {
        kind: GapKind::SilentThreads,
        count,
        of: count + trace.cpu_locations().count() as u64,
        calls: Vec::new(),
        seconds: 0.0,
        share: 0.0,
    })
}

/// Whether MPI, OpenMP, barriers or accelerators tell what is waited for.
fn has_other_dependencies(trace: &Trace) -> bool {
    let tells = |class: Class| {
        class.is_mpi() || class.is_accelerator() || class.is_barrier_of_threads() || class == Class::OpenMp
    };
    trace.cpu_locations().count() < trace.timelines.len()
        || trace.uses.iter().flatten().any(|used| used.visits > 0 && tells(trace.class_of(used.path)))
}

/// Records of the start and the end of threads.
const STARTS: &[EventKind] =
    &[EventKind::ThreadCreate, EventKind::ThreadBegin, EventKind::ThreadWait, EventKind::ThreadEnd];

/// Records that say nothing about other threads.
const TELLS_NOTHING: &[EventKind] = &[
    EventKind::Unknown,
    EventKind::BufferFlush,
    EventKind::MeasurementOnOff,
    EventKind::Enter,
    EventKind::Leave,
    EventKind::CallingContextEnter,
    EventKind::CallingContextLeave,
    EventKind::Metric,
    EventKind::ParameterString,
    EventKind::ParameterInt,
    EventKind::ParameterUnsignedInt,
];

/// Whether threads are created and joined, and none but the first calls anything that makes threads wait.
fn only_starts_and_ends(trace: &Trace, threads: &[LocationId]) -> bool {
    let records_only_starts = |&it: &LocationId| {
        trace
            .timeline(it)
            .kinds
            .seen()
            .all(|(kind, _)| STARTS.contains(&kind) || TELLS_NOTHING.contains(&kind))
    };
    let waits = |&it: &LocationId| {
        let uses = trace.uses[it.index()].iter();
        uses.filter(|used| used.visits > 0).any(|used| trace.class_of(used.path) == Class::Lock)
    };
    threads.iter().all(records_only_starts) && !threads[1..].iter().any(waits)
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind};

    use crate::answer::Facts;
    use crate::fixture::Script;
    use crate::unrecorded::{GapKind, Hidden, left_out};

    fn found(script: &Script) -> Vec<(GapKind, u64, usize, f64)> {
        let (_, gaps) = left_out(&script.trace());
        gaps.into_iter().map(|gap| (gap.kind, gap.count, gap.calls.len(), gap.share)).collect()
    }

    fn working(threads: u32) -> Script {
        let mut script = Script::threads(threads);
        (0..threads as usize).for_each(|thread| {
            script.call(thread, 0, 500, "work");
        });
        script
    }

    #[test]
    fn threads_without_any_record_of_synchronisation_are_a_gap() {
        let script = working(3);
        assert_eq!(found(&script), [(GapKind::Threads, 3, 0, 1.0)]);
        assert_eq!(Facts::new(&script.trace(), 0).hidden, Hidden::Waits);
        assert_eq!(found(&working(1)), [], "one thread waits for none");
    }

    #[test]
    fn an_arrow_between_threads_is_a_gap_all_the_same() {
        let mut script = working(3);
        let (communicator, tag, length) = (crate::fixture::WORLD, 0, 0);
        let send = Event::MpiSend { receiver: 1, communicator, tag, length };
        let receive = Event::MpiRecv { sender: 0, communicator, tag, length };
        script.with_record(0, (500, 600), "work", 550, (EventKind::MpiSend, send));
        script.with_record(1, (500, 600), "work", 560, (EventKind::MpiRecv, receive));
        assert_eq!(found(&script), [(GapKind::Threads, 3, 0, 1.0)]);
    }

    /// A lock that calls the kernel directly is in no record: the start of threads alone says nothing about waits.
    #[test]
    fn the_start_and_end_of_threads_alone_are_a_gap_but_not_with_locks() {
        let started = |locks: bool| {
            let mut script = working(2);
            let create = Event::ThreadCreate { team: crate::fixture::WORLD, count: 1 };
            script.with_record(0, (500, 510), "pthread_create", 505, (EventKind::ThreadCreate, create));
            if locks {
                script.call(1, 500, 520, "pthread_mutex_lock");
            }
            found(&script)
        };
        assert_eq!(
            started(false).iter().map(|gap| (gap.0, gap.2)).collect::<Vec<_>>(),
            [(GapKind::Threads, 2)]
        );
        assert_eq!(started(true), []);
    }
}
