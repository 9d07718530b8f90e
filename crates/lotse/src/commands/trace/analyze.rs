//! `lotse trace analyze`.

use lotse_trace::analyze::{LevelAnswer, analyze};
use lotse_trace::answer::{Answer, SeveritiesAnswer, SeverityAnswer};
use lotse_trace::class::Class;
use lotse_trace::levels::{Level, at_level};
use lotse_trace::report;

use super::metrics::metrics;
use super::{
    Asked, ending, is_damaged, limit, part_failure, print, print_filtered, read, subject_of, threads,
};
use crate::args::trace::{AnalyzeArgs, ClockArg, LevelArg};
use crate::exit::{Exit, Failure};
use crate::progress::Line;
use crate::screen;

/// Rows in a list for people.
const USUAL_LIMIT: usize = 10;

pub(crate) fn run(args: &AnalyzeArgs) -> Result<Exit, Failure> {
    if let Some(at) = args.level {
        if !args.filter.filter().is_empty() {
            return Err(Failure::usage("--level has no call paths that --only or --exclude could choose"));
        }
        return by_level(args, level(at));
    }
    let metrics = args.metric.as_deref().map(|name| metrics(name, &[])).transpose()?;
    let asked = Asked { call: args.call.clone(), ..Asked::new(&args.input.trace, &args.cut)? };
    let trace = read(&args.input.trace, &args.input.read, !args.output.json)?;
    let damaged = is_damaged(&trace);
    let mut line = Line::new(true);
    let workers = threads(&args.input.read, "analysing", &mut line);
    let options =
        lotse_trace::analyze::Options { least_share: args.min_share, quick: args.quick, ..asked.options() };
    let answer = analyze(trace, &options, &workers).map_err(part_failure)?;
    match metrics {
        Some(metrics) => table(args, &answer, &of(&metrics, shown(args, &answer)))?,
        None if args.output.csv && args.table.as_deref().is_none_or(|name| name == "waits") => {
            table(args, &answer, shown(args, &answer))?;
        }
        None => whole(args, &answer)?,
    }
    Ok(ending(damaged))
}

/// Times and waits at one level, all of them or those of one metric.
fn by_level(args: &AnalyzeArgs, level: Level) -> Result<Exit, Failure> {
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

fn whole(args: &AnalyzeArgs, answer: &Answer) -> Result<(), Failure> {
    let limit = limit(&args.output, args.limit, USUAL_LIMIT);
    let document = |limit| report::analyze(answer, limit);
    print_filtered(&args.output, args.table.as_deref(), answer, (&args.filter, limit), document)?;
    if !args.output.json && !args.output.csv {
        let most = if limit == 0 { answer.findings.len() } else { limit };
        screen::findings(&answer.findings[..most.min(answer.findings.len())], None)?;
    }
    Ok(())
}

fn table(args: &AnalyzeArgs, answer: &Answer, rows: &[SeverityAnswer]) -> Result<(), Failure> {
    let limit = limit(&args.output, args.limit, USUAL_LIMIT);
    let json = SeveritiesAnswer { schema: "lotse.trace.severities/1", severities: rows.to_vec() };
    let document = |limit| report::severities(answer, rows, limit);
    print_filtered(&args.output, None, &json, (&args.filter, limit), document)?;
    remark_cut(args, limit, rows.len());
    Ok(())
}

/// Says that there are more rows than shown.
fn remark_cut(args: &AnalyzeArgs, limit: usize, rows: usize) {
    if !args.output.json && limit > 0 && rows > limit {
        screen::remark(&format!("shown: {limit} of {rows} rows; --limit 0 shows all"));
    }
}

/// Severities by the clocks asked for.
fn shown<'a>(args: &AnalyzeArgs, answer: &'a Answer) -> &'a [SeverityAnswer] {
    match args.cut.clock {
        ClockArg::Raw => &answer.severities,
        ClockArg::Corrected => &answer.corrected_severities,
    }
}

/// The rows of some metrics.
fn of(metrics: &[&str], rows: &[SeverityAnswer]) -> Vec<SeverityAnswer> {
    rows.iter().filter(|row| metrics.contains(&row.metric)).cloned().collect()
}
