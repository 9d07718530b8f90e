//! The gate's answer in words and as a table.

use lotse_report::document::{Block, Cell, Column, Document, Inline, Role, Table};
use lotse_report::number::{format_change, format_percent, format_value};

use super::answer::{Check, Decision, GateAnswer};

/// A sentence for each program, a table where there are several, and remarks.
pub fn summary(answer: &GateAnswer) -> Document {
    let mut document = Document::new();
    for check in &answer.checks {
        let role = match check.decision {
            Decision::Pass => Role::Good,
            Decision::Regression | Decision::Failed => Role::Bad,
            Decision::New | Decision::Undecided => Role::Strong,
        };
        let word = check.decision.word().to_owned();
        let found = format!(": {}", sentence(answer, check));
        document.push(Block::Paragraph(vec![Inline::Marked(role, word), Inline::Text(found)]));
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
    let baseline = &answer.baseline;
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
        Decision::New | Decision::Undecided | Decision::Failed => String::new(),
    };
    let reason = check.reason.as_ref().map_or(String::new(), |reason| format!(": {reason}"));
    found + &follows + &reason
}

fn change(ratio: f64) -> String {
    format_change(ratio, 1)
}

fn interval(ends: [Option<f64>; 2]) -> String {
    match ends {
        [Some(low), Some(high)] if low == high => String::new(),
        [Some(low), Some(high)] => format!(" ({} to {})", change(low), change(high)),
        _ => String::new(),
    }
}

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
