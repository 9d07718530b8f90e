//! Whether a repeated measurement says the same.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Comparison, Verdict};

/// The schema's name and version.
pub const SCHEMA: &str = "lotse.bench.replay/1";

/// What a replay says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ReplayAnswer {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The gravest outcome.
    pub outcome: ReplayOutcome,
    /// Whether both were measured on machines that are alike.
    pub same_machine: bool,
    /// What differs between the packed machine and this one, and between what was needed and what is here, a line each.
    pub differences: Vec<String>,
    /// Each comparison of the package beside the one made here.
    pub pairs: Vec<ReplayedComparison>,
    /// Programs with their times, packed and here.
    pub times: Vec<ReplayedTimes>,
}

/// One comparison, packed and repeated.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Pair"))]
pub struct ReplayedComparison {
    /// The reference.
    pub reference: String,
    /// The program.
    pub program: String,
    /// The metric.
    pub metric: String,
    /// Program / reference as packed, with its interval.
    pub packed: ReplayedRatio,
    /// The same here.
    pub here: ReplayedRatio,
    /// What follows.
    pub outcome: ReplayOutcome,
}

/// A ratio with its interval and verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Ratio"))]
pub struct ReplayedRatio {
    /// Absent where there is none.
    pub ratio: Option<f64>,
    /// Lower and upper end.
    pub interval: [Option<f64>; 2],
    /// The verdict.
    pub verdict: Verdict,
}

/// A program's time, packed and here.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Times"))]
pub struct ReplayedTimes {
    /// The program.
    pub program: String,
    /// The metric.
    pub metric: String,
    /// Median as packed.
    pub packed: Option<f64>,
    /// Median here.
    pub here: Option<f64>,
}

/// What a repetition shows, from the best to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", schemars(rename = "Outcome"))]
pub enum ReplayOutcome {
    /// The intervals overlap, or differ by less than matters.
    Reproduces,
    /// One of the two could not decide.
    Undecided,
    /// The intervals are apart by more than matters.
    Differs,
    /// Runs failed here.
    Failed,
}

/// Compares what a package says with what was measured here.
pub fn compare(packed: &Answer, here: &Answer, differences: Vec<String>) -> ReplayAnswer {
    let pairs: Vec<ReplayedComparison> = packed.primary().filter_map(|old| pair(old, here)).collect();
    let failed = here.failed_runs().next().is_some();
    let worst = pairs.iter().map(|pair| pair.outcome).max();
    let outcome = match worst {
        _ if failed => ReplayOutcome::Failed,
        Some(worst) => worst,
        // A single program has no ratio to compare.
        None => ReplayOutcome::Undecided,
    };
    let same_machine = match (&packed.machine, &here.machine) {
        (Some(one), Some(other)) => one.same_machine(other),
        _ => false,
    };
    ReplayAnswer { schema: SCHEMA, outcome, same_machine, differences, pairs, times: times(packed, here) }
}

fn pair(packed: &Comparison, here: &Answer) -> Option<ReplayedComparison> {
    let same = |it: &&Comparison| it.program == packed.program && it.metric == packed.metric;
    let found = here.primary().find(same)?;
    Some(ReplayedComparison {
        reference: packed.reference.clone(),
        program: packed.program.clone(),
        metric: packed.metric.clone(),
        packed: ratio(packed),
        here: ratio(found),
        outcome: outcome(packed, found),
    })
}

fn ratio(comparison: &Comparison) -> ReplayedRatio {
    ReplayedRatio { ratio: comparison.ratio, interval: comparison.interval, verdict: comparison.verdict }
}

/// Two overlapping intervals agree if both have a verdict; without a verdict they may be so wide that overlapping proves
/// nothing.
fn outcome(packed: &Comparison, here: &Comparison) -> ReplayOutcome {
    let ([Some(low), Some(high)], [Some(other_low), Some(other_high)]) = (packed.interval, here.interval)
    else {
        return if packed.verdict == here.verdict && packed.ratio.is_none() {
            ReplayOutcome::Reproduces
        } else {
            ReplayOutcome::Undecided
        };
    };
    let apart = (other_low / high).max(low / other_high);
    if apart > 1.0 + packed.delta {
        return ReplayOutcome::Differs;
    }
    let decided = |comparison: &Comparison| comparison.verdict != Verdict::Undecided;
    // A verdict is reproduced by the same verdict, or if both differences are within delta.
    let same = packed.verdict == here.verdict || (packed.within_delta && here.within_delta);
    if decided(packed) && decided(here) && same {
        ReplayOutcome::Reproduces
    } else {
        ReplayOutcome::Undecided
    }
}

fn times(packed: &Answer, here: &Answer) -> Vec<ReplayedTimes> {
    let metric = packed.primary().next().map(|comparison| comparison.metric.clone());
    let planned = || packed.conclusion.as_ref().map(|end| end.primary.clone());
    let Some(metric) = metric.or_else(planned) else { return Vec::new() };
    let median = |answer: &Answer, name: &str| {
        let program = answer.programs.iter().find(|program| program.name == name)?;
        lotse_stats::descriptive::median(&program.values(&metric)).ok()
    };
    let times_of = |name: &str| ReplayedTimes {
        program: name.to_owned(),
        metric: metric.clone(),
        packed: median(packed, name),
        here: median(here, name),
    };
    packed.programs.iter().map(|program| times_of(&program.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::{ReplayOutcome, outcome};
    use crate::answer::{Comparison, Verdict};

    fn comparison(interval: [f64; 2], verdict: Verdict) -> Comparison {
        let [low, high] = interval;
        Comparison {
            reference: "old".into(),
            program: "new".into(),
            metric: "wall".into(),
            primary: true,
            ratio: Some((low * high).sqrt()),
            interval: interval.map(Some),
            difference: None,
            level: 0.95,
            delta: 0.01,
            verdict,
            within_delta: low > 0.99 && high < 1.01,
            estimator: "test".into(),
            units: None,
            division: None,
            blocks: 20,
            runs: None,
            stopped_by: "runs".into(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn the_same_verdict_and_near_intervals_reproduce() {
        let packed = comparison([1.08, 1.12], Verdict::Slower);
        let here = |interval, verdict| outcome(&packed, &comparison(interval, verdict));
        assert_eq!(here([1.10, 1.15], Verdict::Slower), ReplayOutcome::Reproduces);
        // Apart by less than delta.
        assert_eq!(here([1.125, 1.15], Verdict::Slower), ReplayOutcome::Reproduces);
        assert_eq!(here([1.2, 1.3], Verdict::Slower), ReplayOutcome::Differs);
        assert_eq!(here([0.8, 0.9], Verdict::Faster), ReplayOutcome::Differs);
        assert_eq!(here([0.98, 1.15], Verdict::Undecided), ReplayOutcome::Undecided);
    }

    #[test]
    fn differences_that_do_not_matter_are_the_same() {
        let packed = comparison([0.995, 1.004], Verdict::Equivalent);
        let here = comparison([1.001, 1.005], Verdict::Slower);
        assert_eq!(outcome(&packed, &here), ReplayOutcome::Reproduces);
        let open =
            Comparison { interval: [None, None], ratio: None, ..comparison([1.0, 1.0], Verdict::Equivalent) };
        assert_eq!(outcome(&open, &open), ReplayOutcome::Reproduces);
        assert_eq!(outcome(&packed, &open), ReplayOutcome::Undecided);
    }
}
