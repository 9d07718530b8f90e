//! Which locations share a lane of a chart, and which regions the lanes show.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, RegionId};

use super::ChartRegion;
use super::cells::Cells;
use crate::store::Trace;

/// A row of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) locations: Vec<LocationId>,
}

/// A lane for each thread and stream that has events; if these are more than `most`, a lane for each group of neighbours.
pub(super) fn lanes(trace: &Trace, most: usize) -> Vec<Lane> {
    let all: Vec<LocationId> = trace.locations().filter(|&it| is_shown(trace, it)).collect();
    let size = all.len().div_ceil(most.max(1)).max(1);
    let labels = trace.location_labels();
    all.chunks(size).map(|group| Lane { name: name(&labels, group), locations: group.to_vec() }).collect()
}

/// Whether a location has regions to show: sources of metric values do not.
fn is_shown(trace: &Trace, location: LocationId) -> bool {
    let is_stream = trace.accelerators().stream(location).is_some();
    (is_stream || trace.is_thread(location)) && !trace.timeline(location).at.is_empty()
}

fn name(labels: &[String], group: &[LocationId]) -> String {
    let label = |location: &LocationId| labels[location.index()].as_str();
    match group {
        [] => String::new(),
        [one] => label(one).to_owned(),
        [first, .., last] => format!("{} to {} ({})", label(first), label(last), group.len()),
    }
}

/// By location: the number of its lane.
pub(super) fn rows(trace: &Trace, lanes: &[Lane]) -> Vec<Option<u32>> {
    let mut rows = vec![None; trace.timelines.len()];
    for (row, lane) in lanes.iter().enumerate() {
        lane.locations.iter().for_each(|location| rows[location.index()] = Some(row as u32));
    }
    rows
}

/// A region that takes most of the time in some cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SeenRegion {
    pub(super) region: RegionId,
    pub(super) cells: u64,
}

impl SeenRegion {
    pub(super) fn answer(&self, trace: &Trace) -> ChartRegion {
        ChartRegion {
            name: trace.region_name(self.region).to_owned(),
            class: trace.classes[self.region.index()].class.id(),
            cells: self.cells,
        }
    }
}

/// All regions that fill cells, the one with the most cells first.
pub(super) fn seen(trace: &Trace, lanes: &[Cells]) -> Vec<SeenRegion> {
    let mut counts: HashMap<RegionId, u64> = HashMap::new();
    for region in lanes.iter().flat_map(|cells| cells.regions.iter().flatten()) {
        *counts.entry(*region).or_insert(0) += 1;
    }
    let mut seen: Vec<SeenRegion> =
        counts.into_iter().map(|(region, cells)| SeenRegion { region, cells }).collect();
    seen.sort_by_key(|it| (std::cmp::Reverse(it.cells), trace.region_name(it.region), it.region));
    seen
}
