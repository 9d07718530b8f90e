//! What a run of an empty static program costs, and how much memory it is said to need: a bare `posix_spawn` +
//! `wait4`, Lotse's launcher, `lotse bench`, hyperfine and GNU time.

use std::process::ExitCode;

use benchmarks::machine::Versions;
use benchmarks::spawning::{Contender, Round, Spread, measure, ratios, values};
use benchmarks::subject::{SPAWN, build_empty};
use benchmarks::table;
use benchmarks::tools::{ToolArgs, Tools};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish};
use clap::Parser;
use serde_json::{Value, json};

/// Measures the cost of running an empty program.
#[derive(Parser)]
struct Args {
    /// Runs of each contender in a round
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Rounds over all contenders
    #[arg(long, default_value_t = 9)]
    rounds: u32,
    #[command(flatten)]
    tools: ToolArgs,
}

const KIND: &str = "round";

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    let mut workshop = Workshop::open()?;
    let tools = Tools::find(&args.tools, &mut workshop)?;
    let versions = Versions::of(&tools, &mut workshop)?;
    build_empty(&mut workshop)?;
    workshop.compile("spawn", SPAWN, &[])?;
    let parameters = json!({"runs": args.runs});
    let mut journal = args.tools.journal("spawn", versions, parameters, || Ok(Value::Null))?;
    for number in 0..args.rounds {
        for contender in turn(number) {
            let done: Vec<Round> = journal.records(KIND)?;
            if done.iter().any(|it| it.number == number && it.contender == contender) {
                continue;
            }
            if let Some(round) = measure(&mut workshop, &tools, contender, number, args.runs)? {
                journal.append(KIND, &round)?;
            }
        }
    }
    let rounds: Vec<Round> = journal.records(KIND)?;
    show_costs(&rounds)?;
    show_memory(&rounds)
}

/// Every round begins with another contender.
fn turn(number: u32) -> [Contender; 5] {
    let mut all = Contender::ALL;
    all.rotate_left(number as usize % Contender::ALL.len());
    all
}

fn show_costs(rounds: &[Round]) -> Result<(), Error> {
    let timed = Contender::ALL.into_iter().filter(|it| *it != Contender::GnuTime);
    let row = |contender: Contender| -> Result<Vec<String>, Error> {
        let median = |figure: fn(&Round) -> Option<f64>| -> Result<String, Error> {
            let spread = Spread::of(&values(rounds, contender, figure))?;
            Ok(table::decimals_or_dash(spread.map(|it| it.median / 1000.0), 1))
        };
        let ratio = |figure| Spread::of(&ratios(rounds, contender, figure)).map(ratio_text);
        let rounds = values(rounds, contender, |it| it.whole_ns).len();
        Ok(vec![
            contender.name().to_owned(),
            rounds.to_string(),
            median(|it| it.whole_ns)?,
            ratio(|it| it.whole_ns)?,
            median(|it| it.inside_ns)?,
            ratio(|it| it.inside_ns)?,
            median(|it| it.cpu_ns)?,
        ])
    };
    let titles = [
        "contender",
        "rounds",
        "µs a run",
        "ratio (least to most)",
        "µs measured",
        "ratio (least to most)",
        "CPU µs a run",
    ];
    let caption =
        "Cost of a run of an empty static program: medians of rounds, ratios to posix_spawn + wait4";
    table::print(caption, &titles, &timed.map(row).collect::<Result<Vec<_>, _>>()?)
}

fn ratio_text(spread: Option<Spread>) -> String {
    let text = |it: Spread| format!("{:.3} ({:.3} to {:.3})", it.median, it.least, it.most);
    spread.map_or_else(|| "–".to_owned(), text)
}

fn show_memory(rounds: &[Round]) -> Result<(), Error> {
    let peak = |contender| Spread::of(&values(rounds, contender, |it| it.peak_bytes.map(|it| it / 1024.0)));
    let reference = peak(Contender::GnuTime)?.map(|it| it.median);
    let row = |contender: Contender| -> Result<Vec<String>, Error> {
        let spread = peak(contender)?;
        let off = spread.zip(reference).map(|(it, reference)| it.median - reference);
        let range = spread.map_or_else(|| "–".to_owned(), |it| format!("{:.0} to {:.0}", it.least, it.most));
        let median = table::decimals_or_dash(spread.map(|it| it.median), 0);
        Ok(vec![contender.name().to_owned(), median, range, table::decimals_or_dash(off, 0)])
    };
    let titles = ["contender", "KiB", "least to most", "off GNU time's"];
    let rows = Contender::ALL.into_iter().map(row).collect::<Result<Vec<_>, _>>()?;
    table::print(
        "Peak memory of the empty static program (the largest of a round; median of rounds)",
        &titles,
        &rows,
    )
}
