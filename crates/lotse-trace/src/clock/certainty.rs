//! How far the corrected clocks of two locations may still differ.
//!
//! Clocks are set along a tree that begins at the reference. The uncertainty between two clocks is the sum of the
//! uncertainties on the path between them in that tree. The threads of a process share a clock.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::Ticks;

/// The uncertainty between the clocks of a trace. The default is for clocks that were not corrected: they count as exact.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Certainty {
    /// By location.
    processes: Vec<ProcessId>,
    /// By process; none if its clock is not set.
    paths: Vec<Option<ClockPath>>,
    /// By reference: the two processes with the largest finite distances from it.
    farthest: BTreeMap<ProcessId, [(f64, ProcessId); 2]>,
}

/// The path from the reference to a clock in the tree of clocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ClockPath {
    /// The process from whose clock this one was set; a reference is its own parent.
    pub(super) parent: ProcessId,
    /// The number of steps from the reference.
    pub(super) depth: u32,
    /// The maximum error of the last step; infinite if it is bounded from one side only.
    pub(super) margin: f64,
    pub(super) reference: ProcessId,
    /// The maximum error of all steps together.
    pub(super) sum: f64,
}

impl ClockPath {
    pub(super) fn reference(process: ProcessId) -> Self {
        Self { parent: process, depth: 0, margin: 0.0, reference: process, sum: 0.0 }
    }

    /// The path with one more step, from the clock of `parent`.
    pub(super) fn step_from(self, parent: ProcessId, margin: f64) -> Self {
        Self { parent, depth: self.depth + 1, margin, reference: self.reference, sum: self.sum + margin }
    }
}

impl Certainty {
    pub(super) fn new(processes: Vec<ProcessId>, paths: Vec<Option<ClockPath>>) -> Self {
        let mut farthest = BTreeMap::new();
        for (number, path) in paths.iter().enumerate() {
            let Some(path) = path.filter(|path| path.sum.is_finite()) else { continue };
            let [first, second] = farthest.entry(path.reference).or_insert([(0.0, path.reference); 2]);
            let new = (path.sum, ProcessId::from(number));
            if new.0 > first.0 {
                *second = std::mem::replace(first, new);
            } else if new.0 > second.0 {
                *second = new;
            }
        }
        Self { processes, paths, farthest }
    }

    /// The maximum difference of the clocks of two locations; none if it is not bounded.
    pub fn between(&self, one: LocationId, other: LocationId) -> Option<Ticks> {
        let process = |location: LocationId| self.processes.get(location.index()).copied();
        let (Some(mut one), Some(mut other)) = (process(one), process(other)) else { return Some(0) };
        let mut sum = 0.0;
        while one != other {
            let (from_one, from_other) = (self.path(one)?, self.path(other)?);
            if from_one.depth >= from_other.depth {
                (sum, one) = (sum + from_one.margin, from_one.step()?);
            } else {
                (sum, other) = (sum + from_other.margin, from_other.step()?);
            }
        }
        ticks(sum)
    }

    /// The maximum difference of the clock of a location from any other clock with a known distance.
    pub fn from_any(&self, location: LocationId) -> Option<Ticks> {
        let Some(&process) = self.processes.get(location.index()) else { return Some(0) };
        let path = self.path(process)?;
        let others = self.farthest.get(&path.reference).into_iter().flatten();
        let farthest = others.filter(|other| other.1 != process).map(|other| other.0).next();
        ticks(path.sum + farthest.unwrap_or(0.0))
    }

    fn path(&self, process: ProcessId) -> Option<ClockPath> {
        self.paths.get(process.index()).copied().flatten()
    }
}

impl ClockPath {
    /// The parent; none for a reference.
    fn step(&self) -> Option<ProcessId> {
        (self.depth > 0).then_some(self.parent)
    }
}

fn ticks(sum: f64) -> Option<Ticks> {
    sum.is_finite().then_some(sum.ceil() as Ticks)
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{LocationId, ProcessId};

    use super::{Certainty, ClockPath};

    /// 0 is the reference of 1 (±10) and 2 (±1); 3 is set from 1 (±5), 4 is bounded from one side; 5 does not communicate,
    /// and location 6 is a thread of process 1.
    fn certainty() -> Certainty {
        let reference = ClockPath::reference(ProcessId(0));
        let one = reference.step_from(ProcessId(0), 10.0);
        let paths = [
            reference,
            one,
            reference.step_from(ProcessId(0), 1.0),
            one.step_from(ProcessId(1), 5.0),
            reference.step_from(ProcessId(0), f64::INFINITY),
            ClockPath::reference(ProcessId(5)),
        ];
        let processes = [0, 1, 2, 3, 4, 5, 1].map(ProcessId).to_vec();
        Certainty::new(processes, paths.map(Some).to_vec())
    }

    #[test]
    fn only_the_path_between_two_clocks_counts() {
        let between = |one, other| certainty().between(LocationId(one), LocationId(other));
        assert_eq!((between(0, 0), between(1, 6)), (Some(0), Some(0)));
        assert_eq!((between(0, 1), between(1, 2), between(3, 1)), (Some(10), Some(11), Some(5)));
        assert_eq!((between(3, 2), between(2, 3)), (Some(16), Some(16)));
        assert_eq!((between(4, 1), between(5, 0)), (None, None));
    }

    #[test]
    fn the_farthest_other_clock_counts() {
        let from_any = |location| certainty().from_any(LocationId(location));
        assert_eq!((from_any(0), from_any(2), from_any(3)), (Some(15), Some(16), Some(25)));
        assert_eq!((from_any(4), from_any(5)), (None, Some(0)));
    }

    #[test]
    fn clocks_that_were_not_corrected_count_as_exact() {
        let believed = Certainty::default();
        assert_eq!(believed.between(LocationId(0), LocationId(1)), Some(0));
        assert_eq!(believed.from_any(LocationId(3)), Some(0));
    }
}
