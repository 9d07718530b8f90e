//! The tables of lines: of one function, or of whole programs.

use lotse_report::{Cell, Column as TableColumn, Role, Table};

use super::super::lines::place_of;
use super::super::{Numbers, base_name, table_names};
use super::DiffTables;
use crate::diff::{DiffAnswer, LineDiff, LinePairing};

impl DiffTables<'_> {
    /// A row for each line.
    pub(super) fn lines(&self, answer: &DiffAnswer, inclusive: bool) -> Table {
        if answer.lines.iter().flatten().any(|line| line.pairing.is_some()) {
            return self.program_lines(answer, inclusive);
        }
        let mut headings = self.headings();
        headings.extend([TableColumn::path("file"), TableColumn::right("line")]);
        let mut table = Table::new("self cost by line; lines are matched by their number", headings);
        for line in answer.lines.iter().flatten() {
            let mut row = self.cells(&line.versus, None);
            row.push(Cell::text(line.file.clone()));
            row.push(Cell::text(if line.line == 0 { self.absent() } else { line.line.to_string() }));
            table.rows.push(row);
        }
        table
    }

    /// The lines of whole programs, with the place in the old profile where it is another one.
    fn program_lines(&self, answer: &DiffAnswer, inclusive: bool) -> Table {
        let mut headings = self.headings();
        headings.extend([
            TableColumn::path("line"),
            TableColumn::left("was"),
            TableColumn::function("function"),
        ]);
        let title = if inclusive { "inclusive cost by line" } else { "self cost by line" };
        let mut table = Table::new(title, headings);
        let lines: Vec<_> = answer.lines.iter().flatten().collect();
        let functions: Vec<_> = lines.iter().filter_map(|line| line.function.as_ref()).collect();
        let names = table_names(functions.into_iter(), self.numbers);
        for (line, name) in lines.into_iter().zip(names) {
            let mut row = self.cells(&line.versus, line.pairing.map(LinePairing::status));
            row.push(Cell::text(place_of(&line.file, line.line, self.numbers)));
            row.push(Cell::text(self.old_place(line)).role(Role::Dim));
            row.push(Cell::text(name));
            table.rows.push(row);
        }
        table
    }

    /// Where a line was; empty if it is still there, or if only one profile has it.
    fn old_place(&self, line: &LineDiff) -> String {
        let (Some(file), Some(number)) = (&line.old_file, line.old_line) else { return String::new() };
        match self.numbers {
            Numbers::Bare => place_of(file, number, self.numbers),
            Numbers::Readable if base_name(file) != base_name(&line.file) => {
                place_of(file, number, self.numbers)
            }
            Numbers::Readable if number != line.line => format!(":{number}"),
            Numbers::Readable => String::new(),
        }
    }
}
