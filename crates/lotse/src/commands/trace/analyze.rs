//! `lotse trace analyze`.

use lotse_trace::analyze::{LevelAnswer, analyze};
use lotse_trace::answer::{Answer, SeveritiesAnswer, SeverityAnswer};
use lotse_trace::levels::{Level, at_level};
use lotse_trace::metric::Metric;
use lotse_trace::{patterns, report};

use super::{Asked, ending, hands, is_damaged, phase_failure, print, read, subject};
use crate::args::trace::{AnalyzeArgs, ClockArg, LevelArg};
use crate::exit::{Exit, Failure};
use crate::progress::Line;
use crate::screen;

pub(crate) fn run(args: &AnalyzeArgs) -> Result<Exit, Failure> {
    if let Some(at) = args.level {
        return by_level(args, level(at));
    }
    let metric = args.metric.as_deref().map(metric).transpose()?;
    let asked = Asked::new(&args.input.trace, &args.cut)?;
    let trace = read(&args.input.trace, &args.input.read, !args.output.json)?;
    let damaged = is_damaged(&trace);
    let mut line = Line::new(true);
    let workers = hands(&args.input.read, "analysing", &mut line);
    let options =
        lotse_trace::analyze::Options { least_share: args.min_share, quick: args.quick, ..asked.options() };
    let answer = analyze(trace, &options, &workers).map_err(phase_failure)?;
    match metric {
        Some(metric) => table(args, &answer, &of(metric, shown(args, &answer)))?,
        None if args.output.csv => table(args, &answer, shown(args, &answer))?,
        None => whole(args, &answer)?,
    }
    Ok(ending(damaged))
}

/// Times and waits at one level, all of them or those of one metric.
fn by_level(args: &AnalyzeArgs, level: Level) -> Result<Exit, Failure> {
    let metric = args.metric.as_deref();
    let (subject, damaged) = subject(&args.input, &args.cut, !args.output.json)?;
    let mut rows = at_level(&subject.trace, &subject.waits, level);
    rows.retain(|row| metric.is_none_or(|metric| row.metric == metric));
    let answer = LevelAnswer { schema: "lotse.trace.level/1", level, rows };
    let limit = if args.output.csv { 0 } else { args.limit };
    print(&args.output, &answer, || report::levels(&answer.rows, limit))?;
    if !args.output.json && limit > 0 && answer.rows.len() > limit {
        screen::remark(&format!("shown: {limit} of {} rows; --limit 0 shows all", answer.rows.len()));
    }
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
    print(&args.output, answer, || report::analyze(answer, args.limit))?;
    if !args.output.json {
        let most = if args.limit == 0 { answer.findings.len() } else { args.limit };
        screen::findings(&answer.findings[..most.min(answer.findings.len())], None)?;
    }
    Ok(())
}

fn table(args: &AnalyzeArgs, answer: &Answer, rows: &[SeverityAnswer]) -> Result<(), Failure> {
    let limit = if args.output.csv { 0 } else { args.limit };
    let json = SeveritiesAnswer { schema: "lotse.trace.severities/1", severities: rows.to_vec() };
    print(&args.output, &json, || report::severities(answer, rows, limit))
}

/// Severities by the clocks asked for.
fn shown<'a>(args: &AnalyzeArgs, answer: &'a Answer) -> &'a [SeverityAnswer] {
    match args.cut.clock {
        ClockArg::Raw => &answer.severities,
        ClockArg::Corrected => &answer.corrected_severities,
    }
}

fn metric(id: &str) -> Result<&'static Metric, Failure> {
    let known = || patterns::metrics().map(|metric| metric.id).collect::<Vec<_>>().join(", ");
    patterns::metrics()
        .find(|metric| metric.id == id)
        .ok_or_else(|| Failure::usage(format!("there is no metric {id:?}; there are {}", known())))
}

/// The rows of a metric and of its parts.
fn of(metric: &Metric, rows: &[SeverityAnswer]) -> Vec<SeverityAnswer> {
    let wanted: Vec<&str> =
        patterns::metrics().filter(|it| it.is_within(metric.id)).map(|metric| metric.id).collect();
    rows.iter().filter(|row| wanted.contains(&row.metric)).cloned().collect()
}
