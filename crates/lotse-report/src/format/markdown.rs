//! GitHub-flavoured Markdown. Every character that could be markup is escaped.

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

/// Writes one block. The fence of preformatted text is longer than any run of backticks in it.
fn render_block(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Heading { level, text } => {
            writeln!(out, "{} {}", "#".repeat(usize::from(*level)), escaped(text))
        }
        Block::Paragraph(text) => writeln!(out, "{}", opening(&inlines(text))),
        Block::List(items) => {
            items.iter().try_for_each(|item| writeln!(out, "- {}", opening(&inlines(item))))
        }
        Block::Definitions(list) => list.iter().try_for_each(|entry| {
            writeln!(out, "- **{}**: {}", escaped(entry.term.trim()), inlines(&entry.text))
        }),
        Block::Code(text) => {
            let fence = "`".repeat(longest_run(text).max(2) + 1);
            writeln!(out, "{fence}text\n{}\n{fence}", text.trim_end_matches('\n'))
        }
        Block::Table(table) => render_table(table, out),
        Block::Figure(figure) => {
            writeln!(out, "**{}**: {}", escaped(figure.title.trim()), escaped(&figure.alt))
        }
    }
}

fn render_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    if !table.caption.is_empty() {
        writeln!(out, "**{}**\n", escaped(table.caption.trim()))?;
    }
    let titles = table.columns.iter().map(|column| escaped(&column.title));
    writeln!(out, "| {} |", titles.collect::<Vec<_>>().join(" | "))?;
    let rules = table.columns.iter().map(|column| rule(column.align));
    writeln!(out, "|{}|", rules.collect::<Vec<_>>().join("|"))?;
    (0..table.rows.len()).try_for_each(|row| {
        let cells = (0..table.columns.len()).map(|column| cell(table.cell(row, column)));
        writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "))
    })
}

fn rule(align: Align) -> &'static str {
    match align {
        Align::Left => ":---",
        Align::Right | Align::Decimal => "---:",
        Align::Centre => ":---:",
    }
}

fn cell(cell: &Cell) -> String {
    marked(&escaped(&cell.text), cell.role)
}

fn marked(text: &str, role: Option<Role>) -> String {
    match role {
        // Emphasis must touch its words, and may not be empty.
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
        Inline::Code(text) => code(&one_line(text)),
        Inline::Link { text, .. } => match inline.safe_url() {
            Some(url) => format!("[{}]({})", escaped(text), url.replace('(', "%28").replace(')', "%29")),
            None => escaped(text),
        },
        _ => escaped(inline.words()),
    }
}

/// A code span; its fence is longer than any run of backticks in it.
fn code(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '$' => escaped.extend(['\\', c]),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Prevents the start of a line from being parsed as a list, a quotation or a rule.
fn opening(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &line[..digits], &line[digits..]),
        Some(b'-' | b'+' | b'=') if digits == 0 => format!("\\{line}"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{code, escaped, opening};

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("a|b*c_d<e>&\\`\n#"), "a\\|b\\*c\\_d&lt;e&gt;&amp;\\\\\\` \\#");
    }

    #[test]
    fn code_keeps_its_backticks() {
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
    }

    #[test]
    fn lines_do_not_open_lists() {
        assert_eq!(opening("12. May"), "12\\. May");
        assert_eq!(opening("- x"), "\\- x");
        assert_eq!(opening("12 ms"), "12 ms");
    }
}
