//! Whether a measurement reached the requested precision (`--until`).

use lotse_model::results::ResultSet;
use lotse_stats::Interval;

use super::Question;
use crate::answer::{Comparison, Precision};
use crate::pairing;
use crate::trial::Conclusion;

/// The precision of the widest interval on the primary metric, if a precision was requested. A single program has an
/// interval of its own centre.
pub(super) fn reached(
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
    comparisons: &[Comparison],
) -> Option<Precision> {
    let asked = conclusion.plan.until?;
    let primary = comparisons.iter().filter(|comparison| comparison.primary);
    let compared = primary.map(width).reduce(f64::max);
    let own = if compared.is_none() { own_interval(set, question, conclusion) } else { None };
    let own_width = own.map_or(f64::INFINITY, |(ratio, _)| ratio.relative_half_width());
    let widest = compared.unwrap_or(own_width);
    let interval = own.map(|(ratio, centre)| [ratio.low * centre, ratio.high * centre]);
    let interval = interval.filter(|ends| ends.iter().all(|end| end.is_finite()));
    Some(Precision { asked, reached: widest.is_finite().then_some(widest), met: widest <= asked, interval })
}

/// Half the width of the interval, relative to the ratio; infinite where an end is not bounded.
fn width(comparison: &Comparison) -> f64 {
    match (comparison.interval, comparison.difference.map(|difference| difference.interval)) {
        ([Some(low), Some(high)], _) => Interval { low, high, level: comparison.level }.relative_half_width(),
        // A difference has a relative precision only if its interval is a single point.
        (_, Some([Some(low), Some(high)])) if low == high => 0.0,
        _ => f64::INFINITY,
    }
}

/// The interval of a program's centre as a share of its median, and the median.
fn own_interval(
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
) -> Option<(Interval, f64)> {
    let (seen, shell) = (conclusion.seen(set), conclusion.shell.as_ref());
    let family = pairing::own_centre(&seen, question.reference, question.primary, shell)?;
    let ratio = family.decide(&conclusion.plan, *conclusion.looks.first()?).ratio?;
    let values = seen.samples(question.reference, question.primary);
    Some((ratio, lotse_stats::descriptive::median(&values).ok()?))
}
