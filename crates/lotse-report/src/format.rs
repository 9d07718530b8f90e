//! The formats a document can be written in: a file each, and one list.

mod asciidoc;
mod csv;
pub(crate) mod html;
mod latex;
mod markdown;
mod org;
mod terminal;

use std::io::{self, Write};

use crate::document::Document;

/// A way to write documents.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// What the command line calls it.
    pub name: &'static str,
    /// The usual ending of its files, without the point.
    pub extension: &'static str,
    pub render: fn(&Document, Options, &mut dyn Write) -> io::Result<()>,
}

/// What the formats for terminals heed; the others write the same whatever it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Columns to fit into.
    pub width: usize,
    pub style: Style,
}

/// With colours or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Text alone.
    #[default]
    Plain,
    /// With ANSI escapes.
    Colour,
}

impl Default for Options {
    fn default() -> Self {
        Self { width: 100, style: Style::Plain }
    }
}

/// Every format.
pub const FORMATS: &[Format] = &[
    Format { name: "terminal", extension: "txt", render: terminal::render },
    Format { name: "markdown", extension: "md", render: markdown::render },
    Format { name: "asciidoc", extension: "adoc", render: asciidoc::render },
    Format { name: "orgmode", extension: "org", render: org::render },
    Format { name: "csv", extension: "csv", render: csv::render },
    Format { name: "latex", extension: "tex", render: latex::render },
    Format { name: "html", extension: "html", render: html::render },
];

/// The format of that name.
pub fn named(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// The format usual for files with that ending.
pub fn for_extension(extension: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.extension.eq_ignore_ascii_case(extension))
}

impl Format {
    /// The document as a string.
    pub fn to_string(&self, document: &Document, options: Options) -> io::Result<String> {
        let mut bytes = Vec::new();
        (self.render)(document, options, &mut bytes)?;
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }
}

/// A text on one line: line breaks become spaces, other control characters their pictures (␛),
/// so that no text can move a cursor or break a row.
pub(crate) fn one_line(text: &str) -> String {
    text.trim_end_matches(['\n', '\r']).replace("\r\n", " ").chars().map(visible).collect()
}

fn visible(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' | '\u{85}' => ' ',
        '\u{7f}' => '\u{2421}',
        c if c < ' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        // The other controls, and marks that turn the direction of writing (CVE-2021-42574).
        c if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::{FORMATS, for_extension, named, one_line};

    #[test]
    fn names_and_extensions_are_unique() {
        for format in FORMATS {
            assert_eq!(named(format.name).unwrap().extension, format.extension);
            assert_eq!(for_extension(format.extension).unwrap().name, format.name);
        }
        assert!(named("punch cards").is_none());
    }

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(one_line("a\r\nb\tc\u{1b}[31m\n"), "a b c␛[31m");
        assert_eq!(one_line("a\u{202e}b\u{7f}"), "a\u{fffd}b␡");
    }
}
