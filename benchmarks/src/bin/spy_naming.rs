//! Whether `lotse spy` names, counts and places the operations of a program whose operations are known.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::lotse::Lotse;
use benchmarks::machine::{Machine, load_average};
use benchmarks::spy::naming::{self, Score, Statement};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;

/// One program in two files.
const PROGRAM: [&str; 2] =
    [include_str!("../../programs/spy_naming.rs"), include_str!("../../programs/spy_naming_tables.rs")];
const MANIFEST: &str = "[package]\nname = \"known\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";

/// Records a program that states its operations, at all levels of optimisation.
#[derive(Parser)]
struct Args {
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
    /// Another program that states its operations
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Only these builds, such as `3` or `fat` [default: all]
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// List what is not right
    #[arg(long)]
    differences: bool,
}

/// How the program is built: the name of a row, a variable of cargo and its value.
const BUILDS: [(&str, &str, &str); 7] = [
    ("0", "OPT_LEVEL", "0"),
    ("1", "OPT_LEVEL", "1"),
    ("2", "OPT_LEVEL", "2"),
    ("3", "OPT_LEVEL", "3"),
    ("thin", "LTO", "thin"),
    ("fat", "LTO", "fat"),
    ("units", "CODEGEN_UNITS", "1"),
];

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints, and what is not right")]
fn run(args: &Args) -> Result<(), Error> {
    let source = match &args.program {
        Some(file) => fs::read_to_string(file).map_err(Error::file("read", file))?,
        // The second half begins in the middle of a file, where no comment can be about the file.
        None => format!("{}{}", PROGRAM[0], PROGRAM[1].replace("//!", "//")),
    };
    let statements = naming::statements(&source);
    let mut workshop = Workshop::open()?;
    let lotse = Lotse::find(args.lotse.as_deref())?;
    write_package(&workshop, &source)?;
    let load = table::decimals_or_dash(load_average(), 2);
    println!("spy_naming, machine: {}, load {load}\n", Machine::this().summary());
    let mut rows = Vec::new();
    for build in
        BUILDS.iter().filter(|(name, ..)| args.only.is_empty() || args.only.iter().any(|it| it == name))
    {
        let score = scored(&mut workshop, &lotse, build, &statements)?;
        if args.differences {
            println!("{}:", build.0);
            score.differences.iter().for_each(|difference| println!("  {difference}"));
        }
        rows.push(row(build.0, &score));
    }
    let titles = ["", "named", "counted exactly", "operations", "of all", "index", "length", "beside"];
    table::print("statements of the program that hold, by optimisation", &titles, &rows)
}

fn write_package(workshop: &Workshop, source: &str) -> Result<(), Error> {
    let folder = workshop.path("src");
    fs::create_dir_all(&folder).map_err(Error::file("make", &folder))?;
    for (name, text) in [("Cargo.toml", MANIFEST), ("src/main.rs", source)] {
        let path = workshop.path(name);
        fs::write(&path, text).map_err(Error::file("write", &path))?;
    }
    Ok(())
}

fn scored(
    workshop: &mut Workshop,
    lotse: &Lotse,
    (_, name, value): &(&str, &str, &str),
    statements: &[Statement],
) -> Result<Score, Error> {
    let lotse = lotse.path().display().to_string();
    let (setting, target) = (format!("CARGO_PROFILE_RELEASE_{name}={value}"), workshop.path("recorded"));
    let target = target.display().to_string();
    let record = ["env", &setting, &lotse, "spy", "run", "--no-second-run", "--target-dir", &target];
    let program = ["-o", "known.lotse-history", "--", "cargo", "run", "--release", "--offline"];
    let argv: Vec<String> = record.iter().chain(&program).map(|&word| word.to_owned()).collect();
    workshop.run("lotse", &argv, &[0])?;
    let argv = [&lotse, "spy", "coverage", "--places", "known.lotse-history"].map(str::to_owned);
    Ok(naming::score(statements, &workshop.run("lotse", &argv, &[0])?.stdout))
}

fn row(name: &str, score: &Score) -> Vec<String> {
    let of = |(all, right): (u64, u64)| format!("{right} of {all}");
    let share = score.operations.1 as f64 / score.operations.0.max(1) as f64;
    let cells = [
        of(score.named),
        of((score.named.0, score.exact)),
        of(score.operations),
        table::percent(share),
        of(score.indices),
        of(score.lengths),
        score.beside.to_string(),
    ];
    std::iter::once(name.to_owned()).chain(cells).collect()
}
