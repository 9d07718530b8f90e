//! Prints an annotated function for people: costs on the left, source or instructions on the right, and jumps as
//! arrows between them.

use lotse_report::Role;
use lotse_report::shorten::{NameKind, shortened};

use super::{Numbers, Relative, base_name};
use crate::annotate::{AnnotateAnswer, LineAnswer, SiteAnswer};
use crate::events::{Column, Cost};

mod cells;
mod code;
mod source;

use cells::CostCells;

/// A part of a line in one style.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StyledText {
    /// The style; `None` for plain text.
    pub role: Option<Role>,
    /// Has no control characters.
    pub text: String,
    /// Whether it is the name of a function, which is shortened if the line is too wide.
    is_name: bool,
}

/// A line of output.
pub type StyledLine = Vec<StyledText>;

impl StyledText {
    fn plain(text: impl Into<String>) -> Self {
        Self { role: None, text: text.into(), is_name: false }
    }

    fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role: Some(role), text: text.into(), is_name: false }
    }

    fn name(role: Role, text: impl Into<String>) -> Self {
        Self { is_name: true, ..Self::new(role, text) }
    }
}

/// How an annotated function is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Whether source lines are shown between the instructions.
    pub interleaved: bool,
    /// How many instructions without cost are shown around those with cost.
    pub context: usize,
    pub relative: Relative,
}

/// The lines of an annotated function: a header, then its source and its instructions.
pub fn annotate(answer: &AnnotateAnswer, columns: &[Column], layout: Layout) -> Vec<StyledLine> {
    let mut lines = header(answer, columns);
    let cells = CostCells::new(answer, columns, layout.relative);
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

/// Name and place of the function, then its self and inclusive cost for each event type.
fn header(answer: &AnnotateAnswer, columns: &[Column]) -> Vec<StyledLine> {
    let function = &answer.function;
    let name = &function.function;
    let places = [&name.object, &name.file].into_iter().flatten().filter(|path| *path != "???");
    let place: Vec<&str> = places.map(|path| base_name(path)).collect();
    let mut lines = vec![vec![
        StyledText::name(Role::Strong, visible(&name.display)),
        StyledText::new(Role::Dim, visible(&format!("  {}", place.join(": ")))),
    ]];
    let called = function.calls.map_or(String::new(), |calls| format!(", {}", times("called", calls)));
    for (at, column) in columns.iter().enumerate() {
        let cost = |cost: Cost| {
            if cost.is_absent() {
                return Numbers::Readable.cost(column, cost);
            }
            let share = Numbers::Readable.share(cost, answer.events[at].total);
            format!("{} ({share})", Numbers::Readable.cost(column, cost))
        };
        let (own, inclusive) = (cost(function.own[at]), cost(function.inclusive[at]));
        let called = if at == 0 { called.as_str() } else { "" };
        lines.push(vec![StyledText::plain(visible(&format!(
            "{}: self {own}, inclusive {inclusive}{called}",
            column.name
        )))]);
        lines.extend(cost_with_inlined(answer, at).map(|inlined| {
            let text =
                format!("{}: its instructions {}, with what is inlined there", column.name, cost(inlined));
            vec![StyledText::plain(visible(&text))]
        }));
    }
    lines
}

/// The sum of the costs of instructions, if it exceeds the function's self cost because other functions are inlined.
fn cost_with_inlined(answer: &AnnotateAnswer, at: usize) -> Option<Cost> {
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
fn call(site: &SiteAnswer, cells: &CostCells<'_>) -> Vec<StyledText> {
    let counted = match site.calls {
        Some(1) => "  1 call".to_owned(),
        Some(calls) => format!("  {} calls", Numbers::Readable.count(calls)),
        None if site.inlined => "  inlined".to_owned(),
        None => String::new(),
    };
    let cost = site.cost.as_ref().map_or(String::new(), |cost| format!("  {}", cells.inclusive(cost)));
    vec![
        StyledText::new(Role::Good, "→ "),
        StyledText::name(Role::Good, visible(&site.function.display)),
        StyledText::new(Role::Dim, format!("{counted}{cost}")),
    ]
}

/// Text that is safe to print: tabs become spaces, and control characters become visible.
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

/// Whether all costs of a row are 0 or absent.
fn is_free(own: &[Cost]) -> bool {
    own.iter().all(|cost| cost.is_absent() || *cost == Cost::Exact(0))
}

/// Whether a line has neither costs nor calls.
fn is_idle(line: &LineAnswer) -> bool {
    is_free(&line.own) && line.calls.is_empty()
}

/// Shortens names in lines that are wider than the screen, so that costs after them stay visible, then cuts the lines.
pub fn fit_to_width(lines: &mut [StyledLine], width: usize) {
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

/// The least length that a name is shortened to.
const LEAST_NAME: usize = 12;

fn shorten_names(line: &mut StyledLine, width: usize) {
    let length = |span: &StyledText| span.text.chars().count();
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

    use super::{StyledText, fit_to_width, times, visible};

    #[test]
    fn names_are_shortened_and_costs_are_not() {
        let name = "void std::sort<std::vector<int>::iterator>(std::vector<int>::iterator)";
        let mut lines = vec![vec![
            StyledText::plain("  → "),
            StyledText::name(Role::Good, name),
            StyledText::plain("  170.0 ms (54.8 %)"),
        ]];
        fit_to_width(&mut lines, 50);
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
        let mut lines =
            vec![vec![StyledText::plain("abcd"), StyledText::plain("efgh"), StyledText::plain("x")]];
        fit_to_width(&mut lines, 6);
        let texts: Vec<&str> = lines[0].iter().map(|span| span.text.as_str()).collect();
        assert_eq!(texts, ["abcd", "e…", ""]);
        assert_eq!(
            (times("called", 1), times("called", 1200)),
            ("called once".into(), "called 1,200 times".into())
        );
    }
}
