//! One trial: a tool compares two programs for a given time and decides whether they differ.
//!
//! The figures of a trial compare the *other* program with the *base*, whichever comes first on the command line.

use lotse_stats::descriptive::mean;
use lotse_stats::hypothesis::two_sample_t::{Variances, t_test};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::hyperfine::{self, Hyperfine};
use crate::lotse::{Lotse, Verdict};
use crate::workshop::Workshop;

/// Level of the test that judges hyperfine's export, the same as Lotse's default.
const LEVEL: f64 = 0.95;

/// The tool that compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// `lotse bench`, by its verdict on the primary metric.
    Lotse,
    /// hyperfine, by a Welch test on its export.
    Hyperfine,
}

impl Tool {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lotse => "lotse",
            Self::Hyperfine => "hyperfine",
        }
    }
}

/// Identifies a trial within a journal.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TrialKey {
    pub tool: Tool,
    /// The true relative difference: the share of additional steps of the other program.
    pub difference: f64,
    /// Counts from 0 for each tool and difference.
    pub number: u32,
}

/// Two commands to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duel {
    pub base: String,
    /// The program that the verdict is about.
    pub other: String,
    /// Whether the other one comes first on the command line.
    pub other_first: bool,
}

/// The result of a trial.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// About the other program.
    pub verdict: Verdict,
    /// Other / base.
    pub ratio: f64,
    /// Half the width of the interval of the ratio (Lotse).
    pub half_width: Option<f64>,
    /// Probability of such a difference by chance (hyperfine).
    pub p: Option<f64>,
    /// Runs of each program that went into it.
    pub runs: u32,
    /// Why measuring stopped (Lotse).
    pub stopped_by: Option<String>,
    /// Seed of the order of runs (Lotse).
    pub seed: Option<u64>,
    /// Wall seconds of the whole trial.
    pub seconds: f64,
    /// CPU seconds of the whole trial, the measured programs included.
    pub cpu_seconds: f64,
}

/// A trial of a journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Which.
    #[serde(flatten)]
    pub key: TrialKey,
    /// Whether the other program came first on the command line.
    pub other_first: bool,
    /// Whether the other program was the copy rather than the original.
    pub other_is_copy: bool,
    /// The result of a trial.
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Duel {
    fn commands(&self) -> [String; 2] {
        let (base, other) = (self.base.clone(), self.other.clone());
        if self.other_first { [other, base] } else { [base, other] }
    }

    /// Compares with Lotse, which judges the second program on its command line against the first.
    pub fn by_lotse(
        &self,
        lotse: &Lotse,
        workshop: &mut Workshop,
        options: &[&str],
    ) -> Result<Outcome, Error> {
        let (answer, finished) = lotse.bench(workshop, options, &self.commands())?;
        let primary = answer.primary()?;
        let ratio = primary.ratio.ok_or(Error::Answer { tool: "lotse", what: "ratio".to_owned() })?;
        Ok(Outcome {
            verdict: if self.other_first { primary.verdict.exchanged() } else { primary.verdict },
            ratio: if self.other_first { 1.0 / ratio } else { ratio },
            half_width: primary.half_width(),
            p: None,
            runs: primary.blocks,
            stopped_by: Some(primary.stopped_by.clone()),
            seed: answer.seed,
            seconds: finished.seconds,
            cpu_seconds: finished.cpu_seconds,
        })
    }

    /// Compares with hyperfine and a Welch test.
    pub fn by_hyperfine(
        &self,
        hyperfine: &Hyperfine,
        workshop: &mut Workshop,
        runs: u32,
        metric: &str,
    ) -> Result<Outcome, Error> {
        let lacks = || Error::Answer { tool: "hyperfine", what: metric.to_owned() };
        let metric = hyperfine::metric_named(metric).ok_or_else(lacks)?;
        let export = hyperfine.run(workshop, runs, &self.commands())?;
        let [first, second] = <[_; 2]>::try_from(export.samples(metric)?).map_err(|_| lacks())?;
        let (base, other) = if self.other_first { (second, first) } else { (first, second) };
        let (verdict, ratio, p) = welch(&base, &other)?;
        Ok(Outcome {
            verdict,
            ratio,
            half_width: None,
            p: Some(p),
            runs,
            stopped_by: None,
            seed: None,
            seconds: export.finished.seconds,
            cpu_seconds: export.finished.cpu_seconds,
        })
    }
}

/// Welch's test of the difference of means: verdict, ratio of means and p.
pub fn welch(base: &[f64], other: &[f64]) -> Result<(Verdict, f64, f64), Error> {
    let test = t_test(other, base, Variances::Separate, LEVEL)?;
    let ratio = mean(other)? / mean(base)?;
    let verdict = match test.p < 1.0 - LEVEL {
        false => Verdict::Undecided,
        true if ratio > 1.0 => Verdict::Slower,
        true => Verdict::Faster,
    };
    Ok((verdict, ratio, test.p))
}

#[cfg(test)]
mod tests {
    use super::{Duel, Outcome, Tool, Trial, TrialKey, welch};
    use crate::lotse::Verdict;

    #[test]
    fn welch_judges_the_other_program() {
        let base = [1.0, 1.01, 0.99, 1.0, 1.02, 0.98];
        let other = base.map(|value| value + 0.5);
        let (verdict, ratio, p) = welch(&base, &other).unwrap();
        assert!(verdict == Verdict::Slower && (ratio - 1.5).abs() < 1e-12 && p < 0.001, "{ratio} {p}");
        assert_eq!(welch(&other, &base).unwrap().0, Verdict::Faster);
        assert_eq!(welch(&base, &base.map(|value| value + 1e-4)).unwrap().0, Verdict::Undecided);
    }

    #[test]
    fn the_order_on_the_command_line_follows_the_coin() {
        let duel = Duel { base: "a".into(), other: "b".into(), other_first: false };
        assert_eq!(duel.commands(), ["a", "b"]);
        assert_eq!(Duel { other_first: true, ..duel }.commands(), ["b", "a"]);
    }

    #[test]
    fn trials_come_back_from_a_journal() {
        let trial = Trial {
            key: TrialKey { tool: Tool::Lotse, difference: 0.005, number: 3 },
            other_first: true,
            other_is_copy: false,
            outcome: Outcome {
                verdict: Verdict::Slower,
                ratio: 1.0049,
                half_width: Some(0.002),
                p: None,
                runs: 70,
                stopped_by: Some("decided".into()),
                seed: Some(u64::MAX),
                seconds: 3.0,
                cpu_seconds: 2.9,
            },
        };
        let line = serde_json::to_string(&trial).unwrap();
        assert_eq!(serde_json::from_str::<Trial>(&line).unwrap(), trial);
    }
}
