//! Text for a terminal: aligned tables without boxes, wrapped paragraphs, optional colours.

mod layout;
mod table;
mod wrap;

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Ansi};

use super::{Options, Style, one_line, visible};
use crate::document::{Block, Definition, Document, Figure, Inline, Role};
use wrap::{StyledText, wrap};

pub(super) fn render(document: &Document, options: Options, out: &mut dyn Write) -> io::Result<()> {
    for (i, block) in document.blocks.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        render_block(block, options, out)?;
    }
    Ok(())
}

fn render_block(block: &Block, options: Options, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Heading { level, text } => heading(*level, text, options.style, out),
        Block::Paragraph(text) => flow(text, ["", ""], options, out),
        Block::List(items) => items.iter().try_for_each(|item| flow(item, ["• ", "  "], options, out)),
        Block::Definitions(list) => list.iter().try_for_each(|entry| definition(entry, options, out)),
        Block::Code(text) => text.lines().try_for_each(|line| {
            let line: String = line.chars().map(visible).collect();
            writeln!(out, "    {line}")
        }),
        Block::Table(table) => table::render(table, options, out),
        Block::Figure(figure) => figure_text(figure, options, out),
    }
}

fn heading(level: u8, text: &str, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let text = one_line(text);
    let ansi = if level == 1 { Ansi::new().bold().underline() } else { Ansi::new().bold() };
    writeln!(out, "{}", painted(&text, ansi, style))
}

/// Writes running text in lines; `indents` are those of the first line and of the following ones.
fn flow(text: &[Inline], indents: [&str; 2], options: Options, out: &mut dyn Write) -> io::Result<()> {
    let styled = text.iter().map(|inline| StyledText { text: plain_text(inline), ansi: style_of(inline) });
    wrap(&styled.collect::<Vec<_>>(), indents, options, out)
}

fn definition(entry: &Definition, options: Options, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", painted(&one_line(&entry.term), Ansi::new().bold(), options.style))?;
    flow(&entry.text, ["    ", "    "], options, out)
}

/// Title and description of a figure, since a terminal shows no pictures.
fn figure_text(figure: &Figure, options: Options, out: &mut dyn Write) -> io::Result<()> {
    let words = [
        Inline::Marked(Role::Strong, format!("[{}]", figure.title)),
        Inline::Text(format!(" {}", figure.alt)),
    ];
    flow(&words, ["", "  "], options, out)
}

/// An inline element as plain text: code in backticks, the address of a link in parentheses.
fn plain_text(inline: &Inline) -> String {
    match inline {
        Inline::Code(text) => format!("`{}`", one_line(text)),
        Inline::Link { text, url } if text != url => format!("{} ({})", one_line(text), one_line(url)),
        _ => one_line(inline.words()),
    }
}

fn style_of(inline: &Inline) -> Ansi {
    match inline {
        Inline::Marked(role, _) => ansi_of(*role),
        _ => Ansi::new(),
    }
}

fn ansi_of(role: Role) -> Ansi {
    match role {
        Role::Good => AnsiColor::Green.on_default(),
        Role::Bad => AnsiColor::Red.on_default(),
        Role::Dim => Ansi::new().dimmed(),
        Role::Strong => Ansi::new().bold(),
    }
}

fn painted(text: &str, ansi: Ansi, style: Style) -> String {
    match style {
        Style::Colour if ansi != Ansi::new() => format!("{ansi}{text}{ansi:#}"),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::document::{Block, Cell, Column, Document, Inline, Role, Table};
    use crate::format::{Options, Style};

    fn shown(document: &Document, options: Options) -> String {
        let mut out = Vec::new();
        render(document, options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn colours_only_when_asked_for() {
        let mut table = Table::new("", vec![Column::left("verdict")]);
        table.rows.push(vec![Cell::text("faster").role(Role::Good)]);
        let mut document = Document::new();
        document.heading(1, "T").push(Block::Table(table));
        document.push(Block::Paragraph(vec![Inline::Marked(Role::Bad, "slow".into())]));
        let coloured = shown(&document, Options { style: Style::Colour, width: 40 });
        assert!(coloured.contains("\u{1b}[32mfaster\u{1b}[0m"), "{coloured:?}");
        assert!(coloured.contains("\u{1b}[31mslow\u{1b}[0m"), "{coloured:?}");
        assert!(!shown(&document, Options::default()).contains('\u{1b}'));
    }

    #[test]
    fn paragraphs_wrap_and_long_words_stay() {
        let mut document = Document::new();
        document.paragraph("one two three four averyveryverylongword");
        let text = shown(&document, Options { width: 10, ..Options::default() });
        assert_eq!(text, "one two\nthree four\naveryveryverylongword\n");
    }
}
