//! What Markdown, AsciiDoc, Org and LaTeX have in common: one walk over a document, which calls the format for its marks.
//!
//! The walk escapes every text before a format sees it, so that a format only adds its marks around it; texts that a format
//! must see unescaped (code) are named so.

use std::io::{self, Write};

use crate::document::{Align, Block, Document, Inline, Role, Table};

/// The marks of a format. Unless stated otherwise, arguments are escaped already, and results have no line feed at the end.
pub(crate) trait Markup {
    /// Written before the first block; ends with a line feed if it is not empty.
    const PREAMBLE: &'static str = "";
    /// Written after the last block.
    const ENDING: &'static str = "";

    /// The text on one line, so that it is shown as it is.
    fn escaped(&self, text: &str) -> String;

    /// Emphasised; the text is not blank.
    fn strong(&self, text: &str) -> String;

    /// A code span. The text is not escaped and not blank.
    fn code_span(&self, text: &str) -> String;

    /// A link; the address is harmless, but not escaped.
    fn link(&self, text: &str, url: &str) -> String;

    /// Prevents the start of a paragraph from being parsed as the start of another block.
    fn line_start(&self, line: String) -> String {
        line
    }

    fn heading(&self, level: u8, text: &str) -> String;

    /// A bulleted list.
    fn list(&self, items: &[String]) -> String;

    /// Terms with their meanings.
    fn definitions(&self, entries: &[(String, String)]) -> String;

    /// Preformatted text, not escaped.
    fn code_block(&self, text: &str) -> String;

    fn table(&self, table: &MarkedTable) -> String;

    /// What stands for a picture: its title and its alternative text, not escaped.
    fn figure(&self, title: &str, alt: &str) -> String;
}

/// A table whose texts are escaped and marked.
pub(crate) struct MarkedTable {
    /// Empty for none.
    pub(crate) caption: String,
    pub(crate) titles: Vec<String>,
    /// One per column.
    pub(crate) aligns: Vec<Align>,
    /// As many cells as there are columns in each.
    pub(crate) rows: Vec<Vec<String>>,
}

/// Writes all blocks, with an empty line between them.
pub(crate) fn write_document<M: Markup>(
    markup: &M,
    document: &Document,
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(M::PREAMBLE.as_bytes())?;
    for (i, block) in document.blocks.iter().enumerate() {
        if i > 0 || !M::PREAMBLE.is_empty() {
            writeln!(out)?;
        }
        let text = marked_block(markup, block);
        if !text.is_empty() {
            writeln!(out, "{text}")?;
        }
    }
    out.write_all(M::ENDING.as_bytes())
}

fn marked_block<M: Markup>(markup: &M, block: &Block) -> String {
    match block {
        Block::Heading { level, text } => markup.heading(*level, &markup.escaped(text)),
        Block::Paragraph(text) => markup.line_start(inlines(markup, text)),
        Block::List(items) => {
            markup.list(&items.iter().map(|item| inlines(markup, item)).collect::<Vec<_>>())
        }
        Block::Definitions(list) => {
            let entry = |term: &str, text| (markup.escaped(term.trim()), inlines(markup, text));
            markup.definitions(&list.iter().map(|item| entry(&item.term, &item.text)).collect::<Vec<_>>())
        }
        Block::Code(text) => markup.code_block(text.trim_end_matches('\n')),
        Block::Table(table) => markup.table(&marked_table(markup, table)),
        Block::Figure(figure) => markup.figure(figure.title.trim(), &figure.alt),
    }
}

fn marked_table<M: Markup>(markup: &M, table: &Table) -> MarkedTable {
    let cell = |row, column| {
        let cell = table.cell(row, column);
        marked(markup, &cell.text, cell.role)
    };
    let row = |row| (0..table.columns.len()).map(|column| cell(row, column)).collect();
    MarkedTable {
        caption: markup.escaped(table.caption.trim()),
        titles: table.columns.iter().map(|column| markup.escaped(&column.title)).collect(),
        aligns: table.columns.iter().map(|column| column.align).collect(),
        rows: (0..table.rows.len()).map(row).collect(),
    }
}

fn inlines<M: Markup>(markup: &M, text: &[Inline]) -> String {
    text.iter().map(|part| inline(markup, part)).collect()
}

fn inline<M: Markup>(markup: &M, inline: &Inline) -> String {
    match inline {
        Inline::Marked(Role::Strong, text) => marked(markup, text, Some(Role::Strong)),
        Inline::Code(text) if !text.trim().is_empty() => markup.code_span(text.trim()),
        Inline::Link { text, .. } => match inline.safe_url() {
            Some(url) => markup.link(&markup.escaped(text), url),
            None => markup.escaped(text),
        },
        _ => markup.escaped(inline.words()),
    }
}

/// Good and bad are emphasised as well, for these formats have no colours. Emphasis must touch its words.
fn marked<M: Markup>(markup: &M, text: &str, role: Option<Role>) -> String {
    match role {
        Some(Role::Strong | Role::Good | Role::Bad) if !text.trim().is_empty() => {
            markup.strong(&markup.escaped(text.trim()))
        }
        _ => markup.escaped(text),
    }
}

/// Lines with `before` at the start of each.
pub(crate) fn lines_with(before: &str, lines: &[String]) -> String {
    let lines: Vec<_> = lines.iter().map(|line| format!("{before}{line}")).collect();
    lines.join("\n")
}
