//! Statistics of a measurement that is still running.

use lotse_model::results::ResultSet;
use lotse_model::unit::Unit;
use lotse_report::number::format_value;
use lotse_report::{Block, Cell, Column, Document, Table};
use lotse_stats::SampleSummary;

/// Every program with mean, deviation and extremes of a metric.
pub fn so_far(set: &ResultSet, metric: &str) -> Document {
    let unit = set.metrics.iter().find(|known| known.name == metric).map_or(Unit::Number, |known| known.unit);
    let mut columns = vec![Column::left("program"), Column::right(format!("{metric} (mean)"))];
    columns.extend(["deviation", "min", "max", "runs"].map(Column::right));
    let mut table = Table::new("So far, without a verdict", columns);
    for (id, program) in set.program_ids().zip(&set.programs) {
        let Ok(summary) = SampleSummary::from_values(&set.samples(id, metric)) else { continue };
        let mut row = vec![program.name.clone(), format_value(summary.mean, unit)];
        row.push(summary.sample_sd.map_or("–".to_owned(), |sd| format_value(sd, unit)));
        row.extend([summary.min, summary.max].map(|value| format_value(value, unit)));
        row.push(summary.count.to_string());
        table.rows.push(row.into_iter().map(Cell::text).collect());
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}
