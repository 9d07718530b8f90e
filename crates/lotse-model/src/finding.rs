//! The one form of everything Lotse advises: where, what, why, how much, how sure, what to do, how to check.

use std::cmp::Ordering;
use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::rule::Rule;
use crate::site::Site;
use crate::unit::Share;

/// A problem or remark that a rule found, with a recommendation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Finding {
    /// The rule that fired.
    pub rule: RuleRef,
    /// How serious it is.
    pub level: Level,
    /// The positions it refers to, the main one first.
    pub sites: Vec<Site>,
    /// How much is affected; absent where that has no meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// Why there is no severity; absent where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_severity: Option<String>,
    /// The probability that the finding is right, 0 to 1.
    pub certainty: Share,
    /// The numbers that made the rule fire.
    pub reason: Reason,
    /// What to change.
    pub recommendation: String,
    /// References into the data, which a viewer can highlight.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// A command line that checks the finding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verification: Option<String>,
}

/// A rule named in a finding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RuleRef {
    /// Its kebab-case name.
    pub id: String,
    /// The version of the rule.
    pub version: u32,
}

impl From<&Rule> for RuleRef {
    fn from(rule: &Rule) -> Self {
        Self { id: rule.id.to_owned(), version: rule.version }
    }
}

/// How serious a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Good to know.
    Note,
    /// The result may mislead, or time is lost.
    Warning,
    /// The result cannot be trusted, or much time is lost.
    Error,
}

/// A share and its reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Severity {
    /// 0 to 1.
    pub share: Share,
    /// What it is a share of, for example "of the run time".
    pub of: String,
}

/// The reason, as a sentence and as numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Reason {
    /// A sentence for people.
    pub text: String,
    /// The numbers of the sentence, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub data: BTreeMap<String, f64>,
}

impl Severity {
    /// A share of something, clamped to 0..=1.
    pub fn new(share: f64, of: &str) -> Self {
        Self { share: Share::clamped(share), of: of.to_owned() }
    }
}

impl Reason {
    /// A sentence and its numbers. NaN and infinities are left out, since JSON cannot hold them.
    pub fn new(text: String, data: Vec<(&'static str, f64)>) -> Self {
        let finite = data.into_iter().filter(|(_, value)| value.is_finite());
        Self { text, data: finite.map(|(key, value)| (key.to_owned(), value)).collect() }
    }
}

/// A word quoted for a POSIX shell, for commands that a user can paste.
pub fn shell_word(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+=:,@%".contains(letter);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A reference into the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Evidence {
    /// Runs of one program, by their number in run order.
    Runs {
        /// The program's name.
        program: String,
        /// Run numbers, from 0.
        runs: Vec<u32>,
    },
    /// Blocks from the first to the last, both included.
    Blocks {
        /// First block.
        first: u32,
        /// Last block.
        last: u32,
    },
}

impl Finding {
    /// How much of the run time or cost it concerns, 0 to 1; `None` without a severity.
    pub fn weight(&self) -> Option<f64> {
        self.severity.as_ref().map(|severity| severity.share.get())
    }

    /// Its rank among findings, compared number by number: the finding with the larger number comes first.
    ///
    /// Findings with a weight come first, the weightiest at the top, of equal ones the most certain, then the most serious.
    /// Findings without a weight follow, the most serious first, then the most certain. This is the order of all lists:
    /// in answers, on the terminal, in reports and on the page.
    pub fn rank(&self) -> [f64; 4] {
        let level = f64::from(self.level as u8);
        let certainty = self.certainty.get();
        match self.weight() {
            Some(weight) => [1.0, weight, certainty, level],
            None => [0.0, level, certainty, 0.0],
        }
    }
}

/// Compares two findings by rank; `Less` is first.
pub fn compare_rank(a: &Finding, b: &Finding) -> Ordering {
    let pairs = b.rank().into_iter().zip(a.rank());
    pairs.map(|(b, a)| b.total_cmp(&a)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Sorts by rank; findings of equal rank by rule and site, so that the order is deterministic.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        compare_rank(a, b)
            .then_with(|| a.rule.id.cmp(&b.rule.id))
            .then_with(|| format!("{:?}", a.sites).cmp(&format!("{:?}", b.sites)))
    });
}

#[cfg(test)]
mod tests {
    use super::{Evidence, Finding, Level, Reason, RuleRef, Severity, sort};
    use crate::site::{Site, SourceSite};
    use crate::unit::Share;

    fn finding(id: &str, share: Option<f64>, certainty: f64) -> Finding {
        Finding {
            rule: RuleRef { id: id.into(), version: 1 },
            level: Level::Warning,
            sites: vec![Site::Machine],
            severity: share
                .map(|share| Severity { share: Share::clamped(share), of: "of the run time".into() }),
            no_severity: share.is_none().then(|| "it is about the measurement".into()),
            certainty: Share::clamped(certainty),
            reason: Reason { text: "because".into(), data: [("n".to_owned(), 3.0)].into() },
            recommendation: "do less".into(),
            evidence: vec![],
            verification: None,
        }
    }

    #[test]
    fn the_weightiest_comes_first_and_findings_without_weight_last() {
        let serious = Finding { level: Level::Error, ..finding("serious", None, 0.2) };
        let mut findings = [
            finding("small", Some(0.1), 1.0),
            finding("any", None, 1.0),
            serious,
            finding("big", Some(0.9), 0.2),
            finding("big-and-sure", Some(0.9), 0.3),
        ];
        sort(&mut findings);
        let order: Vec<&str> = findings.iter().map(|finding| finding.rule.id.as_str()).collect();
        assert_eq!(order, ["big-and-sure", "big", "small", "serious", "any"]);
    }

    /// Every order of the input gives the same order of the output.
    #[test]
    fn the_order_does_not_depend_on_the_order_of_the_input() {
        let placed = |id: &str, level: Level, program: &str| Finding {
            level,
            sites: vec![Site::Program { program: program.into() }],
            ..finding(id, Some(0.5), 0.5)
        };
        let sorted = [
            finding("z", Some(0.5 + f64::EPSILON), 0.1),
            placed("z", Level::Error, "x"),
            placed("b", Level::Warning, "x"),
            placed("c", Level::Warning, "x"),
            placed("c", Level::Warning, "y"),
            placed("a", Level::Note, "x"),
            finding("a", Some(0.0), 1.0),
            finding("a", None, 1.0),
        ];
        for shift in 0..sorted.len() {
            for (first, second) in (0..sorted.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let mut findings = sorted.clone();
                findings.rotate_left(shift);
                findings.swap(first, second);
                sort(&mut findings);
                assert_eq!(findings, sorted, "{shift} {first} {second}");
            }
        }
    }

    #[test]
    fn json_round_trip_keeps_everything() {
        let sites = vec![
            Site::Source(SourceSite { file: "a.c".into(), line: Some(1), column: None, function: None }),
            Site::Region { process: None, path: vec!["main".into()] },
            Site::Program { program: "a".into() },
            Site::Pair { reference: "a".into(), program: "b".into() },
            Site::Machine,
        ];
        let evidence = vec![
            Evidence::Runs { program: "a".into(), runs: vec![0, 7] },
            Evidence::Blocks { first: 1, last: 3 },
        ];
        let verification = Some("lotse bench a".into());
        let full = Finding { sites, evidence, verification, ..finding("big", Some(0.9), 0.5) };
        for before in [full, finding("small", None, 1.0)] {
            let json = serde_json::to_string(&before).unwrap();
            assert_eq!(serde_json::from_str::<Finding>(&json).unwrap(), before, "{json}");
        }
    }

    #[test]
    fn words_for_a_shell() {
        assert_eq!(super::shell_word("a/b.out"), "a/b.out");
        assert_eq!(super::shell_word("it's"), r"'it'\''s'");
        assert_eq!(super::shell_word(""), "''");
    }

    #[test]
    fn numbers_that_are_not_finite_are_left_out() {
        let reason = Reason::new("so".into(), vec![("a", 1.0), ("b", f64::NAN), ("c", f64::INFINITY)]);
        assert_eq!(reason.data, [("a".to_owned(), 1.0)].into());
        assert_eq!(Severity::new(1.5, "of all").share.get(), 1.0);
    }

    #[test]
    fn what_is_absent_is_not_written() {
        let bare = Finding { sites: vec![Site::Machine], no_severity: None, ..finding("bare", None, 1.0) };
        let json = serde_json::to_value(&bare).unwrap();
        assert_eq!(json["sites"], serde_json::json!([{ "kind": "machine" }]));
        for key in ["severity", "no_severity", "evidence", "verification"] {
            assert_eq!(json.get(key), None, "{key}");
        }
    }
}
