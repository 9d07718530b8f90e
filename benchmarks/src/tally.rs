//! Summary of the trials of one tool at one difference.

use lotse_stats::descriptive::{mean, median, sample_sd};
use serde::Serialize;

use crate::error::Error;
use crate::lotse::Verdict;
use crate::trial::{Tool, Trial};

/// A relative difference of means that a user would report.
const NOTEWORTHY: f64 = 0.01;

/// Counts of verdicts and statistics of ratios.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tally {
    pub tool: Tool,
    /// The true difference.
    pub difference: f64,
    /// Trials made.
    pub trials: usize,
    /// Trials that called the other program faster.
    pub faster: usize,
    /// Trials that called it slower.
    pub slower: usize,
    /// Trials that called both equivalent.
    pub equivalent: usize,
    /// Trials without a statement.
    pub undecided: usize,
    /// Trials whose ratio is 1 % or more away from 1.
    pub noteworthy: usize,
    /// Median of the ratios.
    pub median_ratio: f64,
    /// Deviation of the ratios; absent for a single trial.
    pub ratio_sd: Option<f64>,
    /// Largest distance of a ratio from 1.
    pub largest: f64,
    /// Mean wall seconds of a trial.
    pub seconds: f64,
    /// Mean CPU seconds of a trial.
    pub cpu_seconds: f64,
    /// Mean number of runs of each program.
    pub runs: f64,
}

impl Tally {
    /// Summarises the trials of a tool at a difference; `None` if there are none.
    pub fn new(trials: &[Trial], tool: Tool, difference: f64) -> Result<Option<Self>, Error> {
        let is_ours = |trial: &&Trial| trial.key.tool == tool && trial.key.difference == difference;
        let ours: Vec<_> = trials.iter().filter(is_ours).map(|trial| &trial.outcome).collect();
        if ours.is_empty() {
            return Ok(None);
        }
        let count = |verdict| ours.iter().filter(|outcome| outcome.verdict == verdict).count();
        let ratios: Vec<f64> = ours.iter().map(|outcome| outcome.ratio).collect();
        let distances = ratios.iter().map(|ratio| (ratio - 1.0).abs());
        Ok(Some(Self {
            tool,
            difference,
            trials: ours.len(),
            faster: count(Verdict::Faster),
            slower: count(Verdict::Slower),
            equivalent: count(Verdict::Equivalent),
            undecided: count(Verdict::Undecided),
            noteworthy: distances.clone().filter(|distance| *distance >= NOTEWORTHY).count(),
            median_ratio: median(&ratios)?,
            ratio_sd: if ratios.len() > 1 { Some(sample_sd(&ratios)?) } else { None },
            largest: distances.fold(0.0, f64::max),
            seconds: mean(&ours.iter().map(|outcome| outcome.seconds).collect::<Vec<_>>())?,
            cpu_seconds: mean(&ours.iter().map(|outcome| outcome.cpu_seconds).collect::<Vec<_>>())?,
            runs: mean(&ours.iter().map(|outcome| f64::from(outcome.runs)).collect::<Vec<_>>())?,
        }))
    }

    /// The summaries of all tools and differences that have trials.
    pub fn all(trials: &[Trial], differences: &[f64]) -> Result<Vec<Self>, Error> {
        let tools = [Tool::Lotse, Tool::Hyperfine];
        let pairs = differences.iter().flat_map(|&difference| tools.map(|tool| (tool, difference)));
        let tallies = pairs.map(|(tool, difference)| Self::new(trials, tool, difference));
        tallies.filter_map(Result::transpose).collect()
    }

    /// Trials that claimed a difference.
    pub fn claims(&self) -> usize {
        self.faster + self.slower
    }
}

#[cfg(test)]
mod tests {
    use super::Tally;
    use crate::lotse::Verdict;
    use crate::trial::{Outcome, Tool, Trial, TrialKey};

    fn trial(tool: Tool, difference: f64, verdict: Verdict, ratio: f64) -> Trial {
        let outcome = Outcome {
            verdict,
            ratio,
            half_width: None,
            p: None,
            runs: 100,
            stopped_by: None,
            seed: None,
            seconds: 4.0,
            cpu_seconds: 3.0,
        };
        Trial {
            key: TrialKey { tool, difference, number: 0 },
            other_first: false,
            other_is_copy: true,
            outcome,
        }
    }

    #[test]
    fn verdicts_are_counted_by_tool_and_difference() {
        let trials = [
            trial(Tool::Lotse, 0.0, Verdict::Equivalent, 1.0),
            trial(Tool::Lotse, 0.0, Verdict::Undecided, 0.98),
            trial(Tool::Lotse, 0.0, Verdict::Faster, 0.99),
            trial(Tool::Lotse, 0.01, Verdict::Slower, 1.01),
            trial(Tool::Hyperfine, 0.0, Verdict::Slower, 1.03),
        ];
        let all = Tally::all(&trials, &[0.0, 0.01, 0.02]).unwrap();
        let seen: Vec<_> = all.iter().map(|it| (it.tool, it.difference, it.trials)).collect();
        assert_eq!(seen, [(Tool::Lotse, 0.0, 3), (Tool::Hyperfine, 0.0, 1), (Tool::Lotse, 0.01, 1)]);
        let idle = &all[0];
        assert_eq!((idle.claims(), idle.equivalent, idle.undecided, idle.noteworthy), (1, 1, 1, 2));
        assert!((idle.median_ratio - 0.99).abs() < 1e-12 && (idle.largest - 0.02).abs() < 1e-12);
        assert!((idle.ratio_sd.unwrap() - 0.01).abs() < 1e-12);
        assert_eq!(all[1].ratio_sd, None);
    }
}
