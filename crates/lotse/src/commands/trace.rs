//! `lotse trace`: reads a trace of a parallel program and explains its waits.

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
use crate::progress::ProgressLine;
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

/// Worker threads: as many as `--threads` asks for, else one for each processor.
fn threads<'p>(args: &ReadArgs, what: &'static str, line: &'p mut ProgressLine) -> Threads<'p> {
    match args.threads {
        Some(count) => Threads::with_count(count.get(), what, line),
        None => Threads::new(what, line),
    }
}

/// Reads a trace, and prints on standard error what was repaired or lost in it. Without remarks, because JSON has them, only one
/// line about losses is printed.
fn read(path: &Path, args: &ReadArgs, with_remarks: bool) -> Result<Trace, Failure> {
    let trace = read_trace(path, args, with_remarks)?;
    if with_remarks {
        report_repairs(path, &trace.repairs);
    } else {
        report_losses(path, &trace.repairs);
    }
    Ok(trace)
}

/// Reads a trace; with remarks, prints what is wrong with its files, but not what was repaired.
fn read_trace(path: &Path, args: &ReadArgs, with_remarks: bool) -> Result<Trace, Failure> {
    let folder = FolderSource::open(path).map_err(|error| Failure::new(Exit::Unreadable, &error))?;
    let mut line = ProgressLine::new(true);
    let workers = threads(args, "reading", &mut line);
    let trace = lotse_trace::open::read(&folder, args.format.as_deref(), &workers)
        .map_err(super::profile::format_failure)?;
    if with_remarks {
        folder.problems().for_each(|problem| screen::remark(&problem.to_string()));
    }
    Ok(trace)
}

/// Reads a trace, cuts it to the part asked for and finds its waits. The second value is whether events are missing.
fn subject(
    path: &Path,
    args: &ReadArgs,
    cut: &CutArgs,
    with_remarks: bool,
) -> Result<(Subject, bool), Failure> {
    let request = AnalysisRequest::new(path, cut)?;
    let trace = read(path, args, with_remarks)?;
    let damaged = is_damaged(&trace);
    let mut line = ProgressLine::new(true);
    let workers = threads(args, "analysing", &mut line);
    let subject = Subject::new(trace, &request.options(), &workers).map_err(part_failure)?;
    Ok((subject, damaged))
}

/// [`subject`] for commands with one trace.
fn subject_of(input: &InputArgs, cut: &CutArgs, with_remarks: bool) -> Result<(Subject, bool), Failure> {
    subject(&input.trace, &input.read, cut, with_remarks)
}

/// Prints in one line that events were lost, for commands that print JSON.
fn report_losses(path: &Path, repairs: &[Repair]) {
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

/// The number of kinds of repairs that are listed; further ones are counted.
const AT_MOST: usize = 10;

/// Prints what is missing in a trace on standard error, and in one line what was repaired without loss.
fn report_repairs(path: &Path, repairs: &[Repair]) {
    let all: Vec<RepairAnswer> = repairs.iter().map(RepairAnswer::from).collect();
    let lost: Vec<RepairAnswer> = all.iter().filter(|repair| repair.loss).cloned().collect();
    remark_each_repair(path, &lost);
    report::harmless_repairs(&all).iter().for_each(|line| screen::remark(line));
}

/// Prints a line for each kind of repair.
fn remark_each_repair(path: &Path, repairs: &[RepairAnswer]) {
    let lines = report::repairs(repairs);
    lines.iter().take(AT_MOST).for_each(|line| screen::remark(line));
    if lines.len() > AT_MOST {
        let more = lines.len() - AT_MOST;
        let path = path.display();
        screen::remark(&format!("{path}: {more} more kinds of repairs; `lotse trace info --json` lists all"));
    }
}

/// Prints an answer as JSON, CSV or text. CSV has only one of its tables: the one named `table`, or the first.
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

/// [`print()`] with only the call paths that `--only` and `--exclude` choose, and a note about those left out. JSON always has all
/// rows.
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

/// The number of rows to show, 0 for all: the number asked for, else `usual` in text and all in CSV.
fn limit(output: &OutputArgs, given: Option<usize>, usual: usize) -> usize {
    given.unwrap_or(if output.csv { 0 } else { usual })
}

/// The exit status of an analysis, which also says whether the trace was damaged.
fn ending(damaged: bool) -> Exit {
    if damaged { Exit::Unreadable } else { Exit::Done }
}

/// Whether events or definitions of the trace are missing.
fn is_damaged(trace: &Trace) -> bool {
    trace.repairs.iter().any(|repair| repair.loss)
}

/// The owner of what [`Options`] borrow during the analysis.
struct AnalysisRequest {
    name: String,
    thresholds: Thresholds,
    phase: Option<usize>,
    focus: Option<String>,
    clock: Clocks,
    /// The options as given, for the commands that findings advise; only `analyze` has findings.
    call: Invocation,
}

impl AnalysisRequest {
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

/// The failure for a part of the run that does not exist, with the regions that may be meant.
fn part_failure(error: NoSuchPart) -> Failure {
    let NoSuchPart::Region(region) = &error else { return Failure::new(Exit::Usage, &error) };
    let near = near(region.known.iter().map(String::as_str), &region.name);
    let hint = match near[..] {
        [] => "`lotse trace analyze --level region` lists all".to_owned(),
        _ => format!("near are {}", near.join(", ")),
    };
    Failure::usage(format!("{error}; {hint}"))
}
