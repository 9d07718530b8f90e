//! Sorts compared rows.

use std::cmp::Ordering;

use super::functions::{Comparison, MeasuredRow};
use super::{Change, DiffQuery, Versus};
use crate::events::Cost;

/// What rows are sorted by; the greatest first, equal ones in the order of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DiffOrder {
    /// The magnitude of the difference.
    #[default]
    Difference,
    /// The factor of the change, up or down; rows without a ratio come last.
    Ratio,
    New,
    Old,
    /// From A to Z.
    Name,
}

/// Sorts rows by the event type that they are ranked by; of several files, the greatest change counts.
pub(super) fn sort(comparison: &Comparison<'_>, rows: &mut Vec<MeasuredRow>, query: &DiffQuery<'_>) {
    let name = |row: &MeasuredRow| comparison.name(row.row).map(|name| name.display);
    let key = |row: &MeasuredRow| row_key(&row.versus, query, comparison.ranked());
    let mut keyed: Vec<(Cost, MeasuredRow)> = rows.drain(..).map(|row| (key(&row), row)).collect();
    if query.order == DiffOrder::Name {
        keyed.sort_by_cached_key(|(_, row)| name(row));
    } else {
        keyed.sort_by(|(a, one), (b, other)| b.compare(a).then_with(|| one.row.cmp(&other.row)));
    }
    rows.extend(keyed.into_iter().map(|(_, row)| row));
}

fn row_key(versus: &[Versus], query: &DiffQuery<'_>, ranked: usize) -> Cost {
    let changes = versus.iter().filter_map(|versus| versus.ranked_by(query).get(ranked));
    greatest(changes, query.order)
}

/// The sort key of a row: the greatest of its changes.
pub(super) fn greatest<'c>(changes: impl Iterator<Item = &'c Change>, order: DiffOrder) -> Cost {
    changes.map(|change| key(change, order)).max_by(Cost::compare).unwrap_or(Cost::ABSENT)
}

fn key(change: &Change, order: DiffOrder) -> Cost {
    match order {
        DiffOrder::Difference => absolute(change.difference),
        DiffOrder::Ratio => change.ratio.map_or(Cost::ABSENT, |ratio| Cost::Real(ratio.ln().abs())),
        DiffOrder::New => change.new.unwrap_or(Cost::ABSENT),
        DiffOrder::Old => change.old.unwrap_or(Cost::ABSENT),
        DiffOrder::Name => Cost::ABSENT,
    }
}

fn absolute(cost: Cost) -> Cost {
    let exact = match cost {
        Cost::Exact(exact) => exact.checked_abs(),
        Cost::Real(_) => None,
    };
    exact.map_or_else(|| Cost::Real(cost.as_f64().abs()), Cost::Exact)
}

/// Sorts rows of any type that has changes and a name.
pub(super) fn sort_by<T>(
    rows: &mut [T],
    order: DiffOrder,
    changes: impl Fn(&T) -> Vec<&Change>,
    name: impl Fn(&T) -> String,
) {
    let compare = |a: &T, b: &T| -> Ordering {
        let key = |row: &T| greatest(changes(row).into_iter(), order);
        let by_key = if order == DiffOrder::Name { Ordering::Equal } else { key(b).compare(&key(a)) };
        by_key.then_with(|| name(a).cmp(&name(b)))
    };
    rows.sort_by(compare);
}
