//! The paper's tiled matrix product on this machine: models fitted at some sizes and asked about others, and the best tile.

use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::machine::{Machine as ThisMachine, load_average};
use benchmarks::predict::tiles::{MeasuredTile, Product, Size, build, measure};
use benchmarks::workshop::Workshop;
use benchmarks::{Error, finish, table};
use clap::Parser;

/// Sizes that models are fitted to: those of the paper.
const FITTED: [i64; 6] = [100, 200, 300, 400, 500, 600];
/// Tiles that models are fitted to: those of the paper.
const TILES: [i64; 7] = [16, 22, 28, 34, 40, 46, 52];
/// Sizes that models are asked about, each with its tiles and the goal.
const ASKED: [(i64, &[i64], &str); 5] = [
    (350, &TILES, "4 % inside"),
    (450, &TILES, "4 % inside"),
    (1000, &[16, 34, 52], "8 % at twice"),
    (1200, &[16, 34, 52], "8 % at twice"),
    (2000, &[16, 52], ""),
];
/// Sizes at which the best tile is looked for.
const RANKED: [i64; 2] = [512, 900];

/// Fits models to the tiled matrix product and ranks its tiles.
#[derive(Parser)]
struct Args {
    /// Rounds at most; a size is measured until its fastest time was seen three times
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// The description of this machine that `lotse predict calibrate --out` wrote
    #[arg(long, value_name = "TOML")]
    machine: PathBuf,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

#[expect(clippy::print_stdout, reason = "the head of what a benchmark prints")]
fn run(args: &Args) -> Result<(), Error> {
    let product = Product::new(&args.machine)?;
    let mut workshop = Workshop::open()?;
    let program = build(&mut workshop)?;
    println!("{}, load {:?} before", ThisMachine::this().summary(), load_average());
    let fitted: Vec<Size> = FITTED.iter().flat_map(|n| TILES.map(|tile| Size { n: *n, tile })).collect();
    let asked: Vec<Size> =
        ASKED.iter().flat_map(|(n, tiles, _)| tiles.iter().map(|tile| Size { n: *n, tile: *tile })).collect();
    let ranked: Vec<Size> = RANKED
        .iter()
        .flat_map(|n| lotse_predict::sweep::TILES.iter().map(|tile| Size { n: *n, tile: *tile }))
        .collect();
    let all: Vec<Size> = [fitted.clone(), asked, ranked].concat();
    let (measured, unconfirmed) = measure(&mut workshop, &program, &all, args.rounds)?;
    println!("{} sizes, load {:?} after", all.len(), load_average());
    println!("{unconfirmed} of them had no steady fastest time in {} rounds", args.rounds);
    let models = product.fit(&measured[..fitted.len()])?;
    let mut rows = Vec::new();
    for (n, _, goal) in ASKED {
        let points: Vec<&MeasuredTile> = measured.iter().filter(|point| point.size.n == n).collect();
        let errors = models.errors(&product, &points)?;
        rows.push(vec![
            n.to_string(),
            points.len().to_string(),
            format!("{:.3}", points.iter().map(|point| point.seconds).fold(f64::MAX, f64::min) * 1e3),
            table::percent(errors.power),
            table::percent(errors.analytic),
            table::percent(errors.of_tile),
            table::percent(errors.source),
            goal.to_owned(),
        ]);
    }
    let titles = [
        "N",
        "tiles",
        "ms, fastest",
        "the paper's model",
        "non-negative model",
        "for each tile",
        "source alone",
        "goal",
    ];
    table::print(
        "Largest error of a tile; the first two models are fitted at N = 100 to 600",
        &titles,
        &rows,
    )?;
    print_tiles(&product, &measured)
}

fn print_tiles(product: &Product, measured: &[MeasuredTile]) -> Result<(), Error> {
    let mut rows = Vec::new();
    for n in RANKED {
        let points: Vec<&MeasuredTile> = measured.iter().filter(|point| point.size.n == n).collect();
        let time_of =
            |tile: i64| points.iter().find(|point| point.size.tile == tile).map(|point| point.seconds);
        let best = points.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let chosen = product.best_tile(n)?;
        let (Some(best), Some(seconds)) = (best, time_of(chosen)) else { continue };
        rows.push(vec![
            n.to_string(),
            best.size.tile.to_string(),
            format!("{:.3}", best.seconds * 1e3),
            chosen.to_string(),
            format!("{:.3}", seconds * 1e3),
            table::percent(seconds / best.seconds - 1.0),
        ]);
    }
    let titles = ["N", "fastest tile", "ms", "tile of --tile", "ms", "slower by (goal 5 %)"];
    table::print("Tiles", &titles, &rows)
}
