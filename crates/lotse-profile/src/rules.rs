//! Rules that find problems in a profile or a comparison of profiles.
//!
//! A rule is a file with its text ([`Rule`]), its `find` function and its tests, and a line in [`RULES`].

use lotse_model::finding::{self, Finding, Level, Reason, Severity, shell_word};
use lotse_model::id::{FunctionId, PartId};
use lotse_model::profile::Part;
use lotse_model::rule::{Prior, Thresholds};
use lotse_model::site::{Site, SourceSite};
use lotse_model::unit::Share;
use lotse_model::{Invocation, Profile, Rule};

use crate::analysis::{PartSum, Summary, share};
use crate::answer::FunctionName;
use crate::diff::DiffAnswer;
use crate::digest;
use crate::names::display;

mod allocation_site;
mod cache_misses;
mod cost_moved;
mod deep_recursion;
mod tiny_calls;
mod totals_mismatch;

/// A rule with the code that applies it.
#[derive(Debug, Clone, Copy)]
pub struct ProfileRule {
    pub rule: &'static Rule,
    find: RuleCheck,
}

/// The function of a rule, by its input.
#[derive(Debug, Clone, Copy)]
enum RuleCheck {
    Profile(fn(&Context<'_>) -> Vec<Finding>),
    /// Two or more profiles.
    Comparison(fn(&ComparisonContext<'_>) -> Vec<Finding>),
}

/// All rules about profiles.
pub const RULES: &[ProfileRule] = &[
    ProfileRule { rule: &cache_misses::RULE, find: RuleCheck::Profile(cache_misses::find) },
    ProfileRule { rule: &allocation_site::RULE, find: RuleCheck::Profile(allocation_site::find) },
    ProfileRule { rule: &deep_recursion::RULE, find: RuleCheck::Profile(deep_recursion::find) },
    ProfileRule { rule: &tiny_calls::RULE, find: RuleCheck::Profile(tiny_calls::find) },
    ProfileRule { rule: &totals_mismatch::RULE, find: RuleCheck::Profile(totals_mismatch::find) },
    ProfileRule { rule: &cost_moved::RULE, find: RuleCheck::Comparison(cost_moved::find) },
];

/// A profile to which rules are applied.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Calls may be missing, because an index leaves them out; stacks and data structures may not.
    pub profile: &'a Profile,
    pub summary: &'a Summary,
    /// The name of its file, for the commands of verifications.
    pub file: &'a str,
    /// The command line of this run, for the commands of verifications.
    pub call: &'a Invocation,
    /// Changed thresholds.
    pub thresholds: &'a Thresholds,
}

/// A comparison to which rules are applied.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonContext<'a> {
    /// Has all functions: none filtered, hidden or cut.
    pub answer: &'a DiffAnswer,
    /// The command line of this run, for the commands of verifications.
    pub call: &'a Invocation,
    /// Changed thresholds.
    pub thresholds: &'a Thresholds,
}

/// The findings in a profile, the most severe first.
pub fn findings(context: &Context<'_>) -> Vec<Finding> {
    let found = RULES.iter().flat_map(|entry| match entry.find {
        RuleCheck::Profile(find) => find(context),
        RuleCheck::Comparison(_) => Vec::new(),
    });
    sorted(found.collect())
}

/// The findings in a comparison, the most severe first.
pub fn compared_findings(context: &ComparisonContext<'_>) -> Vec<Finding> {
    let found = RULES.iter().flat_map(|entry| match entry.find {
        RuleCheck::Profile(_) => Vec::new(),
        RuleCheck::Comparison(find) => find(context),
    });
    sorted(found.collect())
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    finding::sort(&mut findings);
    findings
}

/// The prior of all rules about profiles: without experience, their advice is expected to help every other time.
const PRIOR: Prior = Prior { helped: 1.0, failed: 1.0 };

impl Context<'_> {
    fn threshold(&self, rule: &Rule, name: &str) -> f64 {
        self.thresholds.get(rule, name)
    }

    /// The index of an event type, by its name without modifiers such as `:u`.
    fn event(&self, name: &str) -> Option<usize> {
        self.profile.events.iter().position(|event| event.name.split(':').next() == Some(name))
    }

    /// The first of these event types that the profile has.
    fn any_event(&self, names: &[&str]) -> Option<usize> {
        names.iter().find_map(|name| self.event(name))
    }

    fn own(&self, function: FunctionId, event: usize) -> i128 {
        self.summary.own.value(function.index(), event)
    }

    fn inclusive(&self, function: FunctionId, event: usize) -> i128 {
        self.summary.inclusive.value(function.index(), event)
    }

    fn total(&self, event: usize) -> i128 {
        self.summary.totals.get(event).copied().unwrap_or(0)
    }

    fn own_share(&self, function: FunctionId, event: usize) -> f64 {
        share(self.own(function, event), self.total(event))
    }

    fn inclusive_share(&self, function: FunctionId, event: usize) -> f64 {
        share(self.inclusive(function, event), self.total(event))
    }

    /// Functions that have a name and more than a negligible share of any cost.
    fn active(&self) -> impl Iterator<Item = FunctionId> + '_ {
        let limits = digest::limits(self.summary);
        let named = |id: &FunctionId| self.profile.function_name(*id) != "???";
        let matters = move |id: &FunctionId| digest::matters(self.summary, &limits, id.index());
        self.profile
            .functions
            .ids()
            .filter(move |id| !self.summary.totals.is_empty() && matters(id))
            .filter(named)
    }

    /// The chosen parts, each with its sums.
    fn parts(&self) -> impl Iterator<Item = (PartId, &Part, &PartSum)> {
        let all = self.profile.parts.iter().zip(&self.summary.parts).enumerate();
        all.filter(|(_, (_, sum))| sum.chosen).map(|(at, (part, sum))| (PartId::from(at), part, sum))
    }

    fn name(&self, function: FunctionId) -> String {
        display(self.profile, function).into_owned()
    }

    fn site(&self, function: FunctionId) -> Site {
        let line = self.profile.functions.line.get(function.index()).copied().filter(|&line| line > 0);
        source_site(self.profile.function_file(function), line, self.name(function))
    }

    /// The command that compares with a profile after the change.
    fn compare_command(&self) -> String {
        format!("lotse profile diff {} AFTER{}", shell_word(self.file), self.call.options_for("diff", &[]))
    }
}

/// A place in the source, or only the function if the file is unknown.
fn source_site(file: Option<&str>, line: Option<u32>, function: String) -> Site {
    match file.filter(|file| *file != "???") {
        Some(file) => {
            Site::Source(SourceSite { file: file.to_owned(), line, column: None, function: Some(function) })
        }
        None => Site::Region { process: None, path: vec![function] },
    }
}

fn named_site(name: &FunctionName) -> Site {
    source_site(name.file.as_deref(), None, name.display.clone())
}

/// A finding under construction.
struct Draft {
    rule: &'static Rule,
    level: Level,
    sites: Vec<Site>,
    /// A share, and what it is a share of.
    severity: (f64, &'static str),
    certainty: f64,
    text: String,
    data: Vec<(&'static str, f64)>,
    recommendation: &'static str,
    verification: String,
}

impl Draft {
    fn finish(self) -> Finding {
        Finding {
            rule: self.rule.into(),
            level: self.level,
            sites: self.sites,
            severity: Some(Severity::new(self.severity.0, self.severity.1)),
            no_severity: None,
            certainty: Share::clamped(self.certainty),
            reason: Reason::new(self.text, self.data),
            recommendation: self.recommendation.to_owned(),
            evidence: Vec::new(),
            verification: Some(self.verification),
        }
    }
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
            assert!(rule.id.starts_with("profile-"), "{}", rule.id);
            assert!(rule.title.len() > 10, "{}", rule.id);
            for text in [rule.meaning, rule.computation, rule.example, rule.advice] {
                assert!(text.len() > 20, "{}: {text:?} says too little", rule.id);
            }
        }
    }
}
