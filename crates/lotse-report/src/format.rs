//! The formats of documents: one file per format, and the list of all.

mod asciidoc;
mod csv;
pub(crate) mod html;
mod latex;
mod markdown;
mod org;
mod terminal;

use std::io::{self, Write};

use crate::document::Document;

/// A format for documents.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// The name on the command line.
    pub name: &'static str,
    /// The usual extension of its files, without the dot.
    pub extension: &'static str,
    pub render: fn(&Document, Options, &mut dyn Write) -> io::Result<()>,
}

/// Options of the terminal format; the other formats ignore them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The width of the terminal in columns.
    pub width: usize,
    pub style: Style,
}

/// Whether to write colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Without colours.
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

/// The format for files with this extension.
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

/// A text on one line: line breaks become spaces, other control characters their Unicode symbols (␛), so that no text can
/// move the cursor or break a row.
pub(crate) fn one_line(text: &str) -> String {
    text.trim_end_matches(['\n', '\r']).replace("\r\n", " ").chars().map(visible).collect()
}

/// A printable character in place of a control character; others as they are.
fn visible(c: char) -> char {
    match c {
        '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' | '\u{85}' => ' ',
        '\u{7f}' => '\u{2421}',
        c if c < ' ' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        // Other control characters, and marks that change the writing direction (CVE-2021-42574).
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
