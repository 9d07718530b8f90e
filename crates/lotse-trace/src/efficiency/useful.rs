//! Computing time of threads, by the classes of their call paths.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use crate::class::Class;
use crate::idle;
use crate::store::{PathTimes, Trace};

/// By call path: whether it is an MPI call or below one.
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

/// Time of locations within an interval of the run.
pub(super) struct Useful<'a> {
    trace: &'a Trace,
    inside: &'a [bool],
    within: (Ticks, Ticks),
    /// By call path: its time outside of the interval.
    outside_interval: PathTimes,
}

/// Whether calls of a class are work of the thread. Calls of an accelerator's API are: they submit work or move data.
fn is_work(class: Class) -> bool {
    matches!(
        class,
        Class::Computation
            | Class::Sleep
            | Class::Outside
            | Class::Io
            | Class::AcceleratorMemory
            | Class::AcceleratorCall
    )
}

impl<'a> Useful<'a> {
    pub(super) fn new(trace: &'a Trace, inside: &'a [bool], within: (Ticks, Ticks)) -> Self {
        Self { trace, inside, within, outside_interval: PathTimes::new(trace.paths.len()) }
    }

    /// Time of a location outside MPI and the recorder.
    pub(super) fn outside_mpi(&mut self, location: LocationId) -> Ticks {
        self.sum(location, |class| class != Class::Recorder)
    }

    /// Time of a location in the program's own work. A worker thread is idle between the teams that it works in.
    pub(super) fn computing(&mut self, location: LocationId, is_worker: bool) -> Ticks {
        let work = self.sum(location, is_work);
        if is_worker { work.saturating_sub(self.idle(location)) } else { work }
    }

    /// Time of a location in calls that sleep.
    pub(super) fn sleeping(&mut self, location: LocationId) -> Ticks {
        self.sum(location, |class| class == Class::Sleep)
    }

    /// Sums the time of the wanted classes. The interval is usually most of the run, so the time before and after it is
    /// subtracted from the time of the whole run.
    fn sum(&mut self, location: LocationId, counts: impl Fn(Class) -> bool) -> Ticks {
        self.sum_outside_interval(location);
        let counted = self.trace.uses[location.index()]
            .iter()
            .filter(|used| !self.inside[used.path.index()] && counts(self.trace.class_of(used.path)));
        counted.map(|used| used.exclusive.saturating_sub(self.outside_interval.get(used.path))).sum()
    }

    fn sum_outside_interval(&mut self, location: LocationId) {
        let timeline = self.trace.timeline(location);
        self.outside_interval.clear();
        timeline.sum(timeline.first, self.within.0.min(timeline.last), &mut self.outside_interval);
        timeline.sum(self.within.1.max(timeline.first), timeline.last, &mut self.outside_interval);
    }

    /// Idle time of a worker in call paths that would count as work.
    fn idle(&mut self, location: LocationId) -> Ticks {
        let idle = idle::idle(self.trace, location, self.within);
        let all = idle.serial.iter().chain(&idle.joining);
        let counts = |path: PathId| !self.inside[path.index()] && is_work(self.trace.class_of(path));
        all.filter(|(path, _)| counts(*path)).map(|(_, ticks)| ticks).sum()
    }
}
