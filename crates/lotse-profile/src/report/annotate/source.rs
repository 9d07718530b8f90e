//! A source file with its costs, lines without any left out where there are many.

use lotse_report::Role;

use super::cells::Cells;
use super::{Line, Span, call, is_idle, visible};
use crate::annotate::{FileAnswer, LineAnswer};

pub(super) fn section(file: &FileAnswer, cells: &Cells<'_>) -> Vec<Line> {
    let width = file.lines.iter().filter_map(|line| line.line).max().map_or(1, digits).max(4);
    let mut lines = vec![
        vec![Span::of(Role::Strong, visible(file.path.as_deref().unwrap_or("unknown source file")))],
        vec![Span::of(Role::Dim, format!("{}{:>width$}", cells.titles(), "line"))],
    ];
    let mut next = None;
    for line in &file.lines {
        if next.is_some() && line.line != next {
            lines.push(vec![Span::of(Role::Dim, format!("{}{:>width$}", cells.blank(), "…"))]);
        }
        next = line.line.map(|line| line.saturating_add(1));
        lines.extend(rows(line, cells, width));
    }
    lines
}

fn digits(line: u32) -> usize {
    line.to_string().len()
}

fn rows(line: &LineAnswer, cells: &Cells<'_>, width: usize) -> Vec<Line> {
    let text = line.text.as_deref().map_or(String::new(), visible);
    let number = line.line.map_or("–".to_owned(), |line| line.to_string());
    let text = match line.line {
        None => Span::of(Role::Dim, "(no line known)"),
        Some(_) if is_idle(line) => Span::of(Role::Dim, text.clone()),
        Some(_) => Span::plain(text.clone()),
    };
    let indent = text.text.len() - text.text.trim_start().len();
    let mut row = vec![cells.row(&line.own), Span::of(Role::Dim, format!("{number:>width$} │ "))];
    row.push(text);
    let mut rows = vec![row];
    for site in &line.calls {
        let left = format!("{}{:width$} │ {:indent$}", cells.blank(), "", "");
        let mut row = vec![Span::of(Role::Dim, left)];
        row.extend(call(site, cells));
        rows.push(row);
    }
    rows
}
