//! Finds the metrics of waiting that a name on the command line means.

use lotse_trace::patterns;

use super::super::near::near;
use crate::exit::Failure;

/// The metrics that a name means: that of a metric, of a rule with several metrics, or one of `classes`.
pub(super) fn metrics(name: &str, classes: &[&'static str]) -> Result<Vec<&'static str>, Failure> {
    let class = classes.iter().find(|class| **class == name);
    let mut meant: Vec<&'static str> = patterns::named(name).iter().map(|metric| metric.id).collect();
    meant.extend(class);
    if !meant.is_empty() {
        return Ok(meant);
    }
    let rules = patterns::PATTERNS.iter().map(|pattern| pattern.rule.id);
    let rules = rules.filter(|id| patterns::metrics().all(|metric| metric.id != *id));
    let known: Vec<&str> =
        patterns::metrics().map(|metric| metric.id).chain(rules).chain(classes.iter().copied()).collect();
    let near = near(known.iter().copied(), name);
    let hint = match near[..] {
        [] => format!("there are {}", known.join(", ")),
        _ => format!("near are {} (`lotse explain` lists all)", near.join(", ")),
    };
    Err(Failure::usage(format!("there is no metric '{name}'; {hint}")))
}
