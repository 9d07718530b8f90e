//! The metrics to show beside the primary one: those of `--metrics`, else processor time and memory.

use lotse_model::unit::Unit;
use lotse_report::number::format_bytes;
use lotse_report::{Cell, Column};

use super::{View, unit};
use crate::answer::{Answer, ProgramAnswer};

const USUAL: [&str; 2] = ["cpu", "peak_memory"];

/// The metrics that have their own column, in order.
pub(super) fn names<'a>(answer: &'a Answer, primary: &str) -> Vec<&'a str> {
    let asked: Vec<&str> = match answer.chosen_metrics.as_slice() {
        [] => USUAL.to_vec(),
        chosen => chosen.iter().map(String::as_str).collect(),
    };
    let measured = |name: &str| answer.programs.iter().any(|program| program.samples.contains_key(name));
    asked.into_iter().filter(|name| *name != primary && measured(name)).collect()
}

/// The column of a metric.
pub(super) fn column(name: &str) -> Column {
    Column::right(format!("{} (mean)", name.replace('_', " ")))
}

/// The mean of a metric of a program.
pub(super) fn cell(answer: &Answer, program: &ProgramAnswer, view: View, name: &str) -> Cell {
    let values = program.values(name);
    let Ok(mean) = lotse_stats::descriptive::mean(&values) else { return Cell::text("–") };
    match unit(answer, name) {
        Unit::Bytes => Cell::number(format_bytes(mean), mean),
        unit => Cell::number(view.scale(unit, mean).format(mean), mean),
    }
}
