//! Disjoint intervals by location.

use lotse_model::trace::Ticks;

use crate::critical::Segment;
use crate::near::count_over;

/// Intervals of each location, sorted and without overlap: overlapping intervals are merged.
#[derive(Debug, Default)]
pub(super) struct IntervalsByLocation {
    rows: Vec<Vec<(Ticks, Ticks)>>,
    /// By location: the index found last. A simulation queries them in the order of time.
    near: Vec<usize>,
}

impl IntervalsByLocation {
    pub(super) fn new(segments: &[Segment]) -> Self {
        let count = segments.iter().map(|it| it.location.index() + 1).max().unwrap_or(0);
        let mut spans = vec![Vec::new(); count];
        for segment in segments {
            spans[segment.location.index()].push((segment.from, segment.to));
        }
        Self { rows: spans.into_iter().map(joined).collect(), near: vec![0; count] }
    }

    /// The intervals that overlap an interval of a location.
    pub(super) fn within(&self, location: usize, from: Ticks, to: Ticks) -> &[(Ticks, Ticks)] {
        let Some(spans) = self.rows.get(location) else { return &[] };
        let first = spans.partition_point(|&(_, end)| end <= from);
        let last = spans.partition_point(|&(begin, _)| begin < to);
        spans.get(first..last).unwrap_or(&[])
    }

    /// How much of an interval of a location they cover.
    pub(super) fn overlap(&mut self, location: usize, from: Ticks, to: Ticks) -> Ticks {
        let Some(spans) = self.rows.get(location) else { return 0 };
        let first = count_over(spans.len(), self.near[location], |row| spans[row].1 <= from);
        self.near[location] = first;
        let cut = |&(begin, end): &(Ticks, Ticks)| end.min(to).saturating_sub(begin.max(from));
        spans[first..].iter().take_while(|span| span.0 < to).map(cut).sum()
    }
}

/// Sorts intervals and merges those that overlap.
fn joined(mut spans: Vec<(Ticks, Ticks)>) -> Vec<(Ticks, Ticks)> {
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let overlaps = next.0 < last.1;
        if overlaps {
            last.1 = last.1.max(next.1);
        }
        overlaps
    });
    spans
}

#[cfg(test)]
mod tests {
    use lotse_model::id::LocationId;

    use super::IntervalsByLocation;
    use crate::critical::Segment;

    #[test]
    fn only_the_overlap_counts() {
        let segment = |location, from, to| Segment { location: LocationId(location), from, to };
        let mut spans =
            IntervalsByLocation::new(&[segment(1, 50, 60), segment(1, 10, 20), segment(0, 0, 100)]);
        assert_eq!(spans.overlap(1, 15, 55), 10);
        assert_eq!(spans.overlap(1, 20, 50), 0);
        assert_eq!(spans.overlap(1, 0, 100), 20);
        assert_eq!(spans.overlap(7, 0, 100), 0);
        assert_eq!(spans.within(1, 12, 13), [(10, 20)]);
    }

    #[test]
    fn overlapping_intervals_count_once() {
        let segment = |from, to| Segment { location: LocationId(0), from, to };
        let mut spans = IntervalsByLocation::new(&[
            segment(30, 40),
            segment(0, 10),
            segment(5, 20),
            segment(0, 10),
            segment(20, 25),
        ]);
        assert_eq!((spans.overlap(0, 0, 100), spans.overlap(0, 8, 22)), (35, 14));
    }
}
