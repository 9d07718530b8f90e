//! GitHub-flavoured Markdown. Every character that could be markup is escaped.

use std::io::{self, Write};

use super::{Options, one_line};
use crate::document::{Align, Document};
use crate::markup::{self, MarkedTable, Markup, lines_with};

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    markup::write_document(&Markdown, document, out)
}

struct Markdown;

impl Markup for Markdown {
    fn escaped(&self, text: &str) -> String {
        escaped(text)
    }

    fn strong(&self, text: &str) -> String {
        format!("**{text}**")
    }

    /// The fence is longer than any run of backticks in the text.
    fn code_span(&self, text: &str) -> String {
        let text = one_line(text);
        let fence = "`".repeat(longest_run(&text) + 1);
        let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        format!("{fence}{pad}{text}{pad}{fence}")
    }

    fn link(&self, text: &str, url: &str) -> String {
        format!("[{text}]({})", url.replace('(', "%28").replace(')', "%29"))
    }

    fn line_start(&self, line: String) -> String {
        line_start(line)
    }

    fn heading(&self, level: u8, text: &str) -> String {
        format!("{} {text}", "#".repeat(usize::from(level)))
    }

    fn list(&self, items: &[String]) -> String {
        lines_with("- ", &items.iter().map(|item| line_start(item.clone())).collect::<Vec<_>>())
    }

    fn definitions(&self, entries: &[(String, String)]) -> String {
        let entries: Vec<_> = entries.iter().map(|(term, text)| format!("**{term}**: {text}")).collect();
        lines_with("- ", &entries)
    }

    /// The fence is longer than any run of backticks in the text.
    fn code_block(&self, text: &str) -> String {
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        format!("{fence}text\n{text}\n{fence}")
    }

    fn table(&self, table: &MarkedTable) -> String {
        let caption = (!table.caption.is_empty()).then(|| format!("**{}**\n", table.caption));
        let rules: Vec<_> = table.aligns.iter().map(|&align| rule(align)).collect();
        let head = [format!("| {} |", table.titles.join(" | ")), format!("|{}|", rules.join("|"))];
        let rows = table.rows.iter().map(|row| format!("| {} |", row.join(" | ")));
        caption.into_iter().chain(head).chain(rows).collect::<Vec<_>>().join("\n")
    }

    fn figure(&self, title: &str, alt: &str) -> String {
        format!("**{}**: {}", escaped(title), escaped(alt))
    }
}

fn rule(align: Align) -> &'static str {
    match align {
        Align::Left => ":---",
        Align::Right | Align::Decimal => "---:",
        Align::Centre => ":---:",
    }
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
fn line_start(line: String) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &line[..digits], &line[digits..]),
        Some(b'-' | b'+' | b'=') if digits == 0 => format!("\\{line}"),
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::{Markdown, escaped, line_start};
    use crate::markup::Markup as _;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("a|b*c_d<e>&\\`\n#"), "a\\|b\\*c\\_d&lt;e&gt;&amp;\\\\\\` \\#");
    }

    #[test]
    fn code_keeps_its_backticks() {
        assert_eq!(Markdown.code_span("a`b"), "``a`b``");
        assert_eq!(Markdown.code_span("`"), "`` ` ``");
    }

    #[test]
    fn lines_do_not_open_lists() {
        assert_eq!(line_start("12. May".to_owned()), "12\\. May");
        assert_eq!(line_start("- x".to_owned()), "\\- x");
        assert_eq!(line_start("12 ms".to_owned()), "12 ms");
    }
}
