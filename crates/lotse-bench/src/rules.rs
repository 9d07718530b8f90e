//! What can be wrong or remarkable about a measurement, as rules.
//!
//! A rule is a file with its text ([`Rule`]), its `find` function and its tests, and a line in [`RULES`].

use lotse_model::finding::{self, Evidence, Finding, Level, Reason};
use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_model::rule::{Prior, Thresholds};
use lotse_model::site::Site;
use lotse_model::unit::Share;
use lotse_model::{Invocation, Rule};

use crate::analysis::Question;
use crate::answer::Answer;
use crate::session::ContentionLimits;
use crate::trial::Conclusion;

mod bimodal;
mod clock_resolution;
mod constant_metric;
mod contended;
mod drift;
mod failed_runs;
mod first_run_slow;
mod ignored_failures;
mod layout;
pub(crate) mod left_behind;
mod not_interleaved;
mod one_layout;
mod order_effect;
mod outliers;
mod self_check_alarm;
mod short_run;
mod small_difference;
mod spread;
mod too_few_runs;
mod undecided;
mod until_missed;

/// A rule with the code that applies it.
#[derive(Debug, Clone, Copy)]
pub struct BenchRule {
    pub rule: &'static Rule,
    find: fn(&Context<'_>) -> Vec<Finding>,
}

/// All rules of bench.
pub const RULES: &[BenchRule] = &[
    BenchRule { rule: &failed_runs::RULE, find: failed_runs::find },
    BenchRule { rule: &ignored_failures::RULE, find: ignored_failures::find },
    BenchRule { rule: &self_check_alarm::RULE, find: self_check_alarm::find },
    BenchRule { rule: &not_interleaved::RULE, find: not_interleaved::find },
    BenchRule { rule: &left_behind::RULE, find: left_behind::find },
    BenchRule { rule: &contended::RULE, find: contended::find },
    BenchRule { rule: &too_few_runs::RULE, find: too_few_runs::find },
    BenchRule { rule: &layout::RULE, find: layout::find },
    BenchRule { rule: &one_layout::RULE, find: one_layout::find },
    BenchRule { rule: &undecided::RULE, find: undecided::find },
    BenchRule { rule: &until_missed::RULE, find: until_missed::find },
    BenchRule { rule: &drift::RULE, find: drift::find },
    BenchRule { rule: &bimodal::RULE, find: bimodal::find },
    BenchRule { rule: &first_run_slow::RULE, find: first_run_slow::find },
    BenchRule { rule: &order_effect::RULE, find: order_effect::find },
    BenchRule { rule: &outliers::RULE, find: outliers::find },
    BenchRule { rule: &constant_metric::RULE, find: constant_metric::find },
    BenchRule { rule: &clock_resolution::RULE, find: clock_resolution::find },
    BenchRule { rule: &short_run::RULE, find: short_run::find },
    BenchRule { rule: &spread::RULE, find: spread::find },
    BenchRule { rule: &small_difference::RULE, find: small_difference::find },
];

/// The data that rules read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) set: &'a ResultSet,
    pub(crate) answer: &'a Answer,
    pub(crate) question: &'a Question<'a>,
    pub(crate) conclusion: &'a Conclusion,
}

/// All findings by rank.
pub(crate) fn findings(context: &Context<'_>) -> Vec<Finding> {
    let mut findings: Vec<Finding> = RULES.iter().flat_map(|entry| (entry.find)(context)).collect();
    finding::sort(&mut findings);
    findings
}

/// Adds the finding of a self-check that was made after the measurement.
pub(crate) fn add_self_check(
    answer: &mut Answer,
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
) {
    let added = self_check_alarm::find(&Context { set, answer, question, conclusion });
    answer.findings.extend(added);
    finding::sort(&mut answer.findings);
}

/// The shares above which a run counts as contended.
pub(crate) fn contention_limits(thresholds: &Thresholds) -> ContentionLimits {
    contended::limits(thresholds)
}

/// No feedback about these rules has been collected; their author expects the advice to help three times in four.
const PRIOR: Prior = Prior { helped: 3.0, failed: 1.0 };

/// Added to commands as a shell comment.
const UNKNOWN_OPTIONS: &str = "  # and the options of the first measurement";

impl Context<'_> {
    fn threshold(&self, rule: &Rule, name: &str) -> f64 {
        self.question.thresholds.get(rule, name)
    }

    /// Every program with its samples of the primary metric.
    fn samples(&self) -> Vec<(ProgramId, &str, Vec<f64>)> {
        let name = |id: ProgramId| self.set.programs[id.index()].name.as_str();
        self.set.program_ids().map(|id| (id, name(id), self.set.samples(id, self.question.primary))).collect()
    }

    /// A command that measures the same again with options added, and without some others.
    fn verify(&self, added: &[&str], without: &[&str]) -> String {
        self.command(&self.invocation().with(added, without))
    }

    /// A command that measures the same again with an additional command before every run.
    fn verify_prepared(&self, command: &str) -> String {
        self.command(&self.invocation().with_hook("--prepare", command))
    }

    /// A `lotse bench` command line. Results read from a file do not have the original options, and a comment says so.
    fn command(&self, words: &str) -> String {
        let unknown = if self.question.invocation.is_none() { UNKNOWN_OPTIONS } else { "" };
        format!("lotse bench {words}{unknown}")
    }

    /// The original call, or for results read from a file a call with their commands alone.
    fn invocation(&self) -> Invocation {
        let commands = || self.set.programs.iter().map(|program| program.command.clone()).collect();
        let known = self.question.invocation.cloned();
        known.unwrap_or_else(|| Invocation { operands: commands(), ..Invocation::default() })
    }
}

/// The parts of a finding that all rules of bench have.
struct Draft {
    rule: &'static Rule,
    level: Level,
    site: Site,
    certainty: f64,
    text: String,
    data: Vec<(&'static str, f64)>,
    recommendation: String,
}

impl Draft {
    fn finish(self) -> Finding {
        Finding {
            rule: self.rule.into(),
            level: self.level,
            sites: vec![self.site],
            severity: None,
            no_severity: Some("it is about the measurement, not about a part of the run time".to_owned()),
            certainty: Share::clamped(self.certainty),
            reason: Reason::new(self.text, self.data),
            recommendation: self.recommendation,
            evidence: Vec::new(),
            verification: None,
        }
    }
}

trait FindingExt {
    fn evidence(self, evidence: Evidence) -> Self;
    fn verification(self, command: String) -> Self;
}

impl FindingExt for Finding {
    fn evidence(mut self, evidence: Evidence) -> Self {
        self.evidence.push(evidence);
        self
    }

    fn verification(mut self, command: String) -> Self {
        self.verification = Some(command);
        self
    }
}

fn program_site(name: &str) -> Site {
    Site::Program { program: name.to_owned() }
}

#[cfg(test)]
pub(crate) mod fixture;

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn rules_have_distinct_names_and_full_texts() {
        let mut ids: Vec<&str> = RULES.iter().map(|entry| entry.rule.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), RULES.len());
        for rule in RULES.iter().map(|entry| entry.rule) {
            assert!(rule.id.starts_with("bench-"), "{}", rule.id);
            assert!(rule.title.len() > 10, "{}", rule.id);
            for text in [rule.meaning, rule.computation, rule.example, rule.advice] {
                assert!(text.len() > 20, "{}: {text:?} says too little", rule.id);
            }
        }
    }
}
