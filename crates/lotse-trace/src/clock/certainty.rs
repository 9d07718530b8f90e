//! How far the corrected clocks of two locations may still be apart.
//!
//! Clocks were set one from the other, from the reference on; what is not known of two is the sum of what was not known
//! on the way between them. The threads of a process share a clock.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::Ticks;

/// What is known of the clocks of a trace. The default: clocks that were not corrected are taken at their word.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Certainty {
    /// By location.
    processes: Vec<ProcessId>,
    /// By process; nothing where none is set.
    ways: Vec<Option<Way>>,
    /// Processes with the two largest known distances from each reference.
    farthest: BTreeMap<ProcessId, [(f64, ProcessId); 2]>,
}

/// From which clock another was set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Way {
    /// From that of this process, which is itself for a reference.
    pub(super) over: ProcessId,
    /// How many clocks are between it and the reference.
    pub(super) depth: u32,
    /// How far off the last step may be; infinite where it is bounded from one side.
    pub(super) margin: f64,
    /// The reference.
    pub(super) reference: ProcessId,
    /// How far off all steps may be together.
    pub(super) sum: f64,
}

impl Way {
    pub(super) fn reference(process: ProcessId) -> Self {
        Self { over: process, depth: 0, margin: 0.0, reference: process, sum: 0.0 }
    }

    /// One step farther.
    pub(super) fn then(self, over: ProcessId, margin: f64) -> Self {
        Self { over, depth: self.depth + 1, margin, reference: self.reference, sum: self.sum + margin }
    }
}

impl Certainty {
    pub(super) fn new(processes: Vec<ProcessId>, ways: Vec<Option<Way>>) -> Self {
        let mut farthest = BTreeMap::new();
        for (number, way) in ways.iter().enumerate() {
            let Some(way) = way.filter(|way| way.sum.is_finite()) else { continue };
            let [first, second] = farthest.entry(way.reference).or_insert([(0.0, way.reference); 2]);
            let new = (way.sum, ProcessId::from(number));
            if new.0 > first.0 {
                *second = std::mem::replace(first, new);
            } else if new.0 > second.0 {
                *second = new;
            }
        }
        Self { processes, ways, farthest }
    }

    /// How far apart the clocks of two locations may be; nothing where that is not bounded.
    pub fn between(&self, one: LocationId, other: LocationId) -> Option<Ticks> {
        let process = |location: LocationId| self.processes.get(location.index()).copied();
        let (Some(mut one), Some(mut other)) = (process(one), process(other)) else { return Some(0) };
        let mut sum = 0.0;
        while one != other {
            let (from_one, from_other) = (self.way(one)?, self.way(other)?);
            if from_one.depth >= from_other.depth {
                (sum, one) = (sum + from_one.margin, from_one.step()?);
            } else {
                (sum, other) = (sum + from_other.margin, from_other.step()?);
            }
        }
        ticks(sum)
    }

    /// How far apart the clock of a location may be from that of whichever other is farthest, as far as known.
    pub fn from_any(&self, location: LocationId) -> Option<Ticks> {
        let Some(&process) = self.processes.get(location.index()) else { return Some(0) };
        let way = self.way(process)?;
        let others = self.farthest.get(&way.reference).into_iter().flatten();
        let farthest = others.filter(|other| other.1 != process).map(|other| other.0).next();
        ticks(way.sum + farthest.unwrap_or(0.0))
    }

    fn way(&self, process: ProcessId) -> Option<Way> {
        self.ways.get(process.index()).copied().flatten()
    }
}

impl Way {
    /// The clock before; nothing before a reference.
    fn step(&self) -> Option<ProcessId> {
        (self.depth > 0).then_some(self.over)
    }
}

fn ticks(sum: f64) -> Option<Ticks> {
    sum.is_finite().then_some(sum.ceil() as Ticks)
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{LocationId, ProcessId};

    use super::{Certainty, Way};

    /// 0 is the reference of 1 (±10) and 2 (±1); 3 hangs on 1 (±5), 4 is bounded from one side; 5 talks to nobody,
    /// and location 6 is a thread of process 1.
    fn certainty() -> Certainty {
        let reference = Way::reference(ProcessId(0));
        let one = reference.then(ProcessId(0), 10.0);
        let ways = [
            reference,
            one,
            reference.then(ProcessId(0), 1.0),
            one.then(ProcessId(1), 5.0),
            reference.then(ProcessId(0), f64::INFINITY),
            Way::reference(ProcessId(5)),
        ];
        let processes = [0, 1, 2, 3, 4, 5, 1].map(ProcessId).to_vec();
        Certainty::new(processes, ways.map(Some).to_vec())
    }

    #[test]
    fn only_the_way_between_two_counts() {
        let between = |one, other| certainty().between(LocationId(one), LocationId(other));
        assert_eq!((between(0, 0), between(1, 6)), (Some(0), Some(0)));
        assert_eq!((between(0, 1), between(1, 2), between(3, 1)), (Some(10), Some(11), Some(5)));
        assert_eq!((between(3, 2), between(2, 3)), (Some(16), Some(16)));
        assert_eq!((between(4, 1), between(5, 0)), (None, None));
    }

    #[test]
    fn the_farthest_other_is_meant() {
        let from_any = |location| certainty().from_any(LocationId(location));
        assert_eq!((from_any(0), from_any(2), from_any(3)), (Some(15), Some(16), Some(25)));
        assert_eq!((from_any(4), from_any(5)), (None, Some(0)));
    }

    #[test]
    fn clocks_that_were_not_corrected_are_believed() {
        let believed = Certainty::default();
        assert_eq!(believed.between(LocationId(0), LocationId(1)), Some(0));
        assert_eq!(believed.from_any(LocationId(3)), Some(0));
    }
}
