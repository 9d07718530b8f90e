//! The inside of a function as lines for people: costs to the left, source or instructions to the right,
//! jumps as arrows between. Programs get tables.

use lotse_report::Role;
use lotse_report::shorten::{NameKind, shortened};

use super::{Numbers, Relative, base_name};
use crate::annotate::{AnnotateAnswer, LineAnswer, SiteAnswer};
use crate::events::{Column, Cost};

mod cells;
mod code;
mod source;

use cells::Cells;

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// What it means to the reader.
    pub role: Option<Role>,
    /// Its characters; no control characters.
    pub text: String,
    /// Whether it is the name of a function, which is shortened where a line is too wide.
    is_name: bool,
}

/// A line for people.
pub type Line = Vec<Span>;

impl Span {
    fn plain(text: impl Into<String>) -> Self {
        Self { role: None, text: text.into(), is_name: false }
    }

    fn of(role: Role, text: impl Into<String>) -> Self {
        Self { role: Some(role), text: text.into(), is_name: false }
    }

    fn name(role: Role, text: impl Into<String>) -> Self {
        Self { is_name: true, ..Self::of(role, text) }
    }
}

/// How the inside of a function is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whether source lines stand between the instructions.
    pub interleaved: bool,
    /// How many instructions without cost are shown around those with.
    pub context: usize,
    /// What shares are of.
    pub relative: Relative,
}

/// The lines for people.
pub fn annotate(answer: &AnnotateAnswer, columns: &[Column], layout: Layout) -> Vec<Line> {
    let mut lines = header(answer, columns);
    let cells = Cells::new(answer, columns, layout.relative);
    let interleaved = layout.interleaved && answer.code.is_some();
    if !interleaved {
        for file in &answer.files {
            lines.push(Vec::new());
            lines.extend(source::section(file, &cells));
        }
    }
    if let Some(code) = &answer.code {
        lines.push(Vec::new());
        lines.extend(code::section(answer, code, &cells, interleaved, layout.context));
    }
    lines
}

fn header(answer: &AnnotateAnswer, columns: &[Column]) -> Vec<Line> {
    let function = &answer.function;
    let name = &function.function;
    let places = [&name.object, &name.file].into_iter().flatten().filter(|path| *path != "???");
    let place: Vec<&str> = places.map(|path| base_name(path)).collect();
    let mut lines = vec![vec![
        Span::name(Role::Strong, visible(&name.display)),
        Span::of(Role::Dim, visible(&format!("  {}", place.join(": ")))),
    ]];
    let called = function.calls.map_or(String::new(), |calls| format!(", {}", times("called", calls)));
    for (at, column) in columns.iter().enumerate() {
        let cost = |cost: Cost| {
            let share = Numbers::Readable.share(cost, answer.events[at].total);
            format!("{} ({share})", Numbers::Readable.cost(column, cost))
        };
        let (own, inclusive) = (cost(function.own[at]), cost(function.inclusive[at]));
        let called = if at == 0 { called.as_str() } else { "" };
        lines.push(vec![Span::plain(visible(&format!(
            "{}: self {own}, inclusive {inclusive}{called}",
            column.name
        )))]);
        lines.extend(inlined(answer, at).map(|inlined| {
            let text =
                format!("{}: its instructions {}, with what is inlined there", column.name, cost(inlined));
            vec![Span::plain(visible(&text))]
        }));
    }
    lines
}

/// What the instructions cost, where that is more than the function's own: code of others is inlined into them.
fn inlined(answer: &AnnotateAnswer, at: usize) -> Option<Cost> {
    let instructions = &answer.code.as_ref()?.instructions;
    let exact = |cost: Cost| if let Cost::Exact(cost) = cost { Some(cost) } else { None };
    let sum: i128 = instructions.iter().filter_map(|it| exact(it.own[at])).sum();
    (sum > exact(answer.function.own[at])?).then_some(Cost::Exact(sum))
}

fn times(what: &str, count: u64) -> String {
    match count {
        1 => format!("{what} once"),
        count => format!("{what} {} times", Numbers::Readable.count(count)),
    }
}

/// `→ callee  5 calls  1,000 (3.5 %)`
fn call(site: &SiteAnswer, cells: &Cells<'_>) -> Vec<Span> {
    let counted = match site.calls {
        Some(1) => "  1 call".to_owned(),
        Some(calls) => format!("  {} calls", Numbers::Readable.count(calls)),
        None if site.inlined => "  inlined".to_owned(),
        None => String::new(),
    };
    let cost = site.cost.as_ref().map_or(String::new(), |cost| format!("  {}", cells.inclusive(cost)));
    vec![
        Span::of(Role::Good, "→ "),
        Span::name(Role::Good, visible(&site.function.display)),
        Span::of(Role::Dim, format!("{counted}{cost}")),
    ]
}

/// Text as it is in a source file: tabs become spaces, what could move the cursor becomes visible.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut column = 0;
    for c in text.trim_end_matches(['\r', '\n']).chars() {
        if c == '\t' {
            let blanks = 8 - column % 8;
            shown.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
            continue;
        }
        let hostile = c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        shown.push(if hostile { '\u{fffd}' } else { c });
        column += 1;
    }
    shown
}

/// Whether a row of costs is nothing but zeros.
fn is_free(own: &[Cost]) -> bool {
    own.iter().all(|cost| cost.is_absent() || *cost == Cost::Exact(0))
}

/// Whether there is nothing to tell about a line.
fn is_idle(line: &LineAnswer) -> bool {
    is_free(&line.own) && line.calls.is_empty()
}

/// Shortens names in lines that are wider than the screen, so that costs behind them are seen, then cuts the lines.
pub fn cut(lines: &mut [Line], width: usize) {
    for line in lines {
        shorten_names(line, width);
        let mut room = width;
        for span in line.iter_mut() {
            let length = span.text.chars().count();
            if length > room {
                span.text = span.text.chars().take(room.saturating_sub(1)).collect();
                if room > 0 {
                    span.text.push('…');
                }
            }
            room = room.saturating_sub(length);
        }
    }
}

/// Letters that a name keeps in any case.
const LEAST_NAME: usize = 12;

fn shorten_names(line: &mut Line, width: usize) {
    let length = |span: &Span| span.text.chars().count();
    let others: usize = line.iter().filter(|span| !span.is_name).map(length).sum();
    for span in line.iter_mut().filter(|span| span.is_name) {
        let room = width.saturating_sub(others).max(LEAST_NAME);
        if length(span) > room {
            span.text = shortened(NameKind::Function, &span.text, room);
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_report::Role;

    use super::{Span, cut, times, visible};

    #[test]
    fn names_are_shortened_and_costs_are_not() {
        let name = "void std::sort<std::vector<int>::iterator>(std::vector<int>::iterator)";
        let mut lines =
            vec![vec![Span::plain("  → "), Span::name(Role::Good, name), Span::plain("  170.0 ms (54.8 %)")]];
        cut(&mut lines, 50);
        let text: String = lines[0].iter().map(|span| span.text.as_str()).collect();
        assert!(text.ends_with("  170.0 ms (54.8 %)") && text.contains("sort"), "{text}");
        assert!(text.chars().count() <= 50, "{text}");
    }

    #[test]
    fn no_text_moves_the_cursor() {
        assert_eq!(visible("\tif (x)\r"), "        if (x)");
        assert_eq!(visible("ab\tc\u{1b}[2J"), "ab      c\u{fffd}[2J");
    }

    #[test]
    fn wide_lines_are_cut() {
        let mut lines = vec![vec![Span::plain("abcd"), Span::plain("efgh"), Span::plain("x")]];
        cut(&mut lines, 6);
        let texts: Vec<&str> = lines[0].iter().map(|span| span.text.as_str()).collect();
        assert_eq!(texts, ["abcd", "e…", ""]);
        assert_eq!(
            (times("called", 1), times("called", 1200)),
            ("called once".into(), "called 1,200 times".into())
        );
    }
}
