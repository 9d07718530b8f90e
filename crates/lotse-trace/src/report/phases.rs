//! Phases of a run, and what repeats in it.

use lotse_report::number::{format_percent, format_seconds, significant};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::{count, grouped, path_name, seconds, share, table};
use crate::analyze::PhasesAnswer;
use crate::iterations::Iterations;
use crate::phases::PhaseAnswer;

/// A row for each phase, then the iterations.
pub fn phases(answer: &PhasesAnswer) -> Document {
    let mut document = Document::new();
    let columns = vec![
        Column::right("phase"),
        Column::decimal("begin", "s"),
        Column::decimal("end", "s"),
        Column::right("share"),
        Column::path("mostly"),
        Column::path("call path"),
        Column::right("its share").goes(2),
        Column::left("begins because of").goes(1),
        Column::decimal("change", "").goes(3),
    ];
    document
        .blocks
        .extend(longest(answer).map(|text| Block::Paragraph(vec![Inline::Marked(Role::Strong, text)])));
    let rows = answer.phases.iter().enumerate().map(|(number, phase)| row(number, phase));
    table(&mut document, "", columns, rows.collect());
    match &answer.iterations {
        Some(iterations) => document.paragraph(sentence(iterations)),
        None => document.paragraph("No part of the run repeats often enough to count as iterations."),
    };
    if let Some(iterations) = answer.iterations.as_ref().filter(|it| !it.slow.is_empty()) {
        document.paragraph(format!("{} iterations took notably longer.", iterations.slow.len()));
    }
    document
}

/// How many phases there are, and which is the longest.
fn longest(answer: &PhasesAnswer) -> Option<String> {
    let phases = answer.phases.iter().enumerate();
    let (number, phase) = phases.max_by(|a, b| a.1.share.total_cmp(&b.1.share))?;
    let count = match answer.phases.len() {
        1 => "1 phase".to_owned(),
        many => format!("{many} phases"),
    };
    Some(format!(
        "The run has {count}; the longest is number {} ({} of the run), mostly {}.",
        number + 1,
        format_percent(phase.share, 1),
        phase.dominant_class
    ))
}

fn row(number: usize, phase: &PhaseAnswer) -> Vec<Cell> {
    vec![
        count(number as u64 + 1),
        seconds(phase.begin),
        seconds(phase.end),
        share(phase.share, 1.0),
        phase.dominant_class.into(),
        path_name(&phase.dominant_callpath),
        share(phase.dominant_callpath_share, 1.0),
        phase.changed_metric.as_deref().map_or(Cell::text(""), Cell::text),
        phase.change.map_or_else(|| Cell::text(""), |change| Cell::number(significant(change, 3), change)),
    ]
}

fn sentence(iterations: &Iterations) -> String {
    let mean = iterations.iterations.iter().map(|it| it.seconds).sum::<f64>()
        / iterations.iterations.len().max(1) as f64;
    format!(
        "{} iterations of {} ({} of the run): {} each on average",
        grouped(iterations.count as u64),
        iterations.callpaths.join(", "),
        format_percent(iterations.coverage, 1),
        format_seconds(mean)
    )
}
