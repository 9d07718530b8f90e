//! A replay in words and tables.

use lotse_report::document::{Block, Cell, Column, Document, Inline, Role, Table};
use lotse_report::number::{format_change, format_change_interval, format_value};

use super::compare::{ReplayAnswer, ReplayOutcome, ReplayedComparison, ReplayedRatio};
use lotse_model::unit::Unit;

/// The outcome first, then both results side by side, then what differs between the machines.
pub fn replayed(answer: &ReplayAnswer, unit: Unit) -> Document {
    let mut document = Document::new();
    if answer.pairs.is_empty() && answer.times.len() > 1 {
        document.paragraph("nothing can be compared: here there is no comparison of these programs");
    } else if answer.pairs.is_empty() {
        document.paragraph(
            "one program alone has no ratio that could be the same elsewhere: its times are below, and prove nothing",
        );
    }
    for pair in &answer.pairs {
        let (role, word) = match pair.outcome {
            ReplayOutcome::Reproduces => (Role::Good, "reproduces"),
            ReplayOutcome::Undecided => (Role::Strong, "undecided"),
            ReplayOutcome::Differs => (Role::Bad, "differs"),
            ReplayOutcome::Failed => (Role::Bad, "failed"),
        };
        document.push(Block::Paragraph(vec![
            Inline::Marked(role, word.to_owned()),
            Inline::Text(sentence(pair)),
        ]));
    }
    if answer.outcome == ReplayOutcome::Failed {
        document.paragraph("runs failed here, so nothing is proven");
    }
    document.push(Block::Table(times(answer, unit)));
    if !answer.differences.is_empty() {
        document.paragraph("Not as it was when it was packed:");
        let line = |text: &String| vec![Inline::Text(text.clone())];
        document.push(Block::List(answer.differences.iter().map(line).collect()));
    }
    document
}

fn sentence(pair: &ReplayedComparison) -> String {
    format!(
        ": {} against {}, {}: packed {}, here {}",
        pair.program,
        pair.reference,
        pair.metric,
        ratio(&pair.packed),
        ratio(&pair.here)
    )
}

fn ratio(found: &ReplayedRatio) -> String {
    let Some(ratio) = found.ratio else { return "no ratio".to_owned() };
    let change = |ratio: f64| format_change(ratio, 1);
    match found.interval {
        [Some(low), Some(high)] => format!("{} ({})", change(ratio), format_change_interval(low, high, 1)),
        _ => format!("{} (not bounded)", change(ratio)),
    }
}

/// The medians of all programs, packed and here, and their change.
fn times(answer: &ReplayAnswer, unit: Unit) -> Table {
    let metric = answer.times.first().map_or("", |times| times.metric.as_str());
    let columns = vec![
        Column::left("program"),
        Column::decimal(format!("{metric}, packed"), ""),
        Column::decimal(format!("{metric}, here"), ""),
        Column::decimal("change", ""),
    ];
    let cell = |value: Option<f64>| {
        value.map_or_else(|| Cell::text("-"), |value| Cell::number(format_value(value, unit), value))
    };
    let row = |times: &super::ReplayedTimes| {
        let change = match (times.packed, times.here) {
            (Some(packed), Some(here)) if packed > 0.0 => {
                Cell::number(format_change(here / packed, 1), here / packed)
            }
            _ => Cell::text("-"),
        };
        vec![Cell::text(times.program.clone()), cell(times.packed), cell(times.here), change]
    };
    let machines = if answer.same_machine { "the same machine" } else { "another machine" };
    let caption = format!("Medians, on {machines}");
    Table { caption, columns, rows: answer.times.iter().map(row).collect() }
}
