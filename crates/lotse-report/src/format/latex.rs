//! A LaTeX document with booktabs tables, for pdfLaTeX, XeLaTeX and LuaLaTeX.
//!
//! Every special character is escaped. pdfLaTeX shows characters that its fonts lack by their code in a small box, so that
//! the document compiles with any text.

use std::io::{self, Write};

use super::{Options, one_line, visible};
use crate::document::{Align, Block, Cell, Document, Inline, Role, Table};

const PREAMBLE: &str = r##"\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{booktabs}
\ifdefined\Umathchar
  \newcommand\unicodechar[1]{\char"#1\relax}
\else
  \newcommand\unicodechar[1]{\fbox{\tiny #1}}
\fi
\begin{document}
"##;

pub(super) fn render(document: &Document, _options: Options, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(PREAMBLE.as_bytes())?;
    for block in &document.blocks {
        writeln!(out)?;
        render_block(block, out)?;
    }
    writeln!(out, "\n\\end{{document}}")
}

/// Writes one block. Empty lists are left out, since LaTeX rejects a list environment without items.
fn render_block(block: &Block, out: &mut dyn Write) -> io::Result<()> {
    match block {
        Block::Heading { level, text } => writeln!(out, "\\{}*{{{}}}", section(*level), escaped(text)),
        Block::Paragraph(text) => writeln!(out, "{}", inlines(text)),
        Block::List(items) if items.is_empty() => Ok(()),
        Block::List(items) => {
            writeln!(out, "\\begin{{itemize}}")?;
            items.iter().try_for_each(|item| writeln!(out, "  \\item {{}}{}", inlines(item)))?;
            writeln!(out, "\\end{{itemize}}")
        }
        Block::Definitions(list) if list.is_empty() => Ok(()),
        Block::Definitions(list) => {
            writeln!(out, "\\begin{{description}}")?;
            list.iter().try_for_each(|entry| {
                writeln!(out, "  \\item[{{{}}}] {}", escaped(&entry.term), inlines(&entry.text))
            })?;
            writeln!(out, "\\end{{description}}")
        }
        Block::Code(text) => render_code(text, out),
        Block::Table(table) => render_table(table, out),
        Block::Figure(figure) => {
            writeln!(out, "\\textbf{{{}}}: {}", escaped(&figure.title), escaped(&figure.alt))
        }
    }
}

fn section(level: u8) -> &'static str {
    match level {
        0 | 1 => "section",
        2 => "subsection",
        3 => "subsubsection",
        _ => "paragraph",
    }
}

/// Preformatted text. `verbatim` is not used, since a text could end that environment.
fn render_code(text: &str, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\\begin{{flushleft}}\\ttfamily")?;
    for line in text.lines() {
        let line: String = line.chars().map(visible).collect();
        writeln!(out, "\\mbox{{}}{}\\\\", escaped(&line).replace(' ', "~"))?;
    }
    writeln!(out, "\\end{{flushleft}}")
}

/// Writes a table as a float with booktabs rules.
fn render_table(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    if table.columns.is_empty() {
        return Ok(());
    }
    writeln!(out, "\\begin{{table}}[htbp]\n  \\centering")?;
    if !table.caption.is_empty() {
        writeln!(out, "  \\caption{{{}}}", escaped(&table.caption))?;
    }
    let letters: String = table.columns.iter().map(|column| letter(column.align)).collect();
    writeln!(out, "  \\begin{{tabular}}{{{letters}}}\n    \\toprule")?;
    let titles = table.columns.iter().map(|column| escaped(&column.title));
    writeln!(out, "    {} \\\\\n    \\midrule", titles.collect::<Vec<_>>().join(" & "))?;
    for row in 0..table.rows.len() {
        let cells = (0..table.columns.len()).map(|column| cell(table.cell(row, column)));
        writeln!(out, "    {} \\\\", cells.collect::<Vec<_>>().join(" & "))?;
    }
    writeln!(out, "    \\bottomrule\n  \\end{{tabular}}\n\\end{{table}}")
}

fn letter(align: Align) -> char {
    match align {
        Align::Left => 'l',
        Align::Right | Align::Decimal => 'r',
        Align::Centre => 'c',
    }
}

fn cell(cell: &Cell) -> String {
    // The braces prevent a leading [ from being parsed as an argument of the \\ before it.
    let text = escaped(&cell.text);
    let text = if text.starts_with(['[', '*']) { format!("{{}}{text}") } else { text };
    marked(&text, cell.role)
}

fn marked(text: &str, role: Option<Role>) -> String {
    match role {
        Some(Role::Strong | Role::Good | Role::Bad) => format!("\\textbf{{{text}}}"),
        _ => text.to_owned(),
    }
}

fn inlines(text: &[Inline]) -> String {
    text.iter().map(inline).collect()
}

fn inline(inline: &Inline) -> String {
    match inline {
        Inline::Marked(Role::Strong, text) => marked(&escaped(text), Some(Role::Strong)),
        Inline::Code(text) => format!("\\texttt{{{}}}", escaped(text)),
        Inline::Link { text, url } if text != url => {
            format!("{} (\\texttt{{{}}})", escaped(text), escaped(url))
        }
        _ => escaped(inline.words()),
    }
}

fn escaped(text: &str) -> String {
    one_line(text).chars().map(escaped_char).collect()
}

fn escaped_char(c: char) -> String {
    match c {
        '\\' => "\\textbackslash{}".to_owned(),
        '{' | '}' | '$' | '&' | '#' | '_' | '%' => format!("\\{c}"),
        '^' => "\\textasciicircum{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '<' => "\\textless{}".to_owned(),
        '>' => "\\textgreater{}".to_owned(),
        '|' => "\\textbar{}".to_owned(),
        '"' => "\\textquotedbl{}".to_owned(),
        '\'' => "\\textquotesingle{}".to_owned(),
        '`' => "\\textasciigrave{}".to_owned(),
        // The empty group prevents two hyphens from becoming a dash.
        '-' => "-{}".to_owned(),
        c if c.is_ascii() => c.to_string(),
        c => beyond_ascii(c),
    }
}

/// The command for a character outside ASCII: symbols that results contain, Latin letters as they are, others by code.
fn beyond_ascii(c: char) -> String {
    let command = match c {
        'µ' | 'μ' => "\\textmu{}",
        '±' => "\\ensuremath{\\pm}",
        '×' => "\\ensuremath{\\times}",
        '∞' => "\\ensuremath{\\infty}",
        '≤' => "\\ensuremath{\\leq}",
        '≥' => "\\ensuremath{\\geq}",
        '≈' => "\\ensuremath{\\approx}",
        'σ' => "\\ensuremath{\\sigma}",
        'Δ' => "\\ensuremath{\\Delta}",
        '–' => "\\textendash{}",
        '—' => "\\textemdash{}",
        '…' => "\\ldots{}",
        '\u{a0}' => "~",
        'À'..='ÿ' if c != '÷' => return c.to_string(),
        c => return format!("\\unicodechar{{{:04X}}}", u32::from(c)),
    };
    command.to_owned()
}

#[cfg(test)]
mod tests {
    use super::escaped;
    use proptest::prelude::*;

    /// Whether it contains only known commands, balanced groups, and ordinary characters.
    fn is_harmless(text: &str) -> bool {
        const COMMANDS: &[&str] = &[
            "textbackslash",
            "textasciicircum",
            "textasciitilde",
            "textless",
            "textgreater",
            "textbar",
            "textquotedbl",
            "textquotesingle",
            "textasciigrave",
            "textmu",
            "ensuremath",
            "pm",
            "times",
            "infty",
            "leq",
            "geq",
            "approx",
            "sigma",
            "Delta",
            "textendash",
            "textemdash",
            "ldots",
            "unicodechar",
        ];
        let (mut depth, mut rest) = (0i32, text);
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '\\' if rest.starts_with(['{', '}', '$', '&', '#', '_', '%']) => rest = &rest[1..],
                '\\' => {
                    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                    if !COMMANDS.contains(&&rest[..end]) {
                        return false;
                    }
                    rest = &rest[end..];
                }
                '{' => depth += 1,
                '}' => depth -= 1,
                '$' | '&' | '#' | '_' | '%' | '^' | '"' | '`' | '\n' => return false,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        depth == 0
    }

    proptest! {
        #[test]
        fn no_text_becomes_a_command(text in prop_oneof![any::<String>(), "[\\\\{}$&#_%^~<>|\"'`a\n -]{0,12}"]) {
            prop_assert!(is_harmless(&escaped(&text)), "{text:?}: {}", escaped(&text));
        }
    }

    #[test]
    fn no_special_character_survives() {
        assert_eq!(escaped("50% of a_b & c#"), "50\\% of a\\_b \\& c\\#");
        assert_eq!(escaped("\\{x}"), "\\textbackslash{}\\{x\\}");
        assert_eq!(escaped("--x"), "-{}-{}x");
        assert_eq!(escaped("2 µs ± é 宽"), "2 \\textmu{}s \\ensuremath{\\pm} é \\unicodechar{5BBD}");
    }
}
