//! Pieces of time by location, in their order.

use lotse_model::trace::Ticks;

use crate::critical::Segment;

/// Spans of each location, sorted; those of one location do not overlap: what several have in common counts once.
#[derive(Debug, Default)]
pub(super) struct Spans(Vec<Vec<(Ticks, Ticks)>>);

impl Spans {
    pub(super) fn new(segments: &[Segment]) -> Self {
        let count = segments.iter().map(|it| it.location.index() + 1).max().unwrap_or(0);
        let mut spans = vec![Vec::new(); count];
        for segment in segments {
            spans[segment.location.index()].push((segment.from, segment.to));
        }
        Self(spans.into_iter().map(joined).collect())
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

/// Sorts spans, and joins those that overlap.
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

    use super::Spans;
    use crate::critical::Segment;

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
    fn what_spans_have_in_common_counts_once() {
        let segment = |from, to| Segment { location: LocationId(0), from, to };
        let spans =
            Spans::new(&[segment(30, 40), segment(0, 10), segment(5, 20), segment(0, 10), segment(20, 25)]);
        assert_eq!((spans.overlap(0, 0, 100), spans.overlap(0, 8, 22)), (35, 14));
    }
}
