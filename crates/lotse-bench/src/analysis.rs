//! From runs to an answer: comparisons, self-check, findings.
//!
//! Interleaved runs are compared block by block. Runs that were not interleaved are compared by Welch's test on
//! logarithms, and a finding says that a drift of the machine may explain the difference.

use lotse_model::Invocation;
use lotse_model::id::ProgramId;
use lotse_model::metric;
use lotse_model::results::ResultSet;
use lotse_model::rule::Thresholds;

use crate::answer::{Answer, Comparison, Ending, Verdict};
use crate::control;
use crate::trial::Conclusion;

mod division;
mod hierarchy;
mod levels;
mod paired;
mod peaks;
mod precision;
mod self_check;
mod unpaired;
mod zeros;

pub(crate) use self_check::compare_with_copy;
pub use unpaired::{UnpairedTests, tests as unpaired_tests};

/// What to conclude from a result.
#[derive(Debug, Clone)]
pub struct Question<'a> {
    /// The program that the others are compared with.
    pub reference: ProgramId,
    /// The metric the verdict is about.
    pub primary: &'a str,
    /// Further metrics to compare; if empty, the usual ones.
    pub metrics: &'a [String],
    /// The command line that measured the result, if known.
    pub invocation: Option<&'a Invocation>,
    /// Changed thresholds.
    pub thresholds: &'a Thresholds,
}

/// Metrics compared unless others are chosen: both clocks and memory.
const USUAL: &[&str] = &[metric::WALL, metric::CPU, "user", "system", "peak_memory"];

/// Compares all programs with the reference and applies all rules.
pub fn analyse(set: &ResultSet, question: &Question<'_>, conclusion: &Conclusion) -> Answer {
    let shown = control::without_arm(set);
    // Removing the control arm may change the ids of programs, but not their names.
    let reference =
        set.programs.get(question.reference.index()).and_then(|program| shown.program_named(&program.name));
    let question = &Question { reference: reference.unwrap_or(ProgramId(0)), ..question.clone() };
    let mut answer = Answer::from_results(&shown);
    answer.chosen_metrics = question.metrics.to_vec();
    answer.conclusion = Some(Ending::new(&shown, question, conclusion));
    let seen = conclusion.seen(&shown);
    answer.comparisons = comparisons(&seen, question, conclusion);
    answer.comparisons.iter_mut().for_each(withdraw_zero_time_verdict);
    peaks::withdraw_hidden_peaks(&shown, &mut answer.comparisons);
    answer.comparisons.iter_mut().for_each(mark_within_delta);
    answer.levels = levels::spreads(&shown, question);
    answer.precision = precision::reached(&shown, question, conclusion, &answer.comparisons);
    answer.self_check = self_check::control_arm_check(set, question, conclusion);
    answer.findings =
        crate::rules::findings(&crate::rules::Context { set: &shown, answer: &answer, question, conclusion });
    answer
}

/// Makes a verdict of equivalence undecided where the wall time is 0 in so many runs that there is no ratio. Every run takes
/// some time; it is 0 because the subtracted cost of the shell was larger than the run. Two such programs need not be equal.
fn withdraw_zero_time_verdict(comparison: &mut Comparison) {
    let no_time = comparison.metric == metric::WALL && comparison.difference.is_some();
    if no_time && comparison.verdict == Verdict::Equivalent {
        comparison.verdict = Verdict::Undecided;
        comparison
            .warnings
            .push("the programs take less time than the shell that starts them varies".to_owned());
    }
}

/// Notes whether the whole interval lies within delta of no difference.
fn mark_within_delta(comparison: &mut Comparison) {
    let limit = 1.0 + comparison.delta;
    comparison.within_delta = match comparison.interval {
        [Some(low), Some(high)] => low >= limit.recip() && high <= limit,
        _ => comparison.verdict == Verdict::Equivalent,
    };
}

/// The metrics to compare, the primary one first.
pub(crate) fn compared_metrics(set: &ResultSet, question: &Question<'_>) -> Vec<String> {
    let measured = |name: &String| set.program_ids().any(|id| !set.samples(id, name).is_empty());
    let own = |name: &str| !metric::KNOWN.iter().any(|known| known.name == name);
    let chosen: Vec<String> = if question.metrics.is_empty() {
        let names = set.metrics.iter().map(|metric| metric.name.clone());
        names.filter(|name| USUAL.contains(&name.as_str()) || own(name)).collect()
    } else {
        question.metrics.to_vec()
    };
    let others = chosen.into_iter().filter(|name| name != question.primary);
    std::iter::once(question.primary.to_owned()).chain(others).filter(measured).collect()
}

fn comparisons(set: &ResultSet, question: &Question<'_>, conclusion: &Conclusion) -> Vec<Comparison> {
    let programs: Vec<ProgramId> = set.program_ids().filter(|id| *id != question.reference).collect();
    if programs.is_empty() {
        return Vec::new();
    }
    let metrics = compared_metrics(set, question);
    let by_metric = metrics.iter().flat_map(|metric| {
        if set.design.paired() {
            paired::compare(set, question, conclusion, &programs, metric)
        } else {
            unpaired::compare(set, question, conclusion, &programs, metric)
        }
    });
    by_metric.collect()
}

#[cfg(test)]
mod agreement;
#[cfg(test)]
pub(crate) mod shell_tests;
#[cfg(test)]
mod tests;
