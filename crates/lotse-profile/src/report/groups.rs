//! The table of groups.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::top::{known_costs, self_and_inclusive};
use super::{Numbers, Relative};
use crate::analysis::InclusiveOrigin;
use crate::answer::EventAnswer;
use crate::bound::Bound;
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
            let inclusive = (group.inclusive[place], Bound::at_most_unless(group.exact));
            for (cost, bound) in [(group.own[place], Bound::Exact), inclusive].into_iter().take(known) {
                row.push(numbers.bounded(bound, numbers.cost(column, cost)));
                if shares && numbers.has_shares(column) {
                    let share = numbers.share_of(column, cost, events[place].total);
                    row.push(numbers.bounded(bound, share));
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
