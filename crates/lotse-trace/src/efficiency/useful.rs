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

/// Time of locations within a part of the run.
pub(super) struct Useful<'a> {
    trace: &'a Trace,
    inside: &'a [bool],
    within: (Ticks, Ticks),
    /// By call path: what lies outside of the part.
    beside: PathTimes,
}

impl<'a> Useful<'a> {
    pub(super) fn new(trace: &'a Trace, inside: &'a [bool], within: (Ticks, Ticks)) -> Self {
        Self { trace, inside, within, beside: PathTimes::new(trace.paths.len()) }
    }

    /// Time of a location outside MPI and the recorder.
    pub(super) fn outside_mpi(&mut self, location: LocationId) -> Ticks {
        self.sum(location, |class| class != Class::Recorder)
    }

    /// Time of a location in the program's own work. A thread that only works in teams is idle between them.
    pub(super) fn computing(&mut self, location: LocationId, is_worker: bool) -> Ticks {
        let work = self.sum(location, is_work);
        if is_worker { work.saturating_sub(self.idle(location)) } else { work }
    }

    /// The part is most of the run: what lies before and behind it is taken away.
    fn sum(&mut self, location: LocationId, counts: impl Fn(Class) -> bool) -> Ticks {
        self.look_beside(location);
        let counted = self.trace.uses[location.index()]
            .iter()
            .filter(|used| !self.inside[used.path.index()] && counts(self.trace.class_of(used.path)));
        counted.map(|used| used.exclusive.saturating_sub(self.beside.get(used.path))).sum()
    }

    fn look_beside(&mut self, location: LocationId) {
        let timeline = self.trace.timeline(location);
        self.beside.clear();
        timeline.sum(timeline.first, self.within.0.min(timeline.last), &mut self.beside);
        timeline.sum(self.within.1.max(timeline.first), timeline.last, &mut self.beside);
    }

    /// Time outside all regions and all teams, of a thread that has teams.
    fn idle(&mut self, location: LocationId) -> Ticks {
        let teams = in_teams(self.trace, location);
        if teams.is_empty() {
            return 0;
        }
        let mut times = PathTimes::new(self.trace.paths.len());
        for (from, to) in teams {
            let (from, to) = (from.max(self.within.0), to.min(self.within.1));
            self.trace.timeline(location).sum(from, to, &mut times);
        }
        let uses = &self.trace.uses[location.index()];
        let root = uses.iter().find(|used| used.path == Paths::ROOT).map_or(0, |used| used.exclusive);
        self.look_beside(location);
        root.saturating_sub(self.beside.get(Paths::ROOT)).saturating_sub(times.get(Paths::ROOT))
    }
}

/// Whether a thread works in calls of a class. Those of an accelerator's interface give it work, or move its data.
fn is_work(class: Class) -> bool {
    matches!(
        class,
        Class::Computation | Class::Outside | Class::Io | Class::AcceleratorMemory | Class::AcceleratorCall
    )
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
