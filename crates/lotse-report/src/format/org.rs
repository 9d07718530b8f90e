//! Org mode. A zero-width space is inserted where a character could be parsed as markup, as the Org manual recommends.

use std::io::{self, Write};

use super::{Options, one_line};
use crate::document::{Align, Document};
use crate::markup::{self, MarkedTable, Markup, lines_with};

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    markup::write_document(&Org, document, out)
}

const ZERO_WIDTH_SPACE: char = '\u{200b}';

struct Org;

impl Markup for Org {
    // Without these options, a_b becomes a subscript and $a$ a formula.
    const PREAMBLE: &'static str = "#+OPTIONS: ^:nil tex:nil\n";

    fn escaped(&self, text: &str) -> String {
        escaped(text)
    }

    fn strong(&self, text: &str) -> String {
        format!("*{text}*")
    }

    fn code_span(&self, text: &str) -> String {
        let mark = if text.contains('=') { '~' } else { '=' };
        format!("{mark}{}{mark}", one_line(text))
    }

    fn link(&self, text: &str, url: &str) -> String {
        let url = url.replace('[', "%5B").replace(']', "%5D");
        format!("[[{url}][{text}]]")
    }

    fn line_start(&self, line: String) -> String {
        line_start(line)
    }

    fn heading(&self, level: u8, text: &str) -> String {
        format!("{} {text}", "*".repeat(usize::from(level)))
    }

    fn list(&self, items: &[String]) -> String {
        lines_with("- ", &items.iter().map(|item| line_start(item.clone())).collect::<Vec<_>>())
    }

    /// A `::` in a term is split, since it would end the term.
    fn definitions(&self, entries: &[(String, String)]) -> String {
        let line =
            |(term, text): &(String, String)| format!("{} :: {text}", term.replace("::", ":\u{200b}:"));
        lines_with("- ", &entries.iter().map(line).collect::<Vec<_>>())
    }

    fn code_block(&self, text: &str) -> String {
        // Org's own escape for lines that would end the block.
        let comma = |line: &str| if line.trim_start().starts_with(['*', '#', ',']) { "," } else { "" };
        let mut lines = vec!["#+begin_example".to_owned()];
        lines.extend(text.lines().map(|line| format!("{}{line}", comma(line))));
        lines.push("#+end_example".to_owned());
        lines.join("\n")
    }

    fn table(&self, table: &MarkedTable) -> String {
        let caption = (!table.caption.is_empty()).then(|| format!("#+CAPTION: {}", table.caption));
        let letters: Vec<_> = table.aligns.iter().map(|&align| format!("<{}>", letter(align))).collect();
        let head = [
            format!("| {} |", table.titles.join(" | ")),
            format!("|{}|", vec!["---"; table.titles.len()].join("+")),
            format!("| {} |", letters.join(" | ")),
        ];
        let rows = table.rows.iter().map(|row| format!("| {} |", row.join(" | ")));
        caption.into_iter().chain(head).chain(rows).collect::<Vec<_>>().join("\n")
    }

    fn figure(&self, title: &str, alt: &str) -> String {
        line_start(escaped(&format!("{title}: {alt}")))
    }
}

fn letter(align: Align) -> char {
    match align {
        Align::Left => 'l',
        Align::Right | Align::Decimal => 'r',
        Align::Centre => 'c',
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
fn line_start(line: String) -> String {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < line.len() && digits.starts_with(['.', ')']);
    let mark = numbered || line.starts_with(['*', '#', '|', ':', '-', '+', '\\']);
    if mark { format!("{ZERO_WIDTH_SPACE}{line}") } else { line }
}

#[cfg(test)]
mod tests {
    use super::{escaped, line_start};

    #[test]
    fn only_what_could_be_markup_is_kept_apart() {
        assert_eq!(escaped("a|b"), "a\\vert{}b");
        assert_eq!(escaped("sort /tmp/x"), "sort \u{200b}/tmp/x");
        assert_eq!(escaped("a/b --x=1 2*3"), "a/b --x=1 2*3");
        assert_eq!(escaped("\\alpha [[x]]"), "\\\u{200b}alpha [\u{200b}[x]\u{200b}]");
    }

    #[test]
    fn lines_do_not_open_blocks() {
        assert_eq!(line_start("* x".to_owned()), "\u{200b}* x");
        assert_eq!(line_start("1. x".to_owned()), "\u{200b}1. x");
        assert_eq!(line_start("1 x".to_owned()), "1 x");
    }
}
