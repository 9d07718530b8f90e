//! Prints a source file with its costs; long ranges of lines without cost are left out.

use lotse_report::Role;

use super::cells::CostCells;
use super::{StyledLine, StyledText, call, is_idle, visible};
use crate::annotate::{FileAnswer, LineAnswer};

pub(super) fn section(file: &FileAnswer, cells: &CostCells<'_>) -> Vec<StyledLine> {
    let width = file.lines.iter().filter_map(|line| line.line).max().map_or(1, digits).max(4);
    let mut lines = vec![
        vec![StyledText::new(Role::Strong, visible(file.path.as_deref().unwrap_or("unknown source file")))],
        vec![StyledText::new(Role::Dim, format!("{}{:>width$}", cells.titles(), "line"))],
    ];
    let mut next = None;
    for line in &file.lines {
        if next.is_some() && line.line != next {
            lines.push(vec![StyledText::new(Role::Dim, format!("{}{:>width$}", cells.blank(), "…"))]);
        }
        next = line.line.map(|line| line.saturating_add(1));
        lines.extend(rows(line, cells, width));
    }
    lines
}

fn digits(line: u32) -> usize {
    line.to_string().len()
}

/// A source line, and a row for each of its calls.
fn rows(line: &LineAnswer, cells: &CostCells<'_>, width: usize) -> Vec<StyledLine> {
    let text = line.text.as_deref().map_or(String::new(), visible);
    let number = line.line.map_or("–".to_owned(), |line| line.to_string());
    let text = match line.line {
        None => StyledText::new(Role::Dim, "(no line known)"),
        Some(_) if is_idle(line) => StyledText::new(Role::Dim, text.clone()),
        Some(_) => StyledText::plain(text.clone()),
    };
    let indent = text.text.len() - text.text.trim_start().len();
    let mut row = vec![cells.row(&line.own), StyledText::new(Role::Dim, format!("{number:>width$} │ "))];
    row.push(text);
    let mut rows = vec![row];
    for site in &line.calls {
        let left = format!("{}{:width$} │ {:indent$}", cells.blank(), "", "");
        let mut row = vec![StyledText::new(Role::Dim, left)];
        row.extend(call(site, cells));
        rows.push(row);
    }
    rows
}
