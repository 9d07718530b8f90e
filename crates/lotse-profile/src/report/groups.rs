//! The list of groups.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::{Numbers, Relative, cost_column, measured};
use crate::answer::EventAnswer;
use crate::events::Column;
use crate::groups::GroupAnswer;

/// A row for each group.
pub fn groups(
    columns: &[Column],
    events: &[EventAnswer],
    groups: &[GroupAnswer],
    (numbers, relative): (Numbers, Relative),
) -> Document {
    let shares = relative != Relative::Off;
    let mut table = Table::new("", headings(columns, shares));
    for group in groups {
        let mut row = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            for (cost, exact) in [(group.own[place], true), (group.inclusive[place], group.exact)] {
                let bound = if exact || numbers == Numbers::Bare { "" } else { "≤ " };
                row.push(Cell::text(format!("{bound}{}", numbers.cost(column, cost))));
                if shares {
                    row.push(Cell::text(numbers.share(cost, events[place].total)));
                }
            }
        }
        row.push(Cell::text(numbers.count(group.functions as u64)));
        row.push(Cell::text(&group.name));
        table.rows.push(row);
    }
    let mut document = Document::new();
    if numbers == Numbers::Readable {
        document.paragraph(measured(columns, events));
    }
    document.push(Block::Table(table));
    document
}

fn headings(columns: &[Column], shares: bool) -> Vec<TableColumn> {
    let only = columns.len() == 1;
    let mut headings = Vec::new();
    for column in columns {
        for title in ["self", "incl."] {
            headings.push(cost_column(title, column, only));
            if shares {
                headings.push(TableColumn::right("%"));
            }
        }
    }
    headings.extend([TableColumn::right("functions"), TableColumn::left("group")]);
    headings
}
