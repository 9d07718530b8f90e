//! Locks of a changed run: who holds them when.
//!
//! Holdings are played in the recorded order of acquisition, but in a changed run a thread may ask for the lock much
//! earlier than others that got it before. So each lane keeps the times at which the lock was free, and a holding goes
//! into the first of them that it fits into:
//!
//! ```text
//! recorded      A A A A A A B       A holds the lock for long, B asks early and waits for all of it
//! changed       A   A   A   A       A holds it only shortly:
//!                 B                 B takes the first gap after it asked
//! ```
//!
//! A thread that finds the lock taken gets it only some time after its release (`hand_over`): it has to be woken up.
//! A thread that comes meanwhile gets the lock before it, which is how the recorded order came about.

use lotse_model::trace::Ticks;

use super::super::graph::SourceId;
use super::{LANES, Lanes};

/// Gaps that are kept for a lock and a lane: more would only serve who comes very much earlier than before.
const MOST_GAPS: usize = 64;

/// How long it takes to get a lock.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Costs {
    /// When it is free.
    pub(super) if_free: Ticks,
    /// After its release by another.
    pub(super) hand_over: Ticks,
}

/// The times at which a lock was held, in all lanes.
#[derive(Debug, Clone)]
pub(super) struct Lock {
    lanes: [Lane; LANES],
    /// When the present holding began.
    begun: Lanes,
    /// In the first lane: when the last holdings ended, and their releases.
    ends: Vec<(Ticks, SourceId)>,
}

/// The times at which a lock was free in one lane.
#[derive(Debug, Clone, Default)]
struct Lane {
    /// Sorted, and not empty.
    gaps: Vec<(Ticks, Ticks)>,
    /// From when on it was never held.
    free_from: Ticks,
}

impl Default for Lock {
    fn default() -> Self {
        Self { lanes: std::array::from_fn(|_| Lane::default()), begun: [0; LANES], ends: Vec::new() }
    }
}

impl Lock {
    /// A thread asks for the lock, wants to hold it for so long, and gets it in each lane: when, and from whose
    /// release on in the first one, where it had to wait.
    pub(super) fn acquire(
        &mut self,
        asked: &Lanes,
        hold: &Lanes,
        costs: &[Costs; LANES],
    ) -> (Lanes, Option<SourceId>) {
        let mut begun = *asked;
        let mut after = None;
        for lane in 0..LANES {
            let (at, waited) = self.lanes[lane].first_fit(asked[lane], hold[lane], &costs[lane]);
            begun[lane] = at;
            if lane == 0 && waited {
                after = self.released_before(at);
            }
        }
        self.begun = begun;
        (begun, after)
    }

    /// The holding that was begun last ends.
    pub(super) fn release(&mut self, clock: &Lanes, source: SourceId) {
        for ((lane, &begun), &ended) in self.lanes.iter_mut().zip(&self.begun).zip(clock) {
            lane.take(begun, ended);
        }
        if self.ends.len() == MOST_GAPS {
            self.ends.remove(0);
        }
        self.ends.push((clock[0], source));
    }

    /// The last release up to a moment.
    fn released_before(&self, at: Ticks) -> Option<SourceId> {
        self.ends.iter().filter(|(end, _)| *end <= at).max_by_key(|(end, _)| *end).map(|&(_, source)| source)
    }
}

impl Lane {
    /// When a thread that asks at a moment gets the lock, and whether it had to wait for it.
    fn first_fit(&self, asked: Ticks, hold: Ticks, costs: &Costs) -> (Ticks, bool) {
        if asked >= self.free_from {
            return (asked + costs.if_free, false);
        }
        let first = self.gaps.partition_point(|&(_, to)| to <= asked);
        for &(from, to) in &self.gaps[first..] {
            let (begin, waited) = begin(asked, from, costs);
            if begin.saturating_add(hold) <= to {
                return (begin, waited);
            }
        }
        begin(asked, self.free_from, costs)
    }

    /// The lock is held from one moment to another.
    fn take(&mut self, from: Ticks, to: Ticks) {
        let to = to.max(from);
        if from >= self.free_from {
            let gap = (self.free_from, from);
            self.free_from = to;
            self.add(self.gaps.len(), gap);
            return;
        }
        let at = self.gaps.partition_point(|&(_, end)| end <= from);
        // What was held longer than it was thought to be runs into the next holding.
        let Some(&(begin, end)) = self.gaps.get(at).filter(|gap| gap.0 <= from) else { return };
        self.gaps.remove(at);
        self.add(at, (to, end));
        self.add(at, (begin, from));
    }

    fn add(&mut self, at: usize, gap: (Ticks, Ticks)) {
        if gap.0 < gap.1 {
            self.gaps.insert(at, gap);
        }
        if self.gaps.len() > MOST_GAPS {
            self.gaps.remove(0);
        }
    }
}

/// When a thread that asks at a moment gets a lock that is free from another on, and whether it had to wait.
fn begin(asked: Ticks, free: Ticks, costs: &Costs) -> (Ticks, bool) {
    if asked >= free { (asked + costs.if_free, false) } else { (free + costs.hand_over, true) }
}

#[cfg(test)]
mod tests {
    use super::{Costs, Lane};

    const COSTS: Costs = Costs { if_free: 1, hand_over: 5 };

    fn lane() -> Lane {
        let mut lane = Lane::default();
        lane.take(10, 20);
        lane.take(30, 100);
        lane.take(150, 200);
        lane
    }

    #[test]
    fn a_free_lock_is_had_at_once() {
        assert_eq!(lane().first_fit(300, 50, &COSTS), (301, false));
        assert_eq!(lane().first_fit(21, 8, &COSTS), (22, false), "in a gap");
    }

    #[test]
    fn a_thread_that_waits_is_woken_up_after_the_release() {
        assert_eq!(lane().first_fit(40, 45, &COSTS), (105, true));
        assert_eq!(lane().first_fit(40, 46, &COSTS), (205, true), "the gap is too short");
        assert_eq!(lane().first_fit(0, 6, &COSTS), (1, false));
        assert_eq!(lane().first_fit(0, 60, &COSTS), (205, true));
    }

    #[test]
    fn a_gap_is_divided_by_who_takes_it() {
        let mut lane = lane();
        lane.take(110, 120);
        assert_eq!(lane.gaps, [(0, 10), (20, 30), (100, 110), (120, 150)]);
        lane.take(125, 160);
        assert_eq!(lane.gaps, [(0, 10), (20, 30), (100, 110), (120, 125)], "as far as it is free");
    }
}
