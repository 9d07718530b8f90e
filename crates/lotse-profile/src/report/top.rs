//! The list of functions.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::{Numbers, Relative, base_name, cost_column, measured};
use crate::answer::{EventAnswer, FunctionAnswer, FunctionName};
use crate::events::Column;

/// A row for each function.
pub fn top(
    columns: &[Column],
    events: &[EventAnswer],
    functions: &[FunctionAnswer],
    (numbers, relative): (Numbers, Relative),
) -> Document {
    let shares = relative != Relative::Off;
    let mut table = Table::new("", headings(columns, shares));
    for function in functions {
        let mut row = Vec::new();
        for (place, column) in columns.iter().enumerate() {
            for cost in [function.own[place], function.inclusive[place]] {
                row.push(numbers.cell(column, cost));
                if shares {
                    row.push(Cell::text(numbers.share(cost, events[place].total)));
                }
            }
        }
        row.push(Cell::text(function.calls.map_or(String::new(), |calls| numbers.count(calls))));
        row.push(Cell::text(shown_name(function)));
        row.push(Cell::text(place(&function.function, numbers)));
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
    headings.push(TableColumn::right("calls"));
    headings.push(TableColumn::left("function"));
    headings.push(TableColumn::left("where"));
    headings
}

fn shown_name(function: &FunctionAnswer) -> String {
    match function.cycle {
        Some(cycle) => format!("{} <cycle {cycle}>", function.function.display),
        None => function.function.display.clone(),
    }
}

/// Object and file with the line of the definition, short for people.
pub(super) fn place(function: &FunctionName, numbers: Numbers) -> String {
    let name = |path: &String| match numbers {
        Numbers::Readable => base_name(path).to_owned(),
        Numbers::Bare => path.clone(),
    };
    let known = [&function.object, &function.file].into_iter().flatten().filter(|path| *path != "???");
    let place = known.map(name).collect::<Vec<_>>().join(": ");
    let numbers = [function.line, function.column];
    // Where the file is unknown, a line says nothing.
    let numbers = numbers.iter().map_while(|number| *number).filter(|_| function.file.is_some());
    numbers.fold(place, |place, number| format!("{place}:{number}"))
}
