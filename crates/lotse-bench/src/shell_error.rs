//! Error bounds of the cost of the shell (or tool that starts the programs), which is subtracted from every run.
//!
//! The smallest cost of several empty commands before the first run is subtracted. One more empty command before every run
//! shows by how much the subtracted cost may be wrong. This error is the same for all programs of a measurement, so it is not
//! part of the spread of the runs. The interval of a ratio is the union of the intervals under every cost within the bounds:
//!
//! ```text
//! old 2.0 ms, new 3.0 ms, shell 1.0 ms subtracted, known to -0.1 .. +0.1 ms:
//! new / old is between (3.0 + 0.1) / (2.0 + 0.1) = 1.48 and (3.0 - 0.1) / (2.0 - 0.1) = 1.53
//! ```
//!
//! The bounds are wrong with a probability of alpha / 10, and comparisons use the other nine tenths of alpha, so that all
//! statements together hold with the requested confidence.

use std::collections::BTreeMap;

use lotse_model::results::ResultSet;
use lotse_stats::paired::{Block, PairedEstimate};

/// The share of alpha that the bounds of the shell's cost may use.
pub(crate) const SHARE: f64 = 0.1;

/// Number of candidate costs between the bounds. A ratio of two times is monotone in the cost, so the ends matter most.
const STEPS: usize = 5;

/// Bounds of the error of the subtracted cost, by metric.
#[derive(Debug, Clone, PartialEq)]
pub struct ShellError {
    /// By how much the subtracted cost may be too small, in the unit of the metric: from, to. Infinite where it is not bounded.
    pub clocks: BTreeMap<String, [f64; 2]>,
    /// Whether all programs were measured with one subtracted cost, so that they share its error.
    pub shared: bool,
}

impl ShellError {
    /// The bounds that the empty runs of a result give at the two-sided error probability `p`; nothing where no cost
    /// was subtracted.
    pub(crate) fn measured(set: &ResultSet, p: f64) -> Option<Self> {
        let first = set.shell.first()?;
        let bounds = |clock: &String| {
            let block = |run: &lotse_model::results::ShellRun| {
                Some(Block { program: *run.excess.get(clock)?, reference: 0.0, position: 0 })
            };
            let blocks: Vec<Block> = set.shell.iter().filter_map(block).collect();
            (clock.clone(), error_bounds(&blocks, p))
        };
        Some(Self { clocks: first.excess.keys().map(bounds).collect(), shared: true })
    }

    /// The bounds for a metric; `None` where the cost is not part of the metric or is constant.
    pub(crate) fn bounds(&self, metric: &str) -> Option<[f64; 2]> {
        self.clocks.get(metric).copied().filter(|bounds| *bounds != [0.0, 0.0])
    }

    /// Bounds that hold for two measurements with separate costs.
    pub(crate) fn either(one: Option<&Self>, other: Option<&Self>) -> Option<Self> {
        let mut clocks = one.or(other)?.clocks.clone();
        for (clock, [low, high]) in other.into_iter().flat_map(|other| &other.clocks) {
            let known = clocks.entry(clock.clone()).or_insert([*low, *high]);
            *known = [known[0].min(*low), known[1].max(*high)];
        }
        Some(Self { clocks, shared: false })
    }
}

/// The interval of the centre of the excess, extended to 0, the cost that was subtracted.
fn error_bounds(blocks: &[Block], p: f64) -> [f64; 2] {
    let estimate = PairedEstimate::new(blocks).ok().filter(|estimate| p > 0.0 && estimate.blocks() > 1);
    let interval = estimate.map(|estimate| estimate.interval(p));
    interval.map_or([f64::NEG_INFINITY, f64::INFINITY], |it| [it.low.min(0.0), it.high.max(0.0)])
}

/// Candidate errors: 0 first, then evenly from one bound to the other. `None` where they are not bounded.
pub(crate) fn candidates(bounds: Option<[f64; 2]>) -> Option<Vec<f64>> {
    let Some([low, high]) = bounds else { return Some(vec![0.0]) };
    let step = |i: usize| low + (high - low) * i as f64 / (STEPS - 1) as f64;
    let all = std::iter::once(0.0).chain((0..STEPS).map(step)).collect::<Vec<f64>>();
    all.iter().all(|error| error.is_finite()).then_some(all)
}

/// Pairs of candidate errors of the program and of the reference; equal errors if both share one subtracted cost.
pub(crate) fn candidate_pairs(shell: Option<&ShellError>, metric: &str) -> Option<Vec<[f64; 2]>> {
    let errors = candidates(shell.and_then(|shell| shell.bounds(metric)))?;
    if shell.is_none_or(|shell| shell.shared) {
        return Some(errors.into_iter().map(|error| [error, error]).collect());
    }
    let pairs = errors.iter().flat_map(|&own| errors.iter().map(move |&other| [own, other]));
    Some(pairs.collect())
}

#[cfg(test)]
mod tests {
    use lotse_model::id::BlockId;
    use lotse_model::results::{ResultSet, ShellRun};

    use super::{ShellError, candidate_pairs, candidates};

    fn set(excess: impl Iterator<Item = f64>) -> ResultSet {
        let run = |(block, excess): (usize, f64)| ShellRun {
            block: BlockId::from(block),
            excess: [("wall".to_owned(), excess)].into(),
        };
        ResultSet { shell: excess.enumerate().map(run).collect(), ..ResultSet::default() }
    }

    #[test]
    fn bounds_include_the_centre_of_the_excess_and_the_cost_subtracted() {
        let later = ShellError::measured(&set((0..40).map(|i| 1.0 + 0.1 * f64::from(i * 7 % 10))), 0.005);
        let [low, high] = later.unwrap().bounds("wall").unwrap();
        assert!(low == 0.0 && high > 1.45 && high < 1.9, "{low} {high}");
        assert_eq!(ShellError::measured(&set(std::iter::empty()), 0.005), None);
    }

    #[test]
    fn few_runs_and_blind_looks_bound_nothing() {
        let few = set([0.1, 0.2, 0.3].into_iter());
        for (set, p) in [(&few, 0.005), (&set((0..40).map(f64::from)), 0.0)] {
            let error = ShellError::measured(set, p).unwrap();
            assert_eq!(error.bounds("wall"), Some([f64::NEG_INFINITY, f64::INFINITY]));
            assert_eq!(candidate_pairs(Some(&error), "wall"), None);
            assert_eq!(candidate_pairs(Some(&error), "peak_memory"), Some(vec![[0.0, 0.0]]));
        }
    }

    #[test]
    fn costs_of_two_measurements_are_tried_in_all_pairs() {
        let one = ShellError { clocks: [("wall".to_owned(), [-1.0, 1.0])].into(), shared: true };
        let other = ShellError { clocks: [("wall".to_owned(), [-0.5, 2.0])].into(), shared: true };
        let either = ShellError::either(Some(&one), Some(&other)).unwrap();
        let pairs = candidate_pairs(Some(&either), "wall").unwrap();
        assert!(pairs.contains(&[-1.0, 2.0]) && pairs.contains(&[2.0, -1.0]) && pairs.contains(&[0.0, 0.0]));
        assert!(candidate_pairs(Some(&one), "wall").unwrap().iter().all(|pair| pair[0] == pair[1]));
        assert_eq!(candidates(None), Some(vec![0.0]));
    }
}
