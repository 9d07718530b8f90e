//! A LaTeX document with booktabs tables, for pdfLaTeX, XeLaTeX and LuaLaTeX.
//!
//! Every special character is escaped. pdfLaTeX shows characters that its fonts lack by their code in a small box, so that
//! the document compiles with any text.

use std::io::{self, Write};

use super::{Options, one_line, visible};
use crate::document::{Align, Document};
use crate::markup::{self, MarkedTable, Markup, lines_with};

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
    markup::write_document(&Latex, document, out)
}

struct Latex;

impl Markup for Latex {
    const PREAMBLE: &'static str = PREAMBLE;
    const ENDING: &'static str = "\n\\end{document}\n";

    fn escaped(&self, text: &str) -> String {
        escaped(text)
    }

    fn strong(&self, text: &str) -> String {
        format!("\\textbf{{{text}}}")
    }

    fn code_span(&self, text: &str) -> String {
        format!("\\texttt{{{}}}", escaped(text))
    }

    /// The address is printed behind the text, since a printed link cannot be followed.
    fn link(&self, text: &str, url: &str) -> String {
        let url = escaped(url);
        if url == text { url } else { format!("{text} (\\texttt{{{url}}})") }
    }

    fn heading(&self, level: u8, text: &str) -> String {
        format!("\\{}*{{{text}}}", section(level))
    }

    fn list(&self, items: &[String]) -> String {
        environment("itemize", &lines_with("  \\item {}", items))
    }

    fn definitions(&self, entries: &[(String, String)]) -> String {
        let items = entries.iter().map(|(term, text)| format!("  \\item[{{{term}}}] {text}"));
        environment("description", &items.collect::<Vec<_>>().join("\n"))
    }

    /// `verbatim` is not used, since a text could end that environment.
    fn code_block(&self, text: &str) -> String {
        let visible_line = |line: &str| line.chars().map(visible).collect::<String>();
        let line = |line| format!("\\mbox{{}}{}\\\\", escaped(&visible_line(line)).replace(' ', "~"));
        let mut lines = vec!["\\begin{flushleft}\\ttfamily".to_owned()];
        lines.extend(text.lines().map(line));
        lines.push("\\end{flushleft}".to_owned());
        lines.join("\n")
    }

    /// A float with booktabs rules.
    fn table(&self, table: &MarkedTable) -> String {
        if table.titles.is_empty() {
            return String::new();
        }
        let mut lines = vec!["\\begin{table}[htbp]\n  \\centering".to_owned()];
        if !table.caption.is_empty() {
            lines.push(format!("  \\caption{{{}}}", table.caption));
        }
        let letters: String = table.aligns.iter().map(|&align| letter(align)).collect();
        lines.push(format!("  \\begin{{tabular}}{{{letters}}}\n    \\toprule"));
        lines.push(format!("    {} \\\\\n    \\midrule", table.titles.join(" & ")));
        let cells = |row: &[String]| row.iter().map(|cell| cell_start(cell)).collect::<Vec<_>>().join(" & ");
        lines.extend(table.rows.iter().map(|row| format!("    {} \\\\", cells(row))));
        lines.push("    \\bottomrule\n  \\end{tabular}\n\\end{table}".to_owned());
        lines.join("\n")
    }

    fn figure(&self, title: &str, alt: &str) -> String {
        format!("\\textbf{{{}}}: {}", escaped(title), escaped(alt))
    }
}

/// An environment of items; nothing without items, which LaTeX rejects.
fn environment(name: &str, items: &str) -> String {
    if items.is_empty() { String::new() } else { format!("\\begin{{{name}}}\n{items}\n\\end{{{name}}}") }
}

/// The braces prevent a leading [ from being parsed as an argument of the \\ before it.
fn cell_start(cell: &str) -> String {
    if cell.starts_with(['[', '*']) { format!("{{}}{cell}") } else { cell.to_owned() }
}

fn section(level: u8) -> &'static str {
    match level {
        0 | 1 => "section",
        2 => "subsection",
        3 => "subsubsection",
        _ => "paragraph",
    }
}

fn letter(align: Align) -> char {
    match align {
        Align::Left => 'l',
        Align::Right | Align::Decimal => 'r',
        Align::Centre => 'c',
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
