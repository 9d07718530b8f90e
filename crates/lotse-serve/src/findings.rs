//! Findings as the page shows them.

use lotse_model::Finding;
use lotse_model::site::Site;
use lotse_report::number::{format_percent, format_share};

use crate::api::{FindingRow, TimelineBar};

/// What a click on a finding opens.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Target {
    pub function: Option<u32>,
    pub line: Option<u32>,
    /// A part of the time-line, in seconds.
    pub window: Option<(f64, f64)>,
    /// What is outlined on the time-line.
    pub bar: Option<TimelineBar>,
    /// A figure of the report, counted from 0.
    pub figure: Option<usize>,
    /// Numbers of runs, from 1.
    pub runs: Vec<u32>,
}

/// Findings in their order; `target` says where their evidence is.
pub fn finding_rows(findings: &[Finding], target: impl Fn(&Finding) -> Target) -> Vec<FindingRow> {
    findings.iter().map(|finding| finding_row(finding, &target)).collect()
}

/// A finding with its numbers as text. The explanation is filled in by the session, which knows all rules.
fn finding_row(finding: &Finding, target: impl Fn(&Finding) -> Target) -> FindingRow {
    let target = target(finding);
    let severity = finding.severity.as_ref();
    FindingRow {
        rule: finding.rule.id.clone(),
        level: finding.level,
        severity: severity
            .map_or_else(String::new, |it| format!("{} {}", format_share(it.share.get(), 1), it.of)),
        share: severity.map(|it| it.share.get()),
        no_severity: finding.no_severity.clone(),
        rank: finding.rank(),
        certainty: format!("{} sure", format_percent(finding.certainty.get(), 0)),
        places: finding.sites.iter().map(Site::to_string).collect(),
        reason: finding.reason.text.clone(),
        recommendation: finding.recommendation.clone(),
        verification: finding.verification.clone(),
        explanation: String::new(),
        function: target.function,
        line: target.line,
        window: target.window,
        bar: target.bar,
        figure: target.figure,
        runs: target.runs,
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::Finding;
    use lotse_model::finding::{Level, Reason, RuleRef, Severity};
    use lotse_model::site::Site;
    use lotse_model::unit::Share;

    use super::{Target, finding_rows};

    fn finding(severity: Option<Severity>) -> Finding {
        Finding {
            rule: RuleRef { id: "profile-tiny-calls".into(), version: 1 },
            level: Level::Warning,
            sites: vec![Site::Program { program: "a".into() }, Site::Machine],
            no_severity: severity.is_none().then(|| "it is about the measurement".into()),
            severity,
            certainty: Share::clamped(0.8),
            reason: Reason { text: "because".into(), data: [].into() },
            recommendation: "do less".into(),
            evidence: Vec::new(),
            verification: Some("lotse bench a b".into()),
        }
    }

    #[test]
    fn numbers_become_text() {
        let target = Target { function: Some(3), line: Some(7), ..Target::default() };
        let rows =
            finding_rows(&[finding(Some(Severity::new(0.345, "of the run time"))), finding(None)], |_| {
                target.clone()
            });
        assert_eq!(rows[0].severity, "34.5 % of the run time");
        assert_eq!(rows[0].certainty, "80 % sure");
        assert_eq!(rows[0].places, ["a", "this machine"]);
        assert_eq!((rows[0].function, rows[0].line), (Some(3), Some(7)));
        assert_eq!((rows[1].severity.as_str(), rows[1].share), ("", None));
        assert_eq!(rows[1].no_severity.as_deref(), Some("it is about the measurement"));
        assert!(rows[0].rank > rows[1].rank, "compared number by number");
    }
}
