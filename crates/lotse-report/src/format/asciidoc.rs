//! AsciiDoc. Characters that could be markup are written as character references.

use std::io::{self, Write};

use super::{Options, one_line};
use crate::document::{Align, Block, Cell, Document, Inline, Role, Table};

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    for (i, block) in document.blocks.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        render_block(block, out)?;
    }
    Ok(())
}

fn render_block(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Heading { level, text } => {
            writeln!(out, "{} {}", "=".repeat(usize::from(*level)), escaped(text))
        }
        Block::Paragraph(text) => writeln!(out, "{}", opening(&inlines(text))),
        Block::List(items) => items.iter().try_for_each(|item| writeln!(out, "* {}", inlines(item))),
        Block::Definitions(list) => list.iter().try_for_each(|entry| {
            writeln!(out, "{}:: {}", opening(&escaped(&entry.term)), inlines(&entry.text))
        }),
        Block::Code(text) => {
            let fence = "-".repeat(longest_dashes(text).max(3) + 1);
            writeln!(out, "{fence}\n{}\n{fence}", text.trim_end_matches('\n'))
        }
        Block::Table(table) => render_table(table, out),
        Block::Figure(figure) => writeln!(out, "*{}*: {}", escaped(&figure.title), escaped(&figure.alt)),
    }
}

fn render_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    if !table.caption.is_empty() {
        writeln!(out, ".{}", opening(&escaped(&table.caption)))?;
    }
    let aligns = table.columns.iter().map(|column| sign(column.align));
    writeln!(out, "[cols=\"{}\",options=\"header\"]", aligns.collect::<Vec<_>>().join(","))?;
    writeln!(out, "|===")?;
    let titles = table.columns.iter().map(|column| format!("| {}", escaped(&column.title)));
    writeln!(out, "{}", titles.collect::<Vec<_>>().join(" "))?;
    for row in 0..table.rows.len() {
        writeln!(out)?;
        (0..table.columns.len()).try_for_each(|column| {
            writeln!(out, "{}", format!("| {}", cell(table.cell(row, column))).trim_end())
        })?;
    }
    writeln!(out, "|===")
}

fn sign(align: Align) -> &'static str {
    match align {
        Align::Left => "<",
        Align::Right | Align::Decimal => ">",
        Align::Centre => "^",
    }
}

fn cell(cell: &Cell) -> String {
    marked(&escaped(&cell.text), cell.role)
}

fn marked(text: &str, role: Option<Role>) -> String {
    match role {
        Some(Role::Strong | Role::Good | Role::Bad) if !text.trim().is_empty() => {
            format!("**{}**", text.trim())
        }
        _ => text.to_owned(),
    }
}

fn inlines(text: &[Inline]) -> String {
    text.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> String {
    match inline {
        Inline::Marked(Role::Strong, text) => marked(&escaped(text), Some(Role::Strong)),
        Inline::Code(text) if !text.trim().is_empty() => format!("``{}``", escaped(text.trim())),
        Inline::Link { text, .. } => match inline.safe_url() {
            Some(url) => format!("link:{}[{}]", url.replace('[', "%5B").replace(']', "%5D"), escaped(text)),
            None => escaped(text),
        },
        _ => escaped(inline.words()),
    }
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for c in one_line(text).chars() {
        if is_markup(before, c) {
            escaped.extend(["&#", &u32::from(c).to_string(), ";"]);
        } else {
            escaped.push(c);
        }
        before = c;
    }
    escaped
}

fn is_markup(before: char, c: char) -> bool {
    match c {
        '*' | '_' | '`' | '#' | '+' | '^' | '~' | '|' | '{' | '}' | '[' | ']' | '\\' | '&' | '<' | '>'
        | '"' => true,
        // Arrows, dashes, ellipses, description lists and signs such as (C).
        '-' | '=' => matches!(before, '-' | '=' | '<'),
        '.' | ':' | ';' | '/' => before == c || (c == '/' && before == ':'),
        ')' => matches!(before, 'C' | 'R' | 'M'),
        _ => false,
    }
}

/// Prevents the start of a line from being parsed as a list, a title or an admonition.
fn opening(line: &str) -> String {
    let word = line.split(' ').next().unwrap_or("");
    let plain = word.starts_with(char::is_alphabetic) && !word.ends_with(['.', ':', ')']);
    if plain || line.is_empty() { line.to_owned() } else { format!("{{empty}}{line}") }
}

fn longest_dashes(text: &str) -> usize {
    text.lines().filter(|line| line.bytes().all(|byte| byte == b'-')).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{escaped, opening};

    #[test]
    fn markup_becomes_references() {
        assert_eq!(escaped("a|b *c* --x"), "a&#124;b &#42;c&#42; -&#45;x");
        assert_eq!(escaped("x -> (C) ..."), "x -&#62; (C&#41; .&#46;&#46;");
    }

    #[test]
    fn lines_do_not_open_blocks() {
        assert_eq!(opening("NOTE: x"), "{empty}NOTE: x");
        assert_eq!(opening(". x"), "{empty}. x");
        assert_eq!(opening("a b"), "a b");
    }
}
