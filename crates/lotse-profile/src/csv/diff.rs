//! Compared profiles: functions, or calls, or lines.

use lotse_report::{Cell, Document};

use super::{Sheet, cost_title, maybe, named, number, real_number};
use crate::answer::EventAnswer;
use crate::diff::{Basis, Change, DiffAnswer, Status, Versus};

/// What is compared of each event type, in the words of headings.
struct Shape<'a> {
    events: &'a [EventAnswer],
    basis: Basis,
    sampled: bool,
    others: usize,
}

/// The lines or calls where they were asked for, else the functions.
pub fn diff(answer: &DiffAnswer) -> Document {
    let shape = Shape {
        events: answer.files.first().map_or(&[][..], |file| &file.events),
        basis: answer.by,
        sampled: answer.files.iter().any(|file| file.samples.is_some()),
        others: answer.totals.len(),
    };
    match (&answer.lines, &answer.calls) {
        (Some(_), _) => lines(answer, &shape),
        (None, Some(_)) => calls(answer, &shape),
        (None, None) => functions(answer, &shape),
    }
}

fn functions(answer: &DiffAnswer, shape: &Shape<'_>) -> Document {
    let mut sheet = Sheet::new(&["function", "object", "file", "line", "column", "status"]);
    ["self", "inclusive"].iter().for_each(|kind| shape.headings(&mut sheet, kind));
    for function in &answer.functions {
        let mut row = named(&function.function);
        row.push(Cell::text(match function.status {
            Status::Matched => "matched",
            Status::Gone => "gone",
            Status::New => "new",
        }));
        for kind in [|versus: &Versus| versus.own.clone(), |versus: &Versus| versus.inclusive.clone()] {
            row.extend(shape.cells(&function.versus.iter().map(kind).collect::<Vec<_>>()));
        }
        sheet.row(row);
    }
    sheet.finish()
}

fn calls(answer: &DiffAnswer, shape: &Shape<'_>) -> Document {
    let mut sheet = Sheet::new(&["caller", "callee"]);
    sheet.title("calls old");
    (1..=shape.others).for_each(|at| sheet.title(format!("calls {}", shape.other(at))));
    shape.headings(&mut sheet, "cost");
    for call in answer.calls.iter().flatten() {
        let mut row = vec![Cell::text(&call.caller.display), Cell::text(&call.callee.display)];
        row.push(maybe(call.versus.first().and_then(|versus| versus.calls.old)));
        row.extend(call.versus.iter().map(|versus| maybe(versus.calls.new)));
        row.extend(shape.cells(&call.versus.iter().map(|versus| versus.cost.clone()).collect::<Vec<_>>()));
        sheet.row(row);
    }
    sheet.finish()
}

fn lines(answer: &DiffAnswer, shape: &Shape<'_>) -> Document {
    let mut sheet = Sheet::new(&["file", "line"]);
    shape.headings(&mut sheet, "self");
    for line in answer.lines.iter().flatten() {
        let mut row = vec![Cell::text(&line.file), maybe((line.line > 0).then_some(line.line))];
        row.extend(shape.cells(&line.versus));
        sheet.row(row);
    }
    sheet.finish()
}

impl Shape<'_> {
    /// `new`, or `new 2`, `new 3` where several profiles are compared with the first.
    fn other(&self, at: usize) -> String {
        if self.others == 1 { "new".to_owned() } else { format!("new {}", at + 1) }
    }

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
                    cells.push(maybe(change.uncertainty));
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
