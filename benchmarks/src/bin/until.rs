//! `--until ±1%`: stops early on a quiet program, and is honestly undecided within its budget on a noisy one.

use std::process::ExitCode;

use benchmarks::calibration::Cost;
use benchmarks::campaign::RUN_SECONDS;
use benchmarks::journal::Journal;
use benchmarks::lotse::Verdict;
use benchmarks::machine::Versions;
use benchmarks::subject::{NOISY, Twins, WORK};
use benchmarks::table::{self, percent_or_dash};
use benchmarks::tools::{ToolArgs, Tools};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish};
use clap::Parser;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Asks Lotse for an interval of ±1 % on a quiet and on a noisy pair of programs.
#[derive(Parser)]
struct Args {
    /// Repetitions for each pair
    #[arg(long, default_value_t = 5)]
    repetitions: u32,
    /// Seconds for each program
    #[arg(long, default_value_t = 10.0)]
    budget: f64,
    #[command(flatten)]
    tools: ToolArgs,
}

/// One question to Lotse.
#[derive(Debug, Serialize, Deserialize)]
struct Repetition {
    subject: String,
    number: u32,
    /// Wall seconds used, Lotse's start and analysis included.
    used: f64,
    /// CPU seconds used, the measured programs included.
    cpu: f64,
    verdict: Verdict,
    half_width: Option<f64>,
    blocks: u32,
    stopped_by: String,
}

#[derive(Serialize, Deserialize)]
struct Facts {
    steps: u64,
    cost: Cost,
}

const SUBJECTS: [(&str, &str); 2] = [("quiet", WORK), ("noisy", NOISY)];
const KIND: &str = "repetition";

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let mut workshop = Workshop::open()?;
    let tools = Tools::find(&args.tools, &mut workshop)?;
    let versions = Versions::query(&tools, &mut workshop)?;
    let parameters = json!({"until": "±1%", "budget": args.budget, "run_seconds": RUN_SECONDS});
    let mut journal = args.tools.journal("until", versions, parameters, || {
        let twins = Twins::build(&mut workshop, WORK)?;
        let cost = Cost::measure(&mut workshop, &twins.original)?;
        Ok(json!(Facts { steps: cost.steps(RUN_SECONDS)?, cost }))
    })?;
    for (subject, source) in SUBJECTS {
        Twins::build(&mut workshop, source)?;
        repeat(args, subject, &tools, &mut workshop, &mut journal)?;
    }
    show(args, &journal.records(KIND)?)
}

fn repeat(
    args: &Args,
    subject: &str,
    tools: &Tools,
    workshop: &mut Workshop,
    journal: &mut Journal,
) -> Result<(), Error> {
    let steps = journal.facts::<Facts>()?.steps;
    let budget = format!("{}s", args.budget);
    let done: Vec<Repetition> = journal.records(KIND)?;
    for number in 0..args.repetitions {
        if done.iter().any(|it| it.subject == subject && it.number == number) {
            continue;
        }
        let options = ["--until", "±1%", "--budget", &budget];
        let (answer, finished) = tools.lotse.bench(workshop, &options, &Twins::commands(steps, steps))?;
        let primary = answer.primary()?;
        let repetition = Repetition {
            subject: subject.to_owned(),
            number,
            used: finished.seconds,
            cpu: finished.cpu_seconds,
            verdict: primary.verdict,
            half_width: primary.half_width(),
            blocks: primary.blocks,
            stopped_by: primary.stopped_by.clone(),
        };
        journal.append(KIND, &repetition)?;
    }
    Ok(())
}

fn show(args: &Args, repetitions: &[Repetition]) -> Result<(), Error> {
    let titles =
        ["subject", "wall s used", "budget s", "CPU s", "verdict", "half-width", "blocks", "stopped by"];
    let row = |it: &Repetition| {
        vec![
            it.subject.clone(),
            format!("{:.2}", it.used),
            format!("{:.2}", 2.0 * args.budget),
            format!("{:.2}", it.cpu),
            it.verdict.name().to_owned(),
            percent_or_dash(it.half_width),
            it.blocks.to_string(),
            it.stopped_by.clone(),
        ]
    };
    let caption =
        "--until ±1%: the quiet pair must stop before its budget, the noisy one say undecided within it";
    table::print(caption, &titles, &repetitions.iter().map(row).collect::<Vec<_>>())
}
