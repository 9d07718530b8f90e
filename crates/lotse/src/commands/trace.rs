//! `lotse trace`: reads a trace of a parallel program and says why it waits.

use std::num::NonZeroUsize;
use std::path::Path;

use lotse_formats::trace::Repair;
use lotse_host::{FolderSource, Threads};
use lotse_model::Invocation;
use lotse_model::rule::Thresholds;
use lotse_report::Document;
use lotse_trace::analyze::{Clocks, NoSuchPart, Options, Subject};
use lotse_trace::answer::RepairAnswer;
use lotse_trace::focus::FocusOn;
use lotse_trace::report;
use lotse_trace::store::Trace;
use serde::Serialize;

use super::near::near;
use crate::args::trace::{
    ClockArg, CutArgs, FilterArgs, InputArgs, OutputArgs, ReadArgs, TraceArgs, TraceVerb,
};
use crate::exit::{Exit, Failure};
use crate::export::rendered;
use crate::progress::Line;
use crate::screen;
use crate::settings::Settings;

mod analyze;
mod critical_path;
mod diff;
mod efficiency;
mod export;
mod info;
mod metrics;
mod overheads;
mod phases;
mod timeline;
mod what_if;

pub(crate) fn run(args: &TraceArgs) -> Result<Exit, Failure> {
    match &args.verb {
        TraceVerb::Info(args) => info::run(args),
        TraceVerb::Analyze(args) => analyze::run(args),
        TraceVerb::CriticalPath(args) => critical_path::run(args),
        TraceVerb::WhatIf(args) => what_if::run(args),
        TraceVerb::Phases(args) => phases::run(args),
        TraceVerb::Timeline(args) => timeline::run(args),
        TraceVerb::Overheads(args) => overheads::run(args),
        TraceVerb::Efficiency(args) => efficiency::run(args),
        TraceVerb::Diff(args) => diff::run(args),
        TraceVerb::Export(args) => export::run(args),
    }
}

/// As many threads as `--threads` asks for, else one for each processor.
fn threads<'p>(args: &ReadArgs, what: &'static str, line: &'p mut Line) -> Threads<'p> {
    match args.threads {
        Some(count) => Threads::with_count(count.get(), what, line),
        None => Threads::new(what, line),
    }
}

/// Reads a trace; what was odd is told on standard error unless JSON tells it.
fn read(path: &Path, args: &ReadArgs, told: bool) -> Result<Trace, Failure> {
    let trace = read_silently(path, args, told)?;
    if told {
        tell(path, &trace.repairs);
    } else {
        tell_losses(path, &trace.repairs);
    }
    Ok(trace)
}

/// Reads a trace; only what is wrong with the files is told, if it is asked for.
fn read_silently(path: &Path, args: &ReadArgs, told: bool) -> Result<Trace, Failure> {
    let folder = FolderSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let mut line = Line::new(true);
    let workers = threads(args, "reading", &mut line);
    let trace = lotse_trace::open::read(&folder, args.format.as_deref(), &workers)
        .map_err(super::profile::format_failure)?;
    if told {
        folder.problems().for_each(|problem| screen::remark(&problem.to_string()));
    }
    Ok(trace)
}

/// A trace with its waits, cut as asked for, and whether events of it are missing.
fn subject(path: &Path, args: &ReadArgs, cut: &CutArgs, told: bool) -> Result<(Subject, bool), Failure> {
    let asked = Asked::new(path, cut)?;
    let trace = read(path, args, told)?;
    let damaged = is_damaged(&trace);
    let mut line = Line::new(true);
    let workers = threads(args, "analysing", &mut line);
    let subject = Subject::new(trace, &asked.options(), &workers).map_err(part_failure)?;
    Ok((subject, damaged))
}

/// The same of the one trace of a call.
fn subject_of(input: &InputArgs, cut: &CutArgs, told: bool) -> Result<(Subject, bool), Failure> {
    subject(&input.trace, &input.read, cut, told)
}

/// That events were lost, in one line, for those who read the rest as JSON.
fn tell_losses(path: &Path, repairs: &[Repair]) {
    let lost: Vec<RepairAnswer> =
        repairs.iter().filter(|repair| repair.loss).map(RepairAnswer::from).collect();
    let lines = report::repairs(&lost);
    if let Some(first) = lines.first() {
        let more = match lines.len() - 1 {
            0 => String::new(),
            more => format!(" (and {more} more kinds of repairs, see repairs)"),
        };
        screen::error(&format!("{}: {first}{more}", path.display()));
    }
}

/// More kinds of repairs are only counted.
const AT_MOST: usize = 10;

/// What is missing in a trace, on standard error, and in one line what was repaired.
fn tell(path: &Path, repairs: &[Repair]) {
    let all: Vec<RepairAnswer> = repairs.iter().map(RepairAnswer::from).collect();
    let lost: Vec<RepairAnswer> = all.iter().filter(|repair| repair.loss).cloned().collect();
    tell_each(path, &lost);
    report::harmless_repairs(&all).iter().for_each(|line| screen::remark(line));
}

/// What was odd about a trace, a line for each kind.
fn tell_each(path: &Path, repairs: &[RepairAnswer]) {
    let lines = report::repairs(repairs);
    lines.iter().take(AT_MOST).for_each(|line| screen::remark(line));
    if lines.len() > AT_MOST {
        let more = lines.len() - AT_MOST;
        let path = path.display();
        screen::remark(&format!("{path}: {more} more kinds of repairs; `lotse trace info --json` lists all"));
    }
}

/// Prints an answer the way asked for; of its tables CSV has one, that of the name or the first.
fn print(
    output: &OutputArgs,
    table: Option<&str>,
    answer: &impl Serialize,
    document: impl FnOnce() -> Document,
) -> Result<(), Failure> {
    if output.json {
        screen::json(answer)?;
    } else if output.csv {
        let table = rendered(&report::one_table(document(), table), "csv")?;
        screen::write(|out| out.write_all(&table))?;
    } else {
        let document = report::without_empty_tables(document());
        let document = if screen::is_wide() { document } else { report::with_short_names(document) };
        screen::document(&document)?;
    }
    Ok(())
}

/// The same with the call paths that are asked for, and a word about those that are not shown. JSON has all rows:
/// programs choose for themselves.
fn print_filtered(
    output: &OutputArgs,
    table: Option<&str>,
    answer: &impl Serialize,
    (filter, limit): (&FilterArgs, usize),
    document: impl Fn(usize) -> Document,
) -> Result<(), Failure> {
    let filter = filter.filter();
    if output.json && !filter.is_empty() {
        return Err(Failure::usage("--only and --exclude choose rows of tables; --json always has all rows"));
    }
    if output.json {
        return print(output, table, answer, Document::new);
    }
    let (mut document, note) = report::filtered(&filter, limit, document);
    match note {
        Some(note) if output.csv => screen::remark(&note),
        Some(note) => {
            document.paragraph(note);
        }
        None => {}
    }
    print(output, table, answer, || document)
}

/// How many rows to show: as asked for, else so many for people and all for programs.
fn limit(output: &OutputArgs, asked: Option<usize>, usual: usize) -> usize {
    asked.unwrap_or(if output.csv { 0 } else { usual })
}

/// Done, or done as far as a damaged trace allowed.
fn ending(damaged: bool) -> Exit {
    if damaged { Exit::Unreadable } else { Exit::Done }
}

/// Whether events or definitions of the trace are missing.
fn is_damaged(trace: &Trace) -> bool {
    trace.repairs.iter().any(|repair| repair.loss)
}

/// What is asked of a trace, kept for as long as it is analysed.
struct Asked {
    name: String,
    thresholds: Thresholds,
    phase: Option<usize>,
    focus: Option<String>,
    clock: Clocks,
    /// For commands that verify findings; only analyze has any.
    call: Invocation,
}

impl Asked {
    fn new(path: &Path, cut: &CutArgs) -> Result<Self, Failure> {
        Ok(Self {
            name: path.display().to_string(),
            thresholds: Settings::load()?.thresholds(),
            phase: cut.phase.map(NonZeroUsize::get),
            focus: cut.focus.clone(),
            clock: clocks(cut.clock),
            call: Invocation::default(),
        })
    }

    fn options(&self) -> Options<'_> {
        Options {
            clock: self.clock,
            phase: self.phase,
            focus: self.focus_on(),
            thresholds: &self.thresholds,
            call: &self.call,
            ..Options::usual(&self.name)
        }
    }
}

impl Asked {
    fn focus_on(&self) -> FocusOn<'_> {
        match self.focus.as_deref() {
            None => FocusOn::Program,
            Some("all") => FocusOn::Run,
            Some(name) => FocusOn::Region(name),
        }
    }
}

fn clocks(clock: ClockArg) -> Clocks {
    match clock {
        ClockArg::Raw => Clocks::Raw,
        ClockArg::Corrected => Clocks::Corrected,
    }
}

/// A part of the run that there is not, with the names that may have been meant.
fn part_failure(error: NoSuchPart) -> Failure {
    let NoSuchPart::Region(region) = &error else { return Failure::new(Exit::Usage, &error) };
    let near = near(region.known.iter().map(String::as_str), &region.name);
    let hint = match near[..] {
        [] => "`lotse trace analyze --level region` lists all".to_owned(),
        _ => format!("near are {}", near.join(", ")),
    };
    Failure::usage(format!("{error}; {hint}"))
}
