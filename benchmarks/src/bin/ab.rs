//! A/B: how often a true difference is found, and how often with the wrong sign, by Lotse and by a Welch test
//! on hyperfine in the same time.

use std::process::ExitCode;

use benchmarks::campaign::{Campaign, Plan};
use benchmarks::table::{self, percent, percent_or_dash};
use benchmarks::tally::Tally;
use benchmarks::tools::ToolArgs;
use benchmarks::{Error, finish};
use clap::Parser;
use serde_json::json;

/// Compares a program with a copy that does a little more work and counts how often that is found.
#[derive(Parser)]
struct Args {
    /// True differences: shares of work that one of the two does more
    #[arg(long, value_delimiter = ',', default_value = "0.005,0.01,0.02,0.05")]
    differences: Vec<f64>,
    /// Trials of Lotse at each difference
    #[arg(long, default_value_t = 10)]
    trials: u32,
    /// Trials of hyperfine at each difference
    #[arg(long, default_value_t = 10)]
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
    /// Seed of who is slower and of the order on the command line
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
        name: format!("ab-load{}-{}", args.load, args.metric),
        differences: args.differences.clone(),
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
    let caption =
        "A/B: a program against one with more steps; found is called slower, wrong is called faster";
    table::print(caption, TITLES, &tallies.iter().map(row).collect::<Vec<_>>())
}

const TITLES: &[&str] = &[
    "more steps",
    "tool",
    "trials",
    "found",
    "wrong sign",
    "equivalent",
    "undecided",
    "median ratio",
    "sd of ratio",
    "runs each",
    "wall s",
    "CPU s",
];

fn row(tally: &Tally) -> Vec<String> {
    vec![
        percent(tally.difference),
        tally.tool.name().to_owned(),
        tally.trials.to_string(),
        tally.slower.to_string(),
        tally.faster.to_string(),
        tally.equivalent.to_string(),
        tally.undecided.to_string(),
        format!("{:.5}", tally.median_ratio),
        percent_or_dash(tally.ratio_sd),
        format!("{:.0}", tally.runs),
        format!("{:.2}", tally.seconds),
        format!("{:.2}", tally.cpu_seconds),
    ]
}
