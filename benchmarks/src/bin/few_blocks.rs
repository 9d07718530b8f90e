//! False alarms, power and width of intervals with few blocks, by simulation of Lotse's rule and others.

use std::process::ExitCode;

use benchmarks::few_blocks::noise::Noise;
use benchmarks::few_blocks::rule::RULES;
use benchmarks::few_blocks::study::{Outcome, Study};
use benchmarks::{Error, finish, table};
use clap::Parser;

/// Simulates comparisons of few blocks under rules for looks and correlation.
#[derive(Parser)]
struct Args {
    /// Simulated trials of each kind
    #[arg(long, default_value_t = 4000)]
    trials: u32,
    /// Blocks of a trial
    #[arg(long, value_delimiter = ',', default_values_t = [10, 24, 48, 100, 400])]
    blocks: Vec<usize>,
    /// How many of the rules: 1 is the tool's, 2 the former one beside it
    #[arg(long, default_value_t = RULES.len())]
    rules: usize,
    /// True differences to find, beside none
    #[arg(long, value_delimiter = ',', default_values_t = [0.008, 0.012, 0.018])]
    differences: Vec<f64>,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let rules = &RULES[..args.rules.clamp(1, RULES.len())];
    for &blocks in &args.blocks {
        let study = Study::new(rules, blocks)?;
        let mut rows = Vec::new();
        for noise in Noise::ALL {
            let equal = study.run(noise, 0.0, args.trials)?;
            rows.push(row(noise, "false alarms", &equal, |it| share(it.claimed, args.trials)));
            if matches!(noise, Noise::Normal | Noise::CorrelatedDifferences) {
                rows.push(row(noise, "width, 90th percentile", &equal, width));
                for &difference in &args.differences {
                    let differ = study.run(noise, difference.ln_1p(), args.trials)?;
                    let what = format!("found {}", table::percent(difference));
                    rows.push(row(noise, &what, &differ, |it| share(it.claimed_last, args.trials)));
                }
            }
        }
        let titles: Vec<&str> =
            ["noise", "what"].into_iter().chain(rules.iter().map(|rule| rule.name)).collect();
        let caption = format!("{blocks} blocks, {} trials of each kind", args.trials);
        table::print(&caption, &titles, &rows)?;
    }
    Ok(())
}

fn row(noise: Noise, what: &str, outcomes: &[Outcome], cell: impl Fn(&Outcome) -> String) -> Vec<String> {
    [noise.name().to_owned(), what.to_owned()].into_iter().chain(outcomes.iter().map(cell)).collect()
}

fn share(count: u32, trials: u32) -> String {
    format!("{:.2} %", 100.0 * f64::from(count) / f64::from(trials))
}

/// The mean and the 90th percentile of the widths.
fn width(outcome: &Outcome) -> String {
    let mut widths = outcome.widths.clone();
    widths.sort_by(f64::total_cmp);
    let Some(high) = widths.get(widths.len() * 9 / 10) else { return "–".to_owned() };
    format!("{:.2}, {high:.2}", widths.iter().sum::<f64>() / widths.len() as f64)
}
