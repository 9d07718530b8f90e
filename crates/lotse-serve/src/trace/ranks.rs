//! The places of regions by their time in the whole run: what colours of the time-line follow.

use std::collections::HashMap;

use lotse_trace::chart::ChartIndex;
use lotse_trace::inspect::region_times;
use lotse_trace::store::Trace;

/// By name of a region: its place by exclusive time of all locations, from 0 for the most. A name of several regions has one place.
#[derive(Debug, Default)]
pub(super) struct RegionRanks(HashMap<String, u32>);

impl RegionRanks {
    pub(super) fn new(trace: &Trace, index: &ChartIndex) -> Self {
        let whole = (trace.first_tick(), trace.last_tick());
        let times = region_times(trace, index, index.locations(), whole);
        let regions = times.rows.iter().filter_map(|row| row.what);
        let mut ranks = HashMap::new();
        for region in regions {
            let next = ranks.len() as u32;
            ranks.entry(trace.region_name(region).to_owned()).or_insert(next);
        }
        Self(ranks)
    }

    /// The place of a region; one without time comes after all others.
    pub(super) fn rank(&self, name: &str) -> u32 {
        self.0.get(name).copied().unwrap_or(self.0.len() as u32)
    }
}
