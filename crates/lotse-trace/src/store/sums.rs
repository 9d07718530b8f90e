//! How long a location was in each call path during a span, without walking over long spans step by step.

use std::sync::OnceLock;

use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use super::timeline::Timeline;

/// Steps in a block.
const BLOCK: usize = 4096;

/// Sums over whole blocks of steps: sparse, in the order of paths.
#[derive(Debug, Default)]
pub(crate) struct Blocks(OnceLock<Vec<Vec<(PathId, Ticks)>>>);

/// Time by call path, as a table that is used again and again.
#[derive(Debug, Default)]
pub struct PathTimes {
    ticks: Vec<Ticks>,
    /// Paths that were added to, each once or more. Not kept where the paths are few: then looking at all of them
    /// is less work than noting at every step which it was.
    touched: Option<Vec<PathId>>,
}

/// So many paths are few.
const FEW: usize = 128;

impl PathTimes {
    /// A table for as many paths.
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

    /// Takes time away from a path, not below nothing.
    pub fn take(&mut self, path: PathId, ticks: Ticks) {
        let cell = &mut self.ticks[path.index()];
        *cell = cell.saturating_sub(ticks);
    }

    /// The time of a path.
    pub fn get(&self, path: PathId) -> Ticks {
        self.ticks[path.index()]
    }

    /// All paths that have time, and perhaps others; each once or more.
    pub fn touched(&self) -> impl Iterator<Item = PathId> + '_ {
        let few = if self.touched.is_none() { &*self.ticks } else { &[] };
        let of_few = few.iter().enumerate().filter(|(_, ticks)| **ticks != 0);
        of_few.map(|(path, _)| PathId::from(path)).chain(self.touched.iter().flatten().copied())
    }

    /// Makes all nothing again.
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

    /// The same, by who knows a step at or before the first time: near ends are found by walking there.
    pub fn sum_from(&self, first: usize, from: Ticks, to: Ticks, into: &mut PathTimes) {
        if from >= to || self.at.is_empty() {
            return;
        }
        let most = (first + 4 * BLOCK).min(self.at.len());
        let (step, at) = self.walk(first, most, (from, to), into);
        if step + 1 < most || most == self.at.len() {
            return self.end_in(step, (at, to), into);
        }
        let end = most + self.at[most..].partition_point(|&at| at < to);
        self.sum_by_blocks((step, end), (at, to), into);
    }

    /// From one step on, until the step in which a time lies or the last before `end`; that one and its beginning are
    /// left to the caller.
    #[inline]
    fn walk(
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

    /// The part of a step from one time to another, or to the next step.
    #[inline]
    fn end_in(&self, step: usize, (at, to): (Ticks, Ticks), into: &mut PathTimes) {
        let until = self.at.get(step + 1).copied().unwrap_or(to).min(to);
        into.add(self.path[step], until.saturating_sub(at));
    }

    /// Steps `first` to `end`, each cut to the span.
    fn walk_all(&self, first: usize, end: usize, span: (Ticks, Ticks), into: &mut PathTimes) {
        if first < end {
            let (step, at) = self.walk(first, end, span, into);
            self.end_in(step, (at, span.1), into);
        }
    }

    fn sum_by_blocks(&self, (first, end): (usize, usize), span: (Ticks, Ticks), into: &mut PathTimes) {
        let blocks = self.blocks.0.get_or_init(|| self.block_sums());
        let (whole_from, whole_to) = (first / BLOCK + 1, (end - 1) / BLOCK);
        if whole_from >= whole_to {
            return self.walk_all(first, end, span, into);
        }
        self.walk_all(first, whole_from * BLOCK, span, into);
        for &(path, ticks) in blocks[whole_from..whole_to].iter().flatten() {
            into.add(path, ticks);
        }
        self.walk_all(whole_to * BLOCK, end, span, into);
    }

    fn block_sums(&self) -> Vec<Vec<(PathId, Ticks)>> {
        let most = self.path.iter().map(|path| path.index() + 1).max().unwrap_or(1);
        let mut times = PathTimes::new(most);
        let mut sums = Vec::with_capacity(self.at.len() / BLOCK + 1);
        for first in (0..self.at.len()).step_by(BLOCK) {
            let end = (first + BLOCK).min(self.at.len());
            self.walk_all(first, end, (0, self.last), &mut times);
            let mut sum: Vec<(PathId, Ticks)> = times.touched().map(|path| (path, times.get(path))).collect();
            sum.sort_unstable();
            sums.push(sum);
            times.clear();
        }
        sums
    }

    /// Forgets what was made of other times.
    pub(crate) fn retimed(&mut self) {
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
    fn long_spans_give_what_walking_gives() {
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
    fn a_table_can_be_used_again() {
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
