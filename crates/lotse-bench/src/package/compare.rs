//! Whether a repeated measurement says the same.

use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{Answer, Comparison, Verdict};

/// The schema's name and version.
pub const SCHEMA: &str = "lotse.bench.replay/1";

/// What a replay says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ReplayAnswer {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The gravest outcome.
    pub outcome: Outcome,
    /// Whether both were measured on machines that are alike.
    pub same_machine: bool,
    /// What differs between the packed machine and this one, and between what was needed and what is here, a line each.
    pub differences: Vec<String>,
    /// Each comparison of the package beside the one made here.
    pub pairs: Vec<Pair>,
    /// Programs with their times, packed and here.
    pub times: Vec<Times>,
}

/// One comparison, packed and repeated.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Pair {
    /// The reference.
    pub reference: String,
    /// The program.
    pub program: String,
    /// The metric.
    pub metric: String,
    /// Program / reference as packed, with its interval.
    pub packed: Ratio,
    /// The same here.
    pub here: Ratio,
    /// What follows.
    pub outcome: Outcome,
}

/// A ratio with its interval and verdict.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ratio {
    /// Absent where there is none.
    pub ratio: Option<f64>,
    /// Lower and upper end.
    pub interval: [Option<f64>; 2],
    /// The verdict.
    pub verdict: Verdict,
}

/// A program's time, packed and here.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Times {
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
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
    let pairs: Vec<Pair> = packed.primary().filter_map(|old| pair(old, here)).collect();
    let failed = here.failed_runs().next().is_some();
    let worst = pairs.iter().map(|pair| pair.outcome).max();
    let outcome = match worst {
        _ if failed => Outcome::Failed,
        Some(worst) => worst,
        // A program alone has no ratio that could be the same elsewhere.
        None => Outcome::Undecided,
    };
    let same_machine = match (&packed.machine, &here.machine) {
        (Some(one), Some(other)) => one.same_machine(other),
        _ => false,
    };
    ReplayAnswer { schema: SCHEMA, outcome, same_machine, differences, pairs, times: times(packed, here) }
}

fn pair(packed: &Comparison, here: &Answer) -> Option<Pair> {
    let same = |it: &&Comparison| it.program == packed.program && it.metric == packed.metric;
    let found = here.primary().find(same)?;
    Some(Pair {
        reference: packed.reference.clone(),
        program: packed.program.clone(),
        metric: packed.metric.clone(),
        packed: ratio(packed),
        here: ratio(found),
        outcome: outcome(packed, found),
    })
}

fn ratio(comparison: &Comparison) -> Ratio {
    Ratio { ratio: comparison.ratio, interval: comparison.interval, verdict: comparison.verdict }
}

/// Two intervals that overlap agree, unless both are so wide that they would agree with anything: then nothing was shown.
fn outcome(packed: &Comparison, here: &Comparison) -> Outcome {
    let ([Some(low), Some(high)], [Some(other_low), Some(other_high)]) = (packed.interval, here.interval)
    else {
        return if packed.verdict == here.verdict && packed.ratio.is_none() {
            Outcome::Reproduces
        } else {
            Outcome::Undecided
        };
    };
    let apart = (other_low / high).max(low / other_high);
    if apart > 1.0 + packed.delta {
        return Outcome::Differs;
    }
    let decided = |comparison: &Comparison| comparison.verdict != Verdict::Undecided;
    // A verdict that was packed is reproduced by the same one, or where the difference lies within what matters.
    let same = packed.verdict == here.verdict || (packed.within_delta && here.within_delta);
    if decided(packed) && decided(here) && same { Outcome::Reproduces } else { Outcome::Undecided }
}

fn times(packed: &Answer, here: &Answer) -> Vec<Times> {
    let metric = packed.primary().next().map(|comparison| comparison.metric.clone());
    let planned = || packed.conclusion.as_ref().map(|end| end.primary.clone());
    let Some(metric) = metric.or_else(planned) else { return Vec::new() };
    let median = |answer: &Answer, name: &str| {
        let program = answer.programs.iter().find(|program| program.name == name)?;
        lotse_stats::descriptive::median(&program.values(&metric)).ok()
    };
    let of = |name: &str| Times {
        program: name.to_owned(),
        metric: metric.clone(),
        packed: median(packed, name),
        here: median(here, name),
    };
    packed.programs.iter().map(|program| of(&program.name)).collect()
}
