//! Costs as numbers with their texts.

use lotse_profile::analysis::{Analysis, InclusiveOrigin};
use lotse_profile::events::{Column, Cost};
use lotse_profile::report::Numbers;

use super::Analysed;
use crate::api::{Amount, EventType};

/// Formats the costs of one event type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Amounts<'a> {
    pub(crate) column: &'a Column,
    /// What shares are relative to.
    pub(crate) whole: Cost,
}

impl<'a> Amounts<'a> {
    /// Shares of the total.
    pub(crate) fn of_total(column: &'a Column, totals: &[i128]) -> Self {
        Self { column, whole: column.total(totals) }
    }

    pub(crate) fn amount(&self, cost: Cost) -> Amount {
        self.marked(cost, "")
    }

    pub(crate) fn marked(&self, cost: Cost, mark: &'static str) -> Amount {
        let share = self.share(cost);
        let mark = if cost.is_absent() { "" } else { mark };
        Amount {
            value: finite(cost.as_f64()),
            text: Numbers::Readable.cost(self.column, cost),
            share,
            share_text: share
                .map_or_else(String::new, |_| Numbers::Readable.share_of(self.column, cost, self.whole)),
            mark,
        }
    }

    pub(crate) fn text(&self, cost: Cost) -> String {
        Numbers::Readable.cost(self.column, cost)
    }

    /// The share of the whole; `None` if the costs do not add up.
    pub(crate) fn share(&self, cost: Cost) -> Option<f64> {
        let share = cost.as_f64() / self.whole.as_f64();
        self.column.adds_up().then_some(share).filter(|share| share.is_finite())
    }
}

/// JSON has no infinities.
fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// A number of calls.
pub(crate) fn count(calls: u64) -> Amount {
    Amount { value: calls as f64, text: Numbers::Readable.count(calls), ..Amount::default() }
}

/// The mark of inclusive costs of a whole profile; members of cycles have one of their own.
pub(crate) fn inclusive_mark(analysis: &Analysis<'_>) -> &'static str {
    if analysis.origin == InclusiveOrigin::Counts { "≈" } else { "" }
}

/// The marks of the self and inclusive costs of a profile; single functions can have others.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CostMarks {
    pub(crate) own: &'static str,
    pub(crate) inclusive: &'static str,
}

impl CostMarks {
    pub(crate) fn new(analysed: &Analysed<'_>) -> Self {
        match analysed.is_estimate {
            true => Self { own: "≈", inclusive: "≈" },
            false => Self { own: "", inclusive: inclusive_mark(&analysed.analysis) },
        }
    }
}

/// An event type with its total.
pub(crate) fn event_type(column: &Column, totals: &[i128]) -> EventType {
    let total = column.total(totals);
    EventType {
        name: column.name.clone(),
        unit: column.unit.clone(),
        title: column.title.clone(),
        formula: column.formula.clone(),
        total: if total.is_absent() { String::new() } else { Numbers::Readable.cost(column, total) },
        old_total: None,
        by_share: false,
        adds_up: column.adds_up(),
    }
}
