//! AsciiDoc. Characters that could be markup are written as character references.

use std::io::{self, Write};

use super::{Options, one_line};
use crate::document::{Align, Document};
use crate::markup::{self, MarkedTable, Markup, lines_with};

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    markup::write_document(&AsciiDoc, document, out)
}

struct AsciiDoc;

impl Markup for AsciiDoc {
    fn escaped(&self, text: &str) -> String {
        escaped(text)
    }

    fn strong(&self, text: &str) -> String {
        format!("**{text}**")
    }

    fn code_span(&self, text: &str) -> String {
        format!("``{}``", escaped(text))
    }

    fn link(&self, text: &str, url: &str) -> String {
        format!("link:{}[{text}]", url.replace('[', "%5B").replace(']', "%5D"))
    }

    fn line_start(&self, line: String) -> String {
        line_start(line)
    }

    fn heading(&self, level: u8, text: &str) -> String {
        format!("{} {text}", "=".repeat(usize::from(level)))
    }

    fn list(&self, items: &[String]) -> String {
        lines_with("* ", items)
    }

    fn definitions(&self, entries: &[(String, String)]) -> String {
        let line = |(term, text): &(String, String)| format!("{}:: {text}", line_start(term.clone()));
        lines_with("", &entries.iter().map(line).collect::<Vec<_>>())
    }

    fn code_block(&self, text: &str) -> String {
        let fence = "-".repeat(longest_dashes(text).max(3) + 1);
        format!("{fence}\n{text}\n{fence}")
    }

    fn table(&self, table: &MarkedTable) -> String {
        let mut lines = Vec::new();
        if !table.caption.is_empty() {
            lines.push(format!(".{}", line_start(table.caption.clone())));
        }
        let signs: Vec<_> = table.aligns.iter().map(|&align| sign(align)).collect();
        lines.push(format!("[cols=\"{}\",options=\"header\"]", signs.join(",")));
        lines.push("|===".to_owned());
        let titles: Vec<_> = table.titles.iter().map(|title| format!("| {title}")).collect();
        lines.push(titles.join(" "));
        for row in &table.rows {
            lines.push(String::new());
            lines.extend(row.iter().map(|cell| format!("| {cell}").trim_end().to_owned()));
        }
        lines.push("|===".to_owned());
        lines.join("\n")
    }

    fn figure(&self, title: &str, alt: &str) -> String {
        format!("*{}*: {}", escaped(title), escaped(alt))
    }
}

fn sign(align: Align) -> &'static str {
    match align {
        Align::Left => "<",
        Align::Right | Align::Decimal => ">",
        Align::Centre => "^",
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
fn line_start(line: String) -> String {
    let word = line.split(' ').next().unwrap_or("");
    let plain = word.starts_with(char::is_alphabetic) && !word.ends_with(['.', ':', ')']);
    if plain || line.is_empty() { line } else { format!("{{empty}}{line}") }
}

fn longest_dashes(text: &str) -> usize {
    text.lines().filter(|line| line.bytes().all(|byte| byte == b'-')).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{escaped, line_start};

    #[test]
    fn markup_becomes_references() {
        assert_eq!(escaped("a|b *c* --x"), "a&#124;b &#42;c&#42; -&#45;x");
        assert_eq!(escaped("x -> (C) ..."), "x -&#62; (C&#41; .&#46;&#46;");
    }

    #[test]
    fn lines_do_not_open_blocks() {
        assert_eq!(line_start("NOTE: x".to_owned()), "{empty}NOTE: x");
        assert_eq!(line_start(". x".to_owned()), "{empty}. x");
        assert_eq!(line_start("a b".to_owned()), "a b");
    }
}
