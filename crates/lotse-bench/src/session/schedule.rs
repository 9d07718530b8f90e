//! When to look at the data and when the budget is spent. A pure function from elapsed time and blocks to a share of
//! the trial.
//!
//! The share of the trial that is over controls how much of the error probability a look may spend. It must depend on elapsed
//! time and block counts only, never on the measured values.

use std::time::Duration;

use crate::options::Stopping;

/// Looks are at least this share of the trial apart: twenty looks cost little power and stop soon enough.
const LOOK_EVERY: f64 = 0.05;

/// Early looks of a long trial are closer together: each comes after this relative growth of the trial, so that a large
/// difference is found long before a twentieth of the budget is spent.
const EARLY_GROWTH: f64 = 0.3;

/// The plan of looks of one trial.
#[derive(Debug)]
pub(super) struct Schedule<'a> {
    stopping: &'a Stopping,
    budget: Duration,
    last_look: f64,
}

impl<'a> Schedule<'a> {
    pub(super) fn new(stopping: &'a Stopping, programs: usize) -> Self {
        let budget = stopping.budget.saturating_mul(u32::try_from(programs.max(1)).unwrap_or(u32::MAX));
        Self { stopping, budget, last_look: 0.0 }
    }

    /// The share of the trial that is over after `elapsed` time, of which hooks took `hook_time`, and after `blocks` blocks; 1
    /// means the end. Before the least number of blocks, hook time does not count, so that slow hooks do not end the trial with
    /// too few blocks.
    pub(super) fn fraction(&self, elapsed: Duration, hook_time: Duration, blocks: u32) -> f64 {
        let counted = self.stopping.max_blocks.map_or(0.0, |max| f64::from(blocks) / f64::from(max.max(1)));
        if self.stopping.fixed {
            return counted.min(1.0);
        }
        let spent =
            if blocks < self.stopping.min_blocks { elapsed.saturating_sub(hook_time) } else { elapsed };
        let timed = spent.as_secs_f64() / self.budget.as_secs_f64();
        counted.max(timed.min(self.time_limit(blocks))).min(1.0)
    }

    /// The largest share that elapsed time can reach: unless the user set the budget, time does not end a trial before its least
    /// number of blocks.
    fn time_limit(&self, blocks: u32) -> f64 {
        if self.stopping.strict_budget || blocks >= self.stopping.min_blocks {
            1.0
        } else {
            0.99 * f64::from(blocks) / f64::from(self.stopping.min_blocks)
        }
    }

    /// Whether to look now. A fixed number of runs is looked at once, at the end.
    pub(super) fn look_due(&mut self, fraction: f64, blocks: u32) -> bool {
        let step = LOOK_EVERY.min(self.last_look * EARLY_GROWTH);
        let early = blocks < self.stopping.min_blocks || fraction < self.last_look + step - 1e-9;
        let due = fraction >= 1.0 || !(self.stopping.fixed || early);
        if due {
            self.last_look = fraction;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Schedule;
    use crate::options::Stopping;

    fn stopping() -> Stopping {
        Stopping { budget: Duration::from_secs(10), ..Stopping::default() }
    }

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_budget_is_for_each_program() {
        let plan = stopping();
        let schedule = Schedule::new(&plan, 2);
        assert_eq!(schedule.fraction(at(10), Duration::ZERO, 50), 0.5);
        assert_eq!(schedule.fraction(at(30), Duration::ZERO, 50), 1.0);
    }

    #[test]
    fn the_default_budget_waits_for_enough_blocks_and_a_requested_one_does_not() {
        let patient = stopping();
        assert!(Schedule::new(&patient, 1).fraction(at(60), Duration::ZERO, 3) < 1.0);
        let strict = Stopping { strict_budget: true, ..stopping() };
        assert_eq!(Schedule::new(&strict, 1).fraction(at(60), Duration::ZERO, 3), 1.0);
        // Of 60 seconds the runs took two: the commands around them do not end it before ten blocks.
        assert_eq!(Schedule::new(&strict, 1).fraction(at(60), at(58), 9), 0.2);
        assert_eq!(Schedule::new(&strict, 1).fraction(at(60), at(58), 10), 1.0);
    }

    #[test]
    fn a_fixed_number_of_runs_is_looked_at_once() {
        let plan = Stopping { fixed: true, max_blocks: Some(40), ..stopping() };
        let mut schedule = Schedule::new(&plan, 2);
        assert_eq!(schedule.fraction(at(1000), Duration::ZERO, 20), 0.5);
        assert!(!schedule.look_due(0.5, 20));
        assert!(schedule.look_due(1.0, 40));
    }

    #[test]
    fn looks_begin_at_the_least_number_of_blocks_and_keep_their_distance() {
        let plan = Stopping { max_blocks: Some(100), ..stopping() };
        let mut schedule = Schedule::new(&plan, 2);
        let looks: Vec<u32> =
            (1..=100).filter(|&blocks| schedule.look_due(f64::from(blocks) / 100.0, blocks)).collect();
        assert_eq!(looks[..4], [10, 13, 17, 22]);
        assert_eq!(looks.last(), Some(&100));
    }
}
