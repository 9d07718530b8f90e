//! Wait for progress: an access under a lock is held up until its target calls MPI.

use lotse_model::Rule;
use lotse_model::id::{LocationId, PathId, WindowId};
use lotse_model::trace::{Event, EventKind, Ticks};

use super::rma_lock_contention::lock_wait_end;
use super::{PRIOR, Pattern, Search};
use crate::class::Class;
use crate::matching::member;
use crate::metric::{Bound, Metric};
use crate::store::{CallRef, OpRef, Paths, Trace};
use crate::waits::{Cause, Scene, Wait, WaitCollector};

pub(super) const PATTERN: Pattern = Pattern {
    rule: &RULE,
    metrics: &[&RMA_WAIT_FOR_PROGRESS],
    search: Search::Records(
        &[EventKind::RmaPut, EventKind::RmaGet, EventKind::RmaAtomic, EventKind::RmaReleaseLock],
        search,
    ),
};

/// Waiting for a target to call MPI.
pub(super) static RMA_WAIT_FOR_PROGRESS: Metric =
    Metric::wait("rma_wait_for_progress", "wait for progress", Class::Rma, Bound::Upper);

static RULE: Rule = Rule {
    id: "rma_wait_for_progress",
    version: 1,
    title: "wait for progress: an access waits until its target calls MPI",
    meaning: "Accesses under a lock need no call by the target, but many libraries carry them out only when the target \
              is in a call of MPI. A target that computes for long holds its origins up.",
    computation: "E of the target's next call of MPI - E of the access or MPI_Win_unlock, where the target was outside \
                  MPI when the origin asked and the origin's call lasts until then: a call that ended before needed \
                  no help. Time waited for the lock itself is not counted again. The thread that stands for the rank \
                  is looked at. An upper bound.",
    picture: "target  ─── compute ────────────────┤MPI├──
origin  ─┤lock├─┤Put▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒─├─
                ↑E                  ↑E(MPI)",
    example: "A put from 0.4 to 1.02 s to a target that computes until it calls MPI at 1.0 s: 0.6 s.",
    advice: "Switch on asynchronous progress (a thread or the network's hardware), let the target call MPI now and \
             then (MPI_Iprobe), or keep what others need on a rank that does nothing else.",
    thresholds: &[],
    prior: PRIOR,
    references: &[
        "M.-A. Hermanns, S. Krishnamoorthy, F. Wolf: A scalable infrastructure for the performance analysis of passive target synchronization, 2013",
    ],
};

/// Adds the wait of an access under a lock from the enter of its call, or from the acquisition of the lock, to the time
/// at which the target enters MPI.
fn search(scene: &Scene<'_>, op: OpRef, collector: &mut WaitCollector) {
    let trace = scene.trace;
    let Some(call) = trace.call_of(op) else { return };
    let Some((window, remote)) = accessed(trace, op).filter(|_| is_last_access(trace, op)) else { return };
    let Some(target) = target(trace, op.location, window, remote) else { return };
    let Some((end, target)) = progress(scene, call, target) else { return };
    let begin = lock_wait_end(trace, call).map_or(trace.enter(call), |until| until.max(trace.enter(call)));
    let cause = Some(Cause { location: target, at: end });
    collector.add(
        trace,
        Wait {
            metric: Some(&RMA_WAIT_FOR_PROGRESS),
            call,
            begin,
            end,
            cause,
            causal: true,
            is_overlapped: false,
        },
    );
}

/// The window and the target rank of an access under a lock, or of the lock's release.
fn accessed(trace: &Trace, op: OpRef) -> Option<(WindowId, u32)> {
    match trace.op(op).event() {
        Event::RmaOperation { window, remote, .. } if trace.links.rma.is_passive(op) => {
            Some((window, remote))
        }
        Event::RmaReleaseLock { window, remote, .. } => Some((window, remote)),
        _ => None,
    }
}

/// Whether a record is the last access of its call: all accesses of a call are handled together there.
fn is_last_access(trace: &Trace, op: OpRef) -> bool {
    let ops = &trace.timeline(op.location).ops;
    let call = ops.call(op.op as usize);
    let mut rest = (op.op + 1..).zip(ops.from(op.op as usize + 1)).take_while(|(_, next)| next.call == call);
    !rest.any(|(number, _)| accessed(trace, OpRef { op: number, ..op }).is_some())
}

fn target(trace: &Trace, me: LocationId, window: WindowId, remote: u32) -> Option<LocationId> {
    let definitions = &trace.definitions;
    let communicator = definitions.windows.get(window.index())?.communicator;
    let target = member(definitions, communicator, me, remote)?;
    (trace.location(target).process != trace.location(me).process).then_some(target)
}

/// When a thread of the target entered MPI during the call, and which; none if one was inside already or none entered.
fn progress(scene: &Scene<'_>, call: CallRef, target: LocationId) -> Option<(Ticks, LocationId)> {
    let enter = scene.trace.enter(call);
    let threads = match scene.led[target.index()].as_slice() {
        [] => &[target],
        threads => threads,
    };
    let is_inside = |&thread: &LocationId| {
        let timeline = scene.trace.timeline(thread);
        in_mpi(scene.trace, timeline.step_at(enter).map_or(Paths::ROOT, |step| timeline.path[step]))
    };
    if threads.iter().any(is_inside) {
        return None;
    }
    let entry = |&thread: &LocationId| Some((next_in_mpi(scene.trace, call, thread)?, thread));
    threads.iter().filter_map(entry).min()
}

/// When a thread entered MPI during a call.
fn next_in_mpi(trace: &Trace, call: CallRef, thread: LocationId) -> Option<Ticks> {
    let (enter, exit) = (trace.enter(call), trace.exit(call));
    let timeline = trace.timeline(thread);
    let calls = (timeline.call_from(enter)..timeline.calls.len()).map(|call| call as u32);
    let mut calls = calls.take_while(|&call| timeline.enter(call) <= exit);
    let next = calls.find(|&call| is_mpi(trace, timeline.call_path(call)))?;
    Some(timeline.enter(next))
}

fn in_mpi(trace: &Trace, mut path: PathId) -> bool {
    while path != Paths::ROOT {
        if is_mpi(trace, path) {
            return true;
        }
        path = trace.paths.parent(path);
    }
    false
}

fn is_mpi(trace: &Trace, path: PathId) -> bool {
    trace.classes[trace.paths.region(path).index()].name.starts_with("mpi_")
}

#[cfg(test)]
mod tests {
    use crate::fixture::Script;
    use crate::patterns::amounts;

    fn waits(target: impl Fn(&mut Script)) -> Vec<(u32, String, u64)> {
        let mut script = Script::processes(2);
        target(&mut script);
        script.lock(1, (300, 310), 0, true).put(1, (400, 1020), 0).unlock(1, (1030, 1040), 0);
        amounts(&script, "rma_wait_for_progress")
    }

    #[test]
    fn a_put_waits_until_the_target_calls_mpi() {
        let found = waits(|script| {
            script.call(0, 0, 1000, "compute").call(0, 1000, 1100, "MPI_Barrier");
        });
        assert_eq!(found, [(1, "MPI_Put".to_owned(), 600)]);
    }

    #[test]
    fn a_target_inside_mpi_delays_no_access() {
        let found = waits(|script| {
            script.call(0, 0, 1100, "MPI_Barrier");
        });
        assert_eq!(found, []);
    }

    #[test]
    fn an_access_that_ends_before_the_target_enters_mpi_did_not_wait_for_it() {
        let found = waits(|script| {
            script.call(0, 0, 1500, "compute").call(0, 1500, 1600, "MPI_Barrier");
        });
        assert_eq!(found, []);
    }
    #[test]
    fn any_thread_of_the_target_makes_progress() {
        let mut script = Script::hybrid(&[2, 1]);
        script.call(0, 0, 1000, "compute").call(0, 1000, 1100, "MPI_Barrier");
        script.call(1, 0, 900, "compute").call(1, 900, 1100, "MPI_Recv");
        script.lock(2, (300, 310), 0, true).put(2, (400, 1020), 0).unlock(2, (1030, 1040), 0);
        assert_eq!(amounts(&script, "rma_wait_for_progress"), [(2, "MPI_Put".to_owned(), 500)]);
    }
}
