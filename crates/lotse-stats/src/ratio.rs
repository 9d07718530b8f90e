//! Confidence intervals of the ratio of two means or medians.
//!
//! Fieller's set contains all ratios that a t test would not reject. If the
//! denominator may be zero, it is not an interval ([`RatioSet`]).

use crate::bootstrap::{Bootstrap, BootstrapOptions, bootstrap_two};
use crate::descriptive::{mean, median, sample_covariance, sample_variance};
use crate::distribution::t_quantile;
use crate::error::{Result, StatsError, check, check_open_unit, check_pairs, check_positive, finite};
use crate::hypothesis::two_sample_t::welch_df;
use crate::interval::Interval;
use crate::power::Pairing;

/// The ratios that are compatible with the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatioSet {
    /// An ordinary interval.
    Bounded(Interval),
    /// All ratios up to `low` and all from `high` on: the denominator may be zero.
    Outside {
        /// Upper end of the lower part.
        low: f64,
        /// Lower end of the upper part.
        high: f64,
    },
    /// Every ratio: numerator and denominator may both be zero.
    Everything,
}

/// A ratio of means with Fieller's confidence set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FiellerRatio {
    /// Mean of the first sample over mean of the second.
    pub ratio: f64,
    /// Degrees of freedom of the t quantile.
    pub df: f64,
    /// The ratios that are compatible with the data.
    pub set: RatioSet,
}

/// Fieller's set for the mean of `a` over the mean of `b`, of at least two values each.
///
/// A ratio r is in the set if a t test does not reject mean a - r mean b = 0, which is a quadratic inequality in r.
/// Independent samples have separate variances; the degrees of freedom are Welch's for that difference.
pub fn fieller(a: &[f64], b: &[f64], pairing: Pairing, level: f64) -> Result<FiellerRatio> {
    check_open_unit("confidence level", level)?;
    check(a, 2)?;
    check(b, 2)?;
    let (ma, mb) = (mean(a)?, mean(b)?);
    if mb == 0.0 {
        return Err(StatsError::Unrepresentable { what: "a ratio to a mean of zero" });
    }
    let (va, vb) = (sample_variance(a)? / a.len() as f64, sample_variance(b)? / b.len() as f64);
    let ratio = finite("the ratio", ma / mb)?;
    if va == 0.0 && vb == 0.0 {
        let set = RatioSet::Bounded(Interval::around(ratio, 0.0, level));
        return Ok(FiellerRatio { ratio, df: (a.len() + b.len() - 2) as f64, set });
    }
    let (covariance, df) = match pairing {
        Pairing::Independent => (0.0, welch_df(va, a.len(), ratio * ratio * vb, b.len())),
        Pairing::Paired => {
            check_pairs(a, b, 2)?;
            (sample_covariance(a, b)? / a.len() as f64, (a.len() - 1) as f64)
        }
    };
    let t2 = t_quantile(0.5 + level / 2.0, finite("the degrees of freedom", df)?).powi(2);
    let quadratic = [mb * mb - t2 * vb, ma * mb - t2 * covariance, ma * ma - t2 * va];
    // One sum is finite only if all its terms are.
    finite("the interval of the ratio", quadratic.iter().map(|x| x * x).sum())?;
    let set = roots(quadratic, level);
    Ok(FiellerRatio { ratio, df, set })
}

/// The solutions of a r^2 - 2 b r + c <= 0.
fn roots([a, b, c]: [f64; 3], level: f64) -> RatioSet {
    let discriminant = b * b - a * c;
    if discriminant < 0.0 && a <= 0.0 {
        return RatioSet::Everything;
    }
    // With a > 0 the estimate itself is a solution, so the discriminant can be negative only by rounding.
    let root = discriminant.max(0.0).sqrt();
    if a == 0.0 {
        let edge = c / (2.0 * b);
        return RatioSet::Outside {
            low: if b > 0.0 { f64::NEG_INFINITY } else { edge },
            high: if b > 0.0 { edge } else { f64::INFINITY },
        };
    }
    // The root of larger absolute value first, the other from their product, to avoid cancellation.
    let far = if b >= 0.0 { b + root } else { b - root };
    let (first, second) = (far / a, if far == 0.0 { 0.0 } else { c / far });
    let (low, high) = (first.min(second), first.max(second));
    if a > 0.0 { RatioSet::Bounded(Interval { low, high, level }) } else { RatioSet::Outside { low, high } }
}

/// The statistic of each sample whose ratio is bootstrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Center {
    Mean,
    Median,
}

/// The bootstrap interval of the ratio of two centres of positive values, computed for its logarithm.
///
/// The standard error is that of the logarithm of the ratio, which is about that of the relative change.
pub fn bootstrap_ratio(
    a: &[f64],
    b: &[f64],
    pairing: Pairing,
    center: Center,
    options: &BootstrapOptions,
) -> Result<Bootstrap> {
    check_positive(a, 2)?;
    check_positive(b, 2)?;
    // The samples were checked and resamples contain only their values, so a centre always exists;
    // one that overflows becomes NaN, which the bootstrap reports.
    let center_of = |values: &[f64]| match center {
        Center::Mean => mean(values).unwrap_or(f64::NAN),
        Center::Median => median(values).unwrap_or(f64::NAN),
    };
    let logs = bootstrap_two(a, b, pairing, |x, y| center_of(x).ln() - center_of(y).ln(), options)?;
    Ok(Bootstrap { estimate: logs.estimate.exp(), interval: logs.interval.map(f64::exp), ..logs })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denominator_near_zero_leaves_no_interval() {
        let (a, b) = ([9.0, 10.0, 11.0], [-1.0, 0.5, 1.0]);
        let RatioSet::Outside { low, high } = fieller(&a, &b, Pairing::Independent, 0.95).unwrap().set else {
            panic!("the denominator may be zero");
        };
        assert!(low < 0.0 && high > 0.0 && high < 60.0);
        let both = fieller(&[-1.0, 1.1], &[-1.0, 1.2], Pairing::Independent, 0.95).unwrap();
        assert_eq!(both.set, RatioSet::Everything);
    }

    #[test]
    fn constants_have_an_exact_ratio() {
        let ratio = fieller(&[6.0; 3], &[4.0; 3], Pairing::Paired, 0.95).unwrap();
        assert_eq!(ratio.set, RatioSet::Bounded(Interval { low: 1.5, high: 1.5, level: 0.95 }));
        assert!(fieller(&[6.0; 3], &[0.0; 3], Pairing::Paired, 0.95).is_err());
    }

    #[test]
    fn pairs_in_lockstep_have_a_narrow_ratio() {
        let a: Vec<f64> = (0..20).map(|i| 100.0 + f64::from(i * i % 17)).collect();
        let b: Vec<f64> = a.iter().map(|x| x / 2.0).collect();
        let options = BootstrapOptions { resamples: 500, ..BootstrapOptions::default() };
        let paired = bootstrap_ratio(&a, &b, Pairing::Paired, Center::Mean, &options).unwrap();
        assert!(paired.interval.half_width() < 1e-12 && (paired.estimate - 2.0).abs() < 1e-12);
        let apart = bootstrap_ratio(&a, &b, Pairing::Independent, Center::Median, &options).unwrap();
        assert!(apart.interval.contains(2.0) && apart.interval.half_width() > 0.01);
    }
}
