//! Workers that have nothing to do: the time of a thread between the parallel regions in which it works for another.
//!
//! Some recorders leave a region open on a worker from its beginning to its end. Between teams such a thread seems to be
//! in that region, and yet does nothing: what counts is whether it is part of a team. Only time in no function at all,
//! and in functions that the thread was in when it came to a team, is idle; a thread that calls something between teams
//! computes.
//!
//! ```text
//! master     ── serial ──┤ parallel ├── serial ──┤ parallel ├
//! worker     ┤ body ▒▒▒▒▒·┤ team    ├·▒▒▒▒▒▒▒▒▒▒▒·┤ team    ├   ▒ idle, · on the way to the team or back
//! ```

use hashbrown::HashSet;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{Event, Ticks};

use crate::patterns::outer_runs;
use crate::store::{OpRef, PathTimes, Paths, Trace};

mod workers;

pub(crate) use workers::without_record;

/// A span of time.
type Span = (Ticks, Ticks);

/// The time of a worker outside of teams, by call path.
#[derive(Debug, Default)]
pub(crate) struct Idle {
    /// While its master runs serial code.
    pub(crate) serial: Vec<(PathId, Ticks)>,
    /// While its master is in a parallel region: on the way to the team or back.
    pub(crate) changing: Vec<(PathId, Ticks)>,
}

/// When a thread had nothing to do, within a span; never, where it is in no team.
pub(crate) fn idle(trace: &Trace, location: LocationId, within: Span) -> Idle {
    let teams = in_teams(trace, location);
    if teams.is_empty() {
        return Idle::default();
    }
    let timeline = trace.timeline(location);
    let whole = (timeline.first.max(within.0), timeline.last.min(within.1));
    let outside = without(&[whole], &teams);
    let master = master(trace, location);
    let runs = master.map_or_else(Vec::new, |master| outer_runs(trace, master));
    let runs: Vec<Span> = runs.iter().map(|run| (run.from, run.to)).collect();
    let serial = without(&outside, &runs);
    let changing = without(&outside, &serial);
    let bodies = bodies(trace, location, master.is_some());
    let times = |spans: &[Span]| times(trace, location, spans, &bodies);
    Idle { serial: times(&serial), changing: times(&changing) }
}

fn times(
    trace: &Trace,
    location: LocationId,
    spans: &[Span],
    bodies: &HashSet<PathId>,
) -> Vec<(PathId, Ticks)> {
    let mut times = PathTimes::new(trace.paths.len());
    spans.iter().for_each(|&(from, to)| trace.timeline(location).sum(from, to, &mut times));
    let idle = times.touched().filter(|path| bodies.contains(path));
    idle.map(|path| (path, times.get(path))).collect()
}

/// What is left of spans without others; both are in order, and those of a list do not overlap.
fn without(spans: &[Span], others: &[Span]) -> Vec<Span> {
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

/// Who forks the teams of a thread; nobody, where it forks some itself outside of any.
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

/// The call paths in which a thread does nothing itself outside of teams: none at all, and of a worker those from which
/// it came to a team.
fn bodies(trace: &Trace, location: LocationId, is_worker: bool) -> HashSet<PathId> {
    let mut bodies = HashSet::from([Paths::ROOT]);
    let timeline = trace.timeline(location);
    for (from, _) in in_teams(trace, location).into_iter().filter(|_| is_worker) {
        // At the moment itself the thread may already have entered what the team does.
        let step = from.checked_sub(1).and_then(|before| timeline.step_at(before));
        let mut path = step.map_or(Paths::ROOT, |step| timeline.path[step]);
        while path != Paths::ROOT && bodies.insert(path) {
            path = trace.paths.parent(path);
        }
    }
    bodies
}

/// When a thread was part of a team, each span once.
fn in_teams(trace: &Trace, location: LocationId) -> Vec<Span> {
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

    use super::{idle, without};
    use crate::fixture::Script;

    /// A master with serial code from 0 to 100 and from 310 to 400; the workers' bodies are open all the time. The first
    /// one calls something between the regions.
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
            (sum(&idle.serial), sum(&idle.changing))
        };
        assert_eq!(sums(0), (0, 0), "the master works");
        assert_eq!(sums(1), (80 + 20 + 50, 10 + 10));
        assert_eq!(sums(2), (100 + 90, 10), "and waits for the others from 290 to 300");
    }

    #[test]
    fn spans_without_spans() {
        assert_eq!(without(&[(0, 10), (20, 30)], &[(5, 22), (25, 26)]), [(0, 5), (22, 25), (26, 30)]);
        assert_eq!(without(&[(0, 10)], &[(0, 10)]), []);
        assert_eq!(without(&[(0, 10)], &[]), [(0, 10)]);
    }
}
