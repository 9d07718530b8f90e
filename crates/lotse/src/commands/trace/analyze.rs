//! `lotse trace analyze`.

use lotse_trace::analyze::{LevelAnswer, analyze};
use lotse_trace::answer::{Answer, SeveritiesAnswer, SeverityAnswer};
use lotse_trace::class::Class;
use lotse_trace::levels::{Level, at_level};
use lotse_trace::report;

use super::metrics::metrics;
use super::{
    AnalysisRequest, ending, is_damaged, limit, part_failure, print, print_filtered, read, subject_of,
    threads,
};
use crate::args::trace::{AnalyzeArgs, ClockArg, LevelArg};
use crate::exit::{Exit, Failure};
use crate::progress::ProgressLine;
use crate::screen;

/// The number of rows of a list in text.
const USUAL_LIMIT: usize = 10;

/// Analyses a trace, and prints the whole answer or only one table, level or metric.
pub(crate) fn run(args: &AnalyzeArgs) -> Result<Exit, Failure> {
    if let Some(at) = args.level {
        if !args.filter.filter().is_empty() {
            return Err(Failure::usage("--level has no call paths that --only or --exclude could choose"));
        }
        return print_level(args, level(at));
    }
    let metrics = args.metric.as_deref().map(|name| metrics(name, &[])).transpose()?;
    let request =
        AnalysisRequest { call: args.call.clone(), ..AnalysisRequest::new(&args.input.trace, &args.cut)? };
    let trace = read(&args.input.trace, &args.input.read, !args.output.json)?;
    let damaged = is_damaged(&trace);
    let mut line = ProgressLine::new(true);
    let workers = threads(&args.input.read, "analysing", &mut line);
    let options =
        lotse_trace::analyze::Options { least_share: args.min_share, quick: args.quick, ..request.options() };
    let answer = analyze(trace, &options, &workers).map_err(part_failure)?;
    match metrics {
        Some(metrics) => {
            print_severities(args, &answer, &rows_of_metrics(&metrics, severities_by_clock(args, &answer)))?
        }
        None if args.output.csv && args.table.as_deref().is_none_or(|name| name == "waits") => {
            print_severities(args, &answer, severities_by_clock(args, &answer))?;
        }
        None => print_answer(args, &answer)?,
    }
    Ok(ending(damaged))
}

/// Prints the times and waits of each process, thread or the like, of all metrics or of one.
fn print_level(args: &AnalyzeArgs, level: Level) -> Result<Exit, Failure> {
    let classes: Vec<&str> = Class::ALL.iter().map(|class| class.id()).collect();
    let metrics = args.metric.as_deref().map(|name| metrics(name, &classes)).transpose()?;
    let (subject, damaged) = subject_of(&args.input, &args.cut, !args.output.json)?;
    let mut rows = at_level(&subject.trace, &subject.waits, level);
    rows.retain(|row| metrics.as_ref().is_none_or(|metrics| metrics.contains(&row.metric)));
    let answer = LevelAnswer { schema: "lotse.trace.level/1", level, rows };
    let limit = limit(&args.output, args.limit, USUAL_LIMIT);
    print(&args.output, None, &answer, || report::levels(&answer.rows, limit))?;
    remark_cut(args, limit, answer.rows.len());
    Ok(ending(damaged))
}

fn level(level: LevelArg) -> Level {
    match level {
        LevelArg::Program => Level::Program,
        LevelArg::Machine => Level::Machine,
        LevelArg::Process => Level::Process,
        LevelArg::Thread => Level::Thread,
        LevelArg::Region => Level::Region,
        LevelArg::Activity => Level::Activity,
    }
}

/// Prints all tables of the answer, and as text also the findings.
fn print_answer(args: &AnalyzeArgs, answer: &Answer) -> Result<(), Failure> {
    let limit = limit(&args.output, args.limit, USUAL_LIMIT);
    let document = |limit| report::analyze(answer, limit);
    print_filtered(&args.output, args.table.as_deref(), answer, (&args.filter, limit), document)?;
    if !args.output.json && !args.output.csv {
        let most = if limit == 0 { answer.findings.len() } else { limit };
        screen::findings(&answer.findings[..most.min(answer.findings.len())], None)?;
    }
    Ok(())
}

/// Prints a table of severities.
fn print_severities(args: &AnalyzeArgs, answer: &Answer, rows: &[SeverityAnswer]) -> Result<(), Failure> {
    let limit = limit(&args.output, args.limit, USUAL_LIMIT);
    let json = SeveritiesAnswer { schema: "lotse.trace.severities/1", severities: rows.to_vec() };
    let document = |limit| report::severities(answer, rows, limit);
    print_filtered(&args.output, None, &json, (&args.filter, limit), document)?;
    remark_cut(args, limit, rows.len());
    Ok(())
}

/// Prints a remark that a table has more rows than are shown.
fn remark_cut(args: &AnalyzeArgs, limit: usize, rows: usize) {
    if !args.output.json && limit > 0 && rows > limit {
        screen::remark(&format!("shown: {limit} of {rows} rows; --limit 0 shows all"));
    }
}

/// The severities by raw or by corrected clocks, as asked for.
fn severities_by_clock<'a>(args: &AnalyzeArgs, answer: &'a Answer) -> &'a [SeverityAnswer] {
    match args.cut.clock {
        ClockArg::Raw => &answer.severities,
        ClockArg::Corrected => &answer.corrected_severities,
    }
}

/// The rows of some metrics.
fn rows_of_metrics(metrics: &[&str], rows: &[SeverityAnswer]) -> Vec<SeverityAnswer> {
    rows.iter().filter(|row| metrics.contains(&row.metric)).cloned().collect()
}
