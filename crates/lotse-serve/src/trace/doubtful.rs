//! Waiting that corrected clocks leave in doubt, by kind and call path.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;
use lotse_trace::analyze::Subject;
use lotse_trace::metric::Metric;

/// The time in waits of the whole run that may be none, since they are shorter than the uncertainty of the clocks.
#[derive(Debug, Default)]
pub(super) struct DoubtfulTimes(BTreeMap<(&'static str, PathId), Ticks>);

impl DoubtfulTimes {
    pub(super) fn new(subject: &Subject, locations: &[LocationId]) -> Self {
        let mut times = BTreeMap::new();
        for wait in locations.iter().flat_map(|&location| subject.doubtful_waits(location, (0, Ticks::MAX))) {
            let time: &mut Ticks = times.entry((wait.metric.id, wait.path)).or_default();
            *time = time.saturating_add(wait.ticks);
        }
        Self(times)
    }

    /// The time of a kind of waiting, by call path.
    pub(super) fn of_metric(&self, metric: &Metric) -> impl Iterator<Item = (PathId, Ticks)> {
        let id = metric.id;
        self.0.iter().filter(move |((of, _), _)| *of == id).map(|((_, path), ticks)| (*path, *ticks))
    }
}
