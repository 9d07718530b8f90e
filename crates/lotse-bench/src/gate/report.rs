//! The gate's answer in words and as a table.

use lotse_report::document::{Block, Cell, Column, Document, Inline, Role, Table};
use lotse_report::number::{format_change, format_change_interval, format_percent, format_value};

use super::answer::{Check, Decision, GateAnswer};
use crate::history::Kept;

/// A sentence for each program, what was judged, a table, and remarks.
pub fn summary(answer: &GateAnswer) -> Document {
    let mut document = Document::new();
    for check in &answer.checks {
        let role = match check.decision {
            Decision::Pass => Role::Good,
            Decision::Regression | Decision::Failed => Role::Bad,
            Decision::Absent | Decision::New | Decision::Undecided => Role::Strong,
        };
        let word = check.decision.word().to_owned();
        let found = format!(": {}", sentence(answer, check));
        document.push(Block::Paragraph(vec![Inline::Marked(role, word), Inline::Text(found)]));
    }
    if let Some(kept) = &answer.result {
        document.paragraph(format!("Judged: {}.", judged(kept)));
    }
    if !answer.checks.is_empty() {
        document.push(Block::Table(table(answer)));
    }
    answer.remarks.iter().for_each(|remark| {
        document.paragraph(remark.clone());
    });
    document
}

/// What was found about one program.
pub fn sentence(answer: &GateAnswer, check: &Check) -> String {
    let Check { program, metric, .. } = check;
    let limit = format_percent(answer.max_regression, 1);
    let baseline = &check.against;
    let found = match check.ratio {
        Some(ratio) => {
            format!("{program}: {metric} {}{} against {baseline}", change(ratio), interval(check.interval))
        }
        None => format!("{program}: {metric}"),
    };
    let follows = match check.decision {
        Decision::Pass => format!("; up to {limit} is allowed"),
        Decision::Regression => format!("; more than {limit}"),
        Decision::Undecided if check.ratio.is_some() => {
            format!("; whether that is more than {limit} cannot be told")
        }
        _ => String::new(),
    };
    let reason = check.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    found + &follows + &reason
}

/// Which result was judged, in words.
pub(super) fn judged(kept: &Kept) -> String {
    let name = match kept.id {
        0 => "a result file".to_owned(),
        id => format!("result {id}"),
    };
    let commit = kept.short_commit().map_or(String::new(), |commit| format!(", commit {commit}"));
    let labels = match kept.labels.as_slice() {
        [] => String::new(),
        labels => format!(", label {}", labels.join(", ")),
    };
    format!("{name} of {}{commit}{labels}", kept.date)
}

fn change(ratio: f64) -> String {
    format_change(ratio, 1)
}

fn interval(ends: [Option<f64>; 2]) -> String {
    match ends {
        [Some(low), Some(high)] if low == high => String::new(),
        [Some(low), Some(high)] => format!(" ({})", format_change_interval(low, high, 1)),
        _ => String::new(),
    }
}

/// One row for each check: the value now, the baseline, the change with its interval, and the decision.
fn table(answer: &GateAnswer) -> Table {
    let columns = vec![
        Column::left("program"),
        Column::left("metric"),
        Column::decimal("now", ""),
        Column::decimal("baseline", ""),
        Column::decimal("change", ""),
        Column::left("interval"),
        Column::left("decision"),
    ];
    let value = |value: Option<f64>, check: &Check| {
        let text = value.map_or_else(|| "-".to_owned(), |value| format_value(value, check.unit));
        Cell { text, value, ..Cell::default() }
    };
    let row = |check: &Check| {
        let role = match check.decision {
            Decision::Pass => Some(Role::Good),
            Decision::Regression | Decision::Failed => Some(Role::Bad),
            _ => None,
        };
        let ends = interval(check.interval);
        vec![
            Cell { text: check.program.clone(), ..Cell::default() },
            Cell { text: check.metric.clone(), ..Cell::default() },
            value(check.value, check),
            value(check.baseline, check),
            Cell {
                text: check.ratio.map_or_else(|| "-".to_owned(), change),
                value: check.ratio,
                ..Cell::default()
            },
            Cell { text: ends.trim().trim_matches(['(', ')']).to_owned(), ..Cell::default() },
            Cell { text: check.decision.word().to_owned(), role, ..Cell::default() },
        ]
    };
    let caption = format!("Against {}", answer.baseline);
    Table { caption, columns, rows: answer.checks.iter().map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::{sentence, summary};
    use crate::gate::{Check, Decision, GateAnswer, Limits};
    use crate::history::Kept;

    fn check(decision: Decision, ratio: Option<f64>, interval: [Option<f64>; 2]) -> Check {
        Check {
            program: "app".to_owned(),
            metric: "wall".to_owned(),
            unit: lotse_model::unit::Unit::Seconds,
            value: Some(1.5),
            together: 1,
            baseline: ratio.map(|ratio| 1.5 / ratio),
            against: "the last 10 results".to_owned(),
            results: 10,
            ratio,
            interval,
            decision,
            reason: None,
        }
    }

    fn answer(checks: Vec<Check>) -> GateAnswer {
        GateAnswer::from_checks("the last 10 results".to_owned(), &Limits::default(), checks)
    }

    #[test]
    fn sentences_say_what_follows() {
        let known = [Some(0.99), Some(1.03)];
        let sentence_of = |check: Check| sentence(&answer(vec![check.clone()]), &check);
        assert_eq!(
            sentence_of(check(Decision::Pass, Some(1.01), known)),
            "app: wall +1.0 % (-1.0 % to +3.0 %) against the last 10 results; up to 2.0 % is allowed"
        );
        assert!(
            sentence_of(check(Decision::Regression, Some(1.5), [Some(1.4), Some(1.6)]))
                .ends_with("; more than 2.0 %")
        );
        assert!(
            sentence_of(check(Decision::Undecided, Some(1.01), known))
                .ends_with("more than 2.0 % cannot be told")
        );
        // Exact values have no interval to show.
        let exact = check(Decision::Regression, Some(1.5), [Some(1.5), Some(1.5)]);
        assert_eq!(sentence_of(exact), "app: wall +50.0 % against the last 10 results; more than 2.0 %");
        let failed = Check {
            reason: Some("3 of 3 runs failed".into()),
            ..check(Decision::Failed, None, [None, None])
        };
        assert_eq!(sentence_of(failed), "app: wall: 3 of 3 runs failed");
    }

    #[test]
    fn the_gravest_decision_is_that_of_all() {
        let decision_of = |decisions: &[Decision]| {
            answer(decisions.iter().map(|it| check(*it, None, [None, None])).collect()).decision
        };
        assert_eq!(decision_of(&[Decision::Pass, Decision::Undecided]), Decision::Undecided);
        assert_eq!(decision_of(&[Decision::Regression, Decision::Undecided]), Decision::Regression);
        assert_eq!(decision_of(&[Decision::Regression, Decision::Failed]), Decision::Failed);
        assert_eq!(decision_of(&[]), Decision::New);
    }

    #[test]
    fn the_table_has_a_row_for_each_program_and_remarks_follow() {
        let mut two = answer(vec![
            check(Decision::Pass, Some(1.0), [Some(0.99), Some(1.01)]),
            check(Decision::New, None, [None, None]),
        ]);
        two.remarks.push("1 of 2 result files is left out: given more than once".to_owned());
        two.result = Some(Kept {
            id: 12,
            date: "2026-11-18T10:00:00Z".to_owned(),
            commit: Some("0123456789abcdef".to_owned()),
            changed: true,
            labels: vec!["v1".to_owned()],
        });
        let format = lotse_report::format::named("markdown").unwrap();
        let text = format.to_string(&summary(&two), lotse_report::Options::default()).unwrap();
        assert!(
            text.contains("| app | wall | 1.500 s | 1.500 s | +0.0 % | -1.0 % to +1.0 % | **pass** |"),
            "{text}"
        );
        assert!(text.contains("| app | wall | 1.500 s | - | - |  | new |"), "{text}");
        assert!(text.trim_end().ends_with("given more than once"), "{text}");
        assert!(
            text.contains("Judged: result 12 of 2026-11-18T10:00:00Z, commit 012345678+, label v1."),
            "{text}"
        );
    }
}
