//! Sums of time by call path over blocks of steps, so that a column with many steps is not walked step by step.
//!
//! ```text
//! steps     0 1 2 3 | 4 5 6 7 | 8 9 10 11 | 12 13 …       blocks of four instead of 64
//! column        |───────────────────────────|
//!               2 3 | block 1 | block 2     | 12          what is added: steps, whole blocks, steps
//! ```
//!
//! Sums are those of the recorded call paths, so that they serve every filter, and they are exact: a column has the same
//! time whether it is read from blocks or from steps. Where blocks would have nearly as many sums as steps, there are none.

use lotse_model::id::PathId;
use lotse_model::progress::{Checked as _, checkpoint};
use lotse_model::trace::Ticks;

use crate::store::{PathTimes, Paths, Timeline};

/// Steps per block, by level.
const SIZES: [usize; 3] = [64, 512, 4096];
/// A level is kept only if it has at most one sum for this many steps. Its memory is thus at most 1.5 bytes for each step,
/// while the step itself takes 12; and reading it saves time.
const STEPS_PER_SUM: usize = 8;

/// Without levels, steps that are walked before somebody is asked whether the chart is still wanted.
const MOST_STEPS: usize = 1 << 16;

/// The sums of a location, by level.
#[derive(Debug, Default)]
pub(super) struct StepSums {
    levels: Vec<Level>,
    /// By block of the first size: the depth of its least deep step.
    shallowest: Vec<u32>,
}

/// Sums over blocks of the same number of steps.
#[derive(Debug, Default)]
struct Level {
    size: usize,
    /// By block: its first sum; one more for the end.
    first: Vec<u32>,
    paths: Vec<PathId>,
    ticks: Vec<Ticks>,
}

impl StepSums {
    /// Sums the steps of a timeline.
    pub(super) fn new(timeline: &Timeline, paths: &Paths) -> Self {
        let mut times = PathTimes::new(paths.len());
        let levels = SIZES.iter().filter_map(|&size| Level::new(timeline, size, &mut times));
        let least = |block: &[PathId]| block.iter().map(|path| paths.depth(*path)).min().unwrap_or(0);
        Self { levels: levels.collect(), shallowest: timeline.path.chunks(SIZES[0]).map(least).collect() }
    }

    /// The first step from which on, up to `step`, the location is at least as deep as `depth`.
    pub(super) fn first_as_deep(&self, timeline: &Timeline, paths: &Paths, step: usize, depth: u32) -> usize {
        let is_deep = |at: usize| paths.depth(timeline.path[at]) >= depth;
        let mut first = step;
        while first > 0 {
            let (block, rest) = ((first - 1) / SIZES[0], (first - 1) % SIZES[0]);
            if rest == SIZES[0] - 1 && self.shallowest[block] >= depth {
                first = block * SIZES[0];
            } else if is_deep(first - 1) {
                first -= 1;
            } else {
                break;
            }
        }
        first
    }

    /// The first step after `step` in which the location is less deep than `depth`; the number of steps if there is none.
    pub(super) fn next_less_deep(
        &self,
        timeline: &Timeline,
        paths: &Paths,
        step: usize,
        depth: u32,
    ) -> usize {
        let mut next = step + 1;
        while next < timeline.path.len() {
            if next.is_multiple_of(SIZES[0]) && self.shallowest[next / SIZES[0]] >= depth {
                next += SIZES[0];
            } else if paths.depth(timeline.path[next]) >= depth {
                next += 1;
            } else {
                return next;
            }
        }
        timeline.path.len()
    }

    /// Adds the time of the steps from `first` on that end before `to`; gives the step after them, which contains `to` or is the
    /// last. The step `first` begins before `to`.
    pub(super) fn sum_until(
        &self,
        timeline: &Timeline,
        first: usize,
        to: Ticks,
        times: &mut PathTimes,
    ) -> usize {
        let last = timeline.at.len() - 1;
        let mut step = first;
        loop {
            // A block that ends before `to` is added as a whole, the largest if there are several.
            let fits = |level: &&Level| {
                let end = step + level.size;
                step.is_multiple_of(level.size) && end <= last && timeline.at[end] < to
            };
            if let Some(level) = self.levels.iter().rev().find(fits) {
                level.add(step / level.size, times);
                step += level.size;
                continue;
            }
            let border =
                self.levels.first().map_or(step + MOST_STEPS, |least| (step / least.size + 1) * least.size);
            step = walk_until(timeline, (step, border.min(last)), to, times);
            if step >= last || timeline.at[step + 1] >= to {
                return step;
            }
            checkpoint();
        }
    }
}

impl Level {
    /// Sums blocks of `size` complete steps; `None` if there is no block, or if the sums would be too many to be of use.
    fn new(timeline: &Timeline, size: usize, times: &mut PathTimes) -> Option<Self> {
        // The last step is complete only with the end of the timeline, so it is in no block.
        let complete = timeline.at.len().checked_sub(1)? / size;
        let mut level = Self { size, first: vec![0], ..Self::default() };
        for block in (0..complete).checked() {
            walk(timeline, (block * size, (block + 1) * size), times);
            let before = level.paths.len();
            for path in times.touched() {
                level.paths.push(path);
                level.ticks.push(times.get(path));
            }
            times.clear();
            debug_assert!(level.paths.len() - before <= size, "a path with time is counted once");
            if level.paths.len() > timeline.at.len() / STEPS_PER_SUM {
                return None;
            }
            level.first.push(u32::try_from(level.paths.len()).ok()?);
        }
        level.paths.shrink_to_fit();
        level.ticks.shrink_to_fit();
        (complete > 0).then_some(level)
    }

    #[inline]
    fn add(&self, block: usize, times: &mut PathTimes) {
        let sums = self.first[block] as usize..self.first[block + 1] as usize;
        for (&path, &ticks) in self.paths[sums.clone()].iter().zip(&self.ticks[sums]) {
            times.add(path, ticks);
        }
    }
}

/// Adds the time of the steps `first..end` one by one.
#[inline]
fn walk(timeline: &Timeline, (first, end): (usize, usize), times: &mut PathTimes) {
    if first >= end {
        return;
    }
    let mut at = timeline.at[first];
    for (&next, &path) in timeline.at[first + 1..=end].iter().zip(&timeline.path[first..end]) {
        times.add(path, next - at);
        at = next;
    }
}

/// The same, up to the step that does not end before `to`, or to `end`; gives that step.
#[inline]
fn walk_until(timeline: &Timeline, (first, end): (usize, usize), to: Ticks, times: &mut PathTimes) -> usize {
    let mut at = timeline.at[first];
    let steps = timeline.at[first + 1..=end].iter().zip(&timeline.path[first..end]);
    for (step, (&next, &path)) in (first..end).zip(steps) {
        if next >= to {
            return step;
        }
        times.add(path, next - at);
        at = next;
    }
    end
}

#[cfg(test)]
mod tests {
    use lotse_model::id::{PathId, RegionId};
    use proptest::prelude::{any, prop_assert, prop_assert_eq, proptest};

    use super::{SIZES, StepSums};
    use crate::store::{PathTimes, Paths, Timeline};

    /// A number of paths, of which each third is below the one before it.
    fn paths(count: usize) -> Paths {
        let mut paths = Paths::default();
        let mut last = Paths::ROOT;
        for region in 1..count {
            let parent = if region % 3 == 0 { last } else { Paths::ROOT };
            last = paths.child(parent, RegionId::from(region));
        }
        paths
    }

    /// A timeline with `steps` steps whose paths repeat after `count`.
    fn timeline(steps: usize, count: usize) -> Timeline {
        let at: Vec<u64> = (0..steps as u64).map(|step| step * 10 + step % 3).collect();
        let path = (0..steps).map(|step| PathId::from(step * 7 % count)).collect();
        Timeline { last: at.last().map_or(0, |last| last + 40), at, path, ..Timeline::default() }
    }

    #[test]
    fn a_level_with_too_many_sums_is_not_kept() {
        let levels = |steps, count| StepSums::new(&timeline(steps, count), &paths(count)).levels.len();
        assert_eq!(levels(10 * SIZES[2], 5), 3);
        assert_eq!(levels(3 * SIZES[1], 5), 2);
        assert_eq!(levels(SIZES[0], 5), 0);
        assert_eq!(levels(10 * SIZES[2], 40), 2);
        assert_eq!(levels(10 * SIZES[1], 1000), 0);
    }

    #[test]
    fn depths_are_found_over_blocks() {
        let paths = paths(4);
        // Path 3 is the only one of depth 2; it lasts over several blocks, with a step of depth 1 before and after.
        let mut timeline = timeline(1000, 4);
        timeline.path =
            (0..1000).map(|step| PathId(if (100..700).contains(&step) { 3 } else { 1 })).collect();
        let sums = StepSums::new(&timeline, &paths);
        for step in [100, 101, 127, 128, 400, 699] {
            assert_eq!(sums.first_as_deep(&timeline, &paths, step, 2), 100, "{step}");
            assert_eq!(sums.next_less_deep(&timeline, &paths, step, 2), 700, "{step}");
            assert_eq!(sums.first_as_deep(&timeline, &paths, step, 1), 0);
            assert_eq!(sums.next_less_deep(&timeline, &paths, step, 1), 1000);
        }
    }

    proptest! {
        #[test]
        fn blocks_have_the_time_of_their_steps(first in 0_usize..9000, to in 1_u64..100_000, many in any::<bool>()) {
            let count = if many { 700 } else { 5 };
            let timeline = timeline(9001, count);
            let to = timeline.at[first] + to;
            let mut times = PathTimes::new(count);
            let end = StepSums::new(&timeline, &paths(count)).sum_until(&timeline, first, to, &mut times);
            prop_assert!(timeline.at[end] < to && timeline.at.get(end + 1).is_none_or(|next| *next >= to));
            let sums: Vec<u64> = (0..count).map(|path| times.get(PathId::from(path))).collect();
            let mut naive = vec![0; count];
            for step in first..end {
                naive[timeline.path[step].index()] += timeline.at[step + 1] - timeline.at[step];
            }
            prop_assert_eq!(sums, naive);
        }
    }
}
