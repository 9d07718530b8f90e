//! How long a thread computed, by what it was in.

use lotse_model::id::LocationId;
use lotse_model::trace::{Event, Ticks};

use crate::class::Class;
use crate::store::{PathTimes, Paths, Trace};

/// By call path: whether time in it is inside MPI, being a call of MPI or below one.
pub(super) fn inside_mpi(trace: &Trace) -> Vec<bool> {
    let of_mpi: Vec<bool> =
        trace.classes.iter().map(|it| it.class.is_mpi() || it.name.starts_with("mpi_")).collect();
    let mut inside = vec![false; trace.paths.len()];
    for path in trace.paths.ids().skip(1) {
        inside[path.index()] =
            inside[trace.paths.parent(path).index()] || of_mpi[trace.paths.region(path).index()];
    }
    inside
}

/// Time of a location outside MPI and the recorder.
pub(super) fn outside_mpi(trace: &Trace, inside: &[bool], location: LocationId) -> Ticks {
    sum(trace, inside, location, |class| class != Class::Recorder)
}

/// Time of a location in the program's own work. A thread that only works in teams is idle between them.
pub(super) fn computing(trace: &Trace, inside: &[bool], location: LocationId, is_worker: bool) -> Ticks {
    let is_work = |class| matches!(class, Class::Computation | Class::Outside | Class::Io);
    let work = sum(trace, inside, location, is_work);
    if is_worker { work.saturating_sub(idle(trace, location)) } else { work }
}

fn sum(trace: &Trace, inside: &[bool], location: LocationId, counts: impl Fn(Class) -> bool) -> Ticks {
    let uses = trace.uses[location.index()].iter();
    uses.filter(|used| !inside[used.path.index()] && counts(trace.class_of(used.path)))
        .map(|used| used.exclusive)
        .sum()
}

/// Time outside all regions and all teams, of a thread that has teams.
fn idle(trace: &Trace, location: LocationId) -> Ticks {
    let teams = in_teams(trace, location);
    if teams.is_empty() {
        return 0;
    }
    let mut times = PathTimes::new(trace.paths.len());
    for (from, to) in teams {
        trace.timeline(location).sum(from, to, &mut times);
    }
    let uses = &trace.uses[location.index()];
    let root = uses.iter().find(|used| used.path == Paths::ROOT).map_or(0, |used| used.exclusive);
    root.saturating_sub(times.get(Paths::ROOT))
}

/// When a thread was part of a team, each span once.
fn in_teams(trace: &Trace, location: LocationId) -> Vec<(Ticks, Ticks)> {
    let timeline = trace.timeline(location);
    let (mut spans, mut depth, mut since) = (Vec::new(), 0_u32, timeline.first);
    for op in &timeline.ops {
        match op.event {
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
