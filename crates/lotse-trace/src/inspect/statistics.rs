//! How the locations spend a window of time: by region, and by kind of waiting.
//!
//! Time by region is exclusive and adds up to the time between the first and the last event of each location, clipped to the
//! window. Kinds of waiting may overlap and contain each other, so that they do not add up to anything.

use std::collections::BTreeMap;

use lotse_model::id::{LocationId, RegionId};
use lotse_model::progress::{Checked as _, checkpoint};
use lotse_model::trace::Ticks;

use crate::chart::ChartIndex;
use crate::metric::Metric;
use crate::store::{PathTimes, Paths, Trace};
use crate::waits::Waits;

/// Times of locations in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics<T> {
    /// The row with the most time first.
    pub rows: Vec<TimeRow<T>>,
    /// By location: the time between its first and its last event, in the window.
    pub recorded: Vec<(LocationId, Ticks)>,
    /// Rows whose time in a part of the run is not known, only that in the whole run.
    pub unknown: Vec<T>,
}

/// The time of a region or a kind of waiting.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeRow<T> {
    pub what: T,
    pub ticks: Ticks,
    /// Locations with time in it, in their order.
    pub by_location: Vec<(LocationId, Ticks)>,
}

/// The exclusive time by region from one time to another; `None` is time outside all regions. Locations are in their order.
pub fn region_times(
    trace: &Trace,
    index: &ChartIndex,
    locations: &[LocationId],
    (from, to): (Ticks, Ticks),
) -> Statistics<Option<RegionId>> {
    let mut sums: BTreeMap<Option<RegionId>, Vec<(LocationId, Ticks)>> = BTreeMap::new();
    let mut times = PathTimes::new(trace.paths.len());
    for &location in locations {
        checkpoint();
        let mut own: BTreeMap<Option<RegionId>, Ticks> = BTreeMap::new();
        index.sum_between(trace, location, (from, to), &mut times);
        for path in times.touched() {
            let region = (path != Paths::ROOT).then(|| trace.paths.region(path));
            *own.entry(region).or_insert(0) += times.get(path);
        }
        times.clear();
        for (region, ticks) in own.into_iter().filter(|it| it.1 > 0) {
            sums.entry(region).or_default().push((location, ticks));
        }
    }
    Statistics { rows: sorted(sums), recorded: recorded(trace, locations, (from, to)), unknown: Vec::new() }
}

/// The time by kind of waiting from one time to another. In the whole run this is the sum that the analysis reports. In a part
/// of it, waits are clipped; kinds with time that belongs to no wait of known begin and end are left out and named. Locations are in their order.
pub fn wait_times(
    (trace, waits): (&Trace, &Waits),
    locations: &[LocationId],
    (from, to): (Ticks, Ticks),
) -> Statistics<&'static Metric> {
    let recorded = recorded(trace, locations, (from, to));
    if from <= trace.first_tick() && to >= trace.last_tick() {
        let whole = analysed(waits, locations);
        return Statistics { rows: sorted(whole), recorded, unknown: Vec::new() };
    }
    let unknown = without_place(waits, locations);
    let mut rows = clipped(waits, locations, (from, to));
    rows.retain(|metric, _| !unknown.contains(&metric.0));
    Statistics { rows: sorted(rows), recorded, unknown }
}

/// Kinds of waiting with time that belongs to no wait of known begin and end.
pub fn without_place(waits: &Waits, locations: &[LocationId]) -> Vec<&'static Metric> {
    let whole = analysed(waits, locations);
    let of_waits = clipped(waits, locations, (0, Ticks::MAX));
    let is_known = |metric: &ById| of_waits.get(metric) == whole.get(metric);
    whole.keys().filter(|metric| !is_known(metric)).map(|metric| metric.0).collect()
}

/// A metric in the order of names.
#[derive(Clone, Copy)]
struct ById(&'static Metric);

impl PartialEq for ById {
    fn eq(&self, other: &Self) -> bool {
        self.0.id == other.0.id
    }
}

impl Eq for ById {}

impl PartialOrd for ById {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ById {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.id.cmp(other.0.id)
    }
}

impl From<ById> for &'static Metric {
    fn from(metric: ById) -> Self {
        metric.0
    }
}

/// Times by row and location.
type Sums<K> = BTreeMap<K, Vec<(LocationId, Ticks)>>;

/// The sums of the analysis.
fn analysed(waits: &Waits, locations: &[LocationId]) -> Sums<ById> {
    let mut sums: BTreeMap<(ById, LocationId), Ticks> = BTreeMap::new();
    for row in waits.cube.iter().filter(|row| row.ticks > 0).checked() {
        *sums.entry((ById(row.metric), row.location)).or_insert(0) += row.ticks;
    }
    by_row(sums, locations)
}

/// The sums of all waits, clipped to an interval.
fn clipped(waits: &Waits, locations: &[LocationId], (from, to): (Ticks, Ticks)) -> Sums<ById> {
    let mut sums: BTreeMap<(ById, LocationId), Ticks> = BTreeMap::new();
    for &location in locations {
        let waits = &waits.by_location[location.index()];
        // Waits are in the order of their ends.
        for wait in waits[waits.partition_point(|wait| wait.end <= from)..].iter().checked() {
            let ticks = wait.end.min(to).saturating_sub(wait.begin.max(from));
            if let Some(metric) = wait.metric.filter(|_| ticks > 0) {
                *sums.entry((ById(metric), location)).or_insert(0) += ticks;
            }
        }
    }
    by_row(sums, locations)
}

fn by_row(sums: BTreeMap<(ById, LocationId), Ticks>, locations: &[LocationId]) -> Sums<ById> {
    let mut rows: Sums<ById> = BTreeMap::new();
    for ((metric, location), ticks) in sums {
        if locations.binary_search(&location).is_ok() {
            rows.entry(metric).or_default().push((location, ticks));
        }
    }
    rows
}

fn sorted<K: Ord + Into<T>, T>(sums: Sums<K>) -> Vec<TimeRow<T>> {
    let row = |(what, by_location): (K, Vec<(LocationId, Ticks)>)| TimeRow {
        what: what.into(),
        ticks: by_location.iter().map(|it| it.1).fold(0, Ticks::saturating_add),
        by_location,
    };
    let mut rows: Vec<TimeRow<T>> = sums.into_iter().map(row).collect();
    // The sort is stable: rows with the same time stay in their order.
    rows.sort_by_key(|row| std::cmp::Reverse(row.ticks));
    rows
}

fn recorded(trace: &Trace, locations: &[LocationId], (from, to): (Ticks, Ticks)) -> Vec<(LocationId, Ticks)> {
    let span = |location: &LocationId| {
        let timeline = trace.timeline(*location);
        (*location, timeline.last.min(to).saturating_sub(timeline.first.max(from)))
    };
    locations.iter().map(span).collect()
}
