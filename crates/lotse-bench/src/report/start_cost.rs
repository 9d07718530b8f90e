//! The sentence about the cost of the shell or tool that starts the programs, and how it was corrected.

use lotse_model::metric::WALL;
use lotse_model::results::StartCost;
use lotse_report::number::format_value;

use super::unit;
use crate::answer::Answer;

/// The cost subtracted from the primary metric (or else from the wall time), with its bounds.
pub(super) fn sentence(answer: &Answer, primary: &str) -> Option<String> {
    let cost = answer.start_cost.as_ref()?;
    let metric = [primary, WALL].into_iter().find(|name| cost.subtracted.contains_key(*name));
    let subtracted =
        metric.and_then(|metric| Some(subtracted(answer, cost, metric, *cost.subtracted.get(metric)?)));
    let parts: Vec<String> = subtracted.into_iter().chain(peak(answer, cost, primary)).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn subtracted(answer: &Answer, cost: &StartCost, metric: &str, least: f64) -> String {
    let show = |value: f64| format_value(value, unit(answer, metric));
    let metrics = answer.conclusion.as_ref().and_then(|conclusion| conclusion.shell.as_ref());
    let known = match metrics.and_then(|metrics| metrics.get(metric)) {
        Some([Some(low), Some(high)]) => {
            format!(" ({} to {}; the intervals allow for that)", show(least + low), show(least + high))
        }
        _ => String::new(),
    };
    let amount = match metric {
        WALL => format!("takes at least {}", show(least)),
        metric => format!("has at least {} {}", show(least), metric.replace('_', " ")),
    };
    format!("{} itself {amount} per run{known}, which is subtracted", cost.starter)
}

/// The peak of the starter, if the primary metric is a maximum, from which nothing can be subtracted.
fn peak(answer: &Answer, cost: &StartCost, primary: &str) -> Option<String> {
    let peak = format_value(*cost.peaks.get(primary)?, unit(answer, primary));
    let name = primary.replace('_', " ");
    Some(format!("{name} includes {}, whose own is {peak}: a maximum cannot be corrected", cost.starter))
}
