//! The table of parts.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::{Numbers, cost_column};
use crate::answer::PartAnswer;
use crate::events::Column;

/// A row for each part; the columns are the profile's own event types.
pub fn parts(parts: &[PartAnswer], columns: &[Column], numbers: Numbers) -> Document {
    let mut headings = vec![TableColumn::right("part"), TableColumn::path("name")];
    // The first total is the most important; the others are dropped before names are shortened.
    let total = |(at, column): (usize, &Column)| {
        let heading = cost_column("total", column, columns.len() == 1);
        if at == 0 { heading } else { heading.droppable(3) }
    };
    headings.extend(columns.iter().enumerate().map(total));
    headings.push(TableColumn::right("samples"));
    // Snapshots have neither process nor thread.
    let has_process = parts.iter().any(|part| part.process.is_some());
    let has_thread = parts.iter().any(|part| part.thread.is_some());
    headings.extend(has_process.then(|| TableColumn::right("process")));
    headings.extend(has_thread.then(|| TableColumn::right("thread")));
    headings
        .extend([TableColumn::path("file").droppable(1), TableColumn::left("written because").droppable(2)]);
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
        row.extend(has_process.then(|| number(part.process)));
        row.extend(has_thread.then(|| number(part.thread)));
        row.extend([words(&part.source), words(&part.trigger)]);
        table.rows.push(row);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}
