//! The source text, its line numbers before preprocessing, and its syntax tree.

use tree_sitter::{Node, Parser, Tree};

use crate::nest::SourcePosition;

/// Larger sources are refused.
const MOST_BYTES: usize = 64 << 20;

/// Why a source could not be parsed at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The parser gave up.
    #[error("the C parser gave up on this source")]
    GaveUp,
    /// The grammar is not compatible with the parser library.
    #[error("the C grammar cannot be used: {0}")]
    Grammar(String),
    #[error("the source has {0} bytes, more than are accepted ({MOST_BYTES})")]
    TooLarge(usize),
}

/// A source text. Line markers of the preprocessor (`# 12 "file.c"`) are blanked out; they determine the numbers of the lines after
/// them.
pub(super) struct CSource {
    pub(super) text: String,
    /// For every line of the text, its original number, and whether it comes from the file itself and not from a header.
    lines: Vec<(u32, bool)>,
}

impl CSource {
    /// Blanks out line markers and numbers the lines.
    pub(super) fn new(text: &str) -> Self {
        let mut lines = Vec::new();
        let mut blanked = String::with_capacity(text.len());
        let mut number = 1;
        let (mut main, mut is_own) = (None, true);
        for line in text.split_inclusive('\n') {
            lines.push((number, is_own));
            match marker(line) {
                Some((next, file)) => {
                    blanked.push('\n');
                    number = next;
                    // The first marker names the file itself.
                    is_own = file.is_none() || file == *main.get_or_insert(file);
                }
                None => {
                    blanked.push_str(line);
                    number += 1;
                }
            }
        }
        Self { text: blanked, lines }
    }

    pub(super) fn parse(&self) -> Result<Tree, ParseError> {
        if self.text.len() > MOST_BYTES {
            return Err(ParseError::TooLarge(self.text.len()));
        }
        parse(&self.text)
    }

    pub(super) fn place(&self, node: Node<'_>) -> SourcePosition {
        let position = node.start_position();
        let line = self.lines.get(position.row).map_or(0, |(line, _)| *line);
        SourcePosition { line, column: u32::try_from(position.column + 1).unwrap_or(0) }
    }
}

impl CSource {
    /// Whether a node is in the file itself, not in an included header.
    pub(super) fn is_own(&self, node: Node<'_>) -> bool {
        self.lines.get(node.start_position().row).is_none_or(|(_, is_own)| *is_own)
    }
}

pub(super) fn parse(text: &str) -> Result<Tree, ParseError> {
    let mut parser = Parser::new();
    let language = tree_sitter_c::LANGUAGE.into();
    parser.set_language(&language).map_err(|error| ParseError::Grammar(error.to_string()))?;
    parser.parse(text, None).ok_or(ParseError::GaveUp)
}

/// The number of the next line and the file's name, if this is a line marker.
fn marker(line: &str) -> Option<(u32, Option<&str>)> {
    let rest = line.strip_prefix('#')?;
    let rest = rest.strip_prefix("line").unwrap_or(rest);
    let number = rest.strip_prefix(' ')?;
    let end = number.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(number.len());
    Some((number[..end].parse().ok()?, number[end..].split('"').nth(1)))
}

/// Named children without comments.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Whether the tree below a node is deeper than `limit`; found without recursion.
pub(super) fn deeper_than(node: Node<'_>, limit: usize) -> bool {
    let mut pending = vec![(node, 0)];
    while let Some((node, depth)) = pending.pop() {
        if depth > limit {
            return true;
        }
        let mut cursor = node.walk();
        pending.extend(node.children(&mut cursor).map(|child| (child, depth + 1)));
    }
    false
}
