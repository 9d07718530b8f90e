//! Equal parts of a time.

use lotse_model::trace::Ticks;

use super::View;
use crate::store::Trace;

/// A time divided into columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    begin: Ticks,
    end: Ticks,
    count: u32,
}

impl Columns {
    /// At least one column, of at least one tick.
    pub(super) fn new(trace: &Trace, view: View) -> Self {
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

    /// Where a column begins; that after the last begins at the end.
    pub(super) fn begin_of(&self, column: u32) -> Ticks {
        let span = u128::from(self.end - self.begin);
        self.begin + (span * u128::from(column) / u128::from(self.count)) as Ticks
    }

    /// The column of a moment; moments outside are in the first or in the last.
    pub(super) fn at(&self, moment: Ticks) -> u32 {
        let since = u128::from(moment.clamp(self.begin, self.end - 1) - self.begin);
        let span = u128::from(self.end - self.begin);
        // The beginnings are rounded down, so the guess may be one column too early.
        let guess = (since * u128::from(self.count) / span) as u32;
        if self.begin_of(guess + 1) <= moment && guess + 1 < self.count { guess + 1 } else { guess }
    }

    /// Gives each column that a span covers, with how much of the span lies in it.
    pub(super) fn cover(&self, from: Ticks, to: Ticks, mut give: impl FnMut(u32, Ticks)) {
        let (from, to) = (from.max(self.begin), to.min(self.end));
        if from >= to {
            return;
        }
        let (mut at, mut column) = (from, self.at(from));
        while at < to {
            let next = self.begin_of(column + 1).min(to);
            give(column, next - at);
            (at, column) = (next, column + 1);
        }
    }
}

/// Neighbours that are equal, as (first, after the last, value).
pub(super) fn runs<T: Copy + PartialEq>(cells: &[T]) -> impl Iterator<Item = (u32, u32, T)> + '_ {
    let mut from = 0;
    cells.chunk_by(|one, next| one == next).map(move |run| {
        let begin = from;
        from += run.len() as u32;
        (begin, from, run[0])
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{Columns, runs};

    #[test]
    fn neighbours_that_are_equal_are_one_run() {
        assert_eq!(runs(&[1, 1, 2, 1]).collect::<Vec<_>>(), [(0, 2, 1), (2, 3, 2), (3, 4, 1)]);
        assert_eq!(runs::<u8>(&[]).count(), 0);
    }

    proptest! {
        #[test]
        fn every_moment_is_in_the_column_that_begins_before_it(
            begin in 0_u64..1000, span in 1_u64..5000, count in 1_u32..200, moment in 0_u64..7000,
        ) {
            let count = u64::from(count).min(span) as u32;
            let columns = Columns { begin, end: begin + span, count };
            let moment = moment.clamp(begin, begin + span - 1);
            let column = columns.at(moment);
            prop_assert!(column < count);
            prop_assert!(columns.begin_of(column) <= moment && moment < columns.begin_of(column + 1));
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
