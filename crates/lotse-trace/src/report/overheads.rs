//! The overheads of a parallel run, region by region.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::{first_rows, seconds, table};
use crate::overheads::{Overheads, RegionOverhead};

/// A row for each region, at most `limit` besides the whole run.
pub fn overheads(answer: &Overheads, limit: usize) -> Document {
    let mut document = Document::new();
    let limit = if limit == 0 { 0 } else { limit + 1 };
    let rows = first_rows(&answer.regions, limit).iter().map(row).collect();
    document
        .blocks
        .extend(sentence(answer).map(|text| Block::Paragraph(vec![Inline::Marked(Role::Strong, text)])));
    let caption = format!(
        "T_s: sequential time, T_p: parallel time, T_o: overhead per location (T_p - T_s / {})",
        answer.locations
    );
    table(&mut document, &caption, columns(), rows);
    for (names, whose) in [(&answer.only_sequential, "sequential"), (&answer.only_parallel, "parallel")] {
        if !names.is_empty() {
            let (first, more) = (first_rows(names, 10).join(", "), names.len().saturating_sub(10));
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            document.paragraph(format!("Only in the {whose} run: {first}{more}"));
        }
    }
    document
}

/// A sentence with the overhead of the whole run and its largest class.
fn sentence(answer: &Overheads) -> Option<String> {
    let whole_run = answer.regions.first().filter(|whole_run| whole_run.parallel > 0.0)?;
    let share = format_percent(whole_run.overhead / whole_run.parallel, 1);
    let kinds = titles().into_iter().zip(times(whole_run)).skip(3);
    let most = kinds.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, seconds)| *seconds > 0.0);
    let most = most.map_or_else(String::new, |(kind, seconds)| {
        format!(", most of it {kind} ({})", format_seconds(seconds))
    });
    let (overhead, run) = (format_seconds(whole_run.overhead), format_seconds(whole_run.parallel));
    Some(format!("{overhead} of the parallel run of {run} ({share}) is overhead{most}."))
}

fn columns() -> Vec<Column> {
    let times = titles().map(|title| Column::decimal(title, "s"));
    std::iter::once(Column::function("region")).chain(times).collect()
}

fn titles() -> [&'static str; 9] {
    [
        "T_s",
        "T_p",
        "T_o",
        "data movement",
        "synchronisation",
        "control",
        "additional",
        "loss of parallelism",
        "unidentified",
    ]
}

fn row(region: &RegionOverhead) -> Vec<Cell> {
    std::iter::once(Cell::text(&region.region)).chain(times(region).map(seconds)).collect()
}

/// The times of a region, in the order of the titles.
fn times(region: &RegionOverhead) -> [f64; 9] {
    let classes = &region.classes;
    let lost = classes.unparallelised + classes.replicated + classes.partly_parallelised;
    [
        region.sequential,
        region.parallel,
        region.overhead,
        classes.data_movement,
        classes.synchronisation,
        classes.control_of_parallelism,
        classes.additional_computation,
        lost,
        region.unidentified,
    ]
}
