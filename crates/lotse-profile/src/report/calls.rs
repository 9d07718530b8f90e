//! The table of callers or callees of a function.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::top::place;
use super::{Numbers, Relative, cost_column, place_column, table_names};
use crate::calls::{CallRow, CallsAnswer};
use crate::events::{Column, Cost};

/// A row for each caller or callee; shares are relative to the total or to the function.
pub fn calls(answer: &CallsAnswer, columns: &[Column], (numbers, relative): (Numbers, Relative)) -> Document {
    let distant = answer.rows.iter().any(|row| row.distance > 1);
    let whole: Vec<Cost> = match relative {
        Relative::Parent => answer.function.inclusive.clone(),
        Relative::Total | Relative::Off => answer.events.iter().map(|event| event.total).collect(),
    };
    let mut headings = headings(columns, (numbers, relative), distant);
    headings.push(place_column());
    let mut table = Table::new("", headings);
    let names = table_names(answer.rows.iter().map(|row| &row.function), numbers);
    for (call, name) in answer.rows.iter().zip(names) {
        table.rows.push(row((call, &name), columns, &whole, (numbers, relative), distant));
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}

fn headings(columns: &[Column], (numbers, relative): (Numbers, Relative), distant: bool) -> Vec<TableColumn> {
    let only = columns.len() == 1;
    let mut headings = Vec::new();
    for column in columns {
        headings.push(cost_column("cost", column, only));
        match relative {
            _ if !numbers.has_shares(column) => {}
            Relative::Total => headings.push(TableColumn::right("% of total")),
            Relative::Parent => headings.push(TableColumn::right("% of function")),
            Relative::Off => {}
        }
    }
    headings.push(TableColumn::right("calls"));
    if distant {
        headings.push(TableColumn::right("distance"));
    }
    headings.push(TableColumn::function("function"));
    headings
}

/// Whether a share would exceed 100 %, because the cost of recursive calls is counted once for every level.
pub(crate) fn counted_again(call: &CallRow, cost: Cost, whole: Cost) -> bool {
    call.inside_cycle && cost.as_f64() > whole.as_f64()
}

/// The cells of a caller or callee; an upper bound is marked by `≤`.
fn row(
    (call, name): (&CallRow, &str),
    columns: &[Column],
    whole: &[Cost],
    (numbers, relative): (Numbers, Relative),
    distant: bool,
) -> Vec<Cell> {
    let mut row = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        let bound = if call.exact || numbers == Numbers::Bare { "" } else { "≤ " };
        row.push(Cell::text(format!("{bound}{}", numbers.cost(column, call.cost[at]))));
        if relative != Relative::Off && numbers.has_shares(column) {
            let share = numbers.share_of(column, call.cost[at], whole[at]);
            row.push(Cell::text(if counted_again(call, call.cost[at], whole[at]) {
                String::new()
            } else {
                share
            }));
        }
    }
    row.push(Cell::text(call.calls.map_or(String::new(), |calls| numbers.count(calls))));
    if distant {
        row.push(Cell::text(call.distance.to_string()));
    }
    let cycle = if call.inside_cycle && numbers == Numbers::Readable { " (recursive)" } else { "" };
    row.push(Cell::text(format!("{name}{cycle}")));
    row.push(Cell::text(place(&call.function, numbers)));
    row
}
