//! Answers as documents: tables for people, and the same with bare numbers for programs.

use std::collections::{BTreeMap, BTreeSet};

use lotse_report::number::{format_bytes, format_seconds, format_share};
use lotse_report::{Cell, Column as TableColumn};

use crate::analysis::share;
use crate::answer::{EventAnswer, FunctionName};
use crate::bound::Bound;
use crate::events::{Column, Cost};

mod annotate;
mod calls;
mod data;
mod diff;
mod events;
mod groups;
mod lines;
mod parts;
mod sentences;
mod top;
mod tree;

pub use annotate::{Layout, StyledLine, StyledText, annotate, fit_to_width};
pub use calls::calls;
pub(crate) use calls::counted_again;
pub use data::data;
pub use diff::diff;
pub use events::events;
pub use groups::groups;
pub use lines::{lines, lines_notes, lines_sentence};
pub use parts::parts;
pub use sentences::{calls_sentence, diff_sentence, groups_sentence, top_sentence, tree_sentence};
pub use top::{top, unattributed};
pub use tree::tree;

/// How numbers are formatted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// With units and separators.
    Readable,
    /// All digits and nothing else.
    Bare,
}

/// What shares are relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relative {
    /// The whole profile.
    #[default]
    Total,
    /// The function of the query, or the parent node in a tree.
    Parent,
    /// No shares.
    Off,
}

impl Numbers {
    /// Formats a cost.
    pub fn cost(self, column: &Column, cost: Cost) -> String {
        match (self, cost) {
            (Self::Bare, Cost::Exact(exact)) => exact.to_string(),
            (Self::Bare, Cost::Real(real)) if real.is_finite() => real.to_string(),
            (Self::Bare, Cost::Real(_)) => String::new(),
            (Self::Readable, cost) => readable(column, cost),
        }
    }

    /// Formats a count.
    pub fn count(self, count: u64) -> String {
        match self {
            Self::Bare => count.to_string(),
            Self::Readable => grouped(i128::from(count)),
        }
    }

    /// Whether a table has a column with the shares of an event type. With bare numbers it always has one, which may be
    /// empty, because programs address columns by position.
    pub(crate) fn has_shares(self, column: &Column) -> bool {
        self == Self::Bare || column.adds_up()
    }

    /// Formats a share of a whole; empty if the costs of the column do not add up.
    pub fn share_of(self, column: &Column, part: Cost, whole: Cost) -> String {
        if column.adds_up() { self.share(part, whole) } else { String::new() }
    }

    /// Formats a share of a whole.
    pub(crate) fn share(self, part: Cost, whole: Cost) -> String {
        let share = match (part, whole) {
            (Cost::Exact(part), Cost::Exact(whole)) => share(part, whole),
            (part, whole) if whole.as_f64() != 0.0 => part.as_f64() / whole.as_f64(),
            _ => 0.0,
        };
        match self {
            _ if !share.is_finite() => String::new(),
            Self::Bare => format!("{share}"),
            Self::Readable => format_share(share, 1),
        }
    }

    /// A cell with a number and, for people, the sign of its bound; programs find it in a column of its own.
    pub(crate) fn bounded(self, bound: Bound, text: String) -> Cell {
        let is_number = text.contains(|letter: char| letter.is_ascii_digit());
        let sign = if self == Self::Bare || !is_number { "" } else { bound.sign() };
        Cell::text(if sign.is_empty() { text } else { format!("{sign} {text}") })
    }

    /// A cell with a cost.
    pub(crate) fn cell(self, column: &Column, cost: Cost) -> Cell {
        Cell::text(self.cost(column, cost))
    }
}

fn readable(column: &Column, cost: Cost) -> String {
    let value = cost.as_f64();
    let scaled = || value * 10_f64.powi(i32::from(column.exponent));
    match (column.base, cost) {
        _ if !value.is_finite() => "–".to_owned(),
        _ if column.unit.contains('%') => format!("{value:.1} %"),
        (lotse_model::Unit::Seconds, _) => format_seconds(scaled()),
        (lotse_model::Unit::Bytes, _) => format_bytes(scaled()),
        (_, Cost::Exact(exact)) if column.exponent == 0 => grouped(exact),
        _ => lotse_report::number::significant(scaled(), 4),
    }
}

/// A number with thousands separators.
pub(crate) fn grouped(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    if number < 0 {
        text.push('-');
    }
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The event types of a table, each with its total: `time: 3.1 s in all`.
pub fn totals_line(columns: &[Column], events: &[EventAnswer]) -> String {
    let one = |(column, event): (&Column, &EventAnswer)| {
        match event.total {
            // The whole profile has no cost per call.
            total if total.is_absent() => column.name.clone(),
            total => format!("{}: {} in all", column.name, Numbers::Readable.cost(column, total)),
        }
    };
    columns.iter().zip(events).map(one).collect::<Vec<_>>().join("; ")
}

/// A column of costs, with the name of its event type if there are several.
pub(crate) fn cost_column(title: &str, column: &Column, only: bool) -> TableColumn {
    TableColumn::right(if only { title.to_owned() } else { format!("{} {title}", column.name) })
}

/// A column of shares, which follows a column of costs. With bare numbers it is always called `%`, because programs
/// address columns by position.
pub(crate) fn share_column(title: &str, column: &Column, only: bool, numbers: Numbers) -> TableColumn {
    match numbers {
        Numbers::Bare => TableColumn::right("%"),
        Numbers::Readable => {
            let title = if title.is_empty() { "%".to_owned() } else { format!("{title} %") };
            cost_column(&title, column, only)
        }
    }
}

/// The column of places. It may be dropped on a narrow screen, because names that need a place include it.
pub(crate) fn place_column() -> TableColumn {
    TableColumn::path("where").droppable(2)
}

/// The names of a table's functions. In tables for people, the place follows a name that several functions have.
pub(crate) fn table_names<'a>(
    functions: impl Iterator<Item = &'a FunctionName>,
    numbers: Numbers,
) -> Vec<String> {
    let functions: Vec<&FunctionName> = functions.collect();
    if numbers == Numbers::Bare {
        return functions.iter().map(|function| function.display.clone()).collect();
    }
    let mut places: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for function in &functions {
        places.entry(&function.display).or_default().insert(top::place(function, Numbers::Bare));
    }
    let none = BTreeSet::new();
    let name = |function: &&FunctionName| {
        let places = places.get(function.display.as_str()).unwrap_or(&none);
        match distinct_place(function, places) {
            place if places.len() < 2 || place.is_empty() => function.display.clone(),
            place => format!("{} [{place}]", function.display),
        }
    };
    functions.iter().map(name).collect()
}

/// The shortest tail of a function's place that no other of the places has.
fn distinct_place(function: &FunctionName, places: &BTreeSet<String>) -> String {
    let (whole, short) = (top::place(function, Numbers::Bare), top::place(function, Numbers::Readable));
    let count_with_tail = |end: &str| {
        let has_tail = |place: &&String| {
            place.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
        };
        places.iter().filter(has_tail).count()
    };
    // The place has both object and file, or the short form is unique already.
    if !whole.ends_with(&short) || count_with_tail(&short) < 2 {
        return short;
    }
    let mut starts = whole.rmatch_indices(['/', '\\']).map(|(at, _)| &whole[at + 1..]);
    starts.find(|end| end.len() > short.len() && count_with_tail(end) < 2).unwrap_or(&whole).to_owned()
}

/// The last component of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{base_name, grouped};

    #[test]
    fn digits_are_grouped() {
        let shown: Vec<String> = [0, 12, 123, 1234, -1_234_567, 10_i128.pow(20)].map(grouped).into();
        assert_eq!(shown, ["0", "12", "123", "1,234", "-1,234,567", "100,000,000,000,000,000,000"]);
    }

    #[test]
    fn the_last_piece_of_a_path() {
        assert_eq!(
            (base_name("/usr/lib/libc.so.6"), base_name("C:\\a\\b.dll"), base_name("x")),
            ("libc.so.6", "b.dll", "x")
        );
    }
}
