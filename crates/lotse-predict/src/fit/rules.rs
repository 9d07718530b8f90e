//! What a reader must know before believing a fitted power model, as findings. One file and one line in [`RULES`] each.

mod elements;
mod extrapolation;
mod incomparable;
mod outlier;
mod pattern;
mod rank;
mod same_fit;

use lotse_model::Rule;
use lotse_model::finding::{Finding, Level, Reason, RuleRef};
use lotse_model::rule::{Prior, Thresholds};
use lotse_model::site::Site;
use lotse_model::unit::Share;

use super::power::{Observation, PowerFit};

/// What rules look at.
pub struct Data<'a> {
    /// The name of the data, for findings.
    pub name: &'a str,
    /// What was measured.
    pub observations: &'a [Observation],
    /// How people call each observation, such as "N = 300, B = 52".
    pub labels: &'a [String],
    /// The model with a constant factor.
    pub with_factor: &'a PowerFit,
    /// The model without.
    pub without_factor: &'a PowerFit,
    /// Bytes of the cache that X1 and X2 refer to.
    pub capacity: f64,
    /// For each observation, bytes of the lines that hold the footprint; empty where the nest is not known.
    pub line_bytes: &'a [f64],
    /// Points at which the model is asked, beyond the observations: X1, X2, X3 and what people call them.
    pub asked: &'a [([f64; 3], String)],
    /// Changed thresholds.
    pub thresholds: &'a Thresholds,
}

/// A rule and how it is looked for.
pub struct Entry {
    /// What `lotse explain` prints.
    pub rule: &'static Rule,
    find: fn(&Data<'_>) -> Vec<Finding>,
}

/// All rules about fitted models.
pub const RULES: &[Entry] = &[
    Entry { rule: &rank::RULE, find: rank::find },
    Entry { rule: &same_fit::RULE, find: same_fit::find },
    Entry { rule: &incomparable::RULE, find: incomparable::find },
    Entry { rule: &outlier::RULE, find: outlier::find },
    Entry { rule: &pattern::RULE, find: pattern::find },
    Entry { rule: &elements::RULE, find: elements::find },
    Entry { rule: &extrapolation::RULE, find: extrapolation::find },
];

/// All findings, the weightiest first.
pub fn findings(data: &Data<'_>) -> Vec<Finding> {
    let mut all: Vec<Finding> = RULES.iter().flat_map(|entry| (entry.find)(data)).collect();
    lotse_model::finding::sort(&mut all);
    all
}

/// Rules that other models than the power model use, too.
pub(super) const RANK: &Rule = &rank::RULE;
pub(super) const OUTLIER: &Rule = &outlier::RULE;
pub(super) const PATTERN: &Rule = &pattern::RULE;
pub(super) const EXTRAPOLATION: &Rule = &extrapolation::RULE;

const PRIOR: Prior = Prior { helped: 4.0, failed: 1.0 };

/// A finding about the data as a whole.
fn finding(
    data: &Data<'_>,
    rule: &'static Rule,
    certainty: f64,
    text: String,
    numbers: Vec<(&'static str, f64)>,
) -> Finding {
    finding_about(data.name, rule, certainty, text, numbers)
}

/// A finding about data of this name.
pub(super) fn finding_about(
    name: &str,
    rule: &'static Rule,
    certainty: f64,
    text: String,
    numbers: Vec<(&'static str, f64)>,
) -> Finding {
    Finding {
        rule: RuleRef::from(rule),
        level: Level::Warning,
        sites: vec![Site::Program { program: name.to_owned() }],
        severity: None,
        certainty: Share::clamped(certainty),
        reason: Reason::new(text, numbers),
        recommendation: rule.advice.to_owned(),
        evidence: Vec::new(),
        verification: None,
    }
}
