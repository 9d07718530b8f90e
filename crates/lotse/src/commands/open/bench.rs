//! Opens results of measurements for the page.

use std::path::Path;

use std::collections::BTreeMap;

use lotse_bench::answer::Answer;
use lotse_bench::report::{self, View};
use lotse_model::Finding;
use lotse_model::finding::Evidence;
use lotse_model::results::{Outcome, Status};
use lotse_report::Block;
use lotse_serve::api::{About, DocumentKind, Remark};
use lotse_serve::bench::{BenchDocument, MeasuredRun};
use lotse_serve::findings::{Target, finding_rows};
use lotse_serve::open::Document;
use lotse_serve::report::ReportFile;

use super::FileOpener;
use crate::commands::bench::report::answer_for_page;
use crate::exit::Failure;

impl FileOpener {
    /// Reads a result and shows its report: the verdicts first, then tables and plots.
    pub(super) fn open_bench(path: &Path, serve: &mut dyn FnMut(&dyn Document)) -> Result<(), Failure> {
        let (answer, format, problems) = answer_for_page(path)?;
        let view = View { fastest_first: true, ..View::default() };
        let runs = measured_runs(&answer);
        let report = report::full(&answer, view);
        // Findings that are about no runs are about verdicts, which the first figure shows.
        let figure = report.blocks.iter().any(|block| matches!(block, Block::Figure(_))).then_some(0);
        let target = |finding: &Finding| {
            let runs = evidence_runs(&answer, &runs, finding);
            Target { figure: figure.filter(|_| runs.is_empty()), runs, ..Target::default() }
        };
        let about = About {
            kind: DocumentKind::Bench,
            format: format.to_owned(),
            sentence: report::headline(&answer, view),
            findings: finding_rows(&answer.findings, target),
            remarks: problems.into_iter().map(Remark::note).collect(),
            profile: None,
            trace: None,
        };
        let file = ReportFile { about, report, values: BTreeMap::new() };
        serve(&BenchDocument {
            file,
            primary: report::primary_metric(&answer).name,
            programs: answer.programs.iter().map(|program| program.name.clone()).collect(),
            runs,
            metrics: answer.metrics,
        });
        Ok(())
    }
}

/// The numbers of the runs that are the evidence of a finding, from 1.
fn evidence_runs(answer: &Answer, runs: &[MeasuredRun], finding: &Finding) -> Vec<u32> {
    let metric = report::primary_metric(answer).name;
    let numbered = || (1_u32..).zip(runs);
    let of = |evidence: &Evidence| -> Vec<u32> {
        match evidence {
            // Runs are counted among those of the program that have a value.
            Evidence::Runs { program, runs: wanted } => {
                let own = |run: &MeasuredRun| answer.programs[run.program].name == *program;
                let valued = numbered().filter(|(_, run)| own(run) && run.values.contains_key(&metric));
                (0_u32..).zip(valued).filter(|(at, _)| wanted.contains(at)).map(|(_, it)| it.0).collect()
            }
            Evidence::Blocks { first, last } => {
                let inside = |run: &MeasuredRun| (*first..=*last).contains(&run.round);
                numbered().filter(|(_, run)| run.contended && inside(run)).map(|it| it.0).collect()
            }
        }
    };
    finding.evidence.iter().flat_map(of).collect()
}

/// Every run with its values. Samples have one value for each good run of a program, in run order.
fn measured_runs(answer: &Answer) -> Vec<MeasuredRun> {
    let mut good = vec![0; answer.programs.len()];
    let mut runs = Vec::new();
    for run in &answer.runs {
        let Some(program) = answer.programs.iter().position(|it| it.name == run.program) else { continue };
        let is_good = run.outcome.status == Status::Ok;
        let samples = answer.programs[program].samples.iter().filter(|_| is_good);
        let value = |(metric, values): (&String, &Vec<Option<f64>>)| {
            Some((metric.clone(), (*values.get(good[program])?)?))
        };
        let values: BTreeMap<String, f64> = samples.filter_map(value).collect();
        good[program] += usize::from(is_good);
        runs.push(MeasuredRun {
            program,
            round: run.block,
            place: run.position,
            contended: run.disturbance.contended,
            failure: (!is_good).then(|| failure(&run.outcome)),
            values,
        });
    }
    runs
}

fn failure(outcome: &Outcome) -> String {
    let known = outcome.problem.clone();
    let status = || format!("{:?}", outcome.status).to_lowercase();
    known.or_else(|| Some(format!("exit code {}", outcome.exit_code?))).unwrap_or_else(status)
}
