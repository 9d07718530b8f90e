//! Costs before and after, as the page shows them.

use lotse_profile::bound::Bound;
use lotse_profile::diff::{Basis, Change as EngineChange, Status};
use lotse_profile::events::Cost;
use lotse_report::number::{format_share, significant};

use super::Compared;
use crate::api::{Amount, Change};
use crate::profile::Amounts;

/// Formats the changes of one event type.
pub(super) struct ChangedCosts<'a> {
    old: Amounts<'a>,
    new: Amounts<'a>,
    basis: Basis,
    /// The marks of old and new costs.
    marks: [&'static str; 2],
    /// Whether old and new costs are exact.
    bounds: [Bound; 2],
}

impl<'a> ChangedCosts<'a> {
    /// Of self costs of the compared event type with this number.
    pub(super) fn own(compared: &'a Compared, event: usize) -> Self {
        Self::new(compared, event, compared.marks.map(|marks| marks.own))
    }

    /// Of inclusive costs.
    pub(super) fn inclusive(compared: &'a Compared, event: usize) -> Self {
        Self::new(compared, event, compared.marks.map(|marks| marks.inclusive))
    }

    fn new(compared: &'a Compared, event: usize, marks: [&'static str; 2]) -> Self {
        Self {
            marks,
            bounds: [Bound::Exact; 2],
            old: Amounts::of_total(&compared.old_columns[event], &compared.totals[0]),
            new: Amounts::of_total(&compared.columns[event], &compared.totals[1]),
            basis: compared.basis,
        }
    }

    /// The same, of old and new costs that are bounds.
    pub(super) fn bounded(self, bounds: [Bound; 2]) -> Self {
        Self { bounds, ..self }
    }

    pub(super) fn new_amount(&self, change: &EngineChange) -> Amount {
        self.amount_of_new(change.new.unwrap_or(Cost::Exact(0)))
    }

    /// A cost of the new profile, with its share of the new total.
    pub(super) fn amount_of_new(&self, cost: Cost) -> Amount {
        self.new.marked(cost, self.mark(1))
    }

    fn old_amount(&self, cost: Cost) -> Amount {
        self.old.marked(cost, self.mark(0))
    }

    /// The mark of old (0) or new (1) costs.
    fn mark(&self, side: usize) -> &'static str {
        if self.marks[side].is_empty() { self.bounds[side].sign() } else { self.marks[side] }
    }

    /// A difference is as uncertain as the less certain side; `None` if it is not known.
    fn difference_mark(&self) -> Option<&'static str> {
        let bound = Bound::of_change(self.bounds[0], self.bounds[1])?;
        Some(self.marks.into_iter().find(|mark| !mark.is_empty()).unwrap_or(bound.sign()))
    }

    /// A ratio, or what stands in its place.
    fn ratio(&self, ratio: Option<f64>, status: Status) -> String {
        match (status, ratio) {
            (Status::New, _) => "new".to_owned(),
            (Status::Gone, _) => "gone".to_owned(),
            (Status::Matched, Some(ratio)) => match self.difference_mark() {
                None => UNKNOWN.to_owned(),
                Some("") => format!("{} ×", significant(ratio, 3)),
                Some(mark) => format!("{mark} {} ×", significant(ratio, 3)),
            },
            (Status::Matched, None) if self.difference_mark().is_none() => UNKNOWN.to_owned(),
            (Status::Matched, None) => String::new(),
        }
    }

    pub(super) fn change(&self, change: &EngineChange, status: Status) -> Change {
        Change {
            old: self.old_amount(change.old.unwrap_or(Cost::Exact(0))),
            difference: self.difference(change.difference),
            ratio: self.ratio(change.ratio, status),
            ratio_value: change.ratio,
            noise: change.noise,
        }
    }

    /// A difference of costs, or of shares if these are compared; with its sign. Shares are those of the old total.
    fn difference(&self, difference: Cost) -> Amount {
        let Some(mark) = self.difference_mark() else { return unknown() };
        let sign = if difference.as_f64() > 0.0 { "+" } else { "" };
        match self.basis {
            Basis::Cost => signed(self.old.marked(difference, mark), sign),
            Basis::Share => {
                let share = difference.as_f64();
                let text = format!("{sign}{}", format_share(share, 1));
                Amount { value: share, share_text: text.clone(), text, share: Some(share), mark }
            }
        }
    }

    /// The difference and the ratio of two costs, or of their shares of the totals if these are compared.
    fn differ(&self, old: Cost, new: Cost) -> (Cost, Option<f64>) {
        let share = |amounts: &Amounts<'_>, cost| amounts.share(cost).unwrap_or(0.0);
        let difference = match (self.basis, old, new) {
            (Basis::Share, ..) => Cost::Real(share(&self.new, new) - share(&self.old, old)),
            (Basis::Cost, Cost::Exact(old), Cost::Exact(new)) => Cost::Exact(new - old),
            (Basis::Cost, old, new) => Cost::Real(new.as_f64() - old.as_f64()),
        };
        let ratio = match self.basis {
            Basis::Share => share(&self.new, new) / share(&self.old, old),
            Basis::Cost => new.as_f64() / old.as_f64(),
        };
        (difference, Some(ratio).filter(|ratio| ratio.is_finite()))
    }

    /// The change between two costs, for rows that the engine does not compare.
    pub(super) fn between(&self, old: Option<Cost>, new: Option<Cost>) -> Change {
        let value = |cost: Option<Cost>| cost.unwrap_or(Cost::Exact(0));
        let (difference, ratio) = self.differ(value(old), value(new));
        let status = match (old, new) {
            (None, _) => Status::New,
            (_, None) => Status::Gone,
            _ => Status::Matched,
        };
        Change {
            old: self.old_amount(value(old)),
            difference: self.difference(difference),
            ratio: self.ratio(ratio, status),
            ratio_value: ratio.filter(|_| self.difference_mark().is_some()),
            noise: false,
        }
    }
}

/// An amount with its sign.
fn signed(amount: Amount, sign: &str) -> Amount {
    let share_text = match amount.share_text.as_str() {
        "" => String::new(),
        text => format!("{sign}{text}"),
    };
    Amount { text: format!("{sign}{}", amount.text), share_text, ..amount }
}

/// What stands in place of a difference that is not known.
const UNKNOWN: &str = "?";

/// A difference that is not known: it is neither sorted by nor drawn.
fn unknown() -> Amount {
    Amount {
        value: 0.0,
        text: UNKNOWN.to_owned(),
        share_text: UNKNOWN.to_owned(),
        share: None,
        mark: UNKNOWN,
    }
}

/// Whether it is not known how much a cost changed.
pub(super) fn is_unknown(change: &Change) -> bool {
    change.difference.mark == UNKNOWN
}
