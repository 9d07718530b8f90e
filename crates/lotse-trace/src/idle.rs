//! Idle time of worker threads: the time between the parallel regions in which they work for a master.
//!
//! Some recorders keep a region open on a worker from its begin to its end. Between teams such a thread seems to be in that
//! region although it is idle, so membership in a team decides. A worker outside of teams is idle only outside of all
//! functions, or in functions that it was already in when it entered a team; if it calls another function between teams,
//! it computes.
//!
//! ```text
//! master     ── serial ──┤ parallel ├── serial ──┤ parallel ├
//! worker     ┤ body ▒▒▒▒▒·┤ team    ├·▒▒▒▒▒▒▒▒▒▒▒·┤ team    ├   ▒ idle, · joining or leaving the team
//! ```

use hashbrown::HashSet;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::patterns::outer_parallel_intervals;
use crate::store::{OpRef, PathTimes, Paths, Trace};

mod workers;

pub(crate) use workers::unrecorded_idle;

/// An interval: begin and end.
type TickInterval = (Ticks, Ticks);

/// The idle time of a worker, by call path.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    /// While its master runs serial code.
    pub(crate) serial: Vec<(PathId, Ticks)>,
    /// While its master is in a parallel region: the worker joins or leaves the team.
    pub(crate) joining: Vec<(PathId, Ticks)>,
}

/// The idle time of a thread within an interval; none if it is never in a team.
pub(crate) fn idle(trace: &Trace, location: LocationId, within: TickInterval) -> Idle {
    let teams = in_teams(trace, location);
    if teams.is_empty() {
        return Idle::default();
    }
    let timeline = trace.timeline(location);
    let lifetime = (timeline.first.max(within.0), timeline.last.min(within.1));
    let outside = difference(&[lifetime], &teams);
    let master = master(trace, location);
    let parallel_intervals = master.map_or_else(Vec::new, |master| outer_parallel_intervals(trace, master));
    let parallel_intervals: Vec<TickInterval> =
        parallel_intervals.iter().map(|it| (it.from, it.to)).collect();
    let serial = difference(&outside, &parallel_intervals);
    let joining = difference(&outside, &serial);
    let bodies = bodies(trace, location, master.is_some());
    let times = |spans: &[TickInterval]| idle_by_path(trace, location, spans, &bodies);
    Idle { serial: times(&serial), joining: times(&joining) }
}

fn idle_by_path(
    trace: &Trace,
    location: LocationId,
    spans: &[TickInterval],
    bodies: &HashSet<PathId>,
) -> Vec<(PathId, Ticks)> {
    let mut times = PathTimes::new(trace.paths.len());
    spans.iter().for_each(|&(from, to)| trace.timeline(location).sum(from, to, &mut times));
    let idle = times.touched().filter(|path| bodies.contains(path));
    idle.map(|path| (path, times.get(path))).collect()
}

/// The difference of two lists of intervals, each sorted and disjoint.
fn difference(spans: &[TickInterval], others: &[TickInterval]) -> Vec<TickInterval> {
    let mut left = Vec::new();
    for &(from, to) in spans {
        let mut at = from;
        let first = others.partition_point(|other| other.1 <= from);
        for other in others[first..].iter().take_while(|other| other.0 < to) {
            left.push((at, other.0.min(to)));
            at = at.max(other.1);
        }
        left.push((at, to));
    }
    left.retain(|(from, to)| from < to);
    left
}

/// The location that forks the teams of a thread; none if the thread itself forks outside of any team.
pub(crate) fn master(trace: &Trace, location: LocationId) -> Option<LocationId> {
    let (mut depth, mut master) = (0_u32, None);
    for (number, op) in (0..).zip(&trace.timeline(location).ops) {
        match op.shape() {
            Event::Fork { .. } if depth == 0 => return None,
            Event::TeamBegin { .. } => {
                depth += 1;
                let fork = trace.links.partner(OpRef { location, op: number });
                master = master.or_else(|| fork.map(|fork| fork.location).filter(|&it| it != location));
            }
            Event::TeamEnd { .. } => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    master
}

/// The call paths in which a thread is idle outside of teams: the root, and for a worker those in which it entered a team.
fn bodies(trace: &Trace, location: LocationId, is_worker: bool) -> HashSet<PathId> {
    let mut bodies = HashSet::from([Paths::ROOT]);
    let timeline = trace.timeline(location);
    for (from, _) in in_teams(trace, location).into_iter().filter(|_| is_worker) {
        // At `from` itself the thread may already have entered a region of the team.
        let step = from.checked_sub(1).and_then(|before| timeline.step_at(before));
        let mut path = step.map_or(Paths::ROOT, |step| timeline.path[step]);
        while path != Paths::ROOT && bodies.insert(path) {
            path = trace.paths.parent(path);
        }
    }
    bodies
}

/// The intervals in which a thread was part of a team; nested teams count once.
fn in_teams(trace: &Trace, location: LocationId) -> Vec<TickInterval> {
    let timeline = trace.timeline(location);
    let (mut spans, mut depth, mut since) = (Vec::new(), 0_u32, timeline.first);
    if !timeline.ops.has(|event| matches!(event, Event::TeamBegin { .. } | Event::TeamEnd { .. })) {
        return spans;
    }
    for op in &timeline.ops {
        match op.shape() {
            Event::TeamBegin { .. } => {
                if depth == 0 {
                    since = op.at;
                }
                depth += 1;
            }
            Event::TeamEnd { .. } if depth <= 1 => {
                spans.push((since, op.at));
                depth = 0;
            }
            Event::TeamEnd { .. } => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 {
        spans.push((since, timeline.last));
    }
    spans
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;
    use lotse_model::trace::Ticks;

    use super::{difference, idle};
    use crate::fixture::Script;

    /// A master with serial code from 0 to 100 and from 310 to 400; the workers' bodies are open all the time. The first
    /// worker calls a function between the regions.
    fn wrapped() -> Script {
        let mut script = Script::threads(3);
        script.enter(0, 0, "main").fork(0, 100, 3).team(0, (105, 300), "parallel", (105, 300)).join(0, 310);
        script.leave(0, 400, "main");
        script.enter(1, 20, "body").team(1, (110, 300), "parallel", (110, 300));
        script.call(1, 330, 350, "other").leave(1, 400, "body");
        script.enter(2, 0, "body").team(2, (100, 290), "parallel", (100, 290)).leave(2, 400, "body");
        script
    }

    #[test]
    fn a_body_between_teams_is_idle_and_what_it_calls_is_not() {
        let trace = wrapped().trace();
        let sums = |location| {
            let idle = idle(&trace, LocationId(location), (0, Ticks::MAX));
            let sum = |rows: &[(_, Ticks)]| rows.iter().map(|row| row.1).sum::<Ticks>();
            (sum(&idle.serial), sum(&idle.joining))
        };
        assert_eq!(sums(0), (0, 0), "the master works");
        assert_eq!(sums(1), (80 + 20 + 50, 10 + 10));
        assert_eq!(sums(2), (100 + 90, 10), "and waits for the others from 290 to 300");
    }

    #[test]
    fn difference_of_intervals() {
        assert_eq!(difference(&[(0, 10), (20, 30)], &[(5, 22), (25, 26)]), [(0, 5), (22, 25), (26, 30)]);
        assert_eq!(difference(&[(0, 10)], &[(0, 10)]), []);
        assert_eq!(difference(&[(0, 10)], &[]), [(0, 10)]);
    }
}
