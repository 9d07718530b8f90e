//! `lotse bench run`: measure, show, export.

use lotse_bench::answer::Answer;
use lotse_bench::log::Log;
use lotse_bench::options::Output;
use lotse_bench::report::{self, View};
use lotse_bench::session::{HookError, SessionError, Surroundings};
use lotse_bench::trial::StoppedBy;
use lotse_bench::{Finished, bench};
use lotse_host::Interrupt;
use lotse_report::number::TimeUnit;

use super::{bench_export, bench_options, bench_restore, bench_separation, bench_status, metric_names};
use crate::args::{RunArgs, ShowArgs, Sort, Style, TimeUnitArg};
use crate::exit::{Exit, Failure};
use crate::progress::Line;
use crate::screen;
use crate::settings::Settings;

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let (options, remarks) = bench_options::options(args, &settings)?;
    let quiet = args.show.quiet || args.show.style == Style::None;
    // A key of a suite that is not understood changes what is measured, so that --quiet does not hide it.
    remarks.not_done.iter().for_each(|remark| screen::remark(remark));
    if !quiet {
        remarks.notes.iter().for_each(|remark| screen::remark(remark));
    }
    let log = match &args.results.out {
        Some(path) if path.exists() && !args.results.force => {
            let message = format!("`{}` exists already: add --force to replace it", path.display());
            return Err(Failure::usage(message));
        }
        Some(path) => {
            Log::create(path, args.results.force).map_err(|error| Failure::new(Exit::Usage, &error))?
        }
        None => Log::none(),
    };
    bench_export::check(args)?;
    bench_restore::before_measuring();
    let interrupt = Interrupt::install().map_err(|error| Failure::new(Exit::Missing, &error))?;
    let mixed = options.programs.iter().any(|program| program.output == Output::Inherit);
    let mut progress = Line::of_measurement(!quiet && !mixed && args.show.style != Style::Basic);
    let machine = lotse_host::fingerprint(env!("CARGO_PKG_VERSION"));
    let surroundings = Surroundings { machine, interrupt, log, progress: &mut progress };
    let finished = bench(&options, surroundings).map_err(failure)?;
    drop(progress);
    finished.not_restored.iter().for_each(|line| screen::remark(line));
    if quiet || args.results.json {
        let record = finished.answer.separation.as_ref();
        let lines = bench_separation::not_done(options.separation.as_ref(), record);
        lines.iter().for_each(|line| screen::remark(line));
        report::fixed_heaps(&finished.answer).for_each(|line| screen::remark(&line));
    }
    show(args, &finished.answer)?;
    if quiet || args.results.json || !screen::is_terminal() {
        let seen = args.show.quiet && args.show.style != Style::None && screen::is_terminal();
        bench_status::complain(&finished.answer, seen && !args.results.json);
    }
    bench_export::run(args, &options, &finished)?;
    Ok(exit(&finished))
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
        SessionError::Duet { .. } | SessionError::Runner(_) | SessionError::NoSuchMetric { .. } => {
            Exit::Usage
        }
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
