//! A document that every format can render: headings, paragraphs, tables, figures.
//!
//! Texts are plain: a renderer shows all their characters as they are. The only markup in a document is an [`Svg`], which
//! only the plots of this crate can create.

use crate::shorten::NameKind;
use crate::svg::Svg;

/// A document, as a list of blocks.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    /// From top to bottom.
    pub blocks: Vec<Block>,
}

/// A block of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// A heading; level 1 is the document's own title.
    Heading {
        /// 1 to 6.
        level: u8,
        text: String,
    },
    /// Running text.
    Paragraph(Vec<Inline>),
    /// A bulleted list.
    List(Vec<Vec<Inline>>),
    /// Terms and what they mean.
    Definitions(Vec<Definition>),
    /// Preformatted text.
    Code(String),
    Table(Table),
    /// A plot; formats without pictures show its alternative text.
    Figure(Figure),
}

/// An inline element of running text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Inline {
    Text(String),
    /// Text with a role.
    Marked(Role, String),
    /// A command, a file name, an option.
    Code(String),
    /// A link. Only `http`, `https` and `#` addresses become links; others are shown as text.
    Link {
        text: String,
        url: String,
    },
}

/// The meaning of a text, from which formats choose a colour or emphasis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// Faster, passed.
    Good,
    /// Slower, failed.
    Bad,
    /// Less important.
    Dim,
    /// Emphasised.
    Strong,
}

/// A term and its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    pub term: String,
    /// The meaning.
    pub text: Vec<Inline>,
}

/// A table. Rows may be shorter than the list of columns; cells beyond it are ignored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Table {
    /// One line above it; empty for none.
    pub caption: String,
    /// From left to right.
    pub columns: Vec<Column>,
    /// From top to bottom.
    pub rows: Vec<Vec<Cell>>,
}

/// A column of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Column {
    pub title: String,
    pub align: Align,
    /// The unit of [`Cell::value`], for formats that write values; empty for none.
    pub unit: &'static str,
    pub narrow: NarrowScreen,
}

/// How a column is adapted to a screen that is too narrow for the table. Files contain every column and every name in full.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum NarrowScreen {
    /// Words are wrapped; numbers stay on one line.
    #[default]
    Wrap,
    /// Names are shortened.
    Shorten(NameKind),
    /// The column is left out; columns with the largest rank first.
    Drop(u8),
    /// The column stays as it is.
    Keep,
}

/// The alignment of the cells of a column.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Align {
    /// Words.
    #[default]
    Left,
    /// Whole numbers.
    Right,
    /// Marks.
    Centre,
    /// Numbers with decimals and units: aligned at the decimal point if the format can, else to the right.
    Decimal,
}

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cell {
    /// The text for people.
    pub text: String,
    pub role: Option<Role>,
    /// The number that the text shows, in the column's unit: CSV writes it, HTML sorts by it.
    pub value: Option<f64>,
}

/// A plot with its texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Figure {
    pub svg: Svg,
    pub title: String,
    /// How to read the plot.
    pub caption: String,
    /// A description for readers who cannot see the plot.
    pub alt: String,
}

impl Document {
    /// An empty document.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a heading.
    pub fn heading(&mut self, level: u8, text: impl Into<String>) -> &mut Self {
        self.push(Block::Heading { level: level.clamp(1, 6), text: text.into() })
    }

    /// Adds a paragraph of plain words.
    pub fn paragraph(&mut self, text: impl Into<String>) -> &mut Self {
        self.push(Block::Paragraph(vec![Inline::Text(text.into())]))
    }

    /// Inserts a sentence at the beginning: the conclusion, before its numbers.
    pub fn lead(&mut self, text: impl Into<String>) -> &mut Self {
        self.blocks.insert(0, Block::Paragraph(vec![Inline::Marked(Role::Strong, text.into())]));
        self
    }

    /// Adds any block.
    pub fn push(&mut self, block: Block) -> &mut Self {
        self.blocks.push(block);
        self
    }

    /// The text of the first heading.
    pub fn title(&self) -> Option<&str> {
        self.blocks.iter().find_map(|block| match block {
            Block::Heading { text, .. } => Some(text.as_str()),
            _ => None,
        })
    }
}

impl Column {
    /// A column of words.
    pub fn left(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// A column of functions.
    pub fn function(title: impl Into<String>) -> Self {
        Self { narrow: NarrowScreen::Shorten(NameKind::Function), ..Self::left(title) }
    }

    /// A column of files or call paths.
    pub fn path(title: impl Into<String>) -> Self {
        Self { narrow: NarrowScreen::Shorten(NameKind::Path), ..Self::left(title) }
    }

    /// A column of names that users copy, such as keys: never wrapped or shortened.
    pub fn key(title: impl Into<String>) -> Self {
        Self { narrow: NarrowScreen::Keep, ..Self::left(title) }
    }

    /// The same column, left out on narrow screens; columns with the largest rank first.
    #[must_use]
    pub fn droppable(self, rank: u8) -> Self {
        Self { narrow: NarrowScreen::Drop(rank), ..self }
    }

    /// A column of whole numbers.
    pub fn right(title: impl Into<String>) -> Self {
        Self { align: Align::Right, ..Self::left(title) }
    }

    /// A column of numbers with decimals; `unit` is that of the cells' values.
    pub fn decimal(title: impl Into<String>, unit: &'static str) -> Self {
        Self { align: Align::Decimal, unit, ..Self::left(title) }
    }
}

impl Table {
    /// An empty table with these columns.
    pub fn new(caption: impl Into<String>, columns: Vec<Column>) -> Self {
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// The cell, empty where the row is short.
    pub(crate) fn cell(&self, row: usize, column: usize) -> &Cell {
        const EMPTY: &Cell = &Cell { text: String::new(), role: None, value: None };
        self.rows.get(row).and_then(|row| row.get(column)).unwrap_or(EMPTY)
    }

    /// The cells of one column, from top to bottom.
    pub(crate) fn column(&self, column: usize) -> impl Iterator<Item = &Cell> {
        (0..self.rows.len()).map(move |row| self.cell(row, column))
    }
}

impl Cell {
    /// A cell of words.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), role: None, value: None }
    }

    /// A cell that shows a number.
    pub fn number(text: impl Into<String>, value: f64) -> Self {
        Self { value: Some(value), ..Self::text(text) }
    }

    /// The same cell with a role.
    #[must_use]
    pub fn role(self, role: Role) -> Self {
        Self { role: Some(role), ..self }
    }
}

impl Inline {
    /// The text without any markup.
    pub(crate) fn words(&self) -> &str {
        match self {
            Self::Text(text) | Self::Marked(_, text) | Self::Code(text) | Self::Link { text, .. } => text,
        }
    }

    /// The address of a link, if its scheme is harmless.
    pub(crate) fn safe_url(&self) -> Option<&str> {
        match self {
            Self::Link { url, .. } => is_safe(url).then_some(url),
            _ => None,
        }
    }
}

fn is_safe(url: &str) -> bool {
    let lower = url.to_ascii_lowercase();
    let known = ["https://", "http://", "#"].iter().any(|start| lower.starts_with(start));
    known && !url.chars().any(|c| c.is_whitespace() || c.is_control())
}

impl From<&str> for Inline {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Inline {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, Inline};

    #[test]
    fn only_harmless_addresses_become_links() {
        let link = |url: &str| Inline::Link { text: "x".into(), url: url.into() };
        assert!(link("https://example.org/a?b=c").safe_url().is_some());
        assert!(link("#term").safe_url().is_some());
        for bad in ["javascript:alert(1)", " https://x", "data:text/html,x", "https://a b", "file:///x"] {
            assert_eq!(link(bad).safe_url(), None, "{bad}");
        }
    }

    #[test]
    fn the_first_heading_is_the_title() {
        let mut document = Document::new();
        assert_eq!(document.title(), None);
        document.paragraph("a").heading(2, "Title").heading(1, "Other");
        assert_eq!(document.title(), Some("Title"));
    }
}
