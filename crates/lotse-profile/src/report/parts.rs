//! The list of parts.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::{Numbers, cost_column};
use crate::answer::PartAnswer;
use crate::events::Column;

/// A row for each part; the columns are the profile's own event types.
pub fn parts(parts: &[PartAnswer], columns: &[Column], numbers: Numbers) -> Document {
    let mut headings = vec![TableColumn::right("part"), TableColumn::path("name")];
    // The first total tells the most; the others go before names are shortened.
    let total = |(at, column): (usize, &Column)| {
        let heading = cost_column("total", column, columns.len() == 1);
        if at == 0 { heading } else { heading.goes(3) }
    };
    headings.extend(columns.iter().enumerate().map(total));
    let titles = ["samples", "process", "thread"].map(TableColumn::right);
    headings.extend(titles);
    headings.extend([TableColumn::path("file").goes(1), TableColumn::left("written because").goes(2)]);
    let mut table = Table::new("", headings);
    for part in parts {
        let number =
            |number: Option<u64>| Cell::text(number.map_or(String::new(), |number| number.to_string()));
        let words = |words: &Option<String>| Cell::text(words.as_deref().unwrap_or(""));
        let mark = if part.chosen { "" } else { " (not counted)" };
        let mut row = vec![Cell::text(part.number.to_string()), Cell::text(format!("{}{mark}", part.name))];
        let totals = columns.iter().filter_map(|column| Some((column, part.totals[column.event()?])));
        row.extend(totals.map(|(column, total)| numbers.cell(column, total)));
        row.push(number(part.samples.map(|samples| samples as u64)));
        row.extend([number(part.process), number(part.thread), words(&part.source), words(&part.trigger)]);
        table.rows.push(row);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}
