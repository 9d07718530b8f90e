//! The costs to the left of a line, all rows below each other.

use lotse_report::Role;

use super::{Numbers, Relative, Span, is_free};
use crate::annotate::AnnotateAnswer;
use crate::events::{Column, Cost, ranking};

/// A row with this share of the function's own cost is hot.
const HOT: f64 = 0.15;
/// And with this share it is warm.
const WARM: f64 = 0.04;

/// How costs are written.
pub(super) struct Cells<'a> {
    columns: &'a [Column],
    /// What shares are of; none without shares.
    whole: Option<Vec<Cost>>,
    /// The sum of the function's own costs, or of its instructions.
    heat: f64,
    widths: Vec<usize>,
}

/// As wide as `100.0 %`.
const SHARE: usize = 7;

impl<'a> Cells<'a> {
    pub(super) fn new(answer: &AnnotateAnswer, columns: &'a [Column], relative: Relative) -> Self {
        let whole = match relative {
            Relative::Total => Some(answer.events.iter().map(|event| event.total).collect()),
            Relative::Parent => Some(answer.function.inclusive.clone()),
            Relative::Off => None,
        };
        let lines = answer.files.iter().flat_map(|file| &file.lines).map(|line| &line.own);
        let code = answer.code.iter().flat_map(|code| &code.instructions).map(|it| &it.own);
        let mut widths: Vec<usize> = columns.iter().map(|column| column.name.chars().count()).collect();
        let mut heat = [0.0; 2];
        for (own, kind) in lines.map(|own| (own, 0)).chain(code.map(|own| (own, 1))) {
            for (at, column) in columns.iter().enumerate() {
                widths[at] = widths[at].max(Numbers::Readable.cost(column, own[at]).chars().count());
            }
            let first = own.get(ranking(columns)).map_or(0.0, |cost| cost.as_f64());
            heat[kind] += if first.is_finite() { first } else { 0.0 };
        }
        Self { columns, whole, heat: heat[0].max(heat[1]), widths }
    }

    /// The headings.
    pub(super) fn titles(&self) -> String {
        let share = if self.whole.is_some() { format!("{:>SHARE$} ", "%") } else { String::new() };
        let title = |(column, width): (&Column, &usize)| format!("{:>width$} {share}", column.name);
        self.columns.iter().zip(&self.widths).map(title).collect()
    }

    /// As wide as the costs of a row, and empty.
    pub(super) fn blank(&self) -> String {
        " ".repeat(self.titles().chars().count())
    }

    /// The costs of a row; nothing for zeros.
    pub(super) fn row(&self, own: &[Cost]) -> Span {
        if is_free(own) {
            return Span::plain(self.blank());
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
        Span { role: self.role(own), ..Span::plain(text) }
    }

    /// Red where much of the function's cost is, bold where some of it.
    pub(super) fn role(&self, own: &[Cost]) -> Option<Role> {
        let share = own.get(ranking(self.columns)).map_or(0.0, |cost| cost.as_f64()) / self.heat;
        match share {
            share if share >= HOT => Some(Role::Bad),
            share if share >= WARM => Some(Role::Strong),
            _ => None,
        }
    }

    /// Costs of a call in words.
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
