//! Org mode. A zero-width space is inserted where a character could be parsed as markup, as the Org manual recommends.

use std::io::{self, Write};

use super::{Options, one_line};
use crate::document::{Align, Block, Cell, Document, Inline, Role, Table};

const ZERO_WIDTH_SPACE: char = '\u{200b}';

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    // Without this option, a_b becomes a subscript and $a$ a formula.
    writeln!(out, "#+OPTIONS: ^:nil tex:nil")?;
    document.blocks.iter().try_for_each(|block| {
        writeln!(out)?;
        render_block(block, out)
    })
}

/// Writes one block. A `::` in a term is split, since it would end the term.
fn render_block(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Heading { level, text } => {
            writeln!(out, "{} {}", "*".repeat(usize::from(*level)), escaped(text))
        }
        Block::Paragraph(text) => writeln!(out, "{}", opening(&inlines(text))),
        Block::List(items) => {
            items.iter().try_for_each(|item| writeln!(out, "- {}", opening(&inlines(item))))
        }
        Block::Definitions(list) => list.iter().try_for_each(|entry| {
            let term = escaped(&entry.term).replace("::", ":\u{200b}:");
            writeln!(out, "- {term} :: {}", inlines(&entry.text))
        }),
        Block::Code(text) => render_code(text, out),
        Block::Table(table) => render_table(table, out),
        Block::Figure(figure) => {
            writeln!(out, "{}", opening(&escaped(&format!("{}: {}", figure.title, figure.alt))))
        }
    }
}

fn render_code(text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "#+begin_example")?;
    for line in text.lines() {
        // Org's own escape for lines that would end the block.
        let comma = if line.trim_start().starts_with(['*', '#', ',']) { "," } else { "" };
        writeln!(out, "{comma}{line}")?;
    }
    writeln!(out, "#+end_example")
}

fn render_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    if !table.caption.is_empty() {
        writeln!(out, "#+CAPTION: {}", escaped(&table.caption))?;
    }
    let joined = |cells: Vec<String>, separator: &str| cells.join(separator);
    let titles = table.columns.iter().map(|column| escaped(&column.title)).collect();
    writeln!(out, "| {} |", joined(titles, " | "))?;
    writeln!(out, "|{}|", joined(table.columns.iter().map(|_| "---".to_owned()).collect(), "+"))?;
    let aligns = table.columns.iter().map(|column| format!("<{}>", letter(column.align))).collect();
    writeln!(out, "| {} |", joined(aligns, " | "))?;
    (0..table.rows.len()).try_for_each(|row| {
        let cells = (0..table.columns.len()).map(|column| cell(table.cell(row, column))).collect();
        writeln!(out, "| {} |", joined(cells, " | "))
    })
}

fn letter(align: Align) -> char {
    match align {
        Align::Left => 'l',
        Align::Right | Align::Decimal => 'r',
        Align::Centre => 'c',
    }
}

fn cell(cell: &Cell) -> String {
    marked(&escaped(&cell.text), cell.role)
}

fn marked(text: &str, role: Option<Role>) -> String {
    match role {
        Some(Role::Strong | Role::Good | Role::Bad) if !text.trim().is_empty() => {
            format!("*{}*", text.trim())
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
        Inline::Code(text) if !text.trim().is_empty() => {
            let mark = if text.contains('=') { '~' } else { '=' };
            format!("{mark}{}{mark}", one_line(text.trim()))
        }
        Inline::Link { text, .. } => match inline.safe_url() {
            Some(url) => {
                let url = url.replace('[', "%5B").replace(']', "%5D");
                format!("[[{url}][{}]]", escaped(text))
            }
            None => escaped(text),
        },
        _ => escaped(inline.words()),
    }
}

/// Escapes a text: `|` as an entity, and a zero-width space before emphasis and in double brackets and after backslashes.
fn escaped(text: &str) -> String {
    let line = one_line(text);
    let mut escaped = String::with_capacity(line.len());
    let mut before = ' ';
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        if c == '|' {
            escaped.push_str("\\vert{}");
        } else {
            if opens_emphasis(before, c, rest) || (c == before && matches!(c, '[' | ']')) {
                escaped.push(ZERO_WIDTH_SPACE);
            }
            escaped.push(c);
            if c == '\\' && rest.starts_with(|next: char| next.is_ascii_alphabetic() || next == '\\') {
                escaped.push(ZERO_WIDTH_SPACE);
            }
        }
        before = c;
    }
    escaped
}

/// Whether a character would start emphasis: a marker at the start of a word, with the same marker again later.
fn opens_emphasis(before: char, c: char, rest: &str) -> bool {
    let border = before.is_whitespace() || matches!(before, '-' | '(' | '{' | '\'' | '"' | '|');
    let word = rest.starts_with(|next: char| !next.is_whitespace());
    matches!(c, '*' | '/' | '_' | '=' | '~' | '+') && border && word && rest.contains(c)
}

/// Prevents the start of a line from being parsed as a headline, a list or a keyword.
fn opening(line: &str) -> String {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    let mark = numbered || line.starts_with(['*', '#', '|', ':', '-', '+', '\\']);
    if mark { format!("{ZERO_WIDTH_SPACE}{line}") } else { line.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{escaped, opening};

    #[test]
    fn only_what_could_be_markup_is_kept_apart() {
        assert_eq!(escaped("a|b"), "a\\vert{}b");
        assert_eq!(escaped("sort /tmp/x"), "sort \u{200b}/tmp/x");
        assert_eq!(escaped("a/b --x=1 2*3"), "a/b --x=1 2*3");
        assert_eq!(escaped("\\alpha [[x]]"), "\\\u{200b}alpha [\u{200b}[x]\u{200b}]");
    }

    #[test]
    fn lines_do_not_open_blocks() {
        assert_eq!(opening("* x"), "\u{200b}* x");
        assert_eq!(opening("1. x"), "\u{200b}1. x");
        assert_eq!(opening("1 x"), "1 x");
    }
}
