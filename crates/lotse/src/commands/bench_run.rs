//! `lotse bench run`: measure, show, export.

use lotse_bench::answer::Answer;
use lotse_bench::log::Log;
use lotse_bench::options::{Options, Output};
use lotse_bench::report::{self, View};
use lotse_bench::session::{HookError, SessionContext, SessionError};
use lotse_bench::trial::StoppedBy;
use lotse_bench::{Finished, bench};
use lotse_host::Interrupt;
use lotse_report::number::TimeUnit;

use super::bench_options::Remarks;
use super::bench_watch::Watched;
use super::{
    bench_earlier, bench_export, bench_gate, bench_keep, bench_options, bench_restore, bench_separation,
    bench_settings, bench_status, metric_names,
};
use crate::args::{RunArgs, ShowArgs, Sort, Style, TimeUnitArg};
use crate::exit::{Exit, Failure};
use crate::progress::Line;
use crate::screen;
use crate::settings::Settings;

/// A measurement that was made and shown.
pub(crate) struct Measurement {
    pub(crate) exit: Exit,
    pub(crate) options: Options,
    pub(crate) finished: Finished,
}

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    Ok(measure(args)?.exit)
}

/// Measures, shows, exports, keeps and judges.
pub(crate) fn measure(args: &RunArgs) -> Result<Measurement, Failure> {
    let Ready { args, options, log } = ready(args)?;
    let args = &args;
    let store = bench_keep::for_run(&args.keep)?;
    let finished = finished(args, &options, log)?;
    show(args, &finished.answer)?;
    if is_quiet(args) || args.results.json || !screen::is_terminal() {
        let seen = args.show.quiet && args.show.style != Style::None && screen::is_terminal();
        bench_status::complain(&finished.answer, seen && !args.results.json);
    }
    // Exports first: what was measured is not lost because the history cannot be written.
    let exported = bench_export::run(args, &options, &finished);
    let kept = bench_keep::keep(store, args, &options, &finished);
    exported.and(kept)?;
    let ended = exit(&finished);
    let judged = bench_gate::after_run(args, &finished.answer, 1.0 - options.stopping.alpha)?;
    // A measurement that broke or was stopped says nothing about a regression.
    let exit = judged.filter(|_| matches!(ended, Exit::Done | Exit::Undecided)).unwrap_or(ended);
    Ok(Measurement { exit, options, finished })
}

/// Measures, and shows nothing but what went wrong.
pub(crate) fn measured(args: &RunArgs) -> Result<Measurement, Failure> {
    let Ready { args, options, log } = ready(args)?;
    let finished = finished(&args, &options, log)?;
    Ok(Measurement { exit: exit(&finished), options, finished })
}

fn is_quiet(args: &RunArgs) -> bool {
    args.show.quiet || args.show.style == Style::None
}

/// A measurement that can begin.
struct Ready {
    /// With what settings of temci add to them.
    args: RunArgs,
    options: Options,
    log: Log,
}

/// What would be measured.
pub(crate) fn planned(args: &RunArgs) -> Result<(RunArgs, Options, Remarks), Failure> {
    let settings = Settings::load()?;
    let (temci, of_temci) = bench_settings::load(args.select.settings.as_deref(), &["run"])?;
    let args = bench_settings::complete_run(args, &temci);
    let (mut options, mut remarks) = bench_options::options(&args, &settings, &temci)?;
    remarks.not_done.splice(0..0, of_temci);
    options.earlier = bench_earlier::read(&args, &options)?;
    if options.earlier.is_some() {
        // Whether the new runs alone would be enough is not the question.
        remarks.notes.retain(|note| Some(note) == options.design_note.as_ref());
    }
    Ok((args, options, remarks))
}

/// Everything that can be refused before anything runs.
fn ready(args: &RunArgs) -> Result<Ready, Failure> {
    let (args, options, remarks) = planned(args)?;
    // A key of a suite that is not understood changes what is measured, so that --quiet does not hide it.
    remarks.not_done.iter().for_each(|remark| screen::remark(remark));
    if !is_quiet(&args) {
        remarks.notes.iter().for_each(|remark| screen::remark(remark));
    }
    let log = log(&args, options.earlier.is_some())?;
    bench_export::check(&args)?;
    check_gate(&args, options.programs.len())?;
    Ok(Ready { args, options, log })
}

fn finished(args: &RunArgs, options: &Options, log: Log) -> Result<Finished, Failure> {
    let quiet = is_quiet(args);
    bench_restore::before_measuring();
    let interrupt = Interrupt::install().map_err(|error| Failure::new(Exit::Missing, &error))?;
    let mixed = options.programs.iter().any(|program| program.output == Output::Inherit);
    let line = Line::of_measurement(!quiet && !mixed && args.show.style != Style::Basic);
    let mut progress = Watched::new(line, args.watch, options.primary.clone());
    let machine = lotse_host::fingerprint(env!("CARGO_PKG_VERSION"));
    let context = SessionContext { machine, interrupt, log, progress: &mut progress };
    let finished = bench(options, context).map_err(failure)?;
    drop(progress);
    finished.not_restored.iter().for_each(|line| screen::remark(line));
    if quiet || args.results.json {
        let record = finished.answer.separation.as_ref();
        let lines = bench_separation::not_done(options.separation.as_ref(), record);
        lines.iter().for_each(|line| screen::remark(line));
        report::fixed_heaps(&finished.answer).for_each(|line| screen::remark(&line));
    }
    Ok(finished)
}

/// A gate needs something to compare with.
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

/// Where blocks are kept.
fn log(args: &RunArgs, goes_on: bool) -> Result<Log, Failure> {
    let results = &args.results;
    let log = match &results.out {
        None => return Ok(Log::none()),
        Some(path) if goes_on => Log::resume(path),
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
    Failure::new(status(&error), &error)
}

fn status(error: &SessionError) -> Exit {
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
        Style::None => {}
        _ if args.show.quiet => verdicts(answer, view(&args.show))?,
        _ => {
            screen::styled(&report::summary(answer, view(&args.show)), colour)?;
            screen::findings(&answer.findings, colour)?;
        }
    }
    Ok(())
}

/// The verdicts alone, a line each.
pub(crate) fn verdicts(answer: &Answer, view: View) -> Result<(), Failure> {
    screen::write(|out| {
        report::sentences(answer, view).iter().try_for_each(|sentence| writeln!(out, "{sentence}"))
    })?;
    Ok(())
}

/// Colours forced on or off by the style.
pub(crate) fn colour(show: &ShowArgs) -> Option<bool> {
    match show.style {
        Style::Auto => None,
        Style::Full | Style::Color => Some(true),
        Style::Basic | Style::Nocolor | Style::None => Some(false),
    }
}

pub(crate) fn view(show: &ShowArgs) -> View {
    let time_unit = show.time_unit.map(|unit| match unit {
        TimeUnitArg::S => TimeUnit::Second,
        TimeUnitArg::Ms => TimeUnit::Millisecond,
        TimeUnitArg::Us => TimeUnit::Microsecond,
        TimeUnitArg::Ns => TimeUnit::Nanosecond,
    });
    View { time_unit, fastest_first: show.sort != Sort::Command }
}

fn exit(finished: &Finished) -> Exit {
    let answer = &finished.answer;
    if let Some(broken) = &finished.broken {
        let Failure { exit, message } = Failure::new(status(broken), broken);
        screen::error(&message);
        return if finished.conclusion.stopped_by == StoppedBy::Interrupt { Exit::Interrupted } else { exit };
    }
    match finished.conclusion.stopped_by {
        StoppedBy::Interrupt => Exit::Interrupted,
        _ => bench_status::exit(answer),
    }
}
