//! Pieces of time by location, in their order.

use lotse_model::trace::Ticks;

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
}
