//! Comparison of measurement sessions (for example on different days) with the variation between sessions.
//!
//! The runs of one session share the state of the machine, so their own interval does not hold for another session. The
//! unit of analysis is therefore the session: one number each, with the spread that earlier sessions at the same level had.

use crate::descriptive::median;
use crate::distribution::{normal_quantile, t_quantile};
use crate::error::{Result, StatsError, check_open_unit, finite};
use crate::interval::Interval;
use crate::sum::{squared_deviations, sum};

/// The estimate of one session (of a logarithm, if ratios are compared).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Session {
    pub centre: f64,
    /// The standard error of `centre` by the runs of the session alone.
    pub error: f64,
}

/// Extremes are recorded for sequences of up to this many sessions.
const LONGEST_SEQUENCE: usize = 6;
/// From this many sessions on, the spread is the median absolute deviation, which disturbed sessions do not affect.
const ROBUST_FROM: usize = 8;
/// The factor from the median absolute deviation to the standard deviation of normal values.
const NORMAL: f64 = 1.4826;
/// The efficiency of that estimate relative to the standard deviation, by which its degrees of freedom are reduced.
const EFFICIENCY: f64 = 0.37;

/// The spread of sessions at one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SessionSpread {
    /// Standard deviation from one session to another.
    pub deviation: f64,
    /// The degrees of freedom of the estimate; infinite for an assumed spread.
    pub freedom: f64,
    /// The lowest and the highest mean of one session, of two in a row, and so on, relative to their level. Disturbed
    /// sessions are rarer and more extreme than in a normal distribution, and seldom come in a row.
    extremes: [[f64; 2]; LONGEST_SEQUENCE],
}

impl SessionSpread {
    /// A spread that is assumed, not measured.
    pub fn assumed(deviation: f64) -> Self {
        Self { deviation, freedom: f64::INFINITY, extremes: [[0.0, 0.0]; LONGEST_SEQUENCE] }
    }

    /// The pooled spread of sessions around their levels; `levels` are the sessions of each level. `None` if no level has
    /// two sessions.
    pub fn within<'a>(levels: impl IntoIterator<Item = &'a [f64]>) -> Option<Self> {
        let mut squares = 0.0;
        let mut freedom = 0;
        let mut deviations: Vec<f64> = Vec::new();
        let mut extremes = [[0.0_f64, 0.0]; LONGEST_SEQUENCE];
        for level in levels.into_iter().filter(|level| level.len() > 1) {
            let mean = sum(level.iter().copied()) / level.len() as f64;
            squares += squared_deviations(level, mean);
            freedom += level.len() - 1;
            let middle = median(level).ok()?;
            let residuals: Vec<f64> = level.iter().map(|value| value - middle).collect();
            widen(&mut extremes, &residuals);
            deviations.extend(residuals.iter().map(|residual| residual.abs()));
        }
        let plain = Self { deviation: (squares / freedom as f64).sqrt(), freedom: freedom as f64, extremes };
        let robust = median(&deviations).map_or(0.0, |typical| NORMAL * typical);
        if freedom == 0 || !plain.deviation.is_finite() {
            return None;
        }
        if deviations.len() < ROBUST_FROM || robust <= 0.0 {
            return Some(plain);
        }
        Some(Self { deviation: robust, freedom: EFFICIENCY * freedom as f64, extremes })
    }
}

/// Extends the extremes by the means of all sequences of each length.
fn widen(extremes: &mut [[f64; 2]; LONGEST_SEQUENCE], residuals: &[f64]) {
    for (length, [lowest, highest]) in (1..).zip(extremes.iter_mut()) {
        for sequence in residuals.windows(length) {
            let mean = sum(sequence.iter().copied()) / length as f64;
            (*lowest, *highest) = (lowest.min(mean), highest.max(mean));
        }
    }
}

/// The interval of the difference between new sessions, one or several in a row, and the level of earlier ones, at the given
/// confidence if the variation between sessions does not change.
///
/// The interval is extended to the extremes that sequences of as many earlier sessions had: new sessions may be disturbed
/// in the same way. If the runs of the new sessions are less precise than those of the earlier ones, the excess variance is
/// added.
pub fn difference(
    new: &[Session],
    earlier: &[Session],
    spread: SessionSpread,
    level: f64,
) -> Result<Interval> {
    check_open_unit("the confidence level", level)?;
    if earlier.is_empty() || new.is_empty() {
        return Err(StatsError::TooFew { needed: 1, present: 0 });
    }
    let mean = |all: &[Session], value: fn(&Session) -> f64| sum(all.iter().map(value)) / all.len() as f64;
    let centre = |session: &Session| session.centre;
    let squared_error = |session: &Session| session.error.powi(2);
    let excess = (mean(new, squared_error) - mean(earlier, squared_error)).max(0.0) / new.len() as f64;
    let sizes = 1.0 / new.len() as f64 + 1.0 / earlier.len() as f64;
    let variance = spread.deviation.powi(2) * sizes + excess;
    let upper = 1.0 - (1.0 - level) / 2.0;
    let quantile =
        if spread.freedom.is_finite() { t_quantile(upper, spread.freedom) } else { normal_quantile(upper) };
    let radius = finite("the interval", quantile * variance.sqrt())?;
    let found = finite("the difference", mean(new, centre) - mean(earlier, centre))?;
    let [lowest, highest] = spread.extremes[new.len().min(LONGEST_SEQUENCE) - 1];
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
        let spread = SessionSpread::within([centres.as_slice()]).unwrap();
        let found = difference(&[EXACT], &earlier, spread, 0.95).unwrap();
        // R: s <- sd(c(.1,.3,.2,.4)); qt(.975, 3) * s * sqrt(1 + 1/4)
        assert!((found.half_width() - 0.459_346_6).abs() < 1e-6, "{found:?}");
        assert!((found.low + found.half_width() - 0.75).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn levels_are_pooled() {
        let spread = SessionSpread::within([&[1.0, 3.0][..], &[10.0, 12.0, 11.0], &[5.0]]).unwrap();
        assert_eq!(spread.freedom, 3.0);
        assert!((spread.deviation.powi(2) - 4.0 / 3.0).abs() < 1e-12);
        assert_eq!(SessionSpread::within([&[1.0][..], &[]]), None);
    }

    #[test]
    fn what_has_happened_may_happen_again() {
        let calm = [0.0, 0.01, -0.01, 0.0, 0.01, -0.01, 0.0, 0.0, 0.01, -0.01];
        let mut days = calm.to_vec();
        days.push(0.11);
        let spread = SessionSpread::within([days.as_slice()]).unwrap();
        let earlier: Vec<Session> = calm.iter().map(|&centre| Session { centre, error: 0.0 }).collect();
        let found = difference(&[Session { centre: 0.1, error: 0.0 }], &earlier, spread, 0.95).unwrap();
        // One of eleven days was 0.11 above the level, so a new day may be too.
        assert!((found.low - (0.1 - 0.11)).abs() < 1e-12 && found.high < 0.2, "{found:?}");
        // The mean of two days in a row was never that far off.
        let two = difference(&[Session { centre: 0.1, error: 0.0 }; 2], &earlier, spread, 0.95).unwrap();
        assert!(two.low > 0.04, "{two:?}");
        // A disturbance upwards does not widen the interval downwards.
        assert!(found.high - 0.1 < 0.05, "{found:?}");
    }

    #[test]
    fn an_uncertain_session_is_less_certain() {
        let earlier = [Session { centre: 0.0, error: 0.01 }; 3];
        let width = |error: f64| {
            let new = Session { centre: 0.0, error };
            difference(&[new], &earlier, SessionSpread::assumed(0.02), 0.95).unwrap().half_width()
        };
        assert!((width(0.0) - 1.959_964 * 0.02 * (4.0_f64 / 3.0).sqrt()).abs() < 1e-6);
        assert_eq!(width(0.005), width(0.01));
        assert!(width(0.1) > 1.959 * 0.1);
    }

    #[test]
    fn nothing_to_compare_with_is_an_error() {
        assert!(difference(&[EXACT], &[], SessionSpread::assumed(0.1), 0.95).is_err());
        assert!(difference(&[EXACT], &[EXACT], SessionSpread::assumed(0.1), 1.0).is_err());
        assert_eq!(
            difference(&[EXACT], &[EXACT], SessionSpread::assumed(0.0), 0.95).unwrap().half_width(),
            0.0
        );
    }
}
