//! The table of event types.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::Numbers;
use crate::answer::EventAnswer;
use crate::events::Column;

/// A row for each event type.
pub fn events(columns: &[Column], events: &[EventAnswer], numbers: Numbers) -> Document {
    let headings = ["event type", "unit", "total", "title", "formula"].map(|title| match title {
        "total" => TableColumn::right(title),
        _ => TableColumn::left(title),
    });
    let mut table = Table::new("", headings.into());
    for (column, event) in columns.iter().zip(events) {
        let words = |words: &Option<String>| Cell::text(words.as_deref().unwrap_or(""));
        table.rows.push(vec![
            Cell::text(&event.name),
            Cell::text(&event.unit),
            numbers.cell(column, event.total),
            words(&event.title),
            words(&event.formula),
        ]);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}
