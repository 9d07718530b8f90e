//! Properties of all patterns.

use std::collections::BTreeSet;

use super::{PATTERNS, metrics, named};
use crate::metric::Parent;

#[test]
fn names_are_used_once() {
    let rules: BTreeSet<&str> = PATTERNS.iter().map(|pattern| pattern.rule.id).collect();
    assert_eq!(rules.len(), PATTERNS.len());
    let ids: BTreeSet<&str> = metrics().map(|metric| metric.id).collect();
    assert_eq!(ids.len(), metrics().count());
}

#[test]
fn every_rule_can_be_explained() {
    for rule in PATTERNS.iter().map(|pattern| pattern.rule) {
        let texts = [rule.title, rule.meaning, rule.computation, rule.example, rule.advice];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", rule.id);
        assert!(!rule.references.is_empty(), "{}", rule.id);
    }
}

#[test]
fn waits_have_pictures_and_their_parents_are_metrics_too() {
    let known: BTreeSet<&str> = metrics().map(|metric| metric.id).collect();
    for pattern in PATTERNS {
        let waits = pattern.metrics.iter().any(|metric| metric.is_wait);
        assert!(!waits || !pattern.rule.picture.is_empty(), "{}", pattern.rule.id);
        for metric in pattern.metrics {
            assert!(!matches!(metric.parent, Parent::Metric(of) if !known.contains(of.id)), "{}", metric.id);
        }
    }
}

#[test]
fn a_name_is_a_metric_with_its_parts_or_a_pattern() {
    let ids = |name: &str| named(name).iter().map(|metric| metric.id).collect::<Vec<_>>();
    assert_eq!(ids("omp_wait_at_barrier"), ["omp_wait_at_implicit_barrier", "omp_wait_at_explicit_barrier"]);
    assert_eq!(ids("rma_early_wait"), ["rma_early_wait", "rma_late_complete"]);
    assert_eq!(ids("wait_at_nxn"), ["wait_at_nxn"]);
    assert!(ids("lateness").is_empty());
}
