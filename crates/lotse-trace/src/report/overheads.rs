//! What running in parallel costs, region by region.

use lotse_report::{Cell, Column, Document};

use super::{seconds, shown, table};
use crate::overheads::{Overheads, RegionOverhead};

/// A row for each region, at most `limit` besides the whole run.
pub fn overheads(answer: &Overheads, limit: usize) -> Document {
    let mut document = Document::new();
    let limit = if limit == 0 { 0 } else { limit + 1 };
    let rows = shown(&answer.regions, limit).iter().map(row).collect();
    let caption = format!("T_o = T_p - T_s / {}", answer.locations);
    table(&mut document, &caption, columns(), rows);
    for (names, whose) in [(&answer.only_sequential, "sequential"), (&answer.only_parallel, "parallel")] {
        if !names.is_empty() {
            let (first, more) = (shown(names, 10).join(", "), names.len().saturating_sub(10));
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            document.paragraph(format!("Only in the {whose} run: {first}{more}"));
        }
    }
    document
}

fn columns() -> Vec<Column> {
    let titles = [
        "T_s",
        "T_p",
        "T_o",
        "data movement",
        "synchronisation",
        "control",
        "additional",
        "loss of parallelism",
        "unidentified",
    ];
    let times = titles.map(|title| Column::decimal(title, "s"));
    std::iter::once(Column::left("region")).chain(times).collect()
}

fn row(region: &RegionOverhead) -> Vec<Cell> {
    let classes = &region.classes;
    let lost = classes.unparallelised + classes.replicated + classes.partly_parallelised;
    let times = [
        region.sequential,
        region.parallel,
        region.overhead,
        classes.data_movement,
        classes.synchronisation,
        classes.control_of_parallelism,
        classes.additional_computation,
        lost,
        region.unidentified,
    ];
    std::iter::once(Cell::text(&region.region)).chain(times.map(seconds)).collect()
}
