//! Finds the phases of a history that arrives as runs.
//!
//! Along a run the index and the length change evenly. So a linear run satisfies an order either at all of its links or at
//! none, and it is at an end of the structure at all of its accesses, at none, or at exactly one. Each case costs the same
//! whatever the run's length.

use super::chain::Chain;
use super::characteristic::Condition;
use super::{Characteristic, Pattern, Phase};
use crate::access::{Access, AccessRun};
use crate::container::Kind;
use crate::settings::Thresholds;

/// No phase is shorter than the window that opens it.
const WINDOW: u64 = 3;

/// The detectors of all characteristics.
#[derive(Debug)]
pub(crate) struct Detectors {
    detectors: Vec<Detector>,
}

impl Detectors {
    pub(crate) fn new(thresholds: &Thresholds) -> Self {
        Self { detectors: Characteristic::all().map(|it| Detector::new(it, thresholds)).collect() }
    }

    /// Takes in a run whose first access has this number; closed phases go to `found`.
    pub(crate) fn run(&mut self, run: &AccessRun, number: u64, found: &mut impl FnMut(Phase)) {
        // The two directions or ends of a kind stand beside each other, once strict and once tolerant.
        let first = match run.first.kind {
            Kind::Read => Pattern::LinearReadForward,
            Kind::Write => Pattern::LinearWriteForward,
            Kind::Insert => Pattern::InsertFront,
            Kind::Delete => Pattern::DeleteFront,
            _ => return,
        } as usize;
        let tolerant = first + Pattern::ALL.len();
        for number_of_detector in [first, first + 1, tolerant, tolerant + 1] {
            self.detectors[number_of_detector].run(run, number, found);
        }
    }

    /// Closes what is open.
    pub(crate) fn finish(&mut self, found: &mut impl FnMut(Phase)) {
        self.detectors.iter_mut().for_each(|detector| detector.close(found));
    }

    /// The strict chain of a pattern that an event of this number would follow directly.
    pub(crate) fn open_before(&self, pattern: Pattern, number: u64) -> Option<Phase> {
        let detector = &self.detectors[Characteristic::strict(pattern).number()];
        let open = detector.chain.events > 0 && detector.is_neighbour(number);
        open.then(|| detector.chain.phase(detector.characteristic))
    }
}

#[derive(Debug)]
struct Detector {
    characteristic: Characteristic,
    condition: Condition,
    /// The permitted number of events from one access to the next.
    distance: u64,
    smallest: u64,
    gap: u64,
    chain: Chain,
}

/// Which accesses of a run are at an end of the structure.
enum AtEnd {
    All,
    First,
    Last,
    /// None, or one with others on both sides, which are no chain.
    None,
}

impl Detector {
    fn new(characteristic: Characteristic, thresholds: &Thresholds) -> Self {
        let distance = if characteristic.tolerant { u64::MAX } else { thresholds.neighbour_distance as u64 };
        Self {
            characteristic,
            condition: characteristic.pattern.condition(),
            distance,
            smallest: (thresholds.min_phase_size as u64).max(WINDOW),
            gap: thresholds.gap as u64,
            chain: Chain::default(),
        }
    }

    fn run(&mut self, run: &AccessRun, number: u64, found: &mut impl FnMut(Phase)) {
        if self.chain.events > 0 && (!self.is_neighbour(number) || run.first.index.is_none()) {
            self.close(found);
        }
        if run.first.index.is_none() {
            return;
        }
        match self.condition {
            Condition::Rising => self.linear(run, number, run.index_stride >= 0, found),
            Condition::Falling => self.linear(run, number, run.index_stride <= 0, found),
            Condition::AtFront => self.at_end(run, number, &at_end(run, Access::is_front), found),
            Condition::AtBack => self.at_end(run, number, &at_end(run, is_back), found),
        }
    }

    fn linear(&mut self, run: &AccessRun, number: u64, ordered: bool, found: &mut impl FnMut(Phase)) {
        let first = run.first.index.unwrap_or(0);
        let holds = match self.condition {
            Condition::Rising => self.chain.last_index <= first,
            _ => self.chain.last_index >= first,
        };
        if self.chain.events > 0 && !holds {
            self.close(found);
        }
        if ordered || run.count == 1 {
            self.chain.extend(run, number, self.gap);
        } else {
            self.ends_only(run, number, (true, true), found);
        }
    }

    fn at_end(&mut self, run: &AccessRun, number: u64, at: &AtEnd, found: &mut impl FnMut(Phase)) {
        match at {
            AtEnd::All => self.chain.extend(run, number, self.gap),
            AtEnd::None => self.close(found),
            AtEnd::First => self.ends_only(run, number, (true, false), found),
            AtEnd::Last => self.ends_only(run, number, (false, true), found),
        }
    }

    /// The first access of a run may end a chain, the last may begin one.
    fn ends_only(
        &mut self,
        run: &AccessRun,
        number: u64,
        (first, last): (bool, bool),
        found: &mut impl FnMut(Phase),
    ) {
        if first {
            self.chain.extend(&run.part(0, 1), number, self.gap);
        }
        self.close(found);
        if last {
            self.chain.extend(&run.part(run.count - 1, run.count), number + run.count - 1, self.gap);
        }
    }

    fn is_neighbour(&self, number: u64) -> bool {
        number - self.chain.span.1 <= self.distance
    }

    fn close(&mut self, found: &mut impl FnMut(Phase)) {
        let linear = matches!(self.condition, Condition::Rising | Condition::Falling);
        if self.chain.events >= self.smallest && (!linear || self.chain.moves()) {
            found(self.chain.phase(self.characteristic));
        }
        self.chain.clear();
    }
}

/// Whether an access is at the last position.
pub(crate) fn is_back(access: &Access) -> bool {
    match access.kind {
        Kind::Insert => access.index == Some(access.length),
        _ => access.index.and_then(|index| index.checked_add(1)) == Some(access.length),
    }
}

fn at_end(run: &AccessRun, holds: impl Fn(&Access) -> bool) -> AtEnd {
    match (holds(&run.first), holds(&run.last())) {
        // A condition that holds at both ends of evenly spaced values holds between; of two accesses there is no between.
        (true, true) => AtEnd::All,
        (true, false) => AtEnd::First,
        (false, true) => AtEnd::Last,
        (false, false) => AtEnd::None,
    }
}
