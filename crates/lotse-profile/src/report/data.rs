//! The table of data structures.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::{Numbers, base_name, cost_column, totals_line};
use crate::data::{DataAnswer, PlaceAnswer};
use crate::events::Column;

/// A row for each data structure.
pub fn data(answer: &DataAnswer, columns: &[Column], numbers: Numbers) -> Document {
    let only = columns.len() == 1;
    let mut headings: Vec<TableColumn> =
        columns.iter().map(|column| cost_column("cost", column, only)).collect();
    headings.insert(1.min(headings.len()), TableColumn::right("%"));
    headings.extend([
        TableColumn::function("allocated in"),
        TableColumn::path("at"),
        TableColumn::function("called from"),
    ]);
    let mut table = Table::new("", headings);
    for structure in &answer.structures {
        let mut row: Vec<Cell> =
            columns.iter().zip(&structure.cost).map(|(column, cost)| numbers.cell(column, *cost)).collect();
        if let (Some(&cost), Some(event)) = (structure.cost.first(), answer.events.first()) {
            row.insert(1, Cell::text(numbers.share(cost, event.share_base(event.total))));
        }
        let site = structure.site.as_ref();
        let name = structure.name.clone().or_else(|| site.map(|site| site.function.clone()));
        row.push(Cell::text(name.unwrap_or_else(|| "(unknown)".to_owned())));
        row.push(Cell::text(site.map_or(String::new(), |site| file_and_line(site, numbers))));
        let above = structure.stack.iter().skip_while(|place| Some(*place) != site).nth(1);
        row.push(Cell::text(above.map_or(String::new(), |place| place.function.clone())));
        table.rows.push(row);
    }
    let mut document = Document::new();
    if numbers == Numbers::Readable {
        document.paragraph(totals_line(columns, &answer.events));
    }
    document.push(Block::Table(table));
    document
}

/// File and line of a place.
fn file_and_line(place: &PlaceAnswer, numbers: Numbers) -> String {
    let file = place
        .file
        .as_deref()
        .map_or("", |file| if numbers == Numbers::Bare { file } else { base_name(file) });
    match place.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    }
}
