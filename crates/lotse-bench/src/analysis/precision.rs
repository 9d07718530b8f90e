//! Whether a measurement became as precise as asked for.

use lotse_model::results::ResultSet;
use lotse_stats::Interval;

use super::Question;
use crate::answer::{Comparison, Precision};
use crate::pairing;
use crate::trial::Conclusion;

/// The precision of the widest interval on the primary metric, where one was asked for. A program alone has the
/// interval of its own centre.
pub(super) fn reached(
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
    comparisons: &[Comparison],
) -> Option<Precision> {
    let asked = conclusion.plan.until?;
    let primary = comparisons.iter().filter(|comparison| comparison.primary);
    let widest = primary.map(width).reduce(f64::max).unwrap_or_else(|| own_width(set, question, conclusion));
    Some(Precision { asked, reached: widest.is_finite().then_some(widest), met: widest <= asked })
}

fn width(comparison: &Comparison) -> f64 {
    match (comparison.interval, comparison.difference.map(|difference| difference.interval)) {
        ([Some(low), Some(high)], _) => Interval { low, high, level: comparison.level }.relative_half_width(),
        // Without a ratio nothing but a point has a relative precision.
        (_, Some([Some(low), Some(high)])) if low == high => 0.0,
        _ => f64::INFINITY,
    }
}

fn own_width(set: &ResultSet, question: &Question<'_>, conclusion: &Conclusion) -> f64 {
    let shell = conclusion.shell.as_ref();
    let centre = pairing::own_centre(&conclusion.seen(set), question.reference, question.primary, shell);
    let (Some(centre), Some(look)) = (centre, conclusion.looks.first()) else { return f64::INFINITY };
    let decision = centre.decide(&conclusion.plan, *look);
    decision.ratio.map_or(f64::INFINITY, |ratio| ratio.relative_half_width())
}
