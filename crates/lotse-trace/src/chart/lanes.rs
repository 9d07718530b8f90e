//! Which locations share a lane of a chart, and which regions the lanes show.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, RegionId};

use super::ChartRegion;
use super::cells::Cells;
use super::index::ChartIndex;
use crate::store::Trace;

/// A row of a chart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) locations: Vec<LocationId>,
}

/// A lane for each thread and stream that has events; if these are more than `most`, a lane for each group of neighbours.
pub(super) fn lanes(index: &ChartIndex, most: usize) -> Vec<Lane> {
    let size = index.shown.len().div_ceil(most.max(1)).max(1);
    let lane = |group: &[LocationId]| Lane { name: name(&index.labels, group), locations: group.to_vec() };
    index.shown.chunks(size).map(lane).collect()
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
