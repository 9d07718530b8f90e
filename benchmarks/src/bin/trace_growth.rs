//! Whether `lotse trace analyze` takes time in proportion to the size of a trace, in whichever direction it grows.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use benchmarks::lotse::Lotse;
use benchmarks::machine::{Machine, load_average};
use benchmarks::trace::growth::Growth;
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;
use lotse_host::{Job, Output};

/// Measures the analysis of traces whose size is doubled twice.
#[derive(Parser)]
struct Args {
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
    /// Only these traces [default: all]
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Only write the large traces into a folder
    #[arg(long, value_name = "FOLDER")]
    prepare: Option<PathBuf>,
    /// Rounds, of which the shortest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Seconds after which a run is given up
    #[arg(long, default_value_t = 120)]
    timeout: u64,
}

/// Twice the size may take so many times as long: caches and the logarithm of sorting cost something.
const MOST: f64 = 2.5;
/// Times below this many seconds are those of the start of the program.
const START: f64 = 0.02;

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn run(args: &Args) -> Result<(), Error> {
    let is_asked = |it: &Growth| args.only.is_empty() || args.only.iter().any(|name| name == it.name);
    if let Some(folder) = &args.prepare {
        for growth in Growth::all().filter(is_asked) {
            println!("{}", growth.write(growth.large, &folder.join(growth.name))?.display());
        }
        return Ok(());
    }
    let mut workshop = Workshop::open()?;
    let lotse = Lotse::find(args.lotse.as_deref())?;
    let load = table::decimals_or_dash(load_average(), 2);
    println!("trace_growth, machine: {}, load {load}\n", Machine::this().summary());
    let mut rows = Vec::new();
    for growth in Growth::all().filter(is_asked) {
        rows.push(measured(args, &growth, &lotse, &mut workshop)?);
    }
    let titles =
        ["", "size", "events", "CPU s at 1/4", "1/2", "1", "µs each", "1/2 : 1/4", "1 : 1/2", "linear"];
    table::print("lotse trace analyze --json --threads 1, shortest of all rounds", &titles, &rows)
}

fn measured(
    args: &Args,
    growth: &Growth,
    lotse: &Lotse,
    workshop: &mut Workshop,
) -> Result<Vec<String>, Error> {
    let sizes = [growth.large / 4, growth.large / 2, growth.large];
    let mut times = [None; 3];
    let mut events = 0;
    for (time, size) in times.iter_mut().zip(sizes) {
        let sketch = (growth.sketch)(size);
        events = sketch.events();
        let folder = workshop.path(&format!("{}-{size}", growth.name));
        let anchor = sketch.write(&folder).map_err(Error::file("write a trace into", &folder))?;
        *time = shortest(args, &anchor, lotse, workshop)?;
        if time.is_none() {
            break;
        }
    }
    let ratio = |of: usize, to: usize| Some(times[of]? / times[to]?.max(START));
    let ratios = [ratio(1, 0), ratio(2, 1)];
    let is_linear = ratios.iter().all(|ratio| ratio.is_some_and(|ratio| ratio <= MOST));
    let each = times[2].map(|seconds| seconds * 1e6 / growth.large as f64);
    let mut row = vec![growth.unit.to_owned(), growth.large.to_string(), events.to_string()];
    row.extend(times.map(|time| time.map_or_else(|| "given up".to_owned(), |time| format!("{time:.3}"))));
    row.push(table::decimals_or_dash(each, 2));
    row.extend(ratios.map(|ratio| table::decimals_or_dash(ratio, 2)));
    row.push(if is_linear { "yes" } else { "no" }.to_owned());
    Ok(row)
}

/// CPU seconds of the shortest round; none where one takes too long.
fn shortest(
    args: &Args,
    anchor: &PathBuf,
    lotse: &Lotse,
    workshop: &mut Workshop,
) -> Result<Option<f64>, Error> {
    let words = ["--json", "--threads", "1"].map(OsString::from);
    let head = [lotse.path().into(), "trace".into(), "analyze".into(), anchor.into()];
    let argv: Vec<OsString> = head.into_iter().chain(words).collect();
    let timeout = Some(Duration::from_secs(args.timeout));
    let job =
        Job { stdout: Output::Null, stderr: Output::Capture { limit: 1 << 12 }, timeout, ..Job::new(argv) };
    let mut shortest: Option<f64> = None;
    for _ in 0..args.rounds {
        let report = workshop.launcher().run(&job)?;
        let seconds = (report.usage.user_ns + report.usage.system_ns) as f64 / 1e9;
        if report.wall_ns >= args.timeout * 1_000_000_000 {
            return Ok(None);
        }
        if !report.end.is_success() {
            let output = String::from_utf8_lossy(&report.stderr.bytes).trim().to_owned();
            return Err(Error::Tool { tool: "lotse trace analyze", end: report.end, output });
        }
        shortest = Some(shortest.map_or(seconds, |shortest| shortest.min(seconds)));
    }
    Ok(shortest)
}
