//! The table of a comparison: functions, calls or lines.

use lotse_report::{Cell, Document};

use super::{Sheet, cost_title, function_cells, number, optional, real_number, yes_or_no};
use crate::answer::EventAnswer;
use crate::diff::{Basis, Change, DiffAnswer, Status, Versus};

/// The columns of the table.
struct DiffColumns<'a> {
    events: &'a [EventAnswer],
    basis: Basis,
    sampled: bool,
    /// The number of profiles compared with the first.
    others: usize,
}

/// The lines or calls if the answer has them, else the functions.
pub fn diff(answer: &DiffAnswer) -> Document {
    let columns = DiffColumns {
        events: answer.files.first().map_or(&[][..], |file| &file.events),
        basis: answer.by,
        sampled: answer.files.iter().any(|file| file.samples.is_some()),
        others: answer.totals.len(),
    };
    match (&answer.lines, &answer.calls) {
        (Some(_), _) => lines(answer, &columns),
        (None, Some(_)) => calls(answer, &columns),
        (None, None) => functions(answer, &columns),
    }
}

fn functions(answer: &DiffAnswer, columns: &DiffColumns<'_>) -> Document {
    let mut sheet = Sheet::new(&["function", "object", "file", "line", "column", "status"]);
    sheet.title("inclusive is exact");
    ["self", "inclusive"].iter().for_each(|kind| columns.headings(&mut sheet, kind));
    for function in &answer.functions {
        let mut row = function_cells(&function.function);
        row.push(Cell::text(match function.status {
            Status::Matched => "matched",
            Status::Gone => "gone",
            Status::New => "new",
        }));
        row.push(yes_or_no(function.has_exact_inclusive()));
        for kind in [|versus: &Versus| versus.own.clone(), |versus: &Versus| versus.inclusive.clone()] {
            row.extend(columns.cells(&function.versus.iter().map(kind).collect::<Vec<_>>()));
        }
        sheet.row(row);
    }
    sheet.finish()
}

fn calls(answer: &DiffAnswer, columns: &DiffColumns<'_>) -> Document {
    let mut sheet = Sheet::new(&["caller", "callee"]);
    sheet.title("calls old");
    (1..=columns.others).for_each(|at| sheet.title(format!("calls {}", columns.other(at))));
    columns.headings(&mut sheet, "cost");
    for call in answer.calls.iter().flatten() {
        let mut row = vec![Cell::text(&call.caller.display), Cell::text(&call.callee.display)];
        row.push(optional(call.versus.first().and_then(|versus| versus.calls.old)));
        row.extend(call.versus.iter().map(|versus| optional(versus.calls.new)));
        row.extend(columns.cells(&call.versus.iter().map(|versus| versus.cost.clone()).collect::<Vec<_>>()));
        sheet.row(row);
    }
    sheet.finish()
}

fn lines(answer: &DiffAnswer, columns: &DiffColumns<'_>) -> Document {
    let mut sheet = Sheet::new(&["file", "line"]);
    columns.headings(&mut sheet, "self");
    for line in answer.lines.iter().flatten() {
        let mut row = vec![Cell::text(&line.file), optional((line.line > 0).then_some(line.line))];
        row.extend(columns.cells(&line.versus));
        sheet.row(row);
    }
    sheet.finish()
}

impl DiffColumns<'_> {
    /// `new`, or `new 2`, `new 3` where several profiles are compared with the first.
    fn other(&self, at: usize) -> String {
        if self.others == 1 { "new".to_owned() } else { format!("new {}", at + 1) }
    }

    /// Headings of one kind of cost: for each event type the old value, then for each other profile the new value, the
    /// difference, the uncertainty if samples were counted, and the ratio.
    fn headings(&self, sheet: &mut Sheet, kind: &str) {
        for event in self.events {
            let title = |what: &str| match self.basis {
                Basis::Cost => cost_title(event, &format!("{kind} {what}")),
                Basis::Share => format!("{} {kind} {what} share", event.name),
            };
            sheet.title(title("old"));
            for at in 1..=self.others {
                let other = self.other(at);
                let change = if self.others == 1 { String::new() } else { format!(" {other}") };
                sheet.title(title(&other));
                sheet.title(title(&format!("difference{change}")));
                if self.sampled {
                    sheet.title(title(&format!("uncertainty{change}")));
                }
                sheet.title(format!("{} {kind} ratio{change}", event.name));
            }
        }
    }

    /// The cells under [`headings`](Self::headings); `versus` has the changes of each other profile per event type.
    fn cells(&self, versus: &[Vec<Change>]) -> Vec<Cell> {
        let mut cells = Vec::new();
        for event in 0..self.events.len() {
            let changes: Vec<&Change> = versus.iter().filter_map(|changes| changes.get(event)).collect();
            cells.push(
                changes.first().map_or_else(Cell::default, |change| self.side(change.old, change.old_share)),
            );
            for change in changes {
                cells.push(self.side(change.new, change.new_share));
                cells.push(number(change.difference));
                if self.sampled {
                    cells.push(optional(change.uncertainty));
                }
                cells.push(change.ratio.map_or_else(Cell::default, real_number));
            }
        }
        cells
    }

    fn side(&self, cost: Option<crate::events::Cost>, share: Option<f64>) -> Cell {
        match (cost, self.basis) {
            (None, _) => Cell::default(),
            (Some(cost), Basis::Cost) => number(cost),
            (Some(_), Basis::Share) => share.map_or_else(Cell::default, real_number),
        }
    }
}
