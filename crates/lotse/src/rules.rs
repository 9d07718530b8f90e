//! The rules of all engines, for `lotse explain` and for the settings.

use lotse_model::Rule;
use lotse_model::rule::Threshold;

/// Every rule, by engine.
pub(crate) fn all() -> impl Iterator<Item = &'static Rule> {
    let bench = lotse_bench::rules::RULES.iter().map(|entry| entry.rule);
    let profile = lotse_profile::rules::RULES.iter().map(|entry| entry.rule);
    bench
        .chain(profile)
        .chain(lotse_trace::rules::all())
        .chain(lotse_spy::rules::all())
        .chain(lotse_predict::rules::all())
}

/// The rule with this name; for a metric of a trace the rule of its wait pattern.
pub(crate) fn named(name: &str) -> Option<&'static Rule> {
    let has_metric =
        |pattern: &&lotse_trace::patterns::Pattern| pattern.metrics.iter().any(|it| it.id == name);
    let pattern = lotse_trace::patterns::PATTERNS.iter().find(has_metric).map(|pattern| pattern.rule);
    all().find(|rule| rule.id == name).or(pattern)
}

/// Every threshold with its rule.
pub(crate) fn thresholds() -> impl Iterator<Item = (&'static Rule, &'static Threshold)> {
    all().flat_map(|rule| rule.thresholds.iter().map(move |threshold| (rule, threshold)))
}

/// The threshold's key in `lotse.toml`.
pub(crate) fn threshold_key(rule: &Rule, threshold: &Threshold) -> String {
    format!("rules.{}.{}", rule.id, threshold.name)
}
