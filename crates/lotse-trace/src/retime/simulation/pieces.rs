//! Intervals that vanish, or that become longer or shorter, in some lanes.

use lotse_model::trace::Ticks;

use super::super::Change;
use super::super::intervals::IntervalsByLocation;
use super::super::stretches::Stretches;
use super::Lanes;

/// The intervals of all lanes that have any: most changes concern whole call paths and have none.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Intervals that vanish, with their lane.
    spans: Vec<(usize, IntervalsByLocation)>,
    /// Intervals that become longer or shorter, with their lane.
    stretches: Vec<(usize, Stretches)>,
}

impl Pieces {
    pub(super) fn new(changes: &[&Change]) -> Self {
        let lanes = || changes.iter().enumerate();
        let spans = lanes().filter(|(_, change)| !change.spans.is_empty());
        let stretches = lanes().filter(|(_, change)| !change.stretched.is_empty());
        Self {
            spans: spans.map(|(lane, change)| (lane, IntervalsByLocation::new(&change.spans))).collect(),
            stretches: stretches.map(|(lane, change)| (lane, Stretches::new(change))).collect(),
        }
    }

    /// Changes the length of a recorded interval of a location in all lanes.
    #[inline]
    pub(super) fn change<const N: usize>(
        &mut self,
        elapsed: &mut Lanes<N>,
        location: usize,
        (from, to): (Ticks, Ticks),
    ) {
        for (lane, spans) in &mut self.spans {
            elapsed[*lane] = elapsed[*lane].saturating_sub(spans.overlap(location, from, to));
        }
        for (lane, stretches) in &mut self.stretches {
            elapsed[*lane] = stretches.apply(location, (from, to), elapsed[*lane]);
        }
    }
}
