//! Results of several files in one report.
//!
//! Programs of the same name are compared across the files: those of later files with that of the first file. Their runs
//! were not interleaved, so that comparison is unpaired. Inside a file everything is compared as in a report on that file
//! alone, paired and at its own last look. If no name is in two files, the programs of the later files are compared with
//! the reference of the first file.

use lotse_model::Finding;
use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_model::rule::Thresholds;
use lotse_stats::sequential::Plan;

use super::Imported;
use crate::analysis::{Question, analyse};
use crate::answer::Answer;
use crate::shell_error::{self, ShellError};
use crate::trial::{Conclusion, StoppedBy, blocks_made};

mod files;

use files::Files;

const NOTE: &str = "the runs of different files were not made side by side: a change of the machine in between looks like a \
                    difference of the programs; inside each file the pairs are kept";

/// Options of a report.
#[derive(Debug, Clone, Copy)]
pub struct ReportChoice<'a> {
    /// The program to compare all others with.
    pub reference: Option<&'a str>,
    /// The metric to compare.
    pub metric: Option<&'a str>,
    /// Differences within this share are too small to matter.
    pub delta: Option<f64>,
    /// Changed thresholds of rules.
    pub thresholds: &'a Thresholds,
}

/// Why there is no report.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// No file has a measurement.
    #[error("no measurement in any of the files")]
    Empty,
    /// Nobody measured the metric asked for.
    #[error("no run has a value of '{metric}'; there are {known}")]
    NoSuchMetric {
        /// What was asked for.
        metric: String,
        /// What there is.
        known: String,
    },
    /// There is no such program.
    #[error("there is no program '{name}'; there are {known}")]
    NoSuchProgram {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
}

/// All results together, and what they say. Every program has a name of its own in them.
pub fn analyse_several(
    files: Vec<Imported>,
    choice: ReportChoice<'_>,
) -> Result<(ResultSet, Answer), ImportError> {
    let mut files = Files::new(files);
    files.joined.design_note = Some(NOTE.to_owned());
    let primary = files.primary(choice.metric)?;
    let mut answer = Answer::from_results(&files.joined);
    let across = files.across(choice.reference)?;
    for &(reference, program) in &across {
        add(&mut answer, compare_across(&files, [reference, program], choice, &primary, across.len()));
    }
    for (file, inside) in files.parts.iter().enumerate() {
        let Some(reference) = files.reference_inside(file, choice.reference) else { continue };
        let conclusion = super::conclusion(inside, files.imported[file].conclusion.clone(), choice.delta);
        let question = question(reference, &primary, choice.thresholds);
        add(&mut answer, analyse(inside, &question, &conclusion));
    }
    Ok((files.joined, answer))
}

fn question<'a>(reference: ProgramId, primary: &'a str, thresholds: &'a Thresholds) -> Question<'a> {
    Question { reference, primary, metrics: &[], invocation: None, thresholds }
}

/// Compares a reference with a program of another file. All `comparisons` share the error probability.
fn compare_across(
    files: &Files,
    pair: [ProgramId; 2],
    choice: ReportChoice<'_>,
    primary: &str,
    comparisons: usize,
) -> Answer {
    let names = pair.map(|id| files.joined.programs[id.index()].name.clone());
    let set = files.joined.keep_programs(|program| names.contains(&program.name));
    let mut plan = Plan::default();
    let level = 1.0 - plan.alpha;
    plan.delta = choice.delta.unwrap_or(plan.delta);
    let shells = pair.map(|id| files.shell_of(id));
    let shell = ShellError::either(shells[0], shells[1]);
    // The bounds of the shell's cost use a share of the error probability for every file.
    let calibrated = files.imported.iter().filter(|file| file.shell().is_some()).count();
    plan.alpha *= (1.0 - shell_error::SHARE * calibrated as f64).max(f64::EPSILON) / comparisons as f64;
    let conclusion =
        Conclusion { shell, ..Conclusion::single_look(plan, 1, blocks_made(&set), StoppedBy::Unknown) };
    let reference = set.program_named(&names[0]).unwrap_or(ProgramId(0));
    let mut answer = analyse(&set, &question(reference, primary, choice.thresholds), &conclusion);
    answer.comparisons.iter_mut().for_each(|comparison| comparison.level = level);
    answer
}

/// Adds the comparisons and findings of a part. Of several findings of one rule at the same site the first is kept.
fn add(answer: &mut Answer, part: Answer) {
    let known = |findings: &[Finding], new: &Finding| {
        findings.iter().any(|old| old.rule.id == new.rule.id && old.sites == new.sites)
    };
    for finding in part.findings {
        if !known(&answer.findings, &finding) {
            answer.findings.push(finding);
        }
    }
    lotse_model::finding::sort(&mut answer.findings);
    answer.comparisons.extend(part.comparisons);
    let missed = answer.precision.is_some_and(|precision| !precision.met);
    answer.precision = if missed { answer.precision } else { part.precision.or(answer.precision) };
}

#[cfg(test)]
mod tests;
