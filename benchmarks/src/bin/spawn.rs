//! What a run of an empty static program costs, and how much memory it is said to need: a bare `posix_spawn` +
//! `wait4`, Lotse's launcher, `lotse bench`, hyperfine and GNU time.

use std::process::ExitCode;

use benchmarks::journal::Journal;
use benchmarks::machine::Versions;
use benchmarks::spawning::{Contender, Round, RoundOptions, Spread, measure, ratios, values};
use benchmarks::subject::{EMPTIES, Empty, SPAWN};
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
    let versions = Versions::query(&tools, &mut workshop)?;
    for empty in EMPTIES {
        empty.build(&mut workshop)?;
    }
    workshop.compile("spawn", SPAWN, &[])?;
    let parameters = json!({"runs": args.runs});
    let mut journal = args.tools.journal("spawn", versions, parameters, || Ok(Value::Null))?;
    for number in 0..args.rounds {
        for program in EMPTIES.map(|empty| empty.name) {
            let options = RoundOptions { number, program, runs: args.runs };
            make_round(&mut workshop, &tools, &mut journal, &options)?;
        }
    }
    let rounds: Vec<Round> = journal.records(KIND)?;
    for empty in EMPTIES {
        let ours: Vec<_> = rounds.iter().filter(|it| it.program == empty.name).cloned().collect();
        show_costs(&empty, &ours)?;
        show_memory(&empty, &ours)?;
    }
    Ok(())
}

fn make_round(
    workshop: &mut Workshop,
    tools: &Tools,
    journal: &mut Journal,
    options: &RoundOptions<'_>,
) -> Result<(), Error> {
    let done: Vec<Round> = journal.records(KIND)?;
    let is_done = |contender| {
        let same = |it: &Round| it.number == options.number && it.program == options.program;
        done.iter().any(|it| same(it) && it.contender == contender)
    };
    for contender in turn(options.number).into_iter().filter(|it| !is_done(*it)) {
        if let Some(round) = measure(workshop, tools, options, contender)? {
            journal.append(KIND, &round)?;
        }
    }
    Ok(())
}

/// Every round begins with another contender.
fn turn(number: u32) -> [Contender; 5] {
    let mut all = Contender::ALL;
    all.rotate_left(number as usize % Contender::ALL.len());
    all
}

fn show_costs(empty: &Empty, rounds: &[Round]) -> Result<(), Error> {
    let timed = Contender::ALL.into_iter().filter(|it| *it != Contender::GnuTime);
    let row = |contender: Contender| -> Result<Vec<String>, Error> {
        let median = |figure: fn(&Round) -> Option<f64>| -> Result<String, Error> {
            let spread = Spread::from_values(&values(rounds, contender, figure))?;
            Ok(table::decimals_or_dash(spread.map(|it| it.median / 1000.0), 1))
        };
        let ratio = |figure| Spread::from_values(&ratios(rounds, contender, figure)).map(ratio_text);
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
    let what = empty.description;
    let caption = format!("Cost of a run of {what}: medians of rounds, ratios to posix_spawn + wait4");
    table::print(&caption, &titles, &timed.map(row).collect::<Result<Vec<_>, _>>()?)
}

fn ratio_text(spread: Option<Spread>) -> String {
    let text = |it: Spread| format!("{:.3} ({:.3} to {:.3})", it.median, it.least, it.most);
    spread.map_or_else(|| "–".to_owned(), text)
}

fn show_memory(empty: &Empty, rounds: &[Round]) -> Result<(), Error> {
    let peak =
        |contender| Spread::from_values(&values(rounds, contender, |it| it.peak_bytes.map(|it| it / 1024.0)));
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
    let caption = format!("Peak memory of {} (largest of a round, median of rounds)", empty.description);
    table::print(&caption, &titles, &rows)
}
