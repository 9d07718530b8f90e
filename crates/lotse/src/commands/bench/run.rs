//! `lotse bench run`: measures, shows and exports.

use lotse_bench::answer::Answer;
use lotse_bench::log::Log;
use lotse_bench::options::{Options, Output};
use lotse_bench::report::{self, View};
use lotse_bench::session::{HookError, SessionContext, SessionError};
use lotse_bench::trial::StoppedBy;
use lotse_bench::{Finished, bench};
use lotse_host::Interrupt;
use lotse_report::number::TimeUnit;
use lotse_store::SourceOrigin;

use super::super::metric_names;
use super::options::Remarks;
use super::watch::WatchedProgress;
use super::{earlier, export, gate, keep, options, restore, separation, settings, status};
use crate::args::{ProgramSortArg, RunArgs, ShowArgs, StyleArg, TimeUnitArg};
use crate::exit::{Exit, Failure};
use crate::progress::ProgressLine;
use crate::screen;
use crate::settings::Settings;

/// A finished measurement.
pub(crate) struct Measurement {
    pub(crate) exit: Exit,
    pub(crate) options: Options,
    pub(crate) finished: Finished,
    /// What was checked out before anything was built or measured.
    pub(crate) origin: SourceOrigin,
}

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    Ok(measure(plan(args)?)?.exit)
}

/// Measures, shows the answer, exports it, keeps it in the history, and judges it if a gate is asked for.
pub(crate) fn measure(planned: PlannedMeasurement) -> Result<Measurement, Failure> {
    let PreparedMeasurement { args, options, log, origin } = prepare(planned)?;
    let args = &args;
    let store = keep::for_run(&args.keep)?;
    let finished = run_measurement(args, &options, log)?;
    show(args, &finished.answer)?;
    if is_quiet(args) || args.results.json || !screen::is_terminal() {
        let seen = args.show.quiet && args.show.style != StyleArg::None && screen::is_terminal();
        status::report_problems(&finished.answer, seen && !args.results.json);
    }
    // Exports come first: if the history cannot be written, the results are not lost.
    let exported = export::run(args, &options, &finished);
    let kept = keep::keep(store, args, &options, &finished, &origin);
    exported.and(kept)?;
    let ended = exit(&finished);
    let judged = gate::after_run(args, &finished.answer, 1.0 - options.stopping.alpha)?;
    // A measurement that failed or was interrupted says nothing about a regression.
    let exit = judged.filter(|_| matches!(ended, Exit::Done | Exit::Undecided)).unwrap_or(ended);
    Ok(Measurement { exit, options, finished, origin })
}

/// Measures, and prints only problems.
pub(crate) fn measure_silently(planned: PlannedMeasurement) -> Result<Measurement, Failure> {
    let PreparedMeasurement { args, options, log, origin } = prepare(planned)?;
    let finished = run_measurement(&args, &options, log)?;
    Ok(Measurement { exit: exit(&finished), options, finished, origin })
}

fn is_quiet(args: &RunArgs) -> bool {
    args.show.quiet || args.show.style == StyleArg::None
}

/// Everything that a measurement needs to begin.
struct PreparedMeasurement {
    /// The arguments, completed by the settings of temci.
    args: RunArgs,
    options: Options,
    log: Log,
    origin: SourceOrigin,
}

/// A measurement whose programs are known and built, and that nothing was checked or written for.
pub(crate) struct PlannedMeasurement {
    /// The arguments, completed by the settings of temci.
    args: RunArgs,
    pub(crate) options: Options,
    remarks: Remarks,
    origin: SourceOrigin,
}

/// The completed arguments, options and remarks of a measurement. Programs are built if needed, but not measured.
pub(crate) fn plan(args: &RunArgs) -> Result<PlannedMeasurement, Failure> {
    // Before anything is built or measured: while that takes its time, the user may commit or change files.
    let origin = keep::origin();
    let settings = Settings::load()?;
    let (temci, temci_remarks) = settings::load(args.select.settings.as_deref(), &["run"])?;
    let args = settings::complete_run(args, &temci);
    let (mut options, mut remarks) = options::options(&args, &settings, &temci)?;
    remarks.not_done.splice(0..0, temci_remarks);
    options.earlier = earlier::read(&args, &options)?;
    if options.earlier.is_some() {
        // Notes on the number of runs consider only the new runs, so they are dropped.
        remarks.notes.retain(|note| Some(note) == options.design_note.as_ref());
    }
    Ok(PlannedMeasurement { args, options, remarks, origin })
}

/// Prints the remarks of a planned measurement, and refuses everything that can be refused before measuring.
fn prepare(planned: PlannedMeasurement) -> Result<PreparedMeasurement, Failure> {
    let PlannedMeasurement { args, options, remarks, origin } = planned;
    // An unknown key of a suite changes what is measured, so --quiet does not hide it.
    remarks.not_done.iter().for_each(|remark| screen::remark(remark));
    if !is_quiet(&args) {
        remarks.notes.iter().for_each(|remark| screen::remark(remark));
    }
    let log = log(&args, options.earlier.is_some())?;
    export::check(&args)?;
    check_gate(&args, options.programs.len())?;
    Ok(PreparedMeasurement { args, options, log, origin })
}

/// Runs the measurement with progress on standard error, and prints remarks about what the report does not show.
fn run_measurement(args: &RunArgs, options: &Options, log: Log) -> Result<Finished, Failure> {
    let quiet = is_quiet(args);
    restore::before_measuring();
    let interrupt = Interrupt::install().map_err(|error| Failure::new(Exit::Missing, &error))?;
    let shows_output = options.programs.iter().any(|program| program.output == Output::Inherit);
    let line = ProgressLine::for_measurement(!quiet && !shows_output && args.show.style != StyleArg::Basic);
    let mut progress = WatchedProgress::new(line, args.watch, options.primary.clone());
    let machine = lotse_host::fingerprint(env!("CARGO_PKG_VERSION"));
    let context = SessionContext { machine, interrupt, log, progress: &mut progress };
    let finished = bench(options, context).map_err(failure)?;
    drop(progress);
    finished.not_restored.iter().for_each(|line| screen::remark(line));
    if quiet || args.results.json {
        let record = finished.answer.separation.as_ref();
        let lines = separation::not_done(options.separation.as_ref(), record);
        lines.iter().for_each(|line| screen::remark(line));
        report::fixed_heaps(&finished.answer).for_each(|line| screen::remark(&line));
    }
    Ok(finished)
}

/// Refuses a gate without a second program, and exports of a gate without a gate.
fn check_gate(args: &RunArgs, programs: usize) -> Result<(), Failure> {
    let exports = &args.gate.exports;
    if args.gate.max_regression.is_none()
        && (exports.export_junit.is_some() || exports.export_summary.is_some())
    {
        return Err(Failure::usage(
            "--export-junit and --export-summary write what --max-regression decides: give it",
        ));
    }
    if args.gate.max_regression.is_some() && programs < 2 {
        return Err(Failure::usage(
            "--max-regression compares with the reference: give two commands or revisions, or judge results that were kept \
             by `lotse bench gate`",
        ));
    }
    Ok(())
}

/// The file of `--out`, to which every block of runs is written when it is complete.
fn log(args: &RunArgs, appends: bool) -> Result<Log, Failure> {
    let results = &args.results;
    let log = match &results.out {
        None => return Ok(Log::none()),
        Some(path) if appends => Log::resume(path),
        Some(path) if path.exists() && !results.force => {
            let message = format!("`{}` exists already: add --force to replace it", path.display());
            return Err(Failure::usage(message));
        }
        Some(path) => Log::create(path, results.force),
    };
    log.map_err(|error| Failure::new(Exit::Usage, &error))
}

fn failure(error: SessionError) -> Failure {
    if let SessionError::NoSuchMetric { metric, known } = &error {
        return Failure::usage(metric_names::unknown(metric, known.split(", ")));
    }
    Failure::new(exit_of_error(&error), &error)
}

fn exit_of_error(error: &SessionError) -> Exit {
    match error {
        SessionError::Hook(HookError::Launch { .. } | HookError::Interrupt(_)) => Exit::Missing,
        SessionError::Hook(_) => Exit::ProgramFailed,
        SessionError::Duet { .. }
        | SessionError::Runner(_)
        | SessionError::NoSuchMetric { .. }
        | SessionError::Earlier(_) => Exit::Usage,
        _ => Exit::Missing,
    }
}

fn show(args: &RunArgs, answer: &Answer) -> Result<(), Failure> {
    if args.results.json {
        screen::json(answer)?;
        return Ok(());
    }
    let colour = colour(&args.show);
    match args.show.style {
        StyleArg::None => {}
        _ if args.show.quiet => verdicts(answer, view(&args.show))?,
        _ => {
            screen::styled(&report::summary(answer, view(&args.show)), colour)?;
            screen::findings(&answer.findings, colour)?;
        }
    }
    Ok(())
}

/// Prints only the verdicts, one on each line.
pub(crate) fn verdicts(answer: &Answer, view: View) -> Result<(), Failure> {
    screen::write(|out| {
        report::sentences(answer, view).iter().try_for_each(|sentence| writeln!(out, "{sentence}"))
    })?;
    Ok(())
}

/// Whether the style forces colours on or off.
pub(crate) fn colour(show: &ShowArgs) -> Option<bool> {
    match show.style {
        StyleArg::Auto => None,
        StyleArg::Full | StyleArg::Color => Some(true),
        StyleArg::Basic | StyleArg::Nocolor | StyleArg::None => Some(false),
    }
}

pub(crate) fn view(show: &ShowArgs) -> View {
    let time_unit = show.time_unit.map(|unit| match unit {
        TimeUnitArg::S => TimeUnit::Second,
        TimeUnitArg::Ms => TimeUnit::Millisecond,
        TimeUnitArg::Us => TimeUnit::Microsecond,
        TimeUnitArg::Ns => TimeUnit::Nanosecond,
    });
    View { time_unit, fastest_first: show.sort != ProgramSortArg::Command }
}

/// The exit status of a measurement; an error that ended it early is printed.
fn exit(finished: &Finished) -> Exit {
    let answer = &finished.answer;
    if let Some(broken) = &finished.broken {
        let Failure { exit, message } = Failure::new(exit_of_error(broken), broken);
        screen::error(&message);
        return if finished.conclusion.stopped_by == StoppedBy::Interrupt { Exit::Interrupted } else { exit };
    }
    match finished.conclusion.stopped_by {
        StoppedBy::Interrupt => Exit::Interrupted,
        _ => status::exit(answer),
    }
}
