//! Measurements made on different days: how much they differ for no reason, and whether a new one does for a reason.
//!
//! Runs of one session share the state of the machine, so that their own interval says nothing about another session. The
//! unit is the session: one number each, with the spread that sessions at the same level have had so far.

use crate::descriptive::median;
use crate::distribution::{normal_quantile, t_quantile};
use crate::error::{Result, StatsError, check_open_unit, finite};
use crate::interval::Interval;
use crate::sum::{squared_deviations, sum};

/// What one session says of a quantity (a logarithm, where ratios are compared).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session {
    /// Its estimate.
    pub centre: f64,
    /// The standard error of that, as far as its runs tell.
    pub error: f64,
}

/// Runs of sessions up to this length have extremes of their own.
const LONGEST_RUN: usize = 6;
/// From so many sessions on, the spread is taken from the median of deviations, which disturbed days do not move.
const ROBUST_FROM: usize = 8;
/// A median of absolute deviations as a standard deviation, and what it is worth in degrees of freedom (normal values).
const NORMAL: f64 = 1.4826;
const WORTH: f64 = 0.37;

/// How much sessions at one level differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Standard deviation from one session to another.
    pub deviation: f64,
    /// Degrees of freedom it was estimated with; infinite where it is assumed.
    pub freedom: f64,
    /// How far the mean of one session, of two in a row, and so on, has been below its level and above it: disturbed days
    /// are rarer and farther off than a normal distribution has them, and seldom come in a row.
    extremes: [[f64; 2]; LONGEST_RUN],
}

impl Spread {
    /// A spread that is assumed, not measured.
    pub fn assumed(deviation: f64) -> Self {
        Self { deviation, freedom: f64::INFINITY, extremes: [[0.0, 0.0]; LONGEST_RUN] }
    }

    /// The spread around each level, over all levels together. None where no level has two sessions.
    pub fn within<'a>(levels: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let mut squares = 0.0;
        let mut freedom = 0;
        let mut rests: Vec<f64> = Vec::new();
        let mut extremes = [[0.0_f64, 0.0]; LONGEST_RUN];
        for level in levels.into_iter().filter(|level| level.len() > 1) {
            let mean = sum(level.iter().copied()) / level.len() as f64;
            squares += squared_deviations(level, mean);
            freedom += level.len() - 1;
            let middle = median(level).ok()?;
            let rest: Vec<f64> = level.iter().map(|value| value - middle).collect();
            widen(&mut extremes, &rest);
            rests.extend(rest.iter().map(|rest| rest.abs()));
        }
        let plain = Self { deviation: (squares / freedom as f64).sqrt(), freedom: freedom as f64, extremes };
        let robust = median(&rests).map_or(0.0, |typical| NORMAL * typical);
        if freedom == 0 || !plain.deviation.is_finite() {
            return None;
        }
        if rests.len() < ROBUST_FROM || robust <= 0.0 {
            return Some(plain);
        }
        Some(Self { deviation: robust, freedom: WORTH * freedom as f64, extremes })
    }
}

/// Takes the means of all runs of each length into the extremes.
fn widen(extremes: &mut [[f64; 2]; LONGEST_RUN], rest: &[f64]) {
    for (length, [lowest, highest]) in (1..).zip(extremes.iter_mut()) {
        for run in rest.windows(length) {
            let mean = sum(run.iter().copied()) / length as f64;
            (*lowest, *highest) = (lowest.min(mean), highest.max(mean));
        }
    }
}

/// By how much new sessions, one or several in a row, differ from the level that earlier ones have: the interval holds the
/// true difference with the given confidence if sessions vary as they did. What as many sessions in a row have done before
/// for no reason, the new ones may have done too: the interval allows for their extremes, however rare. Sessions whose own
/// runs are less certain than those of the earlier ones count as less certain.
pub fn difference(new: &[Session], earlier: &[Session], spread: Spread, level: f64) -> Result<Interval> {
    check_open_unit("the confidence level", level)?;
    if earlier.is_empty() || new.is_empty() {
        return Err(StatsError::TooFew { needed: 1, present: 0 });
    }
    let mean = |all: &[Session], of: fn(&Session) -> f64| sum(all.iter().map(of)) / all.len() as f64;
    let centre = |session: &Session| session.centre;
    let squared = |session: &Session| session.error.powi(2);
    let unusual = (mean(new, squared) - mean(earlier, squared)).max(0.0) / new.len() as f64;
    let parts = 1.0 / new.len() as f64 + 1.0 / earlier.len() as f64;
    let variance = spread.deviation.powi(2) * parts + unusual;
    let upper = 1.0 - (1.0 - level) / 2.0;
    let quantile =
        if spread.freedom.is_finite() { t_quantile(upper, spread.freedom) } else { normal_quantile(upper) };
    let radius = finite("the interval", quantile * variance.sqrt())?;
    let found = finite("the difference", mean(new, centre) - mean(earlier, centre))?;
    let [lowest, highest] = spread.extremes[new.len().min(LONGEST_RUN) - 1];
    Ok(Interval { low: found - radius.max(highest), high: found + radius.max(-lowest), level })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXACT: Session = Session { centre: 1.0, error: 0.0 };

    #[test]
    fn the_interval_is_that_of_a_prediction() {
        let centres = [0.1, 0.3, 0.2, 0.4];
        let earlier = centres.map(|centre| Session { centre, error: 0.0 });
        let spread = Spread::within([centres.as_slice()]).unwrap();
        let found = difference(&[EXACT], &earlier, spread, 0.95).unwrap();
        // R: s <- sd(c(.1,.3,.2,.4)); qt(.975, 3) * s * sqrt(1 + 1/4)
        assert!((found.half_width() - 0.459_346_6).abs() < 1e-6, "{found:?}");
        assert!((found.low + found.half_width() - 0.75).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn levels_are_pooled() {
        let spread = Spread::within([&[1.0, 3.0][..], &[10.0, 12.0, 11.0], &[5.0]]).unwrap();
        assert_eq!(spread.freedom, 3.0);
        assert!((spread.deviation.powi(2) - 4.0 / 3.0).abs() < 1e-12);
        assert_eq!(Spread::within([&[1.0][..], &[]]), None);
    }

    #[test]
    fn what_has_happened_may_happen_again() {
        let calm = [0.0, 0.01, -0.01, 0.0, 0.01, -0.01, 0.0, 0.0, 0.01, -0.01];
        let mut days = calm.to_vec();
        days.push(0.11);
        let spread = Spread::within([days.as_slice()]).unwrap();
        let earlier: Vec<Session> = calm.iter().map(|&centre| Session { centre, error: 0.0 }).collect();
        let found = difference(&[Session { centre: 0.1, error: 0.0 }], &earlier, spread, 0.95).unwrap();
        // Eleven days, one of them 0.11 above: so may this one be.
        assert!((found.low - (0.1 - 0.11)).abs() < 1e-12 && found.high < 0.2, "{found:?}");
        // Two in a row were never that far off.
        let two = difference(&[Session { centre: 0.1, error: 0.0 }; 2], &earlier, spread, 0.95).unwrap();
        assert!(two.low > 0.04, "{two:?}");
        // The one day does not widen the other side.
        assert!(found.high - 0.1 < 0.05, "{found:?}");
    }

    #[test]
    fn an_uncertain_session_is_less_certain() {
        let earlier = [Session { centre: 0.0, error: 0.01 }; 3];
        let width = |error: f64| {
            let new = Session { centre: 0.0, error };
            difference(&[new], &earlier, Spread::assumed(0.02), 0.95).unwrap().half_width()
        };
        assert!((width(0.0) - 1.959_964 * 0.02 * (4.0_f64 / 3.0).sqrt()).abs() < 1e-6);
        assert_eq!(width(0.005), width(0.01));
        assert!(width(0.1) > 1.959 * 0.1);
    }

    #[test]
    fn nothing_to_compare_with_is_an_error() {
        assert!(difference(&[EXACT], &[], Spread::assumed(0.1), 0.95).is_err());
        assert!(difference(&[EXACT], &[EXACT], Spread::assumed(0.1), 1.0).is_err());
        assert_eq!(difference(&[EXACT], &[EXACT], Spread::assumed(0.0), 0.95).unwrap().half_width(), 0.0);
    }
}
