//! Answers as documents: tables for people, and the same with bare numbers for programs that read CSV.

use std::collections::{BTreeMap, BTreeSet};

use lotse_report::number::{format_bytes, format_seconds, format_share};
use lotse_report::{Cell, Column as TableColumn};

use crate::analysis::share;
use crate::answer::{EventAnswer, FunctionName};
use crate::events::{Column, Cost};

mod annotate;
mod calls;
mod data;
mod diff;
mod events;
mod groups;
mod parts;
mod sentences;
mod top;
mod tree;

pub use annotate::{Layout, Line, Span, annotate, cut};
pub use calls::calls;
pub(crate) use calls::counted_again;
pub use data::data;
pub use diff::diff;
pub use events::events;
pub use groups::groups;
pub use parts::parts;
pub use sentences::{calls_sentence, diff_sentence, groups_sentence, top_sentence, tree_sentence};
pub use top::{top, unattributed};
pub use tree::tree;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// With units and separators.
    Readable,
    /// All digits and nothing else.
    Bare,
}

/// What shares are shares of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Relative {
    /// The whole profile.
    #[default]
    Total,
    /// The function or group asked about.
    Parent,
    /// No shares.
    Off,
}

impl Numbers {
    /// A cost.
    pub(crate) fn cost(self, column: &Column, cost: Cost) -> String {
        match (self, cost) {
            (Self::Bare, Cost::Exact(exact)) => exact.to_string(),
            (Self::Bare, Cost::Real(real)) if real.is_finite() => real.to_string(),
            (Self::Bare, Cost::Real(_)) => String::new(),
            (Self::Readable, cost) => readable(column, cost),
        }
    }

    /// A number of things.
    pub(crate) fn count(self, count: u64) -> String {
        match self {
            Self::Bare => count.to_string(),
            Self::Readable => grouped(i128::from(count)),
        }
    }

    /// Whether a table has a column with the shares of an event type. Programs that read tables know columns by their
    /// place, so that there it may be empty.
    pub(crate) fn has_shares(self, column: &Column) -> bool {
        self == Self::Bare || column.adds_up()
    }

    /// A share of a whole; nothing where the costs of a column do not add up.
    pub(crate) fn share_of(self, column: &Column, part: Cost, whole: Cost) -> String {
        if column.adds_up() { self.share(part, whole) } else { String::new() }
    }

    /// A share of a whole.
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

/// Digits in groups of three.
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
pub fn measured(columns: &[Column], events: &[EventAnswer]) -> String {
    let one = |(column, event): (&Column, &EventAnswer)| {
        match event.total {
            // A cost per call of the whole profile is not known.
            total if total.is_absent() => column.name.clone(),
            total => format!("{}: {} in all", column.name, Numbers::Readable.cost(column, total)),
        }
    };
    columns.iter().zip(events).map(one).collect::<Vec<_>>().join("; ")
}

/// A column of costs; the name of its event type where there are several.
pub(crate) fn cost_column(title: &str, column: &Column, only: bool) -> TableColumn {
    TableColumn::right(if only { title.to_owned() } else { format!("{} {title}", column.name) })
}

/// A column of shares, after the costs of a title. Programs that read tables know it by its place.
pub(crate) fn share_column(title: &str, column: &Column, only: bool, numbers: Numbers) -> TableColumn {
    match numbers {
        Numbers::Bare => TableColumn::right("%"),
        Numbers::Readable => {
            let title = if title.is_empty() { "%".to_owned() } else { format!("{title} %") };
            cost_column(&title, column, only)
        }
    }
}

/// The column of places, which may be left out: names that need it have it with them.
pub(crate) fn place_column() -> TableColumn {
    TableColumn::path("where").droppable(2)
}

/// The names of a table's functions. People get the place behind a name that several functions have.
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
    let whole = BTreeSet::new();
    let name = |function: &&FunctionName| {
        let places = places.get(function.display.as_str()).unwrap_or(&whole);
        match distinct_place(function, places) {
            place if places.len() < 2 || place.is_empty() => function.display.clone(),
            place => format!("{} [{place}]", function.display),
        }
    };
    functions.iter().map(name).collect()
}

/// As much of the end of a function's place as no other of the places has.
fn distinct_place(function: &FunctionName, places: &BTreeSet<String>) -> String {
    let (whole, short) = (top::place(function, Numbers::Bare), top::place(function, Numbers::Readable));
    let ends = |end: &str| {
        let piece = |place: &&String| {
            place.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
        };
        places.iter().filter(piece).count()
    };
    // An object and a file are told together, or the shorter form is distinct anyway.
    if !whole.ends_with(&short) || ends(&short) < 2 {
        return short;
    }
    let mut starts = whole.rmatch_indices(['/', '\\']).map(|(at, _)| &whole[at + 1..]);
    starts.find(|end| end.len() > short.len() && ends(end) < 2).unwrap_or(&whole).to_owned()
}

/// The end of a path, which tells the most.
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
