//! Opens results of measurements for the page.

use std::path::Path;

use std::collections::BTreeMap;

use lotse_bench::answer::Answer;
use lotse_bench::report::{self, View};
use lotse_model::results::{Outcome, Status};
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
        let about = About {
            kind: DocumentKind::Bench,
            format: format.to_owned(),
            sentence: report::headline(&answer, view),
            findings: finding_rows(&answer.findings, |_| Target::default()),
            remarks: problems.into_iter().map(Remark::note).collect(),
            profile: None,
            trace: None,
        };
        let file = ReportFile { about, report: report::full(&answer, view), values: BTreeMap::new() };
        serve(&BenchDocument {
            file,
            primary: report::primary_metric(&answer).name,
            programs: answer.programs.iter().map(|program| program.name.clone()).collect(),
            runs: measured_runs(&answer),
            metrics: answer.metrics,
        });
        Ok(())
    }
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
