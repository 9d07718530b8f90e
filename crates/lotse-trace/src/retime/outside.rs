//! A change that moves work out of locks: it is done before the lock is requested instead of while it is held.
//!
//! ```text
//! recorded   ┤lock├─ a ─ work ─ b ─┤unlock├─
//! changed    ─ work ─┤lock├─ a ─ b ─┤unlock├─
//! ```
//!
//! If several locks are held at a time, the work is moved before the first, so that no lock is held during the work.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::graph::{AdmissionMode, EntryKind, Graph};
use super::{Change, Extra};
use crate::critical::Segment;
use crate::store::{CallRef, Trace};

/// An interval during which a location held at least one lock.
struct HeldInterval {
    /// The call that acquired the first lock.
    call: CallRef,
    from: Ticks,
    to: Ticks,
}

/// The table of the graph that has a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum LockTable {
    Mutex,
    ReadWrite,
}

/// The locks that a location holds: mostly one.
#[derive(Debug, Default)]
struct HeldLocks(Vec<(LockTable, u32)>);

impl HeldLocks {
    /// Removes a lock; returns whether none is left.
    fn release_is_last(&mut self, lock: (LockTable, u32)) -> bool {
        let known = self.0.iter().rposition(|open| *open == lock);
        known.map(|at| self.0.swap_remove(at)).is_some() && self.0.is_empty()
    }
}

impl Graph {
    /// The change that moves the exclusive time of call paths, where it is spent with a lock held, before the request of
    /// that lock.
    pub fn outside_lock(&self, trace: &Trace, paths: &[PathId]) -> Change {
        let mut is_moved = vec![false; trace.paths.len()];
        paths.iter().for_each(|path| is_moved[path.index()] = true);
        let mut change = Change::default();
        for location in trace.locations() {
            let mut step = 0;
            for held in self.held_intervals(location) {
                step = trace.timeline(location).step_near(step, held.from).unwrap_or(0);
                move_own_time(trace, (&held, step), &is_moved, &mut change);
            }
        }
        change
    }

    /// Whether an admission is held until a release. A token of a semaphore is consumed instead.
    fn is_held_until_release(&self, admission: u32) -> bool {
        self.admissions[admission as usize].mode != AdmissionMode::Token
    }

    /// The intervals during which a location held locks.
    fn held_intervals(&self, location: LocationId) -> Vec<HeldInterval> {
        let mut all = Vec::new();
        let mut open = HeldLocks::default();
        let mut first = None;
        for entry in &self.tables[location.index()].entries {
            match entry.kind {
                EntryKind::Acquires { holding } => {
                    open.0.push((LockTable::Mutex, holding));
                    first.get_or_insert((CallRef { location, call: entry.call }, entry.resume));
                }
                EntryKind::Releases { holding, .. } if open.release_is_last((LockTable::Mutex, holding)) => {
                    all.extend(first.take().map(|(call, from)| HeldInterval { call, from, to: entry.at }));
                }
                EntryKind::Enters { admission } if self.is_held_until_release(admission) => {
                    open.0.push((LockTable::ReadWrite, admission));
                    first.get_or_insert((CallRef { location, call: entry.call }, entry.resume));
                }
                EntryKind::Leaves { admission, .. }
                    if open.release_is_last((LockTable::ReadWrite, admission)) =>
                {
                    all.extend(first.take().map(|(call, from)| HeldInterval { call, from, to: entry.at }));
                }
                _ => {}
            }
        }
        all
    }
}

/// Moves the exclusive time of the call paths within a holding. `first` is the timeline step in which the holding begins.
fn move_own_time(
    trace: &Trace,
    (held, first): (&HeldInterval, usize),
    is_moved: &[bool],
    change: &mut Change,
) {
    let (before, location) = (held.call, held.call.location);
    let timeline = trace.timeline(location);
    let first_moved = change.inserted.len();
    for step in first..timeline.at.len() {
        let from = timeline.at[step].max(held.from);
        if from >= held.to {
            break;
        }
        let to = timeline.at.get(step + 1).map_or(timeline.last, |&next| next).min(held.to);
        let path = timeline.path[step];
        if is_moved[path.index()] && from < to {
            change.spans.push(Segment { location, from, to });
            match change.inserted[first_moved..].iter_mut().find(|moved| moved.path == path) {
                Some(moved) => moved.ticks += to - from,
                None => change.inserted.push(Extra { before, path, ticks: to - from }),
            }
        }
    }
    change.inserted[first_moved..].sort_unstable_by_key(|moved| moved.path);
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;
    use lotse_model::trace::{Event, EventKind, LockKind};
    use lotse_model::work::Sequential;

    use crate::fixture::Script;
    use crate::retime::{Change, Graph};
    use crate::waits::search;

    /// Two threads request a lock at 0 and hold it for 100 each, 80 of which are in `work`.
    fn two_holders() -> Script {
        let mut script = Script::threads(2);
        let (kind, lock) = (LockKind::Mutex, 1);
        for (thread, order, gets) in [(0, 1, 1), (1, 2, 102)] {
            let acquire = (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
            let release = (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
            script.enter(thread, 0, "main");
            script.with_record(thread, (0, gets), "pthread_mutex_lock", gets, acquire);
            script.call(thread, gets + 10, gets + 90, "work");
            script.with_record(thread, (gets + 100, gets + 100), "pthread_mutex_unlock", gets + 100, release);
            script.leave(thread, gets + 100, "main");
        }
        script
    }

    fn lengths(script: &Script, path: &str) -> (u64, u64, usize) {
        let trace = script.trace();
        let waits = search(&trace, &Thresholds::default(), &Sequential);
        let graph = Graph::new(&trace, &waits);
        let change = graph.outside_lock(&trace, &trace.paths_named(path));
        let pieces = change.inserted.len();
        let outcomes = graph.run(&trace, &[Change::none(), change]);
        (outcomes[0].length, outcomes[1].length, pieces)
    }

    #[test]
    fn work_outside_the_lock_is_done_at_the_same_time() {
        // 80 before the lock, 1 to acquire it, 20 with it, 1 for the hand-over, 20 by the other thread.
        assert_eq!(lengths(&two_holders(), "work"), (202, 80 + 1 + 20 + 1 + 20, 2));
    }

    #[test]
    fn work_without_a_lock_is_not_moved() {
        assert_eq!(lengths(&two_holders(), "pthread_mutex_lock"), (202, 202, 0));
    }

    /// A thread holds a lock from 1 to 100 and another one from 20 to 60, in which it works twice.
    #[test]
    fn work_moves_before_the_first_of_two_locks_and_is_summed_by_path() {
        let mut script = Script::threads(1);
        let (kind, order) = (LockKind::Mutex, 1);
        let mut record = |lock: u64, at: u64, acquires: bool| {
            let (name, event) = match acquires {
                true => ("pthread_mutex_lock", Event::AcquireLock { kind, lock, order }),
                false => ("pthread_mutex_unlock", Event::ReleaseLock { kind, lock, order }),
            };
            let kind = if acquires { EventKind::ThreadAcquireLock } else { EventKind::ThreadReleaseLock };
            script.with_record(0, (at, at), name, at, (kind, event));
            match at {
                20 => script.call(0, 21, 30, "work").call(0, 40, 50, "work").call(0, 51, 52, "other"),
                60 => script.call(0, 70, 75, "work"),
                _ => &mut script,
            };
        };
        [(1, 1, true), (2, 20, true), (2, 60, false), (1, 100, false)]
            .into_iter()
            .for_each(|(lock, at, acquires)| record(lock, at, acquires));
        let trace = script.trace();
        let graph = Graph::new(&trace, &search(&trace, &Thresholds::default(), &Sequential));
        let change = graph.outside_lock(&trace, &trace.paths_named("work"));
        let inserted: Vec<(u32, u64)> = change.inserted.iter().map(|it| (it.before.call, it.ticks)).collect();
        assert_eq!(inserted, [(0, 9 + 10 + 5)]);
        let spans: Vec<(u64, u64)> = change.spans.iter().map(|it| (it.from, it.to)).collect();
        assert_eq!(spans, [(21, 30), (40, 50), (70, 75)]);
    }
}
