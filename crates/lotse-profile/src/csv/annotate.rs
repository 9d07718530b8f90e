//! A function's lines, call sites or instructions.

use lotse_report::{Cell, Document};

use super::{Sheet, number, optional};
use crate::annotate::{AnnotateAnswer, SiteAnswer};
use crate::events::Cost;

/// Which table of an annotated function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnotateTable {
    /// Source lines with their self costs.
    Lines,
    /// Calls by source line.
    Calls,
    /// Instructions with their self costs and jumps.
    Instructions,
}

/// One table of an annotated function.
pub fn annotate(answer: &AnnotateAnswer, table: AnnotateTable) -> Document {
    match table {
        AnnotateTable::Lines => lines(answer),
        AnnotateTable::Calls => calls(answer),
        AnnotateTable::Instructions => instructions(answer),
    }
}

fn numbers(costs: &[Cost]) -> impl Iterator<Item = Cell> {
    costs.iter().map(|&cost| number(cost))
}

fn lines(answer: &AnnotateAnswer) -> Document {
    let mut sheet = Sheet::new(&["file", "line"]);
    sheet.cost_titles(&answer.events, &["self"], None);
    sheet.titles(&["text"]);
    for (file, line) in answer.files.iter().flat_map(|file| file.lines.iter().map(move |line| (file, line))) {
        let mut row = vec![optional(file.path.as_ref()), optional(line.line)];
        row.extend(numbers(&line.own));
        row.push(optional(line.text.as_ref()));
        sheet.row(row);
    }
    sheet.finish()
}

fn calls(answer: &AnnotateAnswer) -> Document {
    let mut sheet = Sheet::new(&["file", "line", "callee", "calls"]);
    sheet.cost_titles(&answer.events, &["cost"], None);
    for (file, line) in answer.files.iter().flat_map(|file| file.lines.iter().map(move |line| (file, line))) {
        for site in &line.calls {
            let mut row = vec![optional(file.path.as_ref()), optional(line.line)];
            row.extend([Cell::text(&site.function.display), optional(site.calls)]);
            row.extend(call_costs(site, answer.events.len()));
            sheet.row(row);
        }
    }
    sheet.finish()
}

/// The costs of a call; empty cells if they are unknown.
fn call_costs(site: &SiteAnswer, width: usize) -> Vec<Cell> {
    site.cost.as_ref().map_or_else(|| vec![Cell::default(); width], |costs| numbers(costs).collect())
}

fn instructions(answer: &AnnotateAnswer) -> Document {
    let mut sheet = Sheet::new(&["address", "bytes"]);
    sheet.cost_titles(&answer.events, &["self"], None);
    sheet.titles(&["text", "file", "line", "jump", "executed", "taken"]);
    for it in answer.code.iter().flat_map(|code| &code.instructions) {
        let mut row = vec![Cell::text(format!("{:#x}", it.address)), Cell::text(it.bytes.clone())];
        row.extend(numbers(&it.own));
        row.extend([Cell::text(&it.text), optional(it.file.as_ref()), optional(it.line)]);
        let jump = it.jumps.first();
        row.push(optional(jump.map(|jump| format!("{:#x}", jump.target))));
        row.extend([
            optional(jump.and_then(|jump| jump.executed)),
            optional(jump.and_then(|jump| jump.taken)),
        ]);
        sheet.row(row);
    }
    sheet.finish()
}
