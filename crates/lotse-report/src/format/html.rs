//! A self-contained HTML file: inline style for light and dark pages, inline figures, no external resources.
//!
//! All text is escaped; the only markup in a document is a [`crate::svg::Svg`], which only this crate creates. A
//! content security policy forbids external resources. Tables can be sorted by their headings if scripts are enabled.

use std::io::{self, Write};

use super::{Options, visible};
use crate::document::{Align, Block, Cell, Column, Document, Figure, Inline, Role, Table};
use crate::number::align_decimals;

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/sort.js");

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    let title = escaped(document.title().unwrap_or("Report"));
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )?;
    document.blocks.iter().try_for_each(|block| out.write_all(block_html(block).as_bytes()))?;
    write!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")
}

/// The markup of one block, with a line break at its end.
fn block_html(block: &Block) -> String {
    match block {
        Block::Heading { level, text } => format!("<h{level}>{}</h{level}>\n", escaped(text)),
        Block::Paragraph(text) => format!("<p>{}</p>\n", inlines(text)),
        Block::List(items) => {
            let items: String = items.iter().map(|item| format!("<li>{}</li>\n", inlines(item))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Definitions(list) => {
            let entry = |term: &str, text: &[Inline]| {
                format!("<dt>{}</dt><dd>{}</dd>\n", escaped(term), inlines(text))
            };
            let list: String = list.iter().map(|each| entry(&each.term, &each.text)).collect();
            format!("<dl>\n{list}</dl>\n")
        }
        Block::Code(text) => format!("<pre><code>{}</code></pre>\n", escaped(text)),
        Block::Table(table) => table_html(table),
        Block::Figure(figure) => figure_html(figure),
    }
}

fn figure_html(figure: &Figure) -> String {
    format!(
        "<figure role=\"group\" aria-label=\"{}\">\n{}<figcaption><strong>{}</strong> {}</figcaption>\n\
         <p class=\"alt\">{}</p>\n</figure>\n",
        escaped(&figure.title),
        figure.svg.as_str(),
        escaped(&figure.title),
        escaped(&figure.caption),
        escaped(&figure.alt)
    )
}

fn table_html(table: &Table) -> String {
    let caption = match escaped(&table.caption) {
        caption if caption.is_empty() => caption,
        caption => format!("<caption>{caption}</caption>\n"),
    };
    let heads: String = table.columns.iter().map(head).collect();
    let texts: Vec<Vec<String>> = (0..table.columns.len()).map(|column| texts(table, column)).collect();
    let rows: String = (0..table.rows.len()).map(|row| row_html(table, &texts, row)).collect();
    format!(
        "<div class=\"scroll\"><table>\n{caption}<thead><tr>{heads}</tr></thead>\n\
         <tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn row_html(table: &Table, texts: &[Vec<String>], row: usize) -> String {
    let columns = table.columns.iter().zip(texts).enumerate();
    let cells =
        columns.map(|(i, (column, texts))| cell(table.cell(row, i), &texts[row], column.align, i == 0));
    format!("<tr>{}</tr>\n", cells.collect::<String>())
}

fn texts(table: &Table, column: usize) -> Vec<String> {
    let texts: Vec<&str> = table.column(column).map(|cell| cell.text.as_str()).collect();
    match table.columns[column].align {
        Align::Decimal => align_decimals(&texts, ' '),
        _ => texts.into_iter().map(str::to_owned).collect(),
    }
}

fn head(column: &Column) -> String {
    format!("<th scope=\"col\" class=\"{}\">{}</th>", class_of(column.align), escaped(&column.title))
}

/// A cell; the first one of a row is its header.
fn cell(cell: &Cell, text: &str, align: Align, first: bool) -> String {
    let (tag, scope) = if first { ("th", " scope=\"row\"") } else { ("td", "") };
    let sort = cell.value.map_or_else(String::new, |value| format!(" data-value=\"{value}\""));
    let role = cell.role.map_or_else(String::new, |role| format!(" {}", role_class(role)));
    format!("<{tag}{scope} class=\"{}{role}\"{sort}>{}</{tag}>", class_of(align), escaped(text))
}

fn class_of(align: Align) -> &'static str {
    match align {
        Align::Left => "left",
        Align::Right => "right",
        Align::Centre => "centre",
        Align::Decimal => "right number",
    }
}

fn role_class(role: Role) -> &'static str {
    match role {
        Role::Good => "good",
        Role::Bad => "bad",
        Role::Dim => "dim",
        Role::Strong => "strong",
    }
}

fn inlines(text: &[Inline]) -> String {
    text.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> String {
    let words = escaped(inline.words());
    match inline {
        Inline::Text(_) => words,
        Inline::Marked(role, _) => format!("<span class=\"{}\">{words}</span>", role_class(*role)),
        Inline::Code(_) => format!("<code>{words}</code>"),
        Inline::Link { .. } => match inline.safe_url() {
            Some(url) => format!("<a href=\"{}\">{words}</a>", escaped(url)),
            None => words,
        },
    }
}

/// Escapes a text for the content and the quoted attributes of HTML and XML.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(c),
            // Control characters, U+FFFE and U+FFFF are allowed neither in HTML nor in XML.
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            c => escaped.push(visible(c)),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::{escaped, inline};
    use crate::document::Inline;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(escaped("<b a='1'>&\"\u{0}"), "&lt;b a=&#39;1&#39;&gt;&amp;&quot;␀");
        let link = Inline::Link { text: "<i>".into(), url: "javascript:alert(1)".into() };
        assert_eq!(inline(&link), "&lt;i&gt;");
        let link = Inline::Link { text: "x".into(), url: "https://e.org/\"onclick=\"x".into() };
        assert_eq!(inline(&link), "<a href=\"https://e.org/&quot;onclick=&quot;x\">x</a>");
    }
}
