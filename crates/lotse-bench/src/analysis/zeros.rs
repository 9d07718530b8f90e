//! The warning about a metric that has no ratio because it is mostly 0 (page faults, system time of a short program).

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_model::{Metric, Unit};
use lotse_report::number::format_value;

use crate::answer::Difference;

/// How often the metric is 0, and the difference that takes the place of the ratio. `pair` is the reference and the
/// program.
pub(super) fn sentence(
    set: &ResultSet,
    pair: [ProgramId; 2],
    metric: &str,
    difference: Option<Difference>,
) -> String {
    let count = |id: ProgramId| {
        let values = set.samples(id, metric);
        let zeros = values.iter().filter(|value| **value == 0.0).count();
        (zeros > 0).then(|| format!("{zeros} of {} runs of {}", values.len(), set.programs[id.index()].name))
    };
    let counts: Vec<String> = pair.into_iter().filter_map(count).collect();
    let reason = match counts.as_slice() {
        [] => format!("{metric} is negative in some runs"),
        counts => format!("{metric} is 0 in {}", counts.join(" and in ")),
    };
    let unit = set.metrics.iter().find(|known| known.name == metric).map(|known| known.unit);
    let size = size(difference, unit.unwrap_or_else(|| Metric::named(metric).unit));
    format!("{reason}, so there is no ratio{size}")
}

fn size(difference: Option<Difference>, unit: Unit) -> String {
    match difference {
        Some(Difference { value, interval: [Some(low), Some(high)] }) => format!(
            "; the difference is {} (between {} and {})",
            format_value(value, unit),
            format_value(low, unit),
            format_value(high, unit)
        ),
        _ => String::new(),
    }
}
