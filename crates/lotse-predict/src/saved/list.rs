//! The document about all functions of a file that have loops.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::{Block, Cell, Document, Table};

use super::pictures;
use crate::answer::{ListAnswer, ListedAnswer};
use crate::report::list_columns;

/// The longest function in a sentence, all of them as bars and as a table.
pub(super) fn document(answer: &ListAnswer) -> Document {
    let mut document = Document::new();
    document.lead(sentence(answer));
    if answer.functions.is_empty() {
        return document;
    }
    document.blocks.extend(pictures::functions(answer).map(Block::Figure));
    let mut table = Table::new("Functions with loops", list_columns());
    table.rows = answer.functions.iter().map(row).collect();
    document.push(Block::Table(table));
    document.paragraph(format!("Functions without loops, which have no time: {}.", answer.without_loops));
    if let Some(basis) = &answer.basis {
        document.push(Block::Paragraph(vec![super::dim(basis.note())]));
    }
    document
}

fn sentence(answer: &ListAnswer) -> String {
    let file = &answer.file;
    let longest = answer.functions.iter().find_map(|it| Some((it, it.time()?)));
    match longest {
        Some((it, seconds)) => {
            let least = if it.refused.is_empty() { "" } else { "at least " };
            let name = &it.function;
            format!("The longest function of {file} is {name}: {least}about {}.", format_seconds(seconds))
        }
        None if answer.functions.is_empty() => {
            format!("None of the {} functions of {file} has a loop.", answer.without_loops)
        }
        None => format!("No function of {file} has a time."),
    }
}

impl ListedAnswer {
    /// The predicted time; `None` if nothing of the function was analysed.
    pub(super) fn time(&self) -> Option<f64> {
        self.seconds.filter(|seconds| *seconds > 0.0 || self.refused.is_empty())
    }
}

/// One row: the time, or in place of the interval the reason why there is none.
fn row(it: &ListedAnswer) -> Vec<Cell> {
    let line = it.site.line.map_or_else(String::new, |line| line.to_string());
    let mut row = vec![Cell::text(&*it.function), Cell::text(line)];
    let (Some(seconds), Some([low, high])) = (it.time(), it.interval) else {
        let reason = match &it.problem {
            Some(problem) => problem.clone(),
            None if it.missing.is_empty() => "not analysed: --function says why".to_owned(),
            None => format!("needs -D {}", it.missing.join(", -D ")),
        };
        row.extend([Cell::text(""), Cell::text(reason), Cell::text(""), Cell::text("")]);
        return row;
    };
    row.push(Cell::number(format_seconds(seconds), seconds));
    row.push(Cell::text(match it.refused.is_empty() {
        true => format!("{} to {}", format_seconds(low), format_seconds(high)),
        false => format!("at least {}", format_seconds(low)),
    }));
    row.push(Cell::text(it.coverage.map_or_else(String::new, |share| format_percent(share, 0))));
    row.push(Cell::text(it.limit.as_deref().unwrap_or("")));
    row
}
