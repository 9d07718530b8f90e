//! All metrics at one level.

use lotse_report::{Column, Document};

use super::{first_rows, seconds, table};
use crate::levels::LevelRow;

/// A row for each item and metric, at most `limit`.
pub fn levels(rows: &[LevelRow], limit: usize) -> Document {
    let mut document = Document::new();
    let cells = first_rows(rows, limit).iter().map(|row| {
        vec![row.parent.as_str().into(), row.item.as_str().into(), row.metric.into(), seconds(row.seconds)]
    });
    let columns = vec![
        Column::path("part of"),
        Column::path("item"),
        Column::left("metric"),
        Column::decimal("time", "s"),
    ];
    table(&mut document, "", columns, cells.collect());
    document
}
