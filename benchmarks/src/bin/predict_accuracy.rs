//! Accuracy of predictions: errors on kernels that no model was fitted to.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use benchmarks::machine::{Machine as ThisMachine, load_average};
use benchmarks::predict::kernels::{Half, Kernel, read};
use benchmarks::predict::measure::{Program, compile, compiled, keep, listed, restore, round};
use benchmarks::predict::models::{Fitted, Point, predict};
use benchmarks::predict::score::{Score, covered};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;
use lotse_predict::machine::Machine;
use lotse_predict::time::Compiler;

/// Measures kernels and holds predictions against them.
#[derive(Parser)]
struct Args {
    /// Rounds; every round runs every program once
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The description of this machine that `lotse predict calibrate --out` wrote
    #[arg(long, value_name = "TOML")]
    machine: PathBuf,
    /// Only kernels whose name contains this
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Only the training half: what may be looked at while the model is changed
    #[arg(long)]
    training: bool,
    /// Keep the measured times here, or take them from here if the file is there
    #[arg(long, value_name = "FILE")]
    times: Option<PathBuf>,
    /// Print every point
    #[arg(long)]
    points: bool,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn run(args: &Args) -> Result<(), Error> {
    let text = fs::read_to_string(&args.machine).map_err(Error::file("read", &args.machine))?;
    let wrong = |error: lotse_predict::machine::MachineError| Error::Answer {
        tool: "the description of the machine",
        what: error.to_string(),
    };
    let machine = Machine::from_toml(&text).map_err(wrong)?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/predict");
    let mut kernels = read(&folder)?;
    kernels.retain(|it| it.name.contains(&args.only) && (!args.training || it.half == Half::Training));
    let mut workshop = Workshop::open()?;
    let measured_before = args.times.as_deref().is_some_and(Path::exists);
    let mut programs = match measured_before {
        true => listed(&kernels),
        false => compile(&mut workshop, &kernels, "")?,
    };
    println!("{}, load {:?} before", ThisMachine::this().summary(), load_average());
    let kept = args.times.as_deref().filter(|path| path.exists());
    match kept {
        Some(path) => restore(path, &kernels, &mut programs)?,
        None => {
            for _ in 0..args.rounds {
                round(&mut workshop, &mut programs)?;
            }
        }
    }
    if let Some(path) = args.times.as_deref().filter(|_| kept.is_none()) {
        keep(path, &kernels, &programs)?;
    }
    println!("{} programs, {} rounds, load {:?} after", programs.len(), args.rounds, load_average());
    let points = programs.iter().map(|program| point(&workshop, &kernels, program, &machine));
    let points: Vec<Point> = points.collect::<Result<_, _>>()?;
    if args.points {
        print_points(&kernels, &points)?;
    }
    for (compiler, name) in
        [(Compiler::GccO2, "gcc -O2"), (Compiler::GccO3, "gcc -O3"), (Compiler::RustcO, "rustc -O")]
    {
        let own: Vec<&Point> = points.iter().filter(|point| point.compiler == compiler).collect();
        print_scores(&kernels, &own, name)?;
    }
    print_limits(&kernels, &points)
}

fn point(
    workshop: &Workshop,
    kernels: &[Kernel],
    program: &Program,
    machine: &Machine,
) -> Result<Point, Error> {
    let kernel = &kernels[program.kernel];
    let (predicted, interval, limit, variables) =
        predict(kernel, program.size, machine, (program.compiler, None))?;
    let code = compiled(workshop, kernel, program.size, program.compiler)?;
    let (from_code, ..) = predict(kernel, program.size, machine, (program.compiler, Some(&code)))?;
    let missing = || Error::Answer { tool: "a kernel", what: "time".to_owned() };
    let measured = program.seconds().ok_or_else(missing)?;
    let (kernel, size, compiler) = (program.kernel, program.size, program.compiler);
    Ok(Point { kernel, size, compiler, measured, predicted, interval, from_code, limit, variables })
}

fn print_points(kernels: &[Kernel], points: &[Point]) -> Result<(), Error> {
    let row = |point: &Point| {
        vec![
            format!("{} {}", kernels[point.kernel].name, point.size),
            point.compiler.name().to_owned(),
            format!("{:.3}", point.measured * 1e6),
            format!("{:.3}", point.predicted * 1e6),
            format!("{:+.0} %", 100.0 * (point.predicted / point.measured - 1.0)),
            format!("{:+.0} %", 100.0 * (point.from_code / point.measured - 1.0)),
            point.limit.clone(),
        ]
    };
    let rows: Vec<Vec<String>> = points.iter().map(row).collect();
    table::print(
        "Points",
        &["kernel", "compiler", "µs measured", "µs predicted", "error", "compiled", "limit"],
        &rows,
    )
}

/// The name of a model in tables, and its function from a point to seconds.
type NamedModel<'m> = (&'static str, &'m dyn Fn(&Point) -> f64);

/// Errors of the three models: fitted to the training half and judged on the other one, and leaving out one kernel.
fn print_scores(kernels: &[Kernel], points: &[&Point], name: &str) -> Result<(), Error> {
    let is_half = |point: &&&Point, half: Half| kernels[point.kernel].half == half;
    let training: Vec<&Point> = points.iter().filter(|it| is_half(it, Half::Training)).copied().collect();
    let judging: Vec<&Point> = points.iter().filter(|it| is_half(it, Half::Judging)).copied().collect();
    if training.len() < 5 {
        return Ok(());
    }
    let fitted = Fitted::new(&training)?;
    let judged = if judging.is_empty() { &training } else { &judging };
    let mut rows = Vec::new();
    let models: [NamedModel<'_>; 4] = [
        ("iterations only", &|point| fitted.by_iterations(point)),
        ("the paper's model", &|point| fitted.by_power(point)),
        ("Lotse, from the source", &|point| point.predicted),
        ("Lotse, from the compiled loops", &|point| point.from_code),
    ];
    for (model, predict) in models {
        let pairs: Vec<(f64, f64)> = judged.iter().map(|point| (predict(point), point.measured)).collect();
        rows.push(row(model, &Score::new(&pairs)?));
    }
    let (iterations, power) = left_out(points)?;
    rows.push(row("iterations only, one kernel left out", &Score::new(&iterations)?));
    rows.push(row("the paper's model, one kernel left out", &Score::new(&power)?));
    let all: Vec<(f64, f64)> = points.iter().map(|point| (point.predicted, point.measured)).collect();
    rows.push(row("Lotse, all kernels (nothing is fitted)", &Score::new(&all)?));
    let half = if judging.is_empty() { "training half" } else { "judging half" };
    let inside: Vec<_> = judged.iter().map(|point| (point.interval, point.measured)).collect();
    let caption =
        format!("{name}, {half}; {} of the 80 % intervals hold the time", table::percent(covered(&inside)));
    table::print(&caption, &["model", "points", "median error", "90th percentile", "pairs in order"], &rows)
}

fn row(model: &str, score: &Score) -> Vec<String> {
    let Score { points, median, ninetieth, ordered } = score;
    vec![
        model.to_owned(),
        points.to_string(),
        table::percent(*median),
        table::percent(*ninetieth),
        table::percent(*ordered),
    ]
}

/// Predicted and measured times of every kernel by models fitted to all others.
type Pairs = Vec<(f64, f64)>;

fn left_out(points: &[&Point]) -> Result<(Pairs, Pairs), Error> {
    let (mut iterations, mut power) = (Vec::new(), Vec::new());
    let mut kernels: Vec<usize> = points.iter().map(|point| point.kernel).collect();
    kernels.dedup();
    for kernel in kernels {
        let others: Vec<&Point> = points.iter().filter(|point| point.kernel != kernel).copied().collect();
        let fitted = Fitted::new(&others)?;
        for point in points.iter().filter(|point| point.kernel == kernel) {
            iterations.push((fitted.by_iterations(point), point.measured));
            power.push((fitted.by_power(point), point.measured));
        }
    }
    Ok((iterations, power))
}

/// The deviation of ln(measured / predicted) by what limits the loop, on the training half.
fn print_limits(kernels: &[Kernel], points: &[Point]) -> Result<(), Error> {
    let training = points.iter().filter(|point| kernels[point.kernel].half == Half::Training);
    let mut limits: Vec<(String, Vec<f64>)> = Vec::new();
    for point in training {
        let error = (point.measured / point.predicted).ln();
        match limits.iter_mut().find(|(limit, _)| *limit == point.limit) {
            Some((_, errors)) => errors.push(error),
            None => limits.push((point.limit.clone(), vec![error])),
        }
    }
    let row = |(limit, errors): &(String, Vec<f64>)| {
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let square = errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64;
        vec![limit.clone(), errors.len().to_string(), format!("{mean:+.2}"), format!("{:.2}", square.sqrt())]
    };
    let rows: Vec<Vec<String>> = limits.iter().map(row).collect();
    table::print(
        "ln(measured / predicted) on the training half",
        &["limit", "points", "mean", "root mean square"],
        &rows,
    )
}
