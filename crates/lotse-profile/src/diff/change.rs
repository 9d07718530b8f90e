//! One cost in two profiles: old, new, difference, ratio and uncertainty.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Basis, DiffSide};
use crate::bound::Bound;
use crate::events::{Column, Cost};

/// A cost in the first profile and in another.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Change {
    /// Cost in the first; null if it has none.
    pub old: Option<Cost>,
    /// Cost in the other; null if it has none.
    pub new: Option<Cost>,
    /// Share of the first's total; null for event types without shares, such as ratios.
    pub old_share: Option<f64>,
    /// Share of the other's total; null for event types without shares.
    pub new_share: Option<f64>,
    /// Whether the cost in the first is only a bound.
    #[serde(skip_serializing_if = "Bound::is_exact")]
    pub old_bound: Bound,
    /// Whether the cost in the other is only a bound.
    #[serde(skip_serializing_if = "Bound::is_exact")]
    pub new_bound: Bound,
    /// New minus old, of costs or of shares; a missing cost counts as 0. Null if it is not known, because both costs are
    /// bounds of the same kind.
    pub difference: Cost,
    /// New over old, of costs or of shares; null if the old one is 0, or if the
    /// difference is not known.
    pub ratio: Option<f64>,
    /// Two standard errors of the difference, if costs come from samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertainty: Option<f64>,
    /// Whether the difference is within the uncertainty, so that it may be chance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub noise: bool,
}

/// The number of calls in two profiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Counts {
    /// In the first profile; null if unknown.
    pub old: Option<u64>,
    pub new: Option<u64>,
}

/// The total of one event type in one profile, and the cost of a sample.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    total: Cost,
    /// The mean cost of a sample; `None` if every event was counted.
    sample: Option<f64>,
    /// Whether costs can be given as shares of the total.
    adds_up: bool,
}

impl Scale {
    /// One scale for every column of a side.
    pub(super) fn for_columns(side: &DiffSide<'_>) -> Vec<Self> {
        let scale = |column: &Column| {
            let total = column.total(&side.analysis.totals);
            let sampled = column.event().and_then(|event| side.samples_of(event));
            let sample = sampled.map(|samples| total.as_f64() / samples as f64);
            Self { total, sample, adds_up: column.adds_up() }
        };
        side.columns.iter().map(scale).collect()
    }

    pub(super) fn total(&self) -> Cost {
        self.total
    }

    /// The total; `None` if costs of this event type have no shares.
    pub(super) fn share_base(&self) -> Option<Cost> {
        self.adds_up.then_some(self.total)
    }

    fn share(&self, cost: Option<Cost>) -> Option<f64> {
        if cost.is_some_and(Cost::is_absent) {
            return None;
        }
        let share = cost.map_or(0.0, Cost::as_f64) / self.share_base()?.as_f64();
        Some(if share.is_finite() { share } else { 0.0 })
    }

    /// The variance of a cost. The number of samples follows a Poisson distribution, so its variance equals the number;
    /// with 0 samples, a variance of 1 is assumed.
    fn variance(&self, cost: Option<Cost>) -> Option<f64> {
        let sample = self.sample?;
        Some(cost.map_or(0.0, Cost::as_f64).abs().max(sample) * sample)
    }

    fn share_variance(&self, cost: Option<Cost>) -> Option<f64> {
        let total = self.total.as_f64();
        self.variance(cost).map(|variance| variance / (total * total))
    }
}

impl Change {
    /// The change from the first profile to another.
    pub(super) fn between(
        (old, old_scale): (Option<Cost>, &Scale),
        (new, new_scale): (Option<Cost>, &Scale),
        basis: Basis,
    ) -> Self {
        let (old_share, new_share) = (old_scale.share(old), new_scale.share(new));
        let (from, to) = match basis {
            Basis::Cost => (old.unwrap_or(Cost::Exact(0)), new.unwrap_or(Cost::Exact(0))),
            Basis::Share => {
                let real = |share: Option<f64>| share.map_or(Cost::ABSENT, Cost::Real);
                (real(old_share), real(new_share))
            }
        };
        let difference = subtract(to, from);
        let ratio = Some(to.as_f64() / from.as_f64()).filter(|ratio| ratio.is_finite());
        let variances = match basis {
            Basis::Cost => [old_scale.variance(old), new_scale.variance(new)],
            Basis::Share => [old_scale.share_variance(old), new_scale.share_variance(new)],
        };
        let uncertainty = two_standard_errors(variances);
        let noise = uncertainty.is_some_and(|error| difference.as_f64().abs() <= error);
        let (old_bound, new_bound) = (Bound::Exact, Bound::Exact);
        Self { old, new, old_share, new_share, old_bound, new_bound, difference, ratio, uncertainty, noise }
    }

    /// The same change of costs that are bounds.
    pub(super) fn of_bounds(self, old_bound: Bound, new_bound: Bound) -> Self {
        let bounded = Self { old_bound, new_bound, ..self };
        match bounded.bound() {
            Some(_) => bounded,
            None => {
                Self { difference: Cost::ABSENT, ratio: None, uncertainty: None, noise: false, ..bounded }
            }
        }
    }

    /// Whether the difference is a bound; `None` if it is not known.
    pub fn bound(&self) -> Option<Bound> {
        Bound::of_change(self.old_bound, self.new_bound)
    }

    /// The size of the difference relative to the greater total, or to the greater cost if the event type has no shares.
    pub(super) fn relative(&self, totals: (Option<Cost>, Option<Cost>), basis: Basis) -> f64 {
        let difference = self.difference.as_f64().abs();
        let size = |cost: Option<Cost>| cost.map_or(0.0, |cost| cost.as_f64().abs());
        let whole = match (basis, totals) {
            (Basis::Cost, (None, _) | (_, None)) => size(self.old).max(size(self.new)),
            (Basis::Cost, (old, new)) => size(old).max(size(new)),
            (Basis::Share, _) => 1.0,
        };
        if whole > 0.0 { difference / whole } else { 0.0 }
    }
}

/// Two standard errors of a difference. A profile that counted every event adds nothing to the uncertainty.
fn two_standard_errors(variances: [Option<f64>; 2]) -> Option<f64> {
    let known = variances.iter().any(Option::is_some);
    let sum: f64 = variances.into_iter().flatten().sum();
    known.then(|| 2.0 * sum.sqrt()).filter(|error| error.is_finite())
}

/// `one - other`, exact if both are exact.
fn subtract(one: Cost, other: Cost) -> Cost {
    let exact = match (one, other) {
        (Cost::Exact(one), Cost::Exact(other)) => one.checked_sub(other),
        _ => None,
    };
    exact.map_or_else(|| Cost::Real(one.as_f64() - other.as_f64()), Cost::Exact)
}

#[cfg(test)]
mod tests {
    use super::{Change, Scale};
    use crate::diff::Basis;
    use crate::events::Cost;

    fn scale(total: i128, sample: Option<f64>) -> Scale {
        Scale { total: Cost::Exact(total), sample, adds_up: true }
    }

    fn change(old: Option<i128>, new: Option<i128>, scale: &Scale, basis: Basis) -> Change {
        Change::between((old.map(Cost::Exact), scale), (new.map(Cost::Exact), scale), basis)
    }

    #[test]
    fn differences_keep_every_digit() {
        let big = i128::from(u64::MAX);
        let found = change(Some(big), Some(big - 1), &scale(big, None), Basis::Cost);
        assert!(matches!(found.difference, Cost::Exact(-1)));
        assert_eq!((found.uncertainty, found.noise), (None, false));
    }

    #[test]
    fn missing_costs_count_as_zero_and_have_no_ratio() {
        let found = change(None, Some(5), &scale(10, None), Basis::Cost);
        assert_eq!((found.difference, found.ratio, found.new_share), (Cost::Exact(5), None, Some(0.5)));
        let found = change(Some(5), None, &scale(10, None), Basis::Cost);
        assert_eq!((found.difference, found.ratio), (Cost::Exact(-5), Some(0.0)));
    }

    #[test]
    fn few_samples_are_noise_and_many_are_not() {
        let one_each = scale(1000, Some(1.0));
        assert!(change(Some(100), Some(120), &one_each, Basis::Cost).noise);
        let found = change(Some(100), Some(200), &one_each, Basis::Cost);
        assert!(!found.noise && (found.uncertainty.unwrap() - 2.0 * 300_f64.sqrt()).abs() < 1e-9);
        // The same counts in nanoseconds, a million for each sample.
        let weighed = scale(1_000_000_000, Some(1e6));
        assert!(change(Some(100_000_000), Some(120_000_000), &weighed, Basis::Cost).noise);
        assert!(!change(Some(100_000_000), Some(200_000_000), &weighed, Basis::Share).noise);
    }

    #[test]
    fn shares_compare_what_counts_cannot() {
        let one = scale(1000, None);
        let other = scale(10, None);
        let found =
            Change::between((Some(Cost::Exact(500)), &one), (Some(Cost::Exact(5)), &other), Basis::Share);
        assert_eq!((found.difference, found.ratio), (Cost::Real(0.0), Some(1.0)));
    }
}
