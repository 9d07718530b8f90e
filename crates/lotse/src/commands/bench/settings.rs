//! temci's settings file: it gives values to options that are not on the command line.

use std::path::{Path, PathBuf};

use lotse_formats::bench::temci_settings::{self, RunSettings, TemciSettings};
use lotse_host::FileSource;

use crate::args::{ReportArgs, ReportFormat, RunArgs};
use crate::exit::{Exit, Failure};

/// The name of the settings file that temci reads without being asked.
const DEFAULT_NAME: &str = "temci.yaml";

/// The settings of a file, and remarks about keys that are ignored, except those in blocks of other commands. Without a file,
/// the defaults.
pub(crate) fn load(path: Option<&Path>, blocks: &[&str]) -> Result<(TemciSettings, Vec<String>), Failure> {
    let Some(path) = path else { return Ok((TemciSettings::default(), Vec::new())) };
    let unreadable = |error: &dyn std::error::Error| Failure::new(Exit::Unreadable, error);
    let source = FileSource::open(path).map_err(|error| unreadable(&error))?;
    let reading = temci_settings::read(&source).map_err(|error| unreadable(&error))?;
    let place = path.display();
    let mut remarks: Vec<String> = reading.diagnostics.iter().map(|odd| format!("{place}: {odd}")).collect();
    let others = ["build", "run", "report", "stats"];
    let concerns = |block: &str| blocks.contains(&block) || !others.contains(&block);
    let relevant = reading.value.ignored.iter().filter(|(block, _)| concerns(block));
    remarks.extend(relevant.flat_map(|(_, sentences)| sentences.clone()));
    Ok((reading.value, remarks))
}

/// A remark if temci would read a settings file here that Lotse reads only with `--settings`.
pub(crate) fn unread_remark(suite: bool, settings: Option<&Path>) -> Option<String> {
    let there = suite && settings.is_none() && Path::new(DEFAULT_NAME).exists();
    there.then(|| format!("{DEFAULT_NAME} is not read: add --settings {DEFAULT_NAME}, as temci would"))
}

/// The arguments of a measurement, completed by the settings.
pub(crate) fn complete_run(args: &RunArgs, settings: &TemciSettings) -> RunArgs {
    let mut args = args.clone();
    let RunSettings { input, output, included, append, watch, no_build, max_run_time, .. } = &settings.run;
    if args.commands.is_empty() && args.suite.is_none() {
        args.suite = input.as_ref().map(PathBuf::from);
    }
    if args.select.include.is_empty() {
        args.select.include.clone_from(included);
    }
    args.results.export_temci = args.results.export_temci.or_else(|| output.as_ref().map(PathBuf::from));
    args.results.append |= append & !args.results.force;
    args.no_build |= no_build;
    args.watch = args.watch.or(*watch);
    args.start.timeout = args.start.timeout.or(*max_run_time);
    if args.suite.is_none() {
        // Commands on the command line have no numbers of runs, unlike the programs of a suite.
        let (counts, stopping) = (settings.run.counts, &mut args.stopping);
        if stopping.runs.is_none() && stopping.min_runs.is_none() && stopping.max_runs.is_none() {
            stopping.runs = counts.runs;
            (stopping.min_runs, stopping.max_runs) =
                if counts.runs.is_some() { (None, None) } else { (counts.min_runs, counts.max_runs) };
        }
        args.design.warmup = args.design.warmup.or(counts.discarded);
    }
    args
}

/// The arguments of a report, completed by the settings.
pub(crate) fn complete_report(args: &ReportArgs, settings: &TemciSettings) -> Result<ReportArgs, Failure> {
    let mut args = args.clone();
    let report = &settings.report;
    if args.results.is_empty() {
        args.results = report.inputs.iter().map(PathBuf::from).collect();
    }
    if args.results.is_empty() {
        return Err(Failure::usage("name a result: the settings have no `report: in`"));
    }
    if args.select.include.is_empty() {
        args.select.include.clone_from(&report.included);
    }
    if args.metrics.is_empty() {
        args.metrics.clone_from(&report.properties);
    }
    if args.without_metrics.is_empty() {
        args.without_metrics.clone_from(&report.excluded_properties);
    }
    if args.to.is_none() && !args.json {
        args.to = report.reporter.as_deref().map(reporter).transpose()?;
    }
    // Columns are used only for CSV; temci's file may have them together with another reporter.
    if args.columns.is_empty() && args.to == Some(ReportFormat::Csv) && report.columns != ["description"] {
        args.columns.clone_from(&report.columns);
    }
    args.out = args.out.or_else(|| report.output.as_ref().map(PathBuf::from));
    let (own, theirs) = (&mut args.codespeed, &report.codespeed);
    own.project = own.project.take().or_else(|| theirs.project.clone());
    own.executable = own.executable.take().or_else(|| theirs.executable.clone());
    own.environment = own.environment.take().or_else(|| theirs.environment.clone());
    own.branch = own.branch.take().or_else(|| theirs.branch.clone());
    own.commit = own.commit.take().or_else(|| theirs.commit.clone());
    Ok(args)
}

/// The format that corresponds to one of temci's reporters.
fn reporter(name: &str) -> Result<ReportFormat, Failure> {
    match name {
        "console" => Ok(ReportFormat::Terminal),
        "html2" | "html" => Ok(ReportFormat::Html),
        "csv" => Ok(ReportFormat::Csv),
        "codespeed" => Ok(ReportFormat::Codespeed),
        other => Err(Failure::usage(format!(
            "the reporter {other:?} of the settings is not there: choose one with --to (json has all figures)"
        ))),
    }
}
