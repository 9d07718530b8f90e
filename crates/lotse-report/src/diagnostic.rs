//! A finding in the style of a compiler diagnostic: message, position with the source line, reason, help, how to verify.

mod line;

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Element, Group, Level as Head, Origin, Renderer, Snippet};
use lotse_model::finding::{Level, Severity};
use lotse_model::{Finding, Rule, Site};

use crate::format::{Style, one_line};
use crate::number::format_percent;

pub use line::line;

/// Returns the text of a source file by the name in a site.
pub type SourceText<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Writes one finding. The rule, where known, explains why it matters; the source line is quoted if `source` returns the
/// file.
pub fn render(
    finding: &Finding,
    rule: Option<&Rule>,
    source: SourceText<'_>,
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let title =
        head(finding.level).primary_title(one_line(&finding.reason.text)).id(one_line(&finding.rule.id));
    let mut group = Group::with_title(title);
    let quote = finding.sites.first().and_then(|site| quoted(site, source));
    // Without a quoted line the renderer has no margin, so following lines are indented here.
    let margin = if quote.is_some() { "\n" } else { "\n  " };
    let origin = || finding.sites.first().map(|site| Origin::path(one_line(&site.to_string())).into());
    group = group.elements(quote.or_else(origin));
    for (name, text) in remarks(finding, rule) {
        let level = if name == "help" { Head::HELP } else { Head::NOTE };
        group = group.element(level.with_name(name).message(text));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    writeln!(out, "{}", renderer.render(&[group]).replace('\n', margin))
}

fn head(level: Level) -> Head<'static> {
    match level {
        Level::Note => Head::NOTE,
        Level::Warning => Head::WARNING,
        Level::Error => Head::ERROR,
    }
}

/// The notes that follow the position, each with its label.
fn remarks<'a>(finding: &'a Finding, rule: Option<&'a Rule>) -> Vec<(&'static str, String)> {
    let also = finding.sites.iter().skip(1).map(|site| ("also", site.to_string()));
    let weight = weight(finding);
    let why = rule.map(|rule| ("why", rule.meaning.to_owned()));
    let help = (!finding.recommendation.is_empty()).then(|| ("help", finding.recommendation.clone()));
    let verify = finding.verification.clone().map(|command| ("verify", command));
    let all = also.chain(weight).chain(why).chain(help).chain(verify);
    all.map(|(name, text)| (name, one_line(&text))).collect()
}

/// Severity, or why there is none, and certainty as a note; a certainty of 100 % is left out.
fn weight(finding: &Finding) -> Option<(&'static str, String)> {
    let certainty = finding.certainty.get();
    let sure = (certainty < 1.0).then(|| format_percent(certainty, 0));
    let share = |severity: &Severity| format!("{} {}", format_percent(severity.share.get(), 1), severity.of);
    let none = || finding.no_severity.as_ref().map(|why| format!("none, {why}"));
    match (finding.severity.as_ref().map(share).or_else(none), sure) {
        (Some(share), Some(sure)) => Some(("severity", format!("{share}, certainty {sure}"))),
        (Some(share), None) => Some(("severity", share)),
        (None, sure) => sure.map(|sure| ("certainty", sure)),
    }
}

/// The source line with a mark below the position, if the file and the line exist.
fn quoted(site: &Site, source: SourceText<'_>) -> Option<Element<'static>> {
    let Site::Source(at) = site else { return None };
    let number = at.line?;
    let text = source(&at.file)?;
    let line = text.lines().nth(usize::try_from(number).ok()?.checked_sub(1)?)?.to_owned();
    let label = at.function.as_ref().map(|function| one_line(&format!("in {function}")));
    let mark = AnnotationKind::Primary.span(span(&line, at.column)).label(label);
    let snippet = Snippet::source(line).line_start(number as usize).path(one_line(&at.file));
    Some(snippet.annotation(mark).into())
}

/// The byte range of the word at the column; without a column, the whole line without its indentation.
fn span(line: &str, column: Option<u32>) -> std::ops::Range<usize> {
    let whole = line.len() - line.trim_start().len()..line.trim_end().len();
    let start = column.and_then(|column| {
        line.char_indices().nth((column as usize).saturating_sub(1)).map(|(start, _)| start)
    });
    let Some(start) = start else { return if whole.start < whole.end { whole } else { 0..line.len() } };
    let rest = &line[start..];
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let first = rest.chars().next().map_or(0, char::len_utf8);
    start..start + word.max(first)
}

#[cfg(test)]
mod tests {
    use super::{render, span};
    use crate::format::Style;
    use crate::sample;
    use expect_test::expect;
    use lotse_model::Finding;

    fn shown(finding: &Finding, style: Style) -> String {
        let source =
            |file: &str| (file == "src/sort.c").then(|| "int x;\n\tfor (i = 0; i < n; i++)\n".to_owned());
        let mut out = Vec::new();
        render(finding, Some(&sample::RULE), &source, style, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_program_is_named() {
        expect![[r#"
            warning[bench-drift]: run times rise by 3.1 % over the measurement (Theil-Sen, p = 0.0004)
              --> sort-new
               = severity: none, it is about the measurement
               = why: The machine got slower or faster while it measured; a mean then depends on when you looked.
               = help: let the machine cool down
               = verify: lotse bench --runs 100 'sort-new'
        "#]].assert_eq(&shown(&sample::drift(), Style::Plain));
    }

    #[test]
    fn a_source_line_is_quoted() {
        expect![[r#"
            error[hot-loop]: run times rise by 3.1 % over the measurement (Theil-Sen, p = 0.0004)
             --> src/sort.c:2:2
              |
            2 |     for (i = 0; i < n; i++)
              |     ^^^ in merge
              |
              = also: rank 3: main > merge
              = severity: 42.0 % of the run time, certainty 90 %
              = why: The machine got slower or faster while it measured; a mean then depends on when you looked.
              = help: let the machine cool down
              = verify: lotse bench --runs 100 'sort-new'
        "#]].assert_eq(&shown(&sample::in_source(), Style::Plain));
    }

    #[test]
    fn a_missing_source_leaves_the_place() {
        let mut finding = sample::in_source();
        for (file, line) in
            [("gone.c", Some(2)), ("src/sort.c", Some(99)), ("src/sort.c", Some(0)), ("src/sort.c", None)]
        {
            let lotse_model::Site::Source(site) = &mut finding.sites[0] else { unreachable!() };
            (site.file, site.line) = (file.to_owned(), line);
            let text = shown(&finding, Style::Plain);
            assert!(text.contains(&format!("--> {file}")), "{text}");
        }
    }

    #[test]
    fn colours_only_when_asked_for() {
        assert!(shown(&sample::drift(), Style::Colour).contains("\u{1b}["));
        assert!(!shown(&sample::drift(), Style::Plain).contains('\u{1b}'));
    }

    /// The text without escape sequences and without spaces at line ends.
    fn uncoloured(text: &str) -> String {
        let mut parts = text.split("\u{1b}[");
        let first = parts.next().unwrap_or("").to_owned();
        let plain =
            parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, rest)| rest));
        plain.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
    }

    #[test]
    fn colours_change_no_word() {
        let mut bare = sample::in_source();
        (bare.sites, bare.recommendation, bare.verification) = (vec![], String::new(), None);
        let mut unsure = sample::drift();
        unsure.certainty = lotse_model::Share::clamped(0.5);
        let mut nasty = sample::in_source();
        nasty.reason.text = "a\u{1b}[31mred\nb".into();
        for finding in [sample::drift(), sample::in_source(), bare, unsure, nasty] {
            let plain = shown(&finding, Style::Plain);
            assert_eq!(uncoloured(&shown(&finding, Style::Colour)), uncoloured(&plain), "{plain}");
            assert!(!plain.contains('\u{1b}'), "{plain}");
        }
    }

    #[test]
    fn certainty_below_one_is_shown() {
        let mut finding = sample::drift();
        let sure = "= severity: none, it is about the measurement, certainty 50 %";
        for (certainty, expected) in [(1.0, None), (0.5, Some(sure))] {
            finding.certainty = lotse_model::Share::clamped(certainty);
            let text = shown(&finding, Style::Plain);
            assert_eq!(
                text.lines().map(str::trim).find(|line| line.contains("certainty")),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn the_word_at_the_column_is_marked() {
        assert_eq!(span("  let größe = 1", Some(7)), 6..13);
        assert_eq!(span("  x + y", Some(5)), 4..5);
        assert_eq!(span("  x + y  ", None), 2..7);
        assert_eq!(span("abc", Some(99)), 0..3);
        assert_eq!(span("", None), 0..0);
    }
}
