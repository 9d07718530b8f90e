//! A rule as data: what it means, how it is computed, when it fires.
//!
//! `lotse explain` prints the text of a rule; `lotse.toml` can change its thresholds. The code that evaluates a rule is in
//! the rule's file in its engine.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// What a finding of this kind means and how it comes about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Rule {
    /// Stable kebab-case name.
    pub id: &'static str,
    /// Raised when the meaning or the computation changes.
    pub version: u32,
    /// One line.
    pub title: &'static str,
    /// What it means to the reader.
    pub meaning: &'static str,
    /// How it is computed.
    pub computation: &'static str,
    /// An example that shows it.
    pub example: &'static str,
    /// A drawing in plain text that shows it; empty where words suffice.
    pub picture: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// When it fires.
    pub thresholds: &'static [Threshold],
    /// The assumed success rate of its advice before any experience.
    pub prior: Prior,
    /// Where the idea comes from.
    pub references: &'static [&'static str],
}

/// A number that decides whether a rule fires; changed in `lotse.toml` under `[rules.<id>]`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Threshold {
    /// Its key.
    pub name: &'static str,
    /// The value unless it is changed.
    pub default: f64,
    /// What it limits, with the unit.
    pub meaning: &'static str,
}

/// A Beta prior for the success rate of a rule, as its author estimates it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Prior {
    /// The assumed number of times it helped.
    pub helped: f64,
    /// The assumed number of times it did not help.
    pub failed: f64,
}

impl Prior {
    /// The mean of the prior.
    pub fn mean(self) -> f64 {
        self.helped / (self.helped + self.failed)
    }
}

/// Thresholds that the user changed, by rule and name. All others have their defaults.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Thresholds(std::collections::BTreeMap<(String, String), f64>);

impl Thresholds {
    /// No threshold is changed.
    pub const DEFAULT: &'static Self = &Self(std::collections::BTreeMap::new());

    /// Changes a threshold.
    pub fn set(&mut self, rule: &str, name: &str, value: f64) {
        self.0.insert((rule.to_owned(), name.to_owned()), value);
    }

    /// The value in force. Panics if the rule declares no threshold of this name, which is a bug in the rule.
    pub fn get(&self, rule: &Rule, name: &str) -> f64 {
        let declared = rule.thresholds.iter().find(|threshold| threshold.name == name);
        let default = declared.unwrap_or_else(|| panic!("rule {} has no threshold {name}", rule.id)).default;
        self.0.get(&(rule.id.to_owned(), name.to_owned())).copied().unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::{Prior, Rule, Threshold, Thresholds};

    const RULE: Rule = Rule {
        id: "sample",
        version: 1,
        title: "",
        meaning: "",
        computation: "",
        example: "",
        picture: "",
        advice: "",
        thresholds: &[Threshold { name: "share", default: 0.25, meaning: "" }],
        prior: Prior { helped: 3.0, failed: 1.0 },
        references: &[],
    };

    #[test]
    fn a_changed_threshold_wins_over_the_default() {
        let mut thresholds = Thresholds::default();
        assert_eq!(thresholds.get(&RULE, "share"), 0.25);
        thresholds.set("sample", "share", 0.5);
        assert_eq!(thresholds.get(&RULE, "share"), 0.5);
        assert_eq!(RULE.prior.mean(), 0.75);
    }

    #[test]
    fn a_threshold_belongs_to_its_rule_and_its_last_value_holds() {
        let mut thresholds = Thresholds::default();
        thresholds.set("other", "share", 9.0);
        thresholds.set("sample", "sharing", 9.0);
        assert_eq!(thresholds.get(&RULE, "share"), 0.25);
        thresholds.set("sample", "share", 1.0);
        thresholds.set("sample", "share", 0.0);
        assert_eq!(thresholds.get(&RULE, "share"), 0.0);
        assert_eq!(thresholds.get(&Rule { id: "other", ..RULE }, "share"), 9.0);
    }

    #[test]
    #[should_panic(expected = "no threshold missing")]
    fn a_misspelt_threshold_is_a_mistake_of_ours() {
        Thresholds::default().get(&RULE, "missing");
    }
}
