//! The columns of costs on the left of a line.

use lotse_report::Role;

use super::{Numbers, Relative, StyledText, is_free};
use crate::annotate::AnnotateAnswer;
use crate::events::{Column, Cost, ranking};

/// A row with at least this share of the function's self cost is hot.
const HOT: f64 = 0.15;
/// A row with at least this share is warm.
const WARM: f64 = 0.04;

/// Formats costs in columns of equal width.
pub(super) struct CostCells<'a> {
    columns: &'a [Column],
    /// The costs that shares are relative to; `None` without shares.
    whole: Option<Vec<Cost>>,
    /// The greater of the sums of all lines and of all instructions, by which rows are marked as hot.
    sum: f64,
    widths: Vec<usize>,
}

/// The width of `100.0 %`.
const SHARE: usize = 7;

impl<'a> CostCells<'a> {
    pub(super) fn new(answer: &AnnotateAnswer, columns: &'a [Column], relative: Relative) -> Self {
        let whole = match relative {
            Relative::Total => Some(answer.events.iter().map(|event| event.total).collect()),
            Relative::Parent => Some(answer.function.inclusive.clone()),
            Relative::Off => None,
        };
        let lines = answer.files.iter().flat_map(|file| &file.lines).map(|line| &line.own);
        let code = answer.code.iter().flat_map(|code| &code.instructions).map(|it| &it.own);
        let mut widths: Vec<usize> = columns.iter().map(|column| column.name.chars().count()).collect();
        let mut sums = [0.0; 2];
        for (own, kind) in lines.map(|own| (own, 0)).chain(code.map(|own| (own, 1))) {
            for (at, column) in columns.iter().enumerate() {
                widths[at] = widths[at].max(Numbers::Readable.cost(column, own[at]).chars().count());
            }
            let first = own.get(ranking(columns)).map_or(0.0, |cost| cost.as_f64());
            sums[kind] += if first.is_finite() { first } else { 0.0 };
        }
        Self { columns, whole, sum: sums[0].max(sums[1]), widths }
    }

    /// The headings.
    pub(super) fn titles(&self) -> String {
        let share = if self.whole.is_some() { format!("{:>SHARE$} ", "%") } else { String::new() };
        let title = |(column, width): (&Column, &usize)| format!("{:>width$} {share}", column.name);
        self.columns.iter().zip(&self.widths).map(title).collect()
    }

    /// Blanks of the width of a row's costs.
    pub(super) fn blank(&self) -> String {
        " ".repeat(self.titles().chars().count())
    }

    /// The costs of a row; blank if they are all 0.
    pub(super) fn row(&self, own: &[Cost]) -> StyledText {
        if is_free(own) {
            return StyledText::plain(self.blank());
        }
        let share = |at: usize| match &self.whole {
            Some(whole) => format!("{:>SHARE$} ", Numbers::Readable.share(own[at], whole[at])),
            None => String::new(),
        };
        let cost = |(at, column): (usize, &Column)| {
            let width = self.widths[at];
            format!("{:>width$} {}", Numbers::Readable.cost(column, own[at]), share(at))
        };
        let text: String = self.columns.iter().enumerate().map(cost).collect();
        StyledText { role: self.role(own), ..StyledText::plain(text) }
    }

    /// The style of a row: hot, warm or neither, by its share of the function's cost.
    pub(super) fn role(&self, own: &[Cost]) -> Option<Role> {
        let share = own.get(ranking(self.columns)).map_or(0.0, |cost| cost.as_f64()) / self.sum;
        match share {
            share if share >= HOT => Some(Role::Bad),
            share if share >= WARM => Some(Role::Strong),
            _ => None,
        }
    }

    /// The costs of a call as text.
    pub(super) fn inclusive(&self, cost: &[Cost]) -> String {
        let only = self.columns.len() == 1;
        let one = |(at, column): (usize, &Column)| {
            let name = if only { String::new() } else { format!("{} ", column.name) };
            let share = self.whole.as_ref().map_or(String::new(), |whole| {
                format!(" ({})", Numbers::Readable.share(cost[at], whole[at]))
            });
            format!("{name}{}{share}", Numbers::Readable.cost(column, cost[at]))
        };
        self.columns.iter().enumerate().map(one).collect::<Vec<_>>().join("  ")
    }
}
