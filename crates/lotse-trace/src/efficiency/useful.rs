//! How long a thread computed, by what it was in.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use crate::class::Class;
use crate::idle;
use crate::store::{PathTimes, Trace};

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

/// Whether a thread works in calls of a class. Those of an accelerator's interface give it work, or move its data.
fn is_work(class: Class) -> bool {
    matches!(
        class,
        Class::Computation | Class::Outside | Class::Io | Class::AcceleratorMemory | Class::AcceleratorCall
    )
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

    /// How long a worker had nothing to do, of what counts as work by its call path.
    fn idle(&mut self, location: LocationId) -> Ticks {
        let idle = idle::idle(self.trace, location, self.within);
        let all = idle.serial.iter().chain(&idle.changing);
        let counts = |path: PathId| !self.inside[path.index()] && is_work(self.trace.class_of(path));
        all.filter(|(path, _)| counts(*path)).map(|(_, ticks)| ticks).sum()
    }
}
