//! A finding on one line: level, subject, and the first clause of its reason. An error is shown in full, on as many lines as
//! it needs.

use anstyle::{AnsiColor, Style as Ansi};
use lotse_model::finding::Level;
use lotse_model::{Finding, Site};
use unicode_width::UnicodeWidthStr;

use crate::format::{Style, one_line};
use crate::shorten::{NameKind, shortened};

/// Names are not made shorter than this.
const LEAST_NAME: usize = 14;

/// The line, no wider than `width`; `more` is the number of further sites with the same finding.
pub fn line(finding: &Finding, more: usize, width: usize, style: Style) -> String {
    let (word, ansi) = head(finding.level);
    let further = if more > 0 { format!(" (and {more} more)") } else { String::new() };
    let room = width.saturating_sub(word.width() + 2 + further.width());
    let claim = match finding.level {
        Level::Error => wrapped(&claim(finding), room, word.width() + 2),
        _ => fitted(finding, &claim(finding), room),
    };
    match style {
        Style::Plain => format!("{word}: {claim}{further}"),
        Style::Colour => format!("{ansi}{word}{ansi:#}: {claim}{further}"),
    }
}

fn head(level: Level) -> (&'static str, Ansi) {
    match level {
        Level::Note => ("note", AnsiColor::Green.on_default().bold()),
        Level::Warning => ("warning", AnsiColor::Yellow.on_default().bold()),
        Level::Error => ("error", AnsiColor::Red.on_default().bold()),
    }
}

/// The text of the line. The program of a benchmark finding is put before its reason; other reasons name their subject.
fn claim(finding: &Finding) -> String {
    let text = one_line(&finding.reason.text);
    let clause = text.split_once("; ").filter(|_| finding.level != Level::Error);
    let first = clause.map_or(text.as_str(), |(first, _)| first);
    match finding.sites.first() {
        Some(site @ (Site::Program { .. } | Site::Pair { .. })) => {
            format!("{}: {first}", one_line(&site.to_string()))
        }
        _ => first.to_owned(),
    }
}

/// Shortens a text to `room` columns: first the long names in it, then the end of the clause.
fn fitted(finding: &Finding, claim: &str, room: usize) -> String {
    let mut text = claim.to_owned();
    for (kind, name) in names(finding) {
        let over = text.width().saturating_sub(room);
        if over > 0 && text.contains(&name) {
            let short = shortened(kind, &name, name.width().saturating_sub(over).max(LEAST_NAME));
            text = text.replace(&name, &short);
        }
    }
    if text.width() <= room { text } else { cut(&text, room) }
}

/// Names of the sites that the reason may contain.
fn names(finding: &Finding) -> Vec<(NameKind, String)> {
    let names_of_site = |site: &Site| match site {
        Site::Source(at) => at.function.iter().map(|name| (NameKind::Function, one_line(name))).collect(),
        Site::Region { path, .. } => {
            vec![
                (NameKind::Path, one_line(&path.join("/"))),
                (NameKind::Function, one_line(&path.join(" > "))),
            ]
        }
        _ => Vec::new(),
    };
    finding.sites.iter().flat_map(names_of_site).filter(|(_, name)| !name.is_empty()).collect()
}

/// Breaks a text into lines of whole words; lines after the first are indented.
fn wrapped(text: &str, room: usize, indent: usize) -> String {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.width() + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("\n{}", " ".repeat(indent)))
}

/// The first words of a text that fit, and an ellipsis. A number at the end is dropped, since its unit is missing.
fn cut(text: &str, room: usize) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut width = 2;
    for word in text.split(' ') {
        width += word.width() + 1;
        if width > room + 1 {
            break;
        }
        kept.push(word);
    }
    while kept.last().is_some_and(|word| word.ends_with(|c: char| c.is_ascii_digit())) {
        kept.pop();
    }
    if kept.is_empty() {
        shortened(NameKind::Function, text, room)
    } else {
        kept.join(" ").trim_end_matches(',').to_owned() + " …"
    }
}

#[cfg(test)]
mod tests {
    use super::line;
    use crate::format::Style;
    use crate::sample;
    use unicode_width::UnicodeWidthStr;

    #[test]
    fn a_finding_is_one_line_of_its_first_clause() {
        let mut finding = sample::drift();
        finding.reason.text = "wall rises by 3.1 % over the runs; the comparison is not affected".into();
        let plain = |width| line(&finding, 0, width, Style::Plain);
        assert_eq!(plain(80), "warning: sort-new: wall rises by 3.1 % over the runs");
        assert_eq!(plain(38), "warning: sort-new: wall rises by …");
        assert_eq!(line(&finding, 2, 49, Style::Plain), "warning: sort-new: wall rises by … (and 2 more)");
    }

    #[test]
    fn an_error_is_shown_in_full() {
        let mut finding = sample::drift();
        finding.level = lotse_model::finding::Level::Error;
        finding.reason.text = "2 of 2 runs failed, the first: ended with 9; try it".into();
        assert_eq!(
            line(&finding, 0, 40, Style::Plain),
            "error: sort-new: 2 of 2 runs failed, the\n       first: ended with 9; try it"
        );
    }

    #[test]
    fn long_names_give_way_before_numbers() {
        let name =
            "std::vector<std::pair<int, double>, std::allocator<std::pair<int, double> > >::push_back(int)";
        let mut finding = sample::in_source();
        finding.level = lotse_model::finding::Level::Warning;
        let lotse_model::Site::Source(site) = &mut finding.sites[0] else { unreachable!() };
        site.function = Some(name.into());
        finding.reason.text = format!("{name} makes 5 allocations, 96 % of all");
        let shown = line(&finding, 0, 80, Style::Plain);
        assert_eq!(shown, "warning: std::vector<…>::push_back(…) makes 5 allocations, 96 % of all");
        for width in 60..140 {
            let shown = line(&finding, 0, width, Style::Plain);
            assert!(shown.width() <= width, "{width}: {shown}");
        }
    }
}
