//! Finds the phases of a history that arrives as runs.
//!
//! Along a run the index and the length change linearly. Therefore all pairs of neighbours within a run satisfy an order or none
//! does, and the run is at an end of the structure with all of its accesses, with none, or with exactly one. Each case takes
//! constant time, whatever the length of the run.

use super::chain::AccessChain;
use super::characteristic::Condition;
use super::{Characteristic, Pattern, Phase};
use crate::access::{Access, AccessRun};
use crate::container::AccessKind;
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

    /// Adds a run whose first access has this event number; `found` is called for each phase that ends.
    pub(crate) fn add_run(&mut self, run: &AccessRun, number: u64, found: &mut impl FnMut(Phase)) {
        // The two directions or ends of a kind are adjacent, once among the strict and once among the tolerant detectors.
        let first = match run.first.kind {
            AccessKind::Read => Pattern::LinearReadForward,
            AccessKind::Write => Pattern::LinearWriteForward,
            AccessKind::Insert => Pattern::InsertFront,
            AccessKind::Delete => Pattern::DeleteFront,
            _ => return,
        } as usize;
        let tolerant = first + Pattern::ALL.len();
        for number_of_detector in [first, first + 1, tolerant, tolerant + 1] {
            self.detectors[number_of_detector].add_run(run, number, found);
        }
    }

    /// Ends all open chains.
    pub(crate) fn finish(&mut self, found: &mut impl FnMut(Phase)) {
        self.detectors.iter_mut().for_each(|detector| detector.close(found));
    }

    /// The open strict chain of a pattern that an event with this number would directly follow, as a phase.
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
    /// Maximum distance in events from one access to the next.
    distance: u64,
    smallest: u64,
    gap: u64,
    chain: AccessChain,
}

/// Which accesses of a run are at an end of the structure.
enum AtEnd {
    All,
    First,
    Last,
    /// None; or one in the middle of the run, which has no neighbours there and so is no chain.
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
            chain: AccessChain::default(),
        }
    }

    fn add_run(&mut self, run: &AccessRun, number: u64, found: &mut impl FnMut(Phase)) {
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

    /// Adds a run to a chain with rising or falling indices; `ordered` says whether the run itself has that order.
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

    /// Adds a run to a chain of accesses at one end of the structure.
    fn at_end(&mut self, run: &AccessRun, number: u64, at: &AtEnd, found: &mut impl FnMut(Phase)) {
        match at {
            AtEnd::All => self.chain.extend(run, number, self.gap),
            AtEnd::None => self.close(found),
            AtEnd::First => self.ends_only(run, number, (true, false), found),
            AtEnd::Last => self.ends_only(run, number, (false, true), found),
        }
    }

    /// Adds a run of which at most the first and the last access fit: the first may end a chain, the last may begin one.
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

    /// Ends the chain, and reports it if it is a phase.
    fn close(&mut self, found: &mut impl FnMut(Phase)) {
        let linear = matches!(self.condition, Condition::Rising | Condition::Falling);
        if self.chain.events >= self.smallest && (!linear || self.chain.moves()) {
            found(self.chain.phase(self.characteristic));
        }
        self.chain.clear();
    }
}

/// Whether an access is at the back of the structure.
pub(crate) fn is_back(access: &Access) -> bool {
    match access.kind {
        AccessKind::Insert => access.index == Some(access.length),
        _ => access.index.and_then(|index| index.checked_add(1)) == Some(access.length),
    }
}

fn at_end(run: &AccessRun, holds: impl Fn(&Access) -> bool) -> AtEnd {
    match (holds(&run.first), holds(&run.last())) {
        // A linear function that is zero at both ends of the run is zero along the whole run.
        (true, true) => AtEnd::All,
        (true, false) => AtEnd::First,
        (false, true) => AtEnd::Last,
        (false, false) => AtEnd::None,
    }
}
