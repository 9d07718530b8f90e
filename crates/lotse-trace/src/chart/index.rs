//! What charts of the same trace have in common. It is made once, so that each chart takes time for its cells, not for the
//! events of its window.

use lotse_model::Workers;
use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
use lotse_model::work;

use super::cells::Walk;
use super::messages::SentMessages;
use super::steps::StepSums;
use crate::store::{PathTimes, Paths, Trace};
use crate::waits::{Wait, Waits};

/// Sums of steps, waits and messages, by location and in the order of time.
#[derive(Debug)]
pub struct ChartIndex {
    /// The threads and streams that have events.
    pub(super) shown: Vec<LocationId>,
    /// By location.
    pub(super) labels: Vec<String>,
    pub(super) of_location: Vec<LocationIndex>,
}

/// The index of a location. It is empty if the location is not shown.
#[derive(Debug, Default)]
pub(super) struct LocationIndex {
    pub(super) steps: StepSums,
    /// When the location waits: intervals that neither overlap nor touch, in the order of time.
    pub(super) waits: Vec<(Ticks, Ticks)>,
    /// The messages that it sends to shown locations.
    pub(super) sent: SentMessages,
}

impl ChartIndex {
    /// Reads all events once.
    pub fn new(trace: &Trace, waits: &Waits, workers: &dyn Workers) -> Self {
        let shown: Vec<LocationId> = trace.locations().filter(|&it| is_shown(trace, it)).collect();
        let mut is_row = vec![false; trace.timelines.len()];
        shown.iter().for_each(|location| is_row[location.index()] = true);
        let of_location = work::map(workers, trace.timelines.len(), |at| {
            if !is_row[at] {
                return LocationIndex::default();
            }
            LocationIndex {
                steps: StepSums::new(&trace.timelines[at], &trace.paths),
                waits: united(&waits.by_location[at]),
                sent: SentMessages::new(trace, LocationId::from(at), &is_row),
            }
        });
        Self { shown, labels: trace.location_labels(), of_location }
    }

    /// The threads and streams that have events, each of which is a lane if there are not too many.
    pub fn locations(&self) -> &[LocationId] {
        &self.shown
    }

    /// The name of a location.
    pub fn label(&self, location: LocationId) -> &str {
        &self.labels[location.index()]
    }

    /// Adds the time by call path of a location from one time to another. Time between the first event and the first call is that
    /// of the root.
    pub(crate) fn sum_between(
        &self,
        trace: &Trace,
        location: LocationId,
        (from, to): (Ticks, Ticks),
        times: &mut PathTimes,
    ) {
        let timeline = trace.timeline(location);
        let Some(&entered) = timeline.at.first() else { return };
        times.add(Paths::ROOT, entered.min(to).saturating_sub(timeline.first.max(from)));
        Walk::new(trace, self, location, from).sum((from, to.min(timeline.last)), times);
    }

    /// The first step from which on, up to `step`, a location is at least as deep as `depth`.
    pub(crate) fn first_step_as_deep(
        &self,
        trace: &Trace,
        location: LocationId,
        step: usize,
        depth: u32,
    ) -> usize {
        let steps = &self.of_location[location.index()].steps;
        steps.first_as_deep(trace.timeline(location), &trace.paths, step, depth)
    }

    /// The first step after `step` in which a location is less deep than `depth`; the number of its steps if there is none.
    pub(crate) fn first_step_less_deep(
        &self,
        trace: &Trace,
        location: LocationId,
        step: usize,
        depth: u32,
    ) -> usize {
        let steps = &self.of_location[location.index()].steps;
        steps.next_less_deep(trace.timeline(location), &trace.paths, step, depth)
    }
}

/// Whether a location has regions to show: sources of metric values do not.
fn is_shown(trace: &Trace, location: LocationId) -> bool {
    let is_stream = trace.accelerators().stream(location).is_some();
    (is_stream || trace.is_thread(location)) && !trace.timeline(location).at.is_empty()
}

/// The time of all waits, where overlapping waits count once.
fn united(waits: &[Wait]) -> Vec<(Ticks, Ticks)> {
    let waits = waits.iter().filter(|wait| wait.metric.is_some() && wait.begin < wait.end);
    let mut spans: Vec<(Ticks, Ticks)> = waits.map(|wait| (wait.begin, wait.end)).collect();
    spans.sort_unstable();
    spans.dedup_by(|next, known| {
        let touches = next.0 <= known.1;
        if touches {
            known.1 = known.1.max(next.1);
        }
        touches
    });
    spans.shrink_to_fit();
    spans
}
