//! Rules that find weaknesses of a fitted power model. A rule is a file with its text and `find`, and an entry in [`RULES`].

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

/// A fitted power model with its data: the input of the rules.
pub struct FitData<'a> {
    /// The name of the data in findings.
    pub name: &'a str,
    pub observations: &'a [Observation],
    /// A description of each observation, such as "N = 300, B = 52".
    pub labels: &'a [String],
    /// The model with a constant factor.
    pub with_factor: &'a PowerFit,
    /// The model without a constant factor.
    pub without_factor: &'a PowerFit,
    /// Bytes of the cache that X1 and X2 refer to.
    pub capacity: f64,
    /// For each observation, bytes of the lines that contain the footprint; empty if the nest is not known.
    pub line_bytes: &'a [f64],
    /// Points without a time that the model predicts: X1, X2, X3 and a description.
    pub unmeasured: &'a [([f64; 3], String)],
    /// The user's thresholds.
    pub thresholds: &'a Thresholds,
}

/// A rule and the function that applies it.
pub struct FitRule {
    /// What `lotse explain` prints.
    pub rule: &'static Rule,
    find: fn(&FitData<'_>) -> Vec<Finding>,
}

/// All rules about fitted models.
pub const RULES: &[FitRule] = &[
    FitRule { rule: &rank::RULE, find: rank::find },
    FitRule { rule: &same_fit::RULE, find: same_fit::find },
    FitRule { rule: &incomparable::RULE, find: incomparable::find },
    FitRule { rule: &outlier::RULE, find: outlier::find },
    FitRule { rule: &pattern::RULE, find: pattern::find },
    FitRule { rule: &elements::RULE, find: elements::find },
    FitRule { rule: &extrapolation::RULE, find: extrapolation::find },
];

/// The findings of all rules, the most severe first.
pub fn findings(data: &FitData<'_>) -> Vec<Finding> {
    let mut all: Vec<Finding> = RULES.iter().flat_map(|entry| (entry.find)(data)).collect();
    lotse_model::finding::sort(&mut all);
    all
}

/// Rules that are also applied to other models than the power model.
pub(super) const RANK: &Rule = &rank::RULE;
pub(super) const OUTLIER: &Rule = &outlier::RULE;
pub(super) const PATTERN: &Rule = &pattern::RULE;
pub(super) const EXTRAPOLATION: &Rule = &extrapolation::RULE;

const PRIOR: Prior = Prior { helped: 4.0, failed: 1.0 };

/// A finding about the data as a whole.
fn finding(
    data: &FitData<'_>,
    rule: &'static Rule,
    certainty: f64,
    text: String,
    numbers: Vec<(&'static str, f64)>,
) -> Finding {
    finding_about(data.name, rule, certainty, text, numbers)
}

/// A finding about the data of this name.
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
        no_severity: Some("it is about the data and the model, not about a part of the run time".to_owned()),
        certainty: Share::clamped(certainty),
        reason: Reason::new(text, numbers),
        recommendation: rule.advice.to_owned(),
        evidence: Vec::new(),
        verification: None,
    }
}
