//! Separation: what each action does to the time of a program beside busy loops, all of them in turn in one run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use benchmarks::calibration::Cost;
use benchmarks::load::BusyLoops;
use benchmarks::lotse::Lotse;
use benchmarks::subject::{BUSY, WORK};
use benchmarks::table;
use benchmarks::workshop::Workshop;
use benchmarks::{Dice, Error, finish};
use clap::Parser;
use lotse_stats::StatsError;
use lotse_stats::descriptive::{median, sample_sd};
use serde_json::Value;

const NOTHING: &str = "nothing";
/// Every action, with what it needs on a machine of two CPUs.
const ACTIONS: [&str; 20] = [
    NOTHING,
    "nice",
    "ionice",
    "nice-others",
    "fifo",
    "stop-others",
    "affinity=1",
    "cpuset=1",
    "smt",
    "turbo",
    "governor",
    "swap",
    "aslr",
    "thp",
    "drop-caches",
    "sync",
    "pause",
    "preheat=1",
    "cache-flush",
    "usable",
];

/// Measures one program beside busy loops, with each action and without.
#[derive(Parser)]
struct Args {
    /// Runs with each action
    #[arg(long, default_value_t = 7)]
    rounds: u32,
    /// Seconds of a run
    #[arg(long, default_value_t = 0.4)]
    seconds: f64,
    /// Busy loops beside it
    #[arg(long, default_value_t = 2)]
    loops: u32,
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
}

/// What was seen of one action.
#[derive(Debug, Default)]
struct Seen {
    times: Vec<f64>,
    effect: Option<String>,
    refused: Option<String>,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let mut workshop = Workshop::open()?;
    let lotse = Lotse::find(args.lotse.as_deref())?;
    let subject = workshop.compile("work", WORK, &[])?;
    let busy = workshop.compile("busy", BUSY, &[])?;
    let steps = Cost::measure(&mut workshop, &subject)?.steps(args.seconds)?;
    let bound =
        Duration::from_secs_f64(60.0 + f64::from(args.rounds) * ACTIONS.len() as f64 * args.seconds * 8.0);
    let loops = BusyLoops::start(&busy, args.loops, bound)?;
    let others: Vec<String> = loops.ids().iter().map(ToString::to_string).collect();
    let mut seen: BTreeMap<&str, Seen> = BTreeMap::new();
    let mut dice = Dice::new(3, "order", u64::from(args.rounds));
    for _ in 0..args.rounds {
        for action in shuffled(&mut dice) {
            let answer = measured(&mut workshop, &lotse, action, &others.join(","), steps)?;
            note(seen.entry(action).or_default(), &answer);
        }
    }
    drop(loops);
    let rows: Vec<Vec<String>> = ACTIONS.iter().map(|action| row(action, &seen)).collect();
    let caption = format!("{} runs of {} s beside {} busy loops", args.rounds, args.seconds, args.loops);
    table::print(
        &caption,
        &["action", "median, ms", "sd, ms", "against nothing", "effect, or why not"],
        &rows,
    )
}

fn shuffled(dice: &mut Dice) -> Vec<&'static str> {
    let mut order = ACTIONS.to_vec();
    for last in (1..order.len()).rev() {
        order.swap(last, dice.below(last as u64 + 1) as usize);
    }
    order
}

fn measured(
    workshop: &mut Workshop,
    lotse: &Lotse,
    action: &str,
    others: &str,
    steps: u64,
) -> Result<Value, Error> {
    let mut argv = vec![lotse.path().display().to_string(), "bench".to_owned(), "--json".to_owned()];
    if action != NOTHING {
        argv.extend(["--separate".to_owned(), action.to_owned(), format!("--separate-only={others}")]);
    }
    argv.extend(["--runs".to_owned(), "1".to_owned(), format!("./work {steps}")]);
    let output = workshop.run("lotse", &argv, &[0, 4, 5])?.stdout;
    Ok(serde_json::from_str(&output).unwrap_or(Value::Null))
}

fn note(seen: &mut Seen, answer: &Value) {
    let word = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let list = |key: &str| answer["separation"][key].as_array().cloned().unwrap_or_else(Vec::new);
    let effects: Vec<String> = list("applied").iter().filter_map(|action| word(action, "effect")).collect();
    let reasons: Vec<String> = list("refused").iter().filter_map(|action| word(action, "reason")).collect();
    if !effects.is_empty() {
        seen.effect = Some(effects.join("; "));
    }
    if !reasons.is_empty() {
        seen.refused = Some(reasons.join("; "));
    }
    seen.times.extend(answer["programs"][0]["samples"]["wall"][0].as_f64());
}

fn row(action: &str, all: &BTreeMap<&str, Seen>) -> Vec<String> {
    let empty = Seen::default();
    let seen = all.get(action).unwrap_or(&empty);
    let middle = |seen: &Seen| median(&seen.times);
    let milliseconds = |value: Result<f64, StatsError>| {
        value.map_or_else(|_| "–".to_owned(), |value| format!("{:.0}", value * 1e3))
    };
    let ratio = match (middle(seen), all.get(NOTHING).map(middle)) {
        (Ok(own), Some(Ok(base))) => format!("{:.2}", own / base),
        _ => "–".to_owned(),
    };
    let effect_text = match (&seen.effect, &seen.refused) {
        (Some(effect), _) => effect.clone(),
        (None, Some(reason)) => format!("refused: {reason}"),
        (None, None) => String::new(),
    };
    vec![
        action.to_owned(),
        milliseconds(middle(seen)),
        milliseconds(sample_sd(&seen.times)),
        ratio,
        shortened(&effect_text),
    ]
}

/// Effects list every process; the first words tell enough.
fn shortened(text: &str) -> String {
    const MOST: usize = 70;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain(['…']).collect()
    }
}
