//! The inside of a function as tables with bare numbers.

use lotse_report::{Block, Cell, Column as TableColumn, Document, Table};

use super::super::{Numbers, cost_column};
use crate::annotate::AnnotateAnswer;
use crate::events::{Column, Cost};

/// A table of lines, one of calls and one of instructions, as far as there are any.
pub fn annotate_tables(answer: &AnnotateAnswer, columns: &[Column]) -> Document {
    let mut document = Document::new();
    for table in [lines(answer, columns), calls(answer, columns), instructions(answer, columns)] {
        if !table.rows.is_empty() {
            document.push(Block::Table(table));
        }
    }
    document
}

fn costs(columns: &[Column], costs: &[Cost]) -> impl Iterator<Item = Cell> {
    columns.iter().zip(costs).map(|(column, &cost)| Numbers::Bare.cell(column, cost))
}

/// Empty cells where the cost of a call is unknown, so that rows stay as wide as the heading.
fn call_costs(columns: &[Column], known: Option<&[Cost]>) -> Vec<Cell> {
    match known {
        Some(known) => costs(columns, known).collect(),
        None => vec![Cell::text(""); columns.len()],
    }
}

fn titles(before: &[&str], title: &str, columns: &[Column], after: &[&str]) -> Vec<TableColumn> {
    let only = columns.len() == 1;
    let words = |titles: &[&str]| titles.iter().map(|title| TableColumn::left(*title)).collect::<Vec<_>>();
    let mut all = words(before);
    all.extend(columns.iter().map(|column| cost_column(title, column, only)));
    all.extend(words(after));
    all
}

fn text(text: Option<impl ToString>) -> Cell {
    Cell::text(text.map_or(String::new(), |text| text.to_string()))
}

fn lines(answer: &AnnotateAnswer, columns: &[Column]) -> Table {
    let mut table = Table::new("", titles(&["file", "line"], "self", columns, &["text"]));
    for file in &answer.files {
        for line in &file.lines {
            let mut row = vec![text(file.path.as_ref()), text(line.line)];
            row.extend(costs(columns, &line.own));
            row.push(text(line.text.as_ref()));
            table.rows.push(row);
        }
    }
    table
}

fn calls(answer: &AnnotateAnswer, columns: &[Column]) -> Table {
    let mut table = Table::new("", titles(&["file", "line", "callee", "calls"], "cost", columns, &[]));
    for file in &answer.files {
        for (line, site) in file.lines.iter().flat_map(|line| line.calls.iter().map(move |site| (line, site)))
        {
            let mut row = vec![text(file.path.as_ref()), text(line.line)];
            row.extend([text(Some(&site.function.display)), text(site.calls)]);
            row.extend(call_costs(columns, site.cost.as_deref()));
            table.rows.push(row);
        }
    }
    table
}

fn instructions(answer: &AnnotateAnswer, columns: &[Column]) -> Table {
    let after = ["text", "file", "line", "jump", "executed", "taken"];
    let mut table = Table::new("", titles(&["address", "bytes"], "self", columns, &after));
    for it in answer.code.iter().flat_map(|code| &code.instructions) {
        let mut row = vec![Cell::text(format!("{:#x}", it.address)), Cell::text(it.bytes.clone())];
        row.extend(costs(columns, &it.own));
        row.extend([text(Some(&it.text)), text(it.file.as_ref()), text(it.line)]);
        let jump = it.jumps.first();
        row.push(text(jump.map(|jump| format!("{:#x}", jump.target))));
        row.extend([text(jump.and_then(|jump| jump.executed)), text(jump.and_then(|jump| jump.taken))]);
        table.rows.push(row);
    }
    table
}
