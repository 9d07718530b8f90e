//! A function's lines, call sites or instructions.

use lotse_report::{Cell, Document};

use super::{Sheet, maybe, number};
use crate::annotate::{AnnotateAnswer, SiteAnswer};
use crate::events::Cost;

/// Which of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnnotateTable {
    /// Source lines with their self costs.
    Lines,
    /// Calls by source line.
    Calls,
    /// Instructions with their self costs and jumps.
    Instructions,
}

/// One of the tables.
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
    sheet.costs(&answer.events, &["self"], None);
    sheet.titles(&["text"]);
    for (file, line) in answer.files.iter().flat_map(|file| file.lines.iter().map(move |line| (file, line))) {
        let mut row = vec![maybe(file.path.as_ref()), maybe(line.line)];
        row.extend(numbers(&line.own));
        row.push(maybe(line.text.as_ref()));
        sheet.row(row);
    }
    sheet.finish()
}

fn calls(answer: &AnnotateAnswer) -> Document {
    let mut sheet = Sheet::new(&["file", "line", "callee", "calls"]);
    sheet.costs(&answer.events, &["cost"], None);
    for (file, line) in answer.files.iter().flat_map(|file| file.lines.iter().map(move |line| (file, line))) {
        for site in &line.calls {
            let mut row = vec![maybe(file.path.as_ref()), maybe(line.line)];
            row.extend([Cell::text(&site.function.display), maybe(site.calls)]);
            row.extend(call_costs(site, answer.events.len()));
            sheet.row(row);
        }
    }
    sheet.finish()
}

/// Empty cells where the cost of a call is unknown.
fn call_costs(site: &SiteAnswer, width: usize) -> Vec<Cell> {
    site.cost.as_ref().map_or_else(|| vec![Cell::default(); width], |costs| numbers(costs).collect())
}

fn instructions(answer: &AnnotateAnswer) -> Document {
    let mut sheet = Sheet::new(&["address", "bytes"]);
    sheet.costs(&answer.events, &["self"], None);
    sheet.titles(&["text", "file", "line", "jump", "executed", "taken"]);
    for it in answer.code.iter().flat_map(|code| &code.instructions) {
        let mut row = vec![Cell::text(format!("{:#x}", it.address)), Cell::text(it.bytes.clone())];
        row.extend(numbers(&it.own));
        row.extend([Cell::text(&it.text), maybe(it.file.as_ref()), maybe(it.line)]);
        let jump = it.jumps.first();
        row.push(maybe(jump.map(|jump| format!("{:#x}", jump.target))));
        row.extend([maybe(jump.and_then(|jump| jump.executed)), maybe(jump.and_then(|jump| jump.taken))]);
        sheet.row(row);
    }
    sheet.finish()
}
