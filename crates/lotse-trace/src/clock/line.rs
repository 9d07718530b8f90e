//! The linear correction of a clock: maps the time of a process to that of the reference, in integers and without changing
//! the order of events.

use lotse_model::trace::Ticks;

/// Drifts are fixed-point numbers with this many binary digits after the point.
const FRACTION: u32 = 52;

/// The time of the reference as a linear function of the time of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ClockLine {
    /// The process's first time.
    pub(super) origin: Ticks,
    /// The reference's time at `origin`; may be negative until [`ClockLine::lift`] is called.
    pub(super) anchor: i128,
    /// How much faster than the reference the clock runs, in units of `2^-52`.
    drift: i128,
}

impl ClockLine {
    /// The line of a correct clock.
    pub(super) fn identity(origin: Ticks) -> Self {
        Self { origin, anchor: i128::from(origin), drift: 0 }
    }

    pub(super) fn new(origin: Ticks, anchor: i128, drift: f64) -> Self {
        // A clock that runs at twice the reference's speed or more would reverse the order of events.
        let drift = (drift.clamp(-0.5, 0.5) * (1_i64 << FRACTION) as f64).round() as i128;
        Self { origin, anchor, drift }
    }

    /// How much faster the clock runs, as a fraction.
    pub(super) fn drift(&self) -> f64 {
        self.drift as f64 / (1_i64 << FRACTION) as f64
    }

    /// Adds to the reference's time.
    pub(super) fn lift(&mut self, by: i128) {
        self.anchor += by;
    }

    /// The reference's time; a monotonic function of `at`.
    #[inline]
    pub(super) fn map(&self, at: Ticks) -> Ticks {
        let since = i128::from(at) - i128::from(self.origin);
        let time = self.anchor + since - ((self.drift * since) >> FRACTION);
        Ticks::try_from(time.max(0)).unwrap_or(Ticks::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::ClockLine;

    #[test]
    fn a_correct_clock_changes_nothing() {
        let line = ClockLine::identity(17);
        assert!([17, 18, 1 << 62, u64::MAX].into_iter().all(|at| line.map(at) == at));
    }

    #[test]
    fn offset_and_drift_are_removed() {
        let line = ClockLine::new(1_000, 200, 0.000_15);
        assert_eq!((line.map(1_000), line.map(11_000)), (200, 10_199));
    }

    proptest! {
        #[test]
        fn order_is_kept(
            origin in 0_u64..1 << 62,
            anchor in -(1_i128 << 62)..1 << 62,
            drift in -0.6_f64..0.6,
            steps in prop::collection::vec(0_u64..1 << 40, 1..40),
        ) {
            let line = ClockLine::new(origin, anchor, drift);
            let mut at = origin;
            for step in steps {
                let next = at.saturating_add(step);
                prop_assert!(line.map(at) <= line.map(next));
                at = next;
            }
        }
    }
}
