//! The order of compared rows.

use std::cmp::Ordering;

use super::functions::{Comparison, Measured};
use super::{Change, Query, Versus};
use crate::events::Cost;

/// What rows are sorted by; the greatest first, equals in the order of the profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The difference, whatever its sign.
    #[default]
    Difference,
    /// The factor of the change, up or down; without a ratio last.
    Ratio,
    /// New cost.
    New,
    /// Old cost.
    Old,
    /// The name, from A to Z.
    Name,
}

/// Sorts by the event type that ranks; by the greatest of several files.
pub(super) fn sort(comparison: &Comparison<'_>, rows: &mut Vec<Measured>, query: &Query<'_>) {
    let name = |row: &Measured| comparison.name(row.row).map(|name| name.display);
    let key = |row: &Measured| row_key(&row.versus, query, comparison.ranked());
    let mut keyed: Vec<(Cost, Measured)> = rows.drain(..).map(|row| (key(&row), row)).collect();
    if query.order == Order::Name {
        keyed.sort_by_cached_key(|(_, row)| name(row));
    } else {
        keyed.sort_by(|(a, one), (b, other)| b.compare(a).then_with(|| one.row.cmp(&other.row)));
    }
    rows.extend(keyed.into_iter().map(|(_, row)| row));
}

fn row_key(versus: &[Versus], query: &Query<'_>, ranked: usize) -> Cost {
    let changes = versus.iter().filter_map(|versus| versus.asked(query).get(ranked));
    greatest(changes, query.order)
}

/// What a row is sorted by: the greatest of its changes.
pub(super) fn greatest<'c>(changes: impl Iterator<Item = &'c Change>, order: Order) -> Cost {
    changes.map(|change| key(change, order)).max_by(Cost::compare).unwrap_or(Cost::ABSENT)
}

fn key(change: &Change, order: Order) -> Cost {
    match order {
        Order::Difference => absolute(change.difference),
        Order::Ratio => change.ratio.map_or(Cost::ABSENT, |ratio| Cost::Real(ratio.ln().abs())),
        Order::New => change.new.unwrap_or(Cost::ABSENT),
        Order::Old => change.old.unwrap_or(Cost::ABSENT),
        Order::Name => Cost::ABSENT,
    }
}

fn absolute(cost: Cost) -> Cost {
    let exact = match cost {
        Cost::Exact(exact) => exact.checked_abs(),
        Cost::Real(_) => None,
    };
    exact.map_or_else(|| Cost::Real(cost.as_f64().abs()), Cost::Exact)
}

/// Sorts anything with changes and a name.
pub(super) fn sort_by<T>(
    rows: &mut [T],
    order: Order,
    changes: impl Fn(&T) -> Vec<&Change>,
    name: impl Fn(&T) -> String,
) {
    let compare = |a: &T, b: &T| -> Ordering {
        let key = |row: &T| greatest(changes(row).into_iter(), order);
        let by_key = if order == Order::Name { Ordering::Equal } else { key(b).compare(&key(a)) };
        by_key.then_with(|| name(a).cmp(&name(b)))
    };
    rows.sort_by(compare);
}
