//! Work that is done before a lock is acquired instead of while it is held.
//!
//! ```text
//! recorded   ┤lock├─ a ─ work ─ b ─┤unlock├─
//! changed    ─ work ─┤lock├─ a ─ b ─┤unlock├─
//! ```
//!
//! Of several locks held at a time the first counts, so that no lock is held during the work.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::graph::{Access, Graph, What};
use super::{Change, Extra};
use crate::critical::Segment;
use crate::store::{CallRef, Trace};

/// A time during which a location held at least one lock.
struct Held {
    /// The call that acquired the first.
    call: CallRef,
    from: Ticks,
    to: Ticks,
}

/// Which table of the graph a lock that is held stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Mutex,
    ReadWrite,
}

/// The locks that a location holds: mostly one.
#[derive(Debug, Default)]
struct Open(Vec<(Kind, u32)>);

impl Open {
    /// Closes a lock; whether it was the last that was open.
    fn is_last(&mut self, lock: (Kind, u32)) -> bool {
        let known = self.0.iter().rposition(|open| *open == lock);
        known.map(|at| self.0.swap_remove(at)).is_some() && self.0.is_empty()
    }
}

impl Graph {
    /// The own time of call paths that is spent while a lock is held is spent before acquiring it.
    pub fn outside_lock(&self, trace: &Trace, paths: &[PathId]) -> Change {
        let mut is_moved = vec![false; trace.paths.len()];
        paths.iter().for_each(|path| is_moved[path.index()] = true);
        let mut change = Change::default();
        for location in trace.locations() {
            let mut step = 0;
            for held in self.held(location) {
                step = trace.timeline(location).step_near(step, held.from).unwrap_or(0);
                own_time(trace, (&held, step), &is_moved, &mut change);
            }
        }
        change
    }

    /// Whether an admission is held until it is given back: a token of a semaphore is used up.
    fn is_held(&self, admission: u32) -> bool {
        self.admissions[admission as usize].access != Access::Token
    }

    /// When a location held locks.
    fn held(&self, location: LocationId) -> Vec<Held> {
        let mut all = Vec::new();
        let mut open = Open::default();
        let mut first = None;
        for entry in &self.lines[location.index()].entries {
            match entry.what {
                What::Acquires { holding } => {
                    open.0.push((Kind::Mutex, holding));
                    first.get_or_insert((CallRef { location, call: entry.call }, entry.resume));
                }
                What::Releases { holding, .. } if open.is_last((Kind::Mutex, holding)) => {
                    all.extend(first.take().map(|(call, from)| Held { call, from, to: entry.at }));
                }
                What::Enters { admission } if self.is_held(admission) => {
                    open.0.push((Kind::ReadWrite, admission));
                    first.get_or_insert((CallRef { location, call: entry.call }, entry.resume));
                }
                What::Leaves { admission, .. } if open.is_last((Kind::ReadWrite, admission)) => {
                    all.extend(first.take().map(|(call, from)| Held { call, from, to: entry.at }));
                }
                _ => {}
            }
        }
        all
    }
}

/// Moves the pieces of a holding, which begins in a step, that are own time of the call paths.
fn own_time(trace: &Trace, (held, first): (&Held, usize), is_moved: &[bool], change: &mut Change) {
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

    /// Two threads ask for a lock at 0 and hold it for 100 each, 80 of them in `work`.
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
        // 80 before the lock, 1 to get it, 20 with it, 1 to hand it over, 20 by the other.
        assert_eq!(lengths(&two_holders(), "work"), (202, 80 + 1 + 20 + 1 + 20, 2));
    }

    #[test]
    fn what_is_not_done_with_a_lock_stays() {
        assert_eq!(lengths(&two_holders(), "pthread_mutex_lock"), (202, 202, 0));
    }

    /// A thread holds a lock from 1 to 100 and another one from 20 to 60, in which it works twice.
    #[test]
    fn of_two_locks_held_together_the_first_counts_and_pieces_of_one_path_are_one() {
        let mut script = Script::threads(1);
        let (kind, order) = (LockKind::Mutex, 1);
        let mut record = |lock: u64, at: u64, acquires: bool| {
            let (name, event) = match acquires {
                true => ("pthread_mutex_lock", Event::AcquireLock { kind, lock, order }),
                false => ("pthread_mutex_unlock", Event::ReleaseLock { kind, lock, order }),
            };
            let of = if acquires { EventKind::ThreadAcquireLock } else { EventKind::ThreadReleaseLock };
            script.with_record(0, (at, at), name, at, (of, event));
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
