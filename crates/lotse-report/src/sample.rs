//! Findings and a rule for the tests of this crate.

use lotse_model::finding::{Level, Reason, RuleRef, Severity};
use lotse_model::rule::{Prior, Threshold};
use lotse_model::site::SourceSite;
use lotse_model::{Finding, Rule, Share, Site};

pub(crate) const RULE: Rule = Rule {
    id: "bench-drift",
    version: 2,
    title: "Run times drift",
    meaning: "The machine got slower or faster while it measured; a mean then depends on when you looked.",
    computation: "Theil-Sen slope over run numbers.\n\nMann-Kendall test of the slope.",
    example: "lotse bench --runs 100 ./sort",
    picture: "",
    advice: "Let the machine cool down, or measure longer.",
    thresholds: &[Threshold { name: "rise", default: 0.01, meaning: "share of the median, over all runs" }],
    prior: Prior { helped: 3.0, failed: 1.0 },
    references: &["Sen 1968, doi:10.1080/01621459.1968.10480934"],
};

pub(crate) fn drift() -> Finding {
    Finding {
        rule: RuleRef::from(&RULE),
        level: Level::Warning,
        sites: vec![Site::Program { program: "sort-new".into() }],
        severity: None,
        no_severity: Some("it is about the measurement".into()),
        certainty: Share::ONE,
        reason: Reason {
            text: "run times rise by 3.1 % over the measurement (Theil-Sen, p = 0.0004)".into(),
            data: [("p".to_owned(), 0.0004), ("rise".to_owned(), 0.031)].into(),
        },
        recommendation: "let the machine cool down".into(),
        evidence: vec![],
        verification: Some("lotse bench --runs 100 'sort-new'".into()),
    }
}

pub(crate) fn in_source() -> Finding {
    let site = SourceSite {
        file: "src/sort.c".into(),
        line: Some(2),
        column: Some(2),
        function: Some("merge".into()),
    };
    let region = Site::Region { process: Some("rank 3".into()), path: vec!["main".into(), "merge".into()] };
    Finding {
        rule: RuleRef { id: "hot-loop".into(), version: 1 },
        level: Level::Error,
        sites: vec![Site::Source(site), region],
        severity: Some(Severity { share: Share::clamped(0.42), of: "of the run time".into() }),
        no_severity: None,
        certainty: Share::clamped(0.9),
        ..drift()
    }
}
