//! The critical path, and the path that would bound the run next.

use lotse_report::number::format_seconds;
use lotse_report::{Cell, Column, Document};

use super::{count, first_rows, part_of_run, path_name, seconds, share, table};
use crate::analyze::CriticalPathAnswer;
use crate::answer::PathTimeAnswer;

/// Tables of the path by call path and location, by process, by pair, and of its rival, with at most `limit` rows each.
pub fn critical_path(answer: &CriticalPathAnswer, limit: usize) -> Document {
    let mut document = Document::new();
    if let Some(caution) = &answer.caution {
        document.paragraph(caution);
    }
    document.paragraph(sentence(answer));
    part_of_run(&mut document, answer.focus.as_ref());
    let total = answer.length;
    table(&mut document, "On the path", path_columns(), path_rows(answer, &answer.rows, total, limit));
    let rows = first_rows(&answer.processes, limit)
        .iter()
        .map(|it| vec![it.label.as_str().into(), seconds(it.computing), seconds(it.communicating)]);
    let columns = vec![
        Column::path("process"),
        Column::decimal("computing", "s"),
        Column::decimal("communicating", "s"),
    ];
    table(&mut document, "By process", columns, rows.collect());
    pairs(&mut document, answer, limit);
    imbalance(&mut document, answer, limit);
    let rival = path_rows(answer, &answer.rival, answer.rival_length, limit);
    table(&mut document, "The nearest rival", path_columns(), rival);
    document
}

/// The length of the path, and the gain of shortening it if it is known.
fn sentence(answer: &CriticalPathAnswer) -> String {
    let length = format_seconds(answer.length);
    let run = if answer.focus.is_some() { "that part of the run" } else { "the run" };
    match answer.caution {
        None => format!(
            "The critical path is {length} long. Without it {run} would still take {}: shortening it alone gains at \
             most {}.",
            format_seconds(answer.rival_length),
            format_seconds(answer.reachable_gain)
        ),
        Some(_) => format!(
            "As far as the records tell, the critical path is {length} long; what shortening it gains is not known."
        ),
    }
}

fn path_columns() -> Vec<Column> {
    vec![
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::path("call path"),
        Column::path("location"),
    ]
}

fn path_rows(
    answer: &CriticalPathAnswer,
    rows: &[PathTimeAnswer],
    total: f64,
    limit: usize,
) -> Vec<Vec<Cell>> {
    let row = |row: &PathTimeAnswer| {
        vec![
            seconds(row.seconds),
            share(row.seconds, total),
            path_name(&row.callpath),
            name(answer, row.location).into(),
        ]
    };
    first_rows(rows, limit).iter().map(row).collect()
}

fn name(answer: &CriticalPathAnswer, location: u32) -> &str {
    answer.location_labels.get(location as usize).map_or("", String::as_str)
}

fn pairs(document: &mut Document, answer: &CriticalPathAnswer, limit: usize) {
    let mut pairs = answer.pairs.clone();
    pairs.sort_by_key(|pair| std::cmp::Reverse(pair.count));
    let rows = first_rows(&pairs, limit).iter().map(|pair| {
        vec![
            name(answer, pair.from).into(),
            name(answer, pair.to).into(),
            count(pair.count),
            seconds(pair.seconds),
        ]
    });
    let columns = vec![
        Column::path("from"),
        Column::path("to"),
        Column::right("times"),
        Column::decimal("transfer", "s"),
    ];
    table(document, "From location to location", columns, rows.collect());
}

fn imbalance(document: &mut Document, answer: &CriticalPathAnswer, limit: usize) {
    let mut uneven = answer.imbalance.clone();
    uneven.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let impact = |path: &str| answer.impact.iter().find(|row| row.callpath == path);
    let rows = first_rows(&uneven, limit).iter().map(|row| {
        let idle = impact(&row.callpath).map_or((0.0, 0.0), |it| (it.critical, it.inter_partition));
        vec![seconds(row.seconds), seconds(idle.0), seconds(idle.1), path_name(&row.callpath)]
    });
    let columns = vec![
        Column::decimal("beyond the mean", "s"),
        Column::decimal("others idle", "s"),
        Column::decimal("those without it idle", "s"),
        Column::path("call path"),
    ];
    table(document, "Imbalance on the path", columns, rows.collect());
}
