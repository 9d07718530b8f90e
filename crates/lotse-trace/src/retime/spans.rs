//! Pieces of time by location, in their order.

use lotse_model::trace::Ticks;

use super::Extra;
use crate::critical::Segment;

/// Spans of each location, sorted; those of one location do not overlap.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Vec<(Ticks, Ticks)>>);

impl Spans {
    pub(super) fn new(segments: &[Segment]) -> Self {
        let count = segments.iter().map(|it| it.location.index() + 1).max().unwrap_or(0);
        let mut spans = vec![Vec::new(); count];
        for segment in segments {
            spans[segment.location.index()].push((segment.from, segment.to));
        }
        spans.iter_mut().for_each(|of_one| of_one.sort_unstable());
        Self(spans)
    }

    /// Those that touch a span of a location.
    pub(super) fn within(&self, location: usize, from: Ticks, to: Ticks) -> &[(Ticks, Ticks)] {
        let Some(spans) = self.0.get(location) else { return &[] };
        let first = spans.partition_point(|&(_, end)| end <= from);
        let last = spans.partition_point(|&(begin, _)| begin < to);
        spans.get(first..last).unwrap_or(&[])
    }

    /// How much of a span of a location they cover.
    pub(super) fn overlap(&self, location: usize, from: Ticks, to: Ticks) -> Ticks {
        let cut = |&(begin, end): &(Ticks, Ticks)| end.min(to).saturating_sub(begin.max(from));
        self.within(location, from, to).iter().map(cut).sum()
    }
}

/// Time that is added, by location in the order of the moments it is added before.
#[derive(Debug, Default)]
pub(super) struct Inserted(Vec<Vec<(Ticks, Ticks)>>);

impl Inserted {
    pub(super) fn new(pieces: &[Extra]) -> Self {
        let count = pieces.iter().map(|it| it.location.index() + 1).max().unwrap_or(0);
        let mut by_location = vec![Vec::new(); count];
        pieces.iter().for_each(|it| by_location[it.location.index()].push((it.before, it.ticks)));
        by_location.iter_mut().for_each(|of_one| of_one.sort_unstable());
        Self(by_location)
    }

    /// What is added to a location behind one moment and up to another.
    pub(super) fn within(&self, location: usize, from: Ticks, to: Ticks) -> Ticks {
        let Some(pieces) = self.0.get(location) else { return 0 };
        let first = pieces.partition_point(|&(before, _)| before <= from);
        pieces[first..].iter().take_while(|&&(before, _)| before <= to).map(|&(_, ticks)| ticks).sum()
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;

    use super::{Inserted, Spans};
    use crate::critical::Segment;
    use crate::retime::Extra;

    #[test]
    fn only_what_lies_inside_counts() {
        let segment = |location, from, to| Segment { location: LocationId(location), from, to };
        let spans = Spans::new(&[segment(1, 50, 60), segment(1, 10, 20), segment(0, 0, 100)]);
        assert_eq!(spans.overlap(1, 15, 55), 10);
        assert_eq!(spans.overlap(1, 20, 50), 0);
        assert_eq!(spans.overlap(1, 0, 100), 20);
        assert_eq!(spans.overlap(7, 0, 100), 0);
        assert_eq!(spans.within(1, 12, 13), [(10, 20)]);
    }

    #[test]
    fn what_is_added_counts_once() {
        let extra = |before, ticks| Extra { location: LocationId(1), before, ticks };
        let inserted = Inserted::new(&[extra(20, 7), extra(10, 5)]);
        assert_eq!((inserted.within(1, 0, 10), inserted.within(1, 10, 20)), (5, 7));
        assert_eq!(
            (inserted.within(1, 0, 9), inserted.within(1, 0, 99), inserted.within(0, 0, 99)),
            (0, 12, 0)
        );
    }
}
