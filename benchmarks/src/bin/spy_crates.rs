//! Whether `lotse spy` records published crates that nobody prepared: their tests pass as before, at which cost.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::lotse::Lotse;
use benchmarks::machine::{Machine, load_average};
use benchmarks::spy::published::{self, Published};
use benchmarks::spy::trial::{Limits, Outcome, Trial};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;

/// Runs the tests of published crates as they are and recorded.
#[derive(Parser)]
struct Args {
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
    /// Only these crates [default: all]
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Append what came of each crate, findings included, as JSON lines
    #[arg(long, value_name = "FILE")]
    journal: Option<PathBuf>,
    /// Seconds that a build may take
    #[arg(long, default_value_t = 400)]
    build: u64,
    /// Seconds that tests may take
    #[arg(long, default_value_t = 200)]
    run: u64,
    /// Seconds that an analysis may take
    #[arg(long, default_value_t = 200)]
    analysis: u64,
}

/// Test programs print their time in steps of 10 ms: below this no slow-down is computed.
const SHORTEST: f64 = 0.05;

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn run(args: &Args) -> Result<(), Error> {
    let mut workshop = Workshop::open()?;
    let lotse = Lotse::find(args.lotse.as_deref())?;
    let load = table::decimals_or_dash(load_average(), 2);
    println!("spy_crates, machine: {}, load {load}\n", Machine::this().summary());
    let limits = Limits { build: args.build, run: args.run, analysis: args.analysis };
    let mut trial = Trial { workshop: &mut workshop, lotse: &lotse, limits };
    let mut rows = Vec::new();
    for published in
        published::all().filter(|it| args.only.is_empty() || args.only.iter().any(|name| name == it.name))
    {
        let outcome = trial.run(published)?;
        if let Some(file) = &args.journal {
            note(file, &outcome)?;
        }
        rows.push(row(published, &outcome));
    }
    let titles = [
        "",
        "",
        "tests",
        "recorded",
        "events",
        "slow-down",
        "named",
        "history MB",
        "analysis CPU s",
        "MB",
        "findings",
        "problem",
    ];
    table::print("tests of published crates, as they are and recorded", &titles, &rows)
}

fn note(file: &PathBuf, outcome: &Outcome) -> Result<(), Error> {
    let mut line =
        serde_json::to_string(outcome).map_err(|source| Error::Json { tool: "spy_crates", source })?;
    line.push('\n');
    let mut journal =
        OpenOptions::new().create(true).append(true).open(file).map_err(Error::file("open", file))?;
    journal.write_all(line.as_bytes()).map_err(Error::file("write", file))
}

fn row(published: &Published, outcome: &Outcome) -> Vec<String> {
    let answer = outcome.answer.as_ref();
    let tests = |tests: &benchmarks::spy::trial::Tests| match tests.failed {
        0 => tests.passed.to_string(),
        failed => format!("{} ({failed} fail)", tests.passed),
    };
    let slow_down = (outcome.plain.seconds >= SHORTEST && outcome.recorded.passed > 0)
        .then(|| outcome.recorded.seconds / outcome.plain.seconds);
    vec![
        published.name.to_owned(),
        published.letters(),
        tests(&outcome.plain),
        tests(&outcome.recorded),
        answer.map_or_else(|| "–".to_owned(), |answer| answer.events.to_string()),
        table::decimals_or_dash(slow_down, 1),
        table::percent_or_dash(answer.and_then(|answer| answer.coverage.share())),
        table::decimals_or_dash(Some(outcome.history as f64 / 1e6), 1),
        table::decimals_or_dash(answer.map(|_| outcome.analysis_seconds), 2),
        table::decimals_or_dash(answer.map(|_| outcome.analysis_memory as f64 / 1e6), 0),
        answer.map_or_else(|| "–".to_owned(), |answer| answer.findings.len().to_string()),
        outcome.problem.as_deref().unwrap_or("").to_owned(),
    ]
}
