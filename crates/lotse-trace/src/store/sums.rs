//! Time by call path in an interval of a location. For long intervals, precomputed sums over blocks of steps are used.

use std::sync::OnceLock;

use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use super::timeline::Timeline;

/// Number of steps per block.
const BLOCK: usize = 4096;

/// Sums by block of steps: sparse, in the order of paths; computed on first use.
#[derive(Debug, Default)]
pub(crate) struct Blocks(OnceLock<Vec<Vec<(PathId, Ticks)>>>);

/// Time by call path, as a reusable table.
#[derive(Debug, Default)]
pub struct PathTimes {
    ticks: Vec<Ticks>,
    /// Paths to which time was added, each once or more. Not used if there are few paths: then reading all of them is faster
    /// than recording each change.
    touched: Option<Vec<PathId>>,
}

/// Up to this number of paths, `touched` is not used.
const FEW: usize = 128;

impl PathTimes {
    /// A table for a number of paths.
    pub fn new(paths: usize) -> Self {
        Self { ticks: vec![0; paths], touched: (paths > FEW).then(Vec::new) }
    }

    /// Adds time to a path.
    #[inline]
    pub fn add(&mut self, path: PathId, ticks: Ticks) {
        let cell = &mut self.ticks[path.index()];
        if let Some(touched) = &mut self.touched
            && *cell == 0
            && ticks != 0
        {
            touched.push(path);
        }
        *cell += ticks;
    }

    /// Subtracts time from a path, not below 0.
    pub fn take(&mut self, path: PathId, ticks: Ticks) {
        let cell = &mut self.ticks[path.index()];
        *cell = cell.saturating_sub(ticks);
    }

    /// The time of a path.
    pub fn get(&self, path: PathId) -> Ticks {
        self.ticks[path.index()]
    }

    /// All paths with time and possibly others, each once or more.
    pub fn touched(&self) -> impl Iterator<Item = PathId> + '_ {
        let few = if self.touched.is_none() { &*self.ticks } else { &[] };
        let nonzero = few.iter().enumerate().filter(|(_, ticks)| **ticks != 0);
        nonzero.map(|(path, _)| PathId::from(path)).chain(self.touched.iter().flatten().copied())
    }

    /// Visits all paths with time, each once, and sets their times to 0.
    pub fn drain(&mut self, mut visit: impl FnMut(PathId, Ticks)) {
        let mut take = |path: PathId, ticks: &mut Ticks| {
            if *ticks != 0 {
                visit(path, std::mem::take(ticks));
            }
        };
        match &mut self.touched {
            Some(touched) => touched.drain(..).for_each(|path| take(path, &mut self.ticks[path.index()])),
            None => {
                self.ticks.iter_mut().enumerate().for_each(|(path, ticks)| take(PathId::from(path), ticks))
            }
        }
    }

    /// Sets all times to 0.
    pub fn clear(&mut self) {
        match &mut self.touched {
            Some(touched) => touched.drain(..).for_each(|path| self.ticks[path.index()] = 0),
            None => self.ticks.fill(0),
        }
    }
}

impl Timeline {
    /// Adds the time spent in each call path from one time to another.
    pub fn sum(&self, from: Ticks, to: Ticks, into: &mut PathTimes) {
        if from >= to || self.at.is_empty() {
            return;
        }
        self.sum_from(self.step_at(from).unwrap_or(0), from, to, into);
    }

    /// The same, for a caller that knows a step `first` at or before `from`. Steps are summed one by one at first, then by
    /// blocks if the interval is long.
    pub fn sum_from(&self, first: usize, from: Ticks, to: Ticks, into: &mut PathTimes) {
        if from >= to || self.at.is_empty() {
            return;
        }
        let most = (first + 4 * BLOCK).min(self.at.len());
        let (step, at) = self.sum_steps(first, most, (from, to), into);
        if step + 1 < most || most == self.at.len() {
            return self.add_partial_step(step, (at, to), into);
        }
        let end = most + self.at[most..].partition_point(|&at| at < to);
        self.sum_by_blocks((step, end), (at, to), into);
    }

    /// Sums the steps from `first` on, up to the step that contains `to` or the last before `end`. That step is not summed;
    /// returns it and the time at which it begins.
    #[inline]
    fn sum_steps(
        &self,
        first: usize,
        end: usize,
        (from, to): (Ticks, Ticks),
        into: &mut PathTimes,
    ) -> (usize, Ticks) {
        let (mut step, mut at) = (first, self.at[first].max(from));
        for (&next, &path) in self.at[first + 1..end].iter().zip(&self.path[first..]) {
            if next >= to {
                break;
            }
            into.add(path, next.saturating_sub(at));
            at = next.max(from);
            step += 1;
        }
        (step, at)
    }

    /// Adds the part of a step from one time to another, at most to the next step.
    #[inline]
    fn add_partial_step(&self, step: usize, (at, to): (Ticks, Ticks), into: &mut PathTimes) {
        let until = self.at.get(step + 1).copied().unwrap_or(to).min(to);
        into.add(self.path[step], until.saturating_sub(at));
    }

    /// Sums the steps `first..end`, each clipped to the interval.
    fn sum_range(&self, first: usize, end: usize, span: (Ticks, Ticks), into: &mut PathTimes) {
        if first < end {
            let (step, at) = self.sum_steps(first, end, span, into);
            self.add_partial_step(step, (at, span.1), into);
        }
    }

    /// Sums the steps `first..end`: whole blocks by their sums, the steps before and after one by one.
    fn sum_by_blocks(&self, (first, end): (usize, usize), span: (Ticks, Ticks), into: &mut PathTimes) {
        let blocks = self.blocks.0.get_or_init(|| self.block_sums());
        let (whole_from, whole_to) = (first / BLOCK + 1, (end - 1) / BLOCK);
        if whole_from >= whole_to {
            return self.sum_range(first, end, span, into);
        }
        self.sum_range(first, whole_from * BLOCK, span, into);
        for &(path, ticks) in blocks[whole_from..whole_to].iter().flatten() {
            into.add(path, ticks);
        }
        self.sum_range(whole_to * BLOCK, end, span, into);
    }

    fn block_sums(&self) -> Vec<Vec<(PathId, Ticks)>> {
        let most = self.path.iter().map(|path| path.index() + 1).max().unwrap_or(1);
        let mut times = PathTimes::new(most);
        let mut sums = Vec::with_capacity(self.at.len() / BLOCK + 1);
        for first in (0..self.at.len()).step_by(BLOCK) {
            let end = (first + BLOCK).min(self.at.len());
            self.sum_range(first, end, (0, self.last), &mut times);
            let mut sum: Vec<(PathId, Ticks)> = times.touched().map(|path| (path, times.get(path))).collect();
            sum.sort_unstable();
            sums.push(sum);
            times.clear();
        }
        sums
    }

    /// Updates the times of calls and drops block sums after the times of steps have changed.
    pub(crate) fn update_calls(&mut self) {
        self.blocks = Blocks::default();
        for call in &mut self.calls {
            (call.entered, call.left) = (self.at[call.enter as usize], self.at[call.exit as usize]);
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::PathId;

    use super::{PathTimes, Timeline};

    fn timeline(steps: u64) -> Timeline {
        let at = (0..steps).map(|step| step * 10 + step % 3).collect();
        let path = (0..steps).map(|step| PathId((step * 7 % 5) as u32)).collect();
        Timeline { at, path, last: (steps - 1) * 10 + 40, ..Timeline::default() }
    }

    fn naive(timeline: &Timeline, from: u64, to: u64) -> Vec<u64> {
        let mut sums = vec![0; 5];
        for step in 0..timeline.at.len() {
            let until = timeline.at.get(step + 1).copied().unwrap_or(timeline.last).min(to);
            sums[timeline.path[step].index()] += until.saturating_sub(timeline.at[step].max(from));
        }
        sums
    }

    #[test]
    fn block_sums_agree_with_step_by_step_sums() {
        let timeline = timeline(50_000);
        for (from, to) in [(0, 7), (3, 499_990), (12_345, 480_001), (81_920, 409_600), (400, 200), (100, 100)]
        {
            let mut times = PathTimes::new(5);
            timeline.sum(from, to, &mut times);
            let sums: Vec<u64> = (0..5).map(|path| times.get(PathId(path))).collect();
            assert_eq!(sums, naive(&timeline, from, to), "{from} to {to}");
        }
    }

    #[test]
    fn a_table_can_be_reused() {
        [3, 3000].into_iter().for_each(use_again);
    }

    fn use_again(paths: usize) {
        let mut times = PathTimes::new(paths);
        times.add(PathId(2), 5);
        times.take(PathId(2), 9);
        assert_eq!(times.get(PathId(2)), 0);
        times.add(PathId(1), 4);
        times.clear();
        assert_eq!((times.get(PathId(1)), times.touched().count()), (0, 0));
    }
}
