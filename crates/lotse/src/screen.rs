//! Standard output and standard error: documents, JSON, findings, errors; colours on terminals only.

use std::io::{self, IsTerminal as _, Write};
use std::sync::OnceLock;

use lotse_model::Finding;
use lotse_report::{Block, Document, Inline, Options, Role, Style};
use serde::Serialize;

use crate::exit::{Exit, Failure};

/// Writes to standard output. A reader that closed the pipe (`| head`) is no failure.
pub(crate) fn write(render: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<Exit, Failure> {
    let mut out = anstream::AutoStream::auto(io::stdout());
    match render(&mut out).and_then(|()| out.flush()) {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => {
            Err(Failure { exit: Exit::Missing, message: format!("cannot write the answer: {error}") })
        }
    }
}

/// Prints one JSON object.
pub(crate) fn json(value: &impl Serialize) -> Result<Exit, Failure> {
    write(|out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        writeln!(out)
    })
}

/// Prints a document as text for people.
pub(crate) fn document(document: &Document) -> Result<Exit, Failure> {
    styled(document, None)
}

/// Prints a document as text for people, with colours forced on or off.
pub(crate) fn styled(document: &Document, colour: Option<bool>) -> Result<Exit, Failure> {
    let text = render(document, colour.unwrap_or(true))?;
    if colour == Some(true) {
        return write_with_colours(&text);
    }
    write(|out| out.write_all(text.as_bytes()))
}

/// Writes text with its colours even if standard output is not a terminal.
fn write_with_colours(text: &str) -> Result<Exit, Failure> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure { exit: Exit::Missing, message: format!("cannot write the answer: {error}") })
        }
        _ => Ok(Exit::Done),
    }
}

fn render(document: &Document, colour: bool) -> Result<String, Failure> {
    let style = if colour { Style::Colour } else { Style::Plain };
    let terminal = lotse_report::format::named("terminal").expect("the terminal is a format");
    terminal
        .to_string(document, Options { width: width(), style })
        .map_err(|error| Failure { exit: Exit::Missing, message: error.to_string() })
}

/// The global options that decide how much is shown.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DisplayOptions {
    /// Lines may be as wide as a table wants.
    pub(crate) wide: bool,
    /// Findings are shown in full.
    pub(crate) verbose: bool,
}

static DISPLAY_OPTIONS: OnceLock<DisplayOptions> = OnceLock::new();

/// Sets how much is shown; only the first call has an effect.
pub(crate) fn set_display_options(options: DisplayOptions) {
    DISPLAY_OPTIONS.get_or_init(|| options);
}

fn display_options() -> DisplayOptions {
    *DISPLAY_OPTIONS.get_or_init(DisplayOptions::default)
}

/// Whether names and tables are shown in full.
pub(crate) fn is_wide() -> bool {
    display_options().wide
}

/// The width if neither COLUMNS nor a terminal states one.
const USUAL_WIDTH: usize = 80;
/// Wider than any table.
const UNLIMITED_WIDTH: usize = 100_000;

/// The columns of a line: those that COLUMNS states, else those of the terminal, else 80; unlimited with --wide.
pub(crate) fn width() -> usize {
    if display_options().wide {
        return UNLIMITED_WIDTH;
    }
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let stated = stated.filter(|columns| *columns > 0);
    stated.or_else(|| lotse_host::Screen::Stdout.width()).unwrap_or(USUAL_WIDTH)
}

/// Prints findings after the answer, in their order: a line for each rule, or with --verbose each finding in full, in the
/// style of a compiler.
pub(crate) fn findings(findings: &[Finding], colour: Option<bool>) -> Result<Exit, Failure> {
    let text = rendered_findings(findings, colour.unwrap_or(true))?;
    if colour == Some(true) {
        return write_with_colours(&String::from_utf8_lossy(&text));
    }
    write(|out| out.write_all(&text))
}

/// What a terminal would show, without colours, to be written to a file.
pub(crate) fn text(document: &Document, findings: &[Finding]) -> Result<Vec<u8>, Failure> {
    let mut text = render(document, false)?.into_bytes();
    text.extend(rendered_findings(findings, false)?);
    Ok(text)
}

/// The text of findings: with --verbose each in full, else a line for each rule and a hint how to see more.
fn rendered_findings(findings: &[Finding], colour: bool) -> Result<Vec<u8>, Failure> {
    if findings.is_empty() {
        return Ok(Vec::new());
    }
    let style = if colour { Style::Colour } else { Style::Plain };
    let groups = one_for_each_rule(findings);
    let mut text = vec![b'\n'];
    if display_options().verbose {
        for finding in findings {
            lotse_report::diagnostic::render(finding, None, &source_text, style, &mut text)
                .map_err(|error| Failure { exit: Exit::Missing, message: error.to_string() })?;
        }
        return Ok(text);
    }
    for finding in &groups {
        let same = findings.iter().filter(|other| other.rule == finding.rule).count();
        text.extend(lotse_report::diagnostic::line(finding, same - 1, width(), style).bytes());
        text.push(b'\n');
    }
    let rules: Vec<&str> = groups.iter().map(|finding| finding.rule.id.as_str()).collect();
    let hint = format!("(-v shows these in full; `lotse explain RULE` explains {})", rules.join(", "));
    let mut document = Document::new();
    document.push(Block::Paragraph(vec![Inline::Marked(Role::Dim, hint)]));
    text.extend(render(&document, colour)?.bytes());
    Ok(text)
}

/// The text of a source file that a finding quotes; `None` if the file is missing or not text.
fn source_text(path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The first finding of each rule, which also gets the sites of the others of its rule.
fn one_for_each_rule(findings: &[Finding]) -> Vec<Finding> {
    let mut groups: Vec<Finding> = Vec::new();
    for finding in findings {
        match groups.iter_mut().find(|group| group.rule == finding.rule) {
            Some(group) => {
                let fresh = finding.sites.iter().filter(|site| !group.sites.contains(site)).cloned();
                let fresh: Vec<_> = fresh.collect();
                group.sites.extend(fresh);
            }
            None => groups.push(finding.clone()),
        }
    }
    groups
}

/// Whether standard output is a terminal.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Prints an error on standard error. Line breaks in the message become spaces; for a terminal it is wrapped between words.
pub(crate) fn error(message: &str) {
    let red = error_style();
    let line: Vec<&str> = message.lines().map(str::trim).collect();
    anstream::eprintln!("{red}error{red:#}: {}", wrapped(&line.join(" "), "error: ".len()));
}

/// Prints a remark on standard error.
pub(crate) fn remark(message: &str) {
    anstream::eprintln!("note: {}", wrapped(message, "note: ".len()));
}

/// Wraps text to the width of the terminal, all lines but the first indented; unchanged if standard error is no terminal.
fn wrapped(text: &str, indent: usize) -> String {
    match lotse_host::Screen::Stderr.width() {
        Some(width) => wrap(text, indent, width),
        None => text.to_owned(),
    }
}

fn wrap(text: &str, indent: usize, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is a line from the beginning");
        if line.is_empty() || indent + line.chars().count() + 1 + word.chars().count() <= width {
            line.push_str(if line.is_empty() { "" } else { " " });
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join(&format!("\n{:indent$}", ""))
}

fn error_style() -> anstyle::Style {
    anstyle::AnsiColor::Red.on_default().bold()
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_are_wrapped_between_words_and_indented() {
        assert_eq!(wrap("one two three four", 3, 12), "one two\n   three\n   four");
        assert_eq!(wrap("unbreakableword and", 2, 8), "unbreakableword\n  and");
    }
}
