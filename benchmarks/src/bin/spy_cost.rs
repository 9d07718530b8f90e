//! What recording by `lotse spy run` costs: nanoseconds for a regular and an irregular access, with the collector running, and
//! the slow-down of small kernels.

use std::collections::BTreeMap;
use std::fs;
use std::process::ExitCode;

use benchmarks::lotse::Lotse;
use benchmarks::machine::{Machine, load_average};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;

/// Measures what recording costs.
#[derive(Parser)]
struct Args {
    /// Rounds of both; the best time of each kernel counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<std::path::PathBuf>,
}

const PROGRAM: &str = include_str!("../../programs/spy_cost.rs");
const MANIFEST: &str =
    "[package]\nname = \"spy_cost\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

/// A kernel's accesses and its best time in seconds.
type Kernels = BTreeMap<String, (f64, f64)>;

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn run(args: &Args) -> Result<(), Error> {
    let mut workshop = Workshop::open()?;
    let lotse = Lotse::find(args.lotse.as_deref())?.path().display().to_string();
    for (name, text) in [("Cargo.toml", MANIFEST), ("src/main.rs", PROGRAM)] {
        let path = workshop.path(name);
        let folder = path.parent().unwrap_or(&path);
        fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        fs::write(&path, text).map_err(Error::file("write", &path))?;
    }
    println!("{}, load {:?}", Machine::this().summary(), load_average());
    let plain = "cargo run --release --offline --quiet";
    let recorded =
        format!("{lotse} spy run --no-second-run --target-dir recorded -o a.lotse-history -- {plain}");
    let (mut before, mut after) = (Kernels::new(), Kernels::new());
    for _ in 0..args.rounds {
        best(&mut before, &output(&mut workshop, plain)?);
        best(&mut after, &output(&mut workshop, &recorded)?);
    }
    show(&before, &after)
}

fn output(workshop: &mut Workshop, line: &str) -> Result<String, Error> {
    let argv: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    Ok(workshop.run("the recorded command", &argv, &[0])?.stdout)
}

/// Takes the better times over.
fn best(kernels: &mut Kernels, text: &str) {
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, accesses, seconds] = words[..] else { continue };
        let (Ok(accesses), Ok(seconds)) = (accesses.parse::<f64>(), seconds.parse::<f64>()) else { continue };
        let entry = kernels.entry(name.to_owned()).or_insert((accesses, seconds));
        entry.1 = entry.1.min(seconds);
    }
}

fn show(before: &Kernels, after: &Kernels) -> Result<(), Error> {
    let rows: Vec<Vec<String>> = before
        .iter()
        .filter_map(|(name, &(accesses, plain))| {
            let (_, recorded) = *after.get(name)?;
            let each = |seconds: f64| format!("{:.2}", seconds * 1e9 / accesses);
            let ratio = format!("{:.1}", recorded / plain);
            Some(vec![
                name.clone(),
                format!("{accesses}"),
                each(plain),
                each(recorded),
                each(recorded - plain),
                ratio,
            ])
        })
        .collect();
    if rows.is_empty() {
        return Err(Error::Answer { tool: "the recorded command", what: "times of kernels".to_owned() });
    }
    let titles = ["kernel", "accesses", "ns plain", "ns recorded", "ns added", "slow-down"];
    table::print("What an access costs (best of all rounds)", &titles, &rows)
}
