//! The table of groups.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::top::{known_costs, self_and_inclusive};
use super::{Numbers, Relative};
use crate::analysis::InclusiveOrigin;
use crate::answer::EventAnswer;
use crate::events::Column;
use crate::groups::GroupAnswer;

/// A row for each group.
pub fn groups(
    columns: &[Column],
    events: &[EventAnswer],
    groups: &[GroupAnswer],
    origin: InclusiveOrigin,
    (numbers, relative): (Numbers, Relative),
) -> Document {
    let shares = relative != Relative::Off;
    let known = known_costs(origin);
    let mut headings = self_and_inclusive(columns, known, shares, numbers);
    headings.extend([TableColumn::right("functions").droppable(1), TableColumn::path("group")]);
    let mut table = Table::new("", headings);
    for group in groups {
        let mut row = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            let costs = [(group.own[place], true), (group.inclusive[place], group.exact)];
            for (cost, exact) in costs.into_iter().take(known) {
                let bound = if exact || numbers == Numbers::Bare { "" } else { "≤ " };
                row.push(Cell::text(format!("{bound}{}", numbers.cost(column, cost))));
                if shares && numbers.has_shares(column) {
                    row.push(Cell::text(numbers.share_of(column, cost, events[place].total)));
                }
            }
        }
        row.push(Cell::text(numbers.count(group.functions as u64)));
        row.push(Cell::text(&group.name));
        table.rows.push(row);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}
