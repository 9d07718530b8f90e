//! The region that took most of the time in each column of a lane.

use lotse_model::id::{LocationId, RegionId};
use lotse_model::trace::Ticks;

use super::columns::Columns;
use super::lanes::Lane;
use crate::store::{Paths, Trace};
use crate::waits::Waits;

/// The cells of a lane, by column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cells {
    /// The region in which most time was spent; `None` for time in no region.
    pub(super) regions: Vec<Option<RegionId>>,
    /// Whether at least half of the time was waiting.
    pub(super) waits: Vec<bool>,
    /// Time in regions that the filter hides.
    pub(super) hidden: Ticks,
}

/// Computes the cells of a lane. `drawn` has, by call path, the region as which its time is drawn.
pub(super) fn cells(
    (trace, drawn): (&Trace, &[Option<RegionId>]),
    waits: &Waits,
    columns: &Columns,
    lane: &Lane,
) -> Cells {
    let count = columns.count() as usize;
    let mut sums: Vec<Vec<(RegionId, Ticks)>> = vec![Vec::new(); count];
    let mut waited: Vec<Ticks> = vec![0; count];
    let mut column_sums = ColumnSums::new(trace.definitions.regions.len());
    for &location in &lane.locations {
        column_sums.add((trace, drawn), columns, location, &mut sums);
        add_waits(waits, columns, location, &mut waited);
    }
    let size = |column: u32| {
        (columns.begin_of(column + 1) - columns.begin_of(column)) * lane.locations.len() as Ticks
    };
    let of_column = |(column, sums): (usize, &Vec<(RegionId, Ticks)>)| most(sums, size(column as u32));
    Cells {
        regions: sums.iter().enumerate().map(of_column).collect(),
        waits: waited.iter().zip(0..).map(|(&ticks, column)| 2 * ticks >= size(column).max(1)).collect(),
        hidden: column_sums.hidden,
    }
}

/// The region with most of the time, unless more time was spent outside of all regions; the first of equals.
fn most(sums: &[(RegionId, Ticks)], size: Ticks) -> Option<RegionId> {
    let inside: Ticks = sums.iter().map(|(_, ticks)| ticks).sum();
    let &(region, ticks) = sums.iter().max_by_key(|(region, ticks)| (*ticks, std::cmp::Reverse(*region)))?;
    (ticks >= size.saturating_sub(inside)).then_some(region)
}

/// Sums time by region for one location, column by column: `by_region` is flushed whenever the column changes.
struct ColumnSums {
    by_region: Vec<Ticks>,
    touched: Vec<RegionId>,
    column: u32,
    hidden: Ticks,
}

impl ColumnSums {
    fn new(regions: usize) -> Self {
        Self { by_region: vec![0; regions], touched: Vec::new(), column: 0, hidden: 0 }
    }

    /// Adds the time of a location to the sums of the columns.
    fn add(
        &mut self,
        (trace, drawn): (&Trace, &[Option<RegionId>]),
        columns: &Columns,
        location: LocationId,
        sums: &mut [Vec<(RegionId, Ticks)>],
    ) {
        let timeline = trace.timeline(location);
        let first = timeline.step_at(columns.begin()).unwrap_or(0);
        for step in first..timeline.at.len() {
            let (from, path) = (timeline.at[step], timeline.path[step]);
            if from >= columns.end() {
                break;
            }
            let to = timeline.at.get(step + 1).copied().unwrap_or(timeline.last);
            if path == Paths::ROOT {
                continue;
            }
            let shown = drawn[path.index()];
            let is_hidden = shown != Some(trace.paths.region(path));
            columns.cover(from, to, |column, ticks| {
                self.hidden += if is_hidden { ticks } else { 0 };
                if let Some(region) = shown {
                    self.count(column, region, ticks, sums);
                }
            });
        }
        self.flush(sums);
    }

    fn count(&mut self, column: u32, region: RegionId, ticks: Ticks, sums: &mut [Vec<(RegionId, Ticks)>]) {
        if column != self.column {
            self.flush(sums);
            self.column = column;
        }
        let sum = &mut self.by_region[region.index()];
        if *sum == 0 {
            self.touched.push(region);
        }
        *sum += ticks;
    }

    fn flush(&mut self, sums: &mut [Vec<(RegionId, Ticks)>]) {
        let column = &mut sums[self.column as usize];
        for region in self.touched.drain(..) {
            let ticks = std::mem::take(&mut self.by_region[region.index()]);
            match column.iter_mut().find(|known| known.0 == region) {
                Some(known) => known.1 += ticks,
                None => column.push((region, ticks)),
            }
        }
    }
}

/// Adds the time in which a location waits; overlapping waits count once.
fn add_waits(waits: &Waits, columns: &Columns, location: LocationId, waited: &mut [Ticks]) {
    let mut spans: Vec<(Ticks, Ticks)> = waits.by_location[location.index()]
        .iter()
        .filter(|wait| wait.metric.is_some() && wait.end > columns.begin() && wait.begin < columns.end())
        .map(|wait| (wait.begin, wait.end))
        .collect();
    spans.sort_unstable();
    let mut until = 0;
    for (begin, end) in spans {
        columns.cover(begin.max(until), end, |column, ticks| waited[column as usize] += ticks);
        until = until.max(end);
    }
}
