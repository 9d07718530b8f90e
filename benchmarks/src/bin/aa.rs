//! A/A: how often a byte-identical copy is called faster or slower, by Lotse and by a Welch test on hyperfine.

use std::process::ExitCode;

use benchmarks::campaign::{Campaign, Plan};
use benchmarks::table::{self, percent, percent_or_dash};
use benchmarks::tally::Tally;
use benchmarks::tools::ToolArgs;
use benchmarks::{Error, finish};
use clap::Parser;
use serde_json::json;

/// Compares a program with a byte-identical copy of it and counts the false alarms.
#[derive(Parser)]
struct Args {
    /// Trials of Lotse
    #[arg(long, default_value_t = 100)]
    trials: u32,
    /// Trials of hyperfine, spread among them
    #[arg(long, default_value_t = 25)]
    peer_trials: u32,
    /// Seconds for a trial, half of them for each program
    #[arg(long, default_value_t = 6.0)]
    seconds: f64,
    /// Busy loops beside the measurement
    #[arg(long, default_value_t = 0)]
    load: u32,
    /// The metric judged
    #[arg(long, default_value = "wall")]
    metric: String,
    /// Seed of the order on the command line
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    tools: ToolArgs,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let plan = Plan {
        name: format!("aa-load{}-{}", args.load, args.metric),
        differences: vec![0.0],
        trials: args.trials,
        peer_trials: args.peer_trials,
        seconds: args.seconds,
        load: args.load,
        metric: args.metric.clone(),
        seed: args.seed,
    };
    let mut campaign = Campaign::prepare(&plan, &args.tools)?;
    let trials = campaign.run()?;
    let tallies = Tally::all(&trials, &plan.differences)?;
    campaign.conclude(&json!(tallies))?;
    let caption = "A/A: a program against its copy, so every claim of a difference is false";
    table::print(caption, TITLES, &tallies.iter().map(row).collect::<Vec<_>>())
}

const TITLES: &[&str] = &[
    "tool",
    "trials",
    "false claims",
    "faster",
    "slower",
    "equivalent",
    "undecided",
    "median ratio",
    "sd of ratio",
    "largest off",
    "off >= 1 %",
    "runs each",
    "wall s",
    "CPU s",
];

fn row(tally: &Tally) -> Vec<String> {
    vec![
        tally.tool.name().to_owned(),
        tally.trials.to_string(),
        tally.claims().to_string(),
        tally.faster.to_string(),
        tally.slower.to_string(),
        tally.equivalent.to_string(),
        tally.undecided.to_string(),
        format!("{:.5}", tally.median_ratio),
        percent_or_dash(tally.ratio_sd),
        percent(tally.largest),
        tally.noteworthy.to_string(),
        format!("{:.0}", tally.runs),
        format!("{:.2}", tally.seconds),
        format!("{:.2}", tally.cpu_seconds),
    ]
}
