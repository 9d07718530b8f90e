//! Divides an interval of time into equal columns.

use lotse_model::trace::Ticks;

use super::View;
use crate::store::Trace;

/// An interval of time divided into equal columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    begin: Ticks,
    end: Ticks,
    count: u32,
}

impl Columns {
    /// At least one column, of at least one tick.
    pub(super) fn new(trace: &Trace, view: &View) -> Self {
        let (first, last) = (trace.first_tick(), trace.last_tick());
        let begin = first.saturating_add(view.from).min(last);
        let end = first.saturating_add(view.to).min(last).max(begin.saturating_add(1));
        let count = Ticks::from(view.columns.max(1)).min(end - begin) as u32;
        Self { begin, end, count }
    }

    pub(super) fn begin(&self) -> Ticks {
        self.begin
    }

    pub(super) fn end(&self) -> Ticks {
        self.end
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    /// The begin of a column; the column after the last begins at the end.
    pub(super) fn begin_of(&self, column: u32) -> Ticks {
        self.begin + scaled(self.end - self.begin, Ticks::from(column), Ticks::from(self.count))
    }

    /// The column of a time; times outside of the interval are in the first or the last column.
    pub(super) fn column_at(&self, time: Ticks) -> u32 {
        let since = time.clamp(self.begin, self.end - 1) - self.begin;
        // The begins of columns are rounded down, so the guess may be one column too early.
        let guess = scaled(since, Ticks::from(self.count), self.end - self.begin) as u32;
        if self.begin_of(guess + 1) <= time && guess + 1 < self.count { guess + 1 } else { guess }
    }

    /// A cursor at the first column.
    pub(super) fn cursor(&self) -> Cursor<'_> {
        Cursor { columns: self, column: 0, begin: self.begin, next: self.begin_of(1) }
    }

    /// Calls `visit` for each column that a span overlaps, with the length of the overlap.
    pub(super) fn cover(&self, from: Ticks, to: Ticks, mut visit: impl FnMut(u32, Ticks)) {
        let (from, to) = (from.max(self.begin), to.min(self.end));
        if from >= to {
            return;
        }
        let (mut at, mut column) = (from, self.column_at(from));
        while at < to {
            let next = self.begin_of(column + 1).min(to);
            visit(column, next - at);
            (at, column) = (next, column + 1);
        }
    }
}

/// Finds the columns of times that do not decrease. It divides only where the column changes.
pub(super) struct Cursor<'a> {
    columns: &'a Columns,
    column: u32,
    /// The begin of the present column and of the next one.
    begin: Ticks,
    next: Ticks,
}

impl Cursor<'_> {
    /// The column of a time that is not before the last one.
    #[inline]
    pub(super) fn advance_to(&mut self, time: Ticks) -> u32 {
        if time >= self.next {
            self.column = self.columns.column_at(time);
            (self.begin, self.next) =
                (self.columns.begin_of(self.column), self.columns.begin_of(self.column + 1));
        }
        self.column
    }

    /// The column of another time, which may be the present one; the cursor stays where it is.
    #[inline]
    pub(super) fn column_near(&self, time: Ticks) -> u32 {
        if self.begin <= time && time < self.next { self.column } else { self.columns.column_at(time) }
    }
}

/// `value * factor / divisor`, rounded down. The product of a run of a century in nanoseconds and a few thousand columns may need
/// more than 64 bits; usually it does not, and the division is several times as fast.
fn scaled(value: Ticks, factor: Ticks, divisor: Ticks) -> Ticks {
    match value.checked_mul(factor) {
        Some(product) => product / divisor,
        None => (u128::from(value) * u128::from(factor) / u128::from(divisor)) as Ticks,
    }
}

/// Groups equal neighbouring cells, as (first, after the last, value).
pub(super) fn equal_neighbours<T: Copy + PartialEq>(cells: &[T]) -> impl Iterator<Item = (u32, u32, T)> + '_ {
    let mut from = 0;
    cells.chunk_by(|one, next| one == next).map(move |group| {
        let begin = from;
        from += group.len() as u32;
        (begin, from, group[0])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{Columns, equal_neighbours};

    #[test]
    fn equal_neighbours_are_one_group() {
        assert_eq!(equal_neighbours(&[1, 1, 2, 1]).collect::<Vec<_>>(), [(0, 2, 1), (2, 3, 2), (3, 4, 1)]);
        assert_eq!(equal_neighbours::<u8>(&[]).count(), 0);
    }

    proptest! {
        #[test]
        fn every_moment_is_in_the_column_that_begins_before_it(
            begin in 0_u64..1000, span in 1_u64..5000, count in 1_u32..200, time in 0_u64..7000,
        ) {
            let count = u64::from(count).min(span) as u32;
            let columns = Columns { begin, end: begin + span, count };
            let time = time.clamp(begin, begin + span - 1);
            let column = columns.column_at(time);
            prop_assert!(column < count);
            prop_assert!(columns.begin_of(column) <= time && time < columns.begin_of(column + 1));
        }

        #[test]
        fn what_columns_hold_sums_to_the_span(
            begin in 0_u64..1000, span in 1_u64..5000, count in 1_u32..200, from in 0_u64..7000, long in 0_u64..7000,
        ) {
            let count = u64::from(count).min(span) as u32;
            let columns = Columns { begin, end: begin + span, count };
            let (mut sum, mut last) = (0, None);
            columns.cover(from, from + long, |column, ticks| {
                assert!(last.is_none_or(|last| column == last + 1) && ticks > 0);
                assert!(ticks <= columns.begin_of(column + 1) - columns.begin_of(column));
                (sum, last) = (sum + ticks, Some(column));
            });
            let inside = (from + long).min(begin + span).saturating_sub(from.max(begin));
            prop_assert_eq!(sum, inside);
        }
    }
}
