//! The table of functions.

use lotse_report::number::format_share;
use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::{Numbers, Relative, base_name, cost_column, place_column, share_column, table_names};
use crate::analysis::{InclusiveOrigin, Summary, share};
use crate::answer::{EventAnswer, FunctionAnswer, FunctionName};
use crate::bound::Bound;
use crate::events::Column;

/// If a smaller share of an event type belongs to functions, there is a note.
const ATTRIBUTED: f64 = 0.99;

/// Notes about event types whose costs belong to no function, as in a snapshot of massif without a heap tree.
pub fn unattributed(columns: &[Column], summary: &Summary) -> Vec<String> {
    let note = |column: &Column| {
        let event = column.event()?;
        let (own, total) = (summary.own.total(event), *summary.totals.get(event)?);
        let known = share(own, total);
        let missing = total > 0 && (0.0..ATTRIBUTED).contains(&known);
        missing.then(|| {
            let rest = format_share(1.0 - known, 1);
            format!("{rest} of {} belongs to no function: the file has no stacks for it", column.name)
        })
    };
    columns.iter().filter_map(note).collect()
}

/// A row for each function; without inclusive costs if they are unknown.
pub fn top(
    columns: &[Column],
    events: &[EventAnswer],
    functions: &[FunctionAnswer],
    origin: InclusiveOrigin,
    (numbers, relative): (Numbers, Relative),
) -> Document {
    let shares = relative != Relative::Off;
    let known = known_costs(origin);
    let mut headings = headings(columns, known, shares, numbers);
    headings.push(place_column());
    let mut table = Table::new("", headings);
    let names = table_names(functions.iter().map(|function| &function.function), numbers);
    for (function, name) in functions.iter().zip(names) {
        let mut row = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            let inclusive = (function.inclusive[place], Bound::at_least(function.lower_bound));
            for (cost, bound) in [(function.own[place], Bound::Exact), inclusive].into_iter().take(known) {
                row.push(numbers.bounded(bound, numbers.cost(column, cost)));
                if shares && numbers.has_shares(column) {
                    let share = numbers.share_of(column, cost, events[place].total);
                    row.push(numbers.bounded(bound, share));
                }
            }
        }
        row.push(Cell::text(function.calls.map_or(String::new(), |calls| numbers.count(calls))));
        row.push(Cell::text(shown_name(function, name)));
        row.push(Cell::text(place(&function.function, numbers)));
        table.rows.push(row);
    }
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}

/// The number of kinds of cost that are known: self, or self and inclusive.
pub(super) fn known_costs(origin: InclusiveOrigin) -> usize {
    if origin.lacks_calls() { 1 } else { 2 }
}

fn headings(columns: &[Column], known: usize, shares: bool, numbers: Numbers) -> Vec<TableColumn> {
    let mut headings = self_and_inclusive(columns, known, shares, numbers);
    headings.push(TableColumn::right("calls").droppable(1));
    headings.push(TableColumn::function("function"));
    headings
}

/// Headings for self and inclusive costs. If there are shares, the inclusive cost itself may be dropped on a narrow
/// screen.
pub(super) fn self_and_inclusive(
    columns: &[Column],
    known: usize,
    shares: bool,
    numbers: Numbers,
) -> Vec<TableColumn> {
    let only = columns.len() == 1;
    let mut headings = Vec::new();
    for column in columns {
        let shares = shares && numbers.has_shares(column);
        for (title, may_go) in [("self", false), ("incl.", shares)].into_iter().take(known) {
            let cost = cost_column(title, column, only);
            headings.push(if may_go { cost.droppable(3) } else { cost });
            if shares {
                headings.push(share_column(title, column, only, numbers));
            }
        }
    }
    headings
}

fn shown_name(function: &FunctionAnswer, name: String) -> String {
    match function.cycle {
        Some(cycle) => format!("{name} <cycle {cycle}>"),
        None => name,
    }
}

/// Object and file with the line of the definition; without directories for people.
pub(super) fn place(function: &FunctionName, numbers: Numbers) -> String {
    let name = |path: &String| match numbers {
        Numbers::Readable => base_name(path).to_owned(),
        Numbers::Bare => path.clone(),
    };
    let known = [&function.object, &function.file].into_iter().flatten().filter(|path| *path != "???");
    let place = known.map(name).collect::<Vec<_>>().join(": ");
    let numbers = [function.line, function.column];
    // A line without a file is useless.
    let numbers = numbers.iter().map_while(|number| *number).filter(|_| function.file.is_some());
    numbers.fold(place, |place, number| format!("{place}:{number}"))
}
