//! The table people paste into issues: mean, deviation, extremes and the ratio to the reference.

use lotse_model::metric::WALL;
use lotse_report::{Block, Cell, Column, Document, Table};
use lotse_stats::SampleSummary;

use super::{View, primary, unit, verdict};
use crate::answer::{Answer, ProgramAnswer};

/// One row for each program, in the columns hyperfine's exports have. Their titles name a metric other than the wall time.
pub fn statistics_table(answer: &Answer, view: View) -> Document {
    let primary = primary(answer);
    let unit = unit(answer, &primary);
    let magnitude =
        answer.programs.iter().map(|program| super::median(program, &primary)).fold(f64::INFINITY, f64::min);
    let scale = view.scale(unit, if magnitude.is_finite() { magnitude } else { 1.0 });
    let symbol = if scale.symbol.is_empty() { String::new() } else { format!(" [{}]", scale.symbol) };
    let metric = if primary == WALL { String::new() } else { format!(" {}", verdict::noun(&primary)) };
    let titles = ["Mean", "Min", "Max"].map(|title| Column::right(format!("{title}{metric}{symbol}")));
    let mut columns = vec![Column::left("Command")];
    columns.extend(titles);
    columns.push(Column::right(match answer.primary().next() {
        Some(comparison) => format!("Relative ({} interval)", verdict::percent(comparison.level)),
        None => "Relative".to_owned(),
    }));
    let mut table = Table::new("", columns);
    let number = |value: f64| format!("{:.*}", decimals(scale.factor, magnitude), value / scale.factor);
    for program in view.programs(answer, &primary) {
        let values = program.values(&primary);
        let Ok(summary) = SampleSummary::from_values(&values) else { continue };
        let sd = summary.sample_sd.map_or(String::new(), |sd| format!(" ± {}", number(sd)));
        table.rows.push(vec![
            Cell::text(&program.name),
            Cell::number(format!("{}{sd}", number(summary.mean)), summary.mean),
            Cell::number(number(summary.min), summary.min),
            Cell::number(number(summary.max), summary.max),
            relative(answer, program),
        ]);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}

/// Enough decimals for a thousandth of the smallest value, at most six.
fn decimals(factor: f64, magnitude: f64) -> usize {
    let shown = magnitude / factor;
    if shown.is_finite() && shown > 0.0 { (3.0 - shown.log10().ceil()).clamp(1.0, 6.0) as usize } else { 3 }
}

/// The ratio to the reference with its interval, whose ends need not be equally far from it.
fn relative(answer: &Answer, program: &ProgramAnswer) -> Cell {
    match answer.primary().find(|comparison| comparison.program == program.name) {
        None => Cell::number("1.00", 1.0),
        Some(comparison) => {
            let Some(ratio) = comparison.ratio else { return Cell::text("–") };
            let interval = match comparison.interval {
                [Some(low), Some(high)] if high > low => {
                    format!(" ({})", verdict::bounds(low, high))
                }
                [Some(_), Some(_)] => String::new(),
                _ => " (not bounded)".to_owned(),
            };
            Cell::number(format!("{ratio:.3}{interval}"), ratio)
        }
    }
}
