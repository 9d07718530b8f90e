//! The region that took most of the time in each column of a lane.

use lotse_model::id::{LocationId, PathId, RegionId};
use lotse_model::progress::Checked as _;
use lotse_model::trace::Ticks;

use super::columns::Columns;
use super::index::{ChartIndex, LocationIndex};
use super::lanes::Lane;
use crate::store::{PathTimes, Paths, Timeline, Trace};

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
    index: &ChartIndex,
    columns: &Columns,
    lane: &Lane,
) -> Cells {
    let count = columns.count() as usize;
    let begin = columns.begin();
    let mut walks: Vec<Walk<'_>> =
        lane.locations.iter().map(|&location| Walk::new(trace, index, location, begin)).collect();
    let mut times = PathTimes::new(trace.paths.len());
    let mut sums = RegionSums::new(trace, drawn);
    let mut cells = Cells { regions: Vec::with_capacity(count), waits: Vec::with_capacity(count), hidden: 0 };
    let mut from = begin;
    let mut steps = (0_u64..).checked();
    for column in 0..columns.count() {
        let to = columns.begin_of(column + 1);
        let size = (to - from) * walks.len() as Ticks;
        let mut waited = 0;
        for (walk, _) in walks.iter_mut().zip(&mut steps) {
            walk.sum((from, to), &mut times);
            waited += walk.waited(from, to);
        }
        times.drain(|path, ticks| sums.add(path, ticks));
        cells.regions.push(sums.most(size));
        cells.waits.push(2 * waited >= size.max(1));
        from = to;
    }
    cells.hidden = sums.hidden;
    cells
}

/// A location that is read from column to column.
pub(super) struct Walk<'a> {
    timeline: &'a Timeline,
    index: &'a LocationIndex,
    /// The step in which the next column begins, or the first one.
    step: usize,
    /// The first wait that ends after the begin of the next column.
    wait: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(trace: &'a Trace, index: &'a ChartIndex, location: LocationId, begin: Ticks) -> Self {
        let timeline = trace.timeline(location);
        let index = &index.of_location[location.index()];
        let wait = index.waits.partition_point(|wait| wait.1 <= begin);
        Self { timeline, index, step: timeline.step_at(begin).unwrap_or(0), wait }
    }

    /// Adds the time by call path from one time to another.
    pub(super) fn sum(&mut self, (from, to): (Ticks, Ticks), times: &mut PathTimes) {
        let Timeline { at, path, last, .. } = self.timeline;
        let end = |step: usize| at.get(step + 1).copied().unwrap_or(*last);
        let first = self.step;
        if at.get(first).is_none_or(|begin| *begin >= to) {
            return;
        }
        times.add(path[first], end(first).min(to).saturating_sub(at[first].max(from)));
        if end(first) >= to || first + 1 == at.len() {
            return;
        }
        self.step = self.index.steps.sum_until(self.timeline, first + 1, to, times);
        times.add(path[self.step], end(self.step).min(to) - at[self.step]);
    }

    /// The time that the location waits from one time to another.
    fn waited(&mut self, from: Ticks, to: Ticks) -> Ticks {
        let mut ticks = 0;
        while let Some(&(begin, end)) = self.index.waits.get(self.wait).filter(|wait| wait.0 < to) {
            ticks += end.min(to) - begin.max(from);
            if end > to {
                break;
            }
            self.wait += 1;
        }
        ticks
    }
}

/// Time by region in one cell.
struct RegionSums<'a> {
    paths: &'a Paths,
    drawn: &'a [Option<RegionId>],
    by_region: Vec<Ticks>,
    touched: Vec<RegionId>,
    hidden: Ticks,
}

impl<'a> RegionSums<'a> {
    fn new(trace: &'a Trace, drawn: &'a [Option<RegionId>]) -> Self {
        let by_region = vec![0; trace.definitions.regions.len()];
        Self { paths: &trace.paths, drawn, by_region, touched: Vec::new(), hidden: 0 }
    }

    #[inline]
    fn add(&mut self, path: PathId, ticks: Ticks) {
        if path == Paths::ROOT || ticks == 0 {
            return;
        }
        let shown = self.drawn[path.index()];
        if shown != Some(self.paths.region(path)) {
            self.hidden += ticks;
        }
        if let Some(region) = shown {
            let sum = &mut self.by_region[region.index()];
            if *sum == 0 {
                self.touched.push(region);
            }
            *sum += ticks;
        }
    }

    /// The region with most of the time, unless more time was spent outside of all regions; the first of equals. The sums are
    /// 0 afterwards.
    fn most(&mut self, size: Ticks) -> Option<RegionId> {
        let mut inside = 0;
        let mut most: Option<(Ticks, RegionId)> = None;
        for region in self.touched.drain(..) {
            let ticks = std::mem::take(&mut self.by_region[region.index()]);
            inside += ticks;
            let is_more =
                most.is_none_or(|(known, first)| ticks > known || (ticks == known && region < first));
            most = if is_more { Some((ticks, region)) } else { most };
        }
        most.filter(|(ticks, _)| *ticks >= size.saturating_sub(inside)).map(|(_, region)| region)
    }
}
