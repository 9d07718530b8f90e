//! Predictions of Lotse and of kerncraft against measured times, on the kernels that kerncraft takes and on those it does not.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benchmarks::lotse::Lotse;
use benchmarks::machine::{Machine as ThisMachine, load_average};
use benchmarks::predict::kerncraft::{Architecture, Kerncraft, OPTIONS};
use benchmarks::predict::kernels::{Kernel, read};
use benchmarks::predict::measure::{Program, compile, round};
use benchmarks::predict::score::Score;
use benchmarks::predict::side_by_side::{ComparedKernel, Predicted, Tools, level, pairs};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;
use lotse_predict::machine::Machine;
use lotse_predict::question::Language;

/// Holds predictions of Lotse and kerncraft against measured times.
#[derive(Parser)]
struct Args {
    /// The description of this machine that `lotse predict calibrate --out` wrote
    #[arg(long, value_name = "TOML")]
    machine: PathBuf,
    /// kerncraft [default: the one on PATH]
    #[arg(long, value_name = "PATH")]
    kerncraft: Option<PathBuf>,
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
    /// The in-core model of OSACA: SPR, ICX, CSX or SKX [default: the one nearest to this processor]
    #[arg(long, value_name = "NAME")]
    architecture: Option<String>,
    /// Rounds; every round runs every program once
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Only kernels whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn run(args: &Args) -> Result<(), Error> {
    let path = fs::canonicalize(&args.machine).map_err(Error::file("read", &args.machine))?;
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    let machine =
        Machine::from_toml(&text).map_err(|error| lacks("the description of the machine", &error))?;
    let mut workshop = Workshop::open()?;
    let lotse = Lotse::find(args.lotse.as_deref())?;
    let architecture = architecture(args)?;
    let kerncraft = Kerncraft::find(args.kerncraft.as_deref(), &mut workshop, (&machine, &architecture))?;
    let missing = || lacks("kerncraft", &"program on PATH: pip install kerncraft, or give --kerncraft PATH");
    let kerncraft = kerncraft.ok_or_else(missing)?;
    println!("{}, load {:?} before", ThisMachine::this().summary(), load_average());
    println!("{}, OSACA's {}; {}", kerncraft.version, architecture.name, lotse.version(&mut workshop)?);
    let kernels = kernels(&args.only)?;
    let mut programs = compile(&mut workshop, &kernels, OPTIONS)?;
    for _ in 0..args.rounds {
        round(&mut workshop, &mut programs)?;
    }
    let clock_ghz = machine.core.clock_ghz;
    let tools = Tools { lotse: &lotse, kerncraft: &kerncraft, machine: &path, clock_ghz };
    let rows = rows(&tools, &mut workshop, &kernels, &programs)?;
    println!("{} rounds, load {:?} after", args.rounds, load_average());
    print_rows(&rows)?;
    print_refused(&kernels, &rows)?;
    print_summary(&rows)
}

fn lacks(tool: &'static str, what: &dyn std::fmt::Display) -> Error {
    Error::Answer { tool, what: what.to_string() }
}

fn architecture(args: &Args) -> Result<Architecture, Error> {
    let found = match &args.architecture {
        Some(name) => Architecture::named(name),
        None => Architecture::of_processor(
            &fs::read_to_string("/proc/cpuinfo").map_err(Error::file("read", "/proc/cpuinfo"))?,
        ),
    };
    found.ok_or_else(|| {
        lacks("the processor", &"model that is known here: give --architecture SPR, ICX, CSX or SKX")
    })
}

/// The smallest, the middle and the largest size of all C kernels: those of `predict_accuracy`, and those written as kerncraft wants
/// them.
fn kernels(only: &str) -> Result<Vec<Kernel>, Error> {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
    let mut kernels = read(&programs.join("predict_peers"))?;
    kernels.extend(read(&programs.join("predict"))?);
    kernels.retain(|kernel| kernel.language == Language::C && kernel.name.contains(only));
    for kernel in &mut kernels {
        let sizes = &kernel.sizes;
        let chosen = [sizes.first(), sizes.get(sizes.len() / 2), sizes.last()];
        kernel.sizes = chosen.into_iter().flatten().copied().collect();
        kernel.sizes.dedup();
    }
    Ok(kernels)
}

/// All rows. A kernel that kerncraft refuses at its first size is not tried again: the form does not depend on the size.
fn rows(
    tools: &Tools<'_>,
    workshop: &mut Workshop,
    kernels: &[Kernel],
    programs: &[Program],
) -> Result<Vec<ComparedKernel>, Error> {
    let mut rows: Vec<ComparedKernel> = Vec::new();
    for program in programs.iter().filter(|program| level(program.compiler).is_some()) {
        let kernel = &kernels[program.kernel];
        let before = rows.last().filter(|row| row.kernel == kernel.name);
        let refused = before.and_then(|row| row.kerncraft.clone().err());
        // kerncraft keeps the increment with what it knows about the instructions.
        let helped =
            before.filter(|row| row.is_helped && Some(row.level) == level(program.compiler)).is_some();
        let mut row = tools.compare(workshop, kernel, program, refused.as_deref())?;
        row.is_helped |= helped;
        rows.push(row);
    }
    Ok(rows)
}

/// The cells of a row; none if kerncraft does not take the kernel.
fn cells(row: &ComparedKernel) -> Option<Vec<String>> {
    let ratio = |predicted: &Predicted| format!("{:.2}", predicted.seconds / row.measured);
    let predicted = row.kerncraft.as_ref().ok()?;
    let helped = if row.is_helped { " *" } else { "" };
    Some(vec![
        format!("{} {}{helped}", row.kernel, row.size),
        row.level.to_owned(),
        format!("{:.3}", row.measured * 1e6),
        format!("{:.3}", predicted.seconds * 1e6),
        ratio(predicted),
        format!("{:.2}", predicted.cpu_seconds),
        format!("{:.3}", row.lotse.seconds * 1e6),
        ratio(&row.lotse),
        format!("{:.3}", row.lotse.cpu_seconds),
        ratio(&row.compiled),
        format!("{:.3}", row.compiled.cpu_seconds),
    ])
}

fn print_rows(rows: &[ComparedKernel]) -> Result<(), Error> {
    let rows: Vec<Vec<String>> = rows.iter().filter_map(cells).collect();
    let titles = [
        "kernel",
        "level",
        "µs measured",
        "µs kerncraft",
        ": measured",
        "CPU s",
        "µs Lotse",
        ": measured",
        "CPU s",
        "compiled : measured",
        "CPU s",
    ];
    table::print("Predictions; * kerncraft was given the increment of the loop", &titles, &rows)
}

/// Why kerncraft does not take a kernel, and at how many of its points; none if it takes all.
fn refused(kernel: &str, rows: &[ComparedKernel]) -> Option<Vec<String>> {
    let own: Vec<&ComparedKernel> = rows.iter().filter(|row| row.kernel == kernel).collect();
    let reason = own.iter().find_map(|row| row.kerncraft.as_ref().err())?;
    let share = format!("{} of {}", own.iter().filter(|row| row.kerncraft.is_err()).count(), own.len());
    Some(vec![kernel.to_owned(), share, reason.clone()])
}

fn print_refused(kernels: &[Kernel], rows: &[ComparedKernel]) -> Result<(), Error> {
    let refused: Vec<Vec<String>> = kernels.iter().filter_map(|it| refused(&it.name, rows)).collect();
    let caption =
        format!("Not taken by kerncraft: {} of {} kernels; Lotse takes all", refused.len(), kernels.len());
    table::print(&caption, &["kernel", "points", "reason"], &refused)
}

fn print_summary(rows: &[ComparedKernel]) -> Result<(), Error> {
    let mut lines = Vec::new();
    for level in ["-O2", "-O3"] {
        let own: Vec<&ComparedKernel> = rows.iter().filter(|row| row.level == level).collect();
        let names = ["kerncraft, ECM", "Lotse, from the source", "Lotse, from the compiled loops"];
        for (name, pairs) in names.iter().zip(pairs(&own)) {
            if pairs.is_empty() {
                continue;
            }
            let score = Score::new(&pairs)?;
            lines.push(vec![
                format!("{name}, {level}"),
                score.points.to_string(),
                table::percent(score.median),
                table::percent(score.ninetieth),
                table::percent(score.ordered),
            ]);
        }
    }
    let titles = ["tool", "points", "median error", "90th percentile", "pairs in order"];
    table::print("Kernels that both take", &titles, &lines)
}

#[cfg(test)]
mod tests {
    use super::{Args, architecture, cells, kernels, refused};
    use benchmarks::predict::side_by_side::{ComparedKernel, Predicted};
    use clap::Parser;

    fn row(kerncraft: Result<Predicted, String>) -> ComparedKernel {
        ComparedKernel {
            kernel: "copy".to_owned(),
            size: 500,
            level: "-O3",
            measured: 2e-6,
            lotse: Predicted { seconds: 2.5e-6, cpu_seconds: 0.006 },
            compiled: Predicted { seconds: 2e-6, cpu_seconds: 0.05 },
            kerncraft,
            is_helped: true,
        }
    }

    #[test]
    fn ratios_are_to_the_measured_time() {
        let cells = cells(&row(Ok(Predicted { seconds: 1e-6, cpu_seconds: 16.0 }))).unwrap();
        assert_eq!(cells[..6], ["copy 500 *", "-O3", "2.000", "1.000", "0.50", "16.00"]);
        assert_eq!(cells[6..], ["2.500", "1.25", "0.006", "1.00", "0.050"]);
        assert_eq!(super::cells(&row(Err("no".to_owned()))), None);
    }

    #[test]
    fn refused_points_are_counted() {
        let taken = || row(Ok(Predicted { seconds: 1e-6, cpu_seconds: 16.0 }));
        let rows = [taken(), row(Err("no loop".to_owned()))];
        assert_eq!(refused("copy", &rows), Some(["copy", "1 of 2", "no loop"].map(str::to_owned).to_vec()));
        assert_eq!(refused("copy", &[taken()]), None);
        assert_eq!(refused("scale", &rows), None);
    }

    /// Ten kinds of kernels, each in the form that kerncraft takes, and three sizes of each.
    #[test]
    fn the_kernels_are_those_of_two_folders() {
        let all = kernels("").unwrap();
        let asked =
            ["copy", "scale", "axpy", "triad", "sum_flat", "dot_flat", "jacobi2d", "heat3d", "gemv_flat"];
        for name in asked.into_iter().chain(["gemm_flat", "transpose", "gemv"]) {
            let kernel = all.iter().find(|kernel| kernel.name == name);
            assert_eq!(kernel.map(|kernel| kernel.sizes.len()), Some(3), "{name}");
        }
        assert!(all.iter().all(|kernel| !kernel.name.ends_with("_rs")));
        assert_eq!(kernels("dot").unwrap().len(), 2);
    }

    #[test]
    fn the_architecture_can_be_given() {
        let args = |name: &str| Args::parse_from(["it", "--machine", "m.toml", "--architecture", name]);
        assert_eq!(architecture(&args("icx")).unwrap().name, "ICX");
        let error = architecture(&args("Z80")).unwrap_err().to_string();
        assert!(error.contains("--architecture SPR"), "{error}");
    }
}
