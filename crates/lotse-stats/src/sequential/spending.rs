//! Lan-DeMets error spending: the boundary at each look.
//!
//! A trial may raise a false alarm with probability alpha over all its looks
//! together. A spending function states how much of alpha may be used when the
//! share t of the trial has elapsed; each look gets what has become available
//! since the last one, and the boundary follows by integration
//! ([`super::boundary`]). Neither the number of looks nor their times need be
//! known in advance, but they must not depend on the measured values.
//!
//! Two measures of progress are distinguished: the elapsed *fraction* of the
//! trial determines the spending, and the *information* (number of blocks)
//! determines the correlation between looks.

use super::boundary::Survivors;
use crate::distribution::{normal_quantile, normal_sf, normal_two_sided};
use crate::error::{Result, StatsError, check_open_unit};

/// How much of the error probability is spent when the share t of a trial has elapsed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SpendingFunction {
    /// alpha · t^rho: the larger rho, the less is spent early.
    Power(f64),
    /// 2 - 2Φ(z / √t) on either side, where z is the 1 - alpha / 4 quantile:
    /// spends nearly nothing early, like the boundaries of O'Brien and Fleming.
    ObrienFleming,
    /// alpha · t³ in a trial of at most [`SHORT`] blocks, alpha · t^(2 + SHORT / n) in one of n blocks.
    ///
    /// A short trial gains little from an early end, and its last interval is 5 % narrower with t³ than with t². A
    /// long one ends earlier with t²: it detects a difference of 2 % after a sixth fewer blocks.
    ByLength,
}

/// The number of blocks up to which a trial is short.
pub const SHORT: f64 = 50.0;

impl SpendingFunction {
    /// The part of `alpha` spent at `fraction` (clamped to 0..=1).
    pub fn spent(self, alpha: f64, fraction: f64) -> f64 {
        let t = fraction.clamp(0.0, 1.0);
        if t == 1.0 {
            return alpha;
        }
        match self {
            Self::Power(rho) => alpha * t.powf(rho),
            Self::ObrienFleming => 4.0 * normal_sf(-normal_quantile(alpha / 4.0) / t.sqrt()),
            // The length of the trial is not known yet; t³ is the least that any length allows.
            Self::ByLength => alpha * t.powi(3),
        }
    }

    /// The function for a trial whose length is extrapolated from the elapsed `fraction` and the `information` so far.
    fn for_trial(self, fraction: f64, information: f64) -> Self {
        match self {
            Self::ByLength => Self::Power(2.0 + (SHORT * fraction / information).min(1.0)),
            known => known,
        }
    }
}

/// One look and its critical value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Look {
    /// The elapsed share of the trial.
    pub fraction: f64,
    /// The number of blocks so far, or any other measure of information.
    pub information: f64,
    /// The critical value: how many standard deviations from zero the statistic must be. Infinite if nothing may be
    /// concluded.
    pub z: f64,
    /// The two-sided p value of `z`. The confidence interval at 1 - `nominal_p` holds together with those of all other
    /// looks.
    pub nominal_p: f64,
}

impl Look {
    /// A look that spends nothing and concludes nothing.
    pub(super) fn blind(fraction: f64, information: f64) -> Self {
        Self { fraction, information, z: f64::INFINITY, nominal_p: 0.0 }
    }
}

/// The error probability of one comparison, spent look by look.
#[derive(Debug, Clone)]
pub struct Spending {
    function: SpendingFunction,
    alpha: f64,
    /// The distribution of the surviving paths before the last look, and the error probability spent until then.
    before: Survivors,
    spent_before: f64,
    last: Option<Look>,
}

impl Spending {
    /// The spending of a new trial at the two-sided error probability `alpha`.
    pub fn new(alpha: f64, function: SpendingFunction) -> Result<Self> {
        check_open_unit("alpha", alpha)?;
        if let SpendingFunction::Power(rho) = function
            && !(rho > 0.0 && rho.is_finite())
        {
            return Err(StatsError::Parameter { name: "rho", value: rho, range: "the positive numbers" });
        }
        Ok(Self { function, alpha, before: Survivors::default(), spent_before: 0.0, last: None })
    }

    /// The error probability available at `fraction`, minus what past looks have spent.
    fn available(&self, fraction: f64) -> f64 {
        self.function.spent(self.alpha, fraction) - self.spent_before
    }

    /// The error probability that a first look may spend at this fraction and information.
    pub(super) fn available_at_first(&self, fraction: f64, information: f64) -> f64 {
        self.function.for_trial(fraction, information).spent(self.alpha, fraction)
    }

    /// The last look taken.
    pub fn last(&self) -> Option<Look> {
        self.last
    }

    /// Takes a look when `fraction` of the trial has elapsed and `information` has been gathered.
    ///
    /// A fraction of 1 is the last look and spends the rest; an interrupted trial
    /// just stops at its current fraction. A fraction below that of the last look
    /// is raised to it. A look without new information only moves the boundary of
    /// the last look inwards; less information is an error.
    pub fn look(&mut self, fraction: f64, information: f64) -> Result<Look> {
        let earliest = self.last.map_or(0.0, |last| last.information);
        if !(information.is_finite() && information > 0.0 && information >= earliest) {
            let range = "the positive numbers from the last look's on";
            return Err(StatsError::Parameter { name: "information", value: information, range });
        }
        if fraction.is_nan() {
            return Err(StatsError::Parameter { name: "fraction", value: fraction, range: "0..=1" });
        }
        self.settle(information);
        if self.last.is_none() {
            // The extrapolated length may change later with the speed of the runs; the function must stay the same.
            self.function = self.function.for_trial(fraction, information);
        }
        let fraction = self.last.map_or(0.0, |last| last.fraction).max(fraction).clamp(0.0, 1.0);
        let z = self.before.bound(information, self.available(fraction));
        let look = Look { fraction, information, z, nominal_p: normal_two_sided(z) };
        self.last = Some(look);
        Ok(look)
    }

    /// Makes the last look final once there is more information: the distribution advances over its boundary.
    fn settle(&mut self, information: f64) {
        if let Some(last) = self.last
            && information > last.information
        {
            self.before = self.before.advance(last.information, last.z);
            self.spent_before = self.function.spent(self.alpha, last.fraction);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(function: SpendingFunction, looks: &[(f64, f64)], expected: &[f64], tolerance: f64) {
        let mut spending = Spending::new(0.05, function).unwrap();
        for (&(fraction, information), z) in looks.iter().zip(expected) {
            let look = spending.look(fraction, information).unwrap();
            assert!((look.z - z).abs() < tolerance, "{function:?} at {fraction}: {} and not {z}", look.z);
        }
    }

    const FIFTHS: [(f64, f64); 5] = [(0.2, 20.0), (0.4, 40.0), (0.6, 60.0), (0.8, 80.0), (1.0, 100.0)];

    #[test]
    fn boundaries_match_the_multivariate_normal_distribution() {
        // Each z solves, after those before it,
        // 1 - scipy.stats.multivariate_normal.cdf(z, cov=C, lower_limit=-z) = 0.05 * t**2
        // with C[i][j] = sqrt(min(n_i, n_j) / max(n_i, n_j)), by scipy.optimize.brentq.
        let expected = [3.090232, 2.714112, 2.472777, 2.279863, 2.114028];
        check(SpendingFunction::Power(2.0), &FIFTHS, &expected, 2e-4);
        let two_clocks = [(0.1, 10.0), (0.3, 20.0), (0.35, 50.0)];
        check(SpendingFunction::Power(2.0), &two_clocks, &[3.480756, 2.863575, 3.092871], 2e-4);
    }

    #[test]
    fn obrien_fleming_boundaries_match_the_literature() {
        // The textbook example of Lan and DeMets' function, five equal looks, two-sided 0.05.
        check(SpendingFunction::ObrienFleming, &FIFTHS, &[4.877, 3.357, 2.680, 2.290, 2.031], 6e-4);
    }

    #[test]
    fn short_trials_spend_later_than_long_ones_and_the_first_look_decides() {
        let z_of = |function: SpendingFunction, looks: &[(f64, f64)]| -> Vec<f64> {
            let mut spending = Spending::new(0.05, function).unwrap();
            looks.iter().map(|&(t, n)| spending.look(t, n).unwrap().z).collect()
        };
        let short = [(0.5, 12.0), (0.75, 18.0), (1.0, 24.0)];
        assert_eq!(z_of(SpendingFunction::ByLength, &short), z_of(SpendingFunction::Power(3.0), &short));
        assert_eq!(z_of(SpendingFunction::ByLength, &FIFTHS), z_of(SpendingFunction::Power(2.5), &FIFTHS));
        // Runs that become slower after the first look make a trial shorter than it seemed.
        let slowing = [(0.1, 10.0), (0.6, 20.0), (1.0, 30.0)];
        assert_eq!(z_of(SpendingFunction::ByLength, &slowing), z_of(SpendingFunction::Power(2.5), &slowing));
        let edge = [(0.2, 10.0), (1.0, 50.0)];
        assert_eq!(z_of(SpendingFunction::ByLength, &edge), z_of(SpendingFunction::Power(3.0), &edge));
    }

    #[test]
    fn everything_is_spent_at_the_end_whatever_the_looks() {
        let looks = [(0.1, 10.0), (0.11, 11.0), (0.5, 20.0), (0.52, 60.0), (1.0, 61.0)];
        let mut spending = Spending::new(0.05, SpendingFunction::Power(2.0)).unwrap();
        let z: Vec<f64> = looks.iter().map(|&(t, n)| spending.look(t, n).unwrap().z).collect();
        let crossed = super::super::boundary::crossing(&looks.map(|l| l.1), &z);
        assert!((crossed.iter().sum::<f64>() - 0.05).abs() < 1e-6, "{crossed:?}");
        assert!((crossed[..3].iter().sum::<f64>() - 0.05 * 0.25).abs() < 1e-6);
    }

    #[test]
    fn a_second_look_at_the_same_blocks_replaces_the_first() {
        let mut twice = Spending::new(0.05, SpendingFunction::Power(2.0)).unwrap();
        let mut once = twice.clone();
        for spending in [&mut twice, &mut once] {
            spending.look(0.3, 30.0).unwrap();
        }
        twice.look(0.6, 60.0).unwrap();
        assert_eq!(twice.look(1.0, 60.0).unwrap(), once.look(1.0, 60.0).unwrap());
    }

    #[test]
    fn a_look_without_progress_concludes_nothing_and_a_step_back_is_an_error() {
        let mut spending = Spending::new(0.05, SpendingFunction::Power(2.0)).unwrap();
        spending.look(0.5, 50.0).unwrap();
        assert_eq!(spending.look(0.5, 51.0).unwrap().z, f64::INFINITY);
        assert!(spending.look(0.6, 49.0).is_err());
        assert!(spending.look(f64::NAN, 60.0).is_err());
        assert!(Spending::new(1.0, SpendingFunction::ObrienFleming).is_err());
        assert!(Spending::new(0.05, SpendingFunction::Power(0.0)).is_err());
    }
}
