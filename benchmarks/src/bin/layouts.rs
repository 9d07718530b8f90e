//! Layouts: how much the order of functions and the addresses of data change the time of one program, and how often that is mistaken
//! for a change of the program.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use benchmarks::hyperfine::Hyperfine;
use benchmarks::lotse::{Lotse, Verdict};
use benchmarks::places;
use benchmarks::table::{self, percent};
use benchmarks::trial::welch;
use benchmarks::workshop::Workshop;
use benchmarks::{Dice, Error, finish};
use clap::Parser;
use serde_json::json;

const SOURCES: [(&str, &str); 2] = [
    ("main.c", include_str!("../../programs/layouts/main.c")),
    ("kernels.c", include_str!("../../programs/layouts/kernels.c")),
];
const KERNELS: [&str; 4] = ["sort", "collatz", "interpret", "words"];
/// Builds that trials draw from.
const POOL: usize = 40;

/// Compares builds of the same source that differ in the order of their functions alone.
#[derive(Parser)]
struct Args {
    /// Trials of each kind
    #[arg(long, default_value_t = 100)]
    trials: u64,
    /// Seconds for each program of a trial
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Builds of each side of a trial
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(6..=20))]
    builds: u32,
    /// Which kernel the trials measure: sort, collatz, interpret or words
    #[arg(long, default_value = "sort")]
    kernel: String,
    /// Show only what the places of data do, and stop
    #[arg(long)]
    places: bool,
    /// The true difference of the last trials
    #[arg(long, default_value_t = 0.02)]
    difference: f64,
    /// Lotse [default: beside this program]
    #[arg(long, value_name = "PATH")]
    lotse: Option<PathBuf>,
    /// hyperfine [default: the one on PATH]
    #[arg(long, value_name = "PATH")]
    hyperfine: Option<PathBuf>,
}

fn main() -> ExitCode {
    finish(run(&Args::parse()))
}

fn run(args: &Args) -> Result<(), Error> {
    if args.places {
        let lotse = Lotse::find(args.lotse.as_deref())?;
        return places::print_spread(&mut Workshop::open()?, &lotse);
    }
    let mut rig = Rig::new(args)?;
    places::print_spread(&mut rig.workshop, &rig.lotse)?;
    rig.print_spread()?;
    let mut rows = Vec::new();
    for (kind, align) in
        [("two files", false), ("builds", false), ("two files, aligned", true), ("builds, aligned", true)]
    {
        for difference in [0.0, args.difference] {
            rows.push(rig.trials(kind, align, difference)?);
        }
    }
    let titles =
        ["measured", "true difference", "trials", "claims", "right", "median ratio", "hyperfine claims"];
    table::print(&format!("Builds of one source, kernel {}", args.kernel), &titles, &rows)
}

struct Rig<'a> {
    args: &'a Args,
    workshop: Workshop,
    lotse: Lotse,
    hyperfine: Option<Hyperfine>,
    /// All builds, with default alignment and with functions aligned to 64 bytes.
    pools: [Vec<PathBuf>; 2],
}

impl<'a> Rig<'a> {
    fn new(args: &'a Args) -> Result<Self, Error> {
        let mut workshop = Workshop::open()?;
        let lotse = Lotse::find(args.lotse.as_deref())?;
        let hyperfine = Hyperfine::find(args.hyperfine.as_deref(), &mut workshop)?;
        for (name, text) in SOURCES {
            let path = workshop.path(name);
            fs::write(&path, text).map_err(Error::file("write", &path))?;
        }
        let mut rig = Self { args, workshop, lotse, hyperfine, pools: [Vec::new(), Vec::new()] };
        rig.pools = [rig.pool("builds", &[])?, rig.pool("aligned", &["--align", "64"])?];
        Ok(rig)
    }

    /// Builds the program several times with its functions in random order.
    fn pool(&mut self, name: &str, options: &[&str]) -> Result<Vec<PathBuf>, Error> {
        let lotse = self.lotse.path().display().to_string();
        let count = POOL.to_string();
        let build = ["--", "gcc", "-O2", "main.c", "kernels.c", "-o", "program"];
        let words = [&[&lotse, "bench", "build", "-n", &count, "--out", name], options, &build].concat();
        let argv: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let folder = self.workshop.path("");
        self.workshop.run_in(&folder, "lotse", &argv, &[0])?;
        Ok((0..POOL)
            .map(|number| folder.join(name).join("program").join(number.to_string()).join("program"))
            .collect())
    }

    /// Prints the spread over builds of the fastest run. Builds are run in turn; CPU time is less disturbed by other processes.
    fn print_spread(&mut self) -> Result<(), Error> {
        const ROUNDS: usize = 15;
        let mut rows = Vec::new();
        for kernel in KERNELS {
            for (name, pool) in ["as they come", "aligned to 64"].into_iter().zip(self.pools.clone()) {
                let mut fastest = vec![f64::MAX; pool.len()];
                for _ in 0..ROUNDS {
                    for (best, path) in fastest.iter_mut().zip(&pool) {
                        let argv = [path.display().to_string(), kernel.to_owned()];
                        *best = best.min(self.workshop.run("a build", &argv, &[0])?.cpu_seconds);
                    }
                }
                rows.push(spread(kernel, name, &fastest)?);
            }
        }
        let titles = ["kernel", "functions", "builds", "ms, fastest", "slowest : fastest", "sd"];
        table::print("The same source, functions in other orders", &titles, &rows)
    }

    /// Trials of one kind: how many claim a difference, and how many of these claim the true one.
    fn trials(&mut self, kind: &str, align: bool, difference: f64) -> Result<Vec<String>, Error> {
        let (mut claims, mut right, mut peer, mut ratios) = (0, 0, 0, Vec::new());
        let is_single = kind.starts_with("two");
        for trial in 0..self.args.trials {
            let mut dice = Dice::new(1, kind, 2 * trial + u64::from(difference > 0.0));
            let each = if is_single { 1 } else { self.args.builds as usize };
            let drawn = drawn(&mut dice, &self.pools[usize::from(align)], 2 * each);
            let (old, new) = drawn.split_at(each);
            let sides = [self.side("old", old)?, self.side("new", new)?];
            let commands = [
                format!("{} {}", sides[0], self.args.kernel),
                format!("{} {} {}", sides[1], self.args.kernel, 1.0 + difference),
            ];
            let budget = format!("{}s", self.args.seconds);
            let (answer, _) =
                self.lotse.bench(&mut self.workshop, &["--metric", "cpu", "--budget", &budget], &commands)?;
            let comparison = answer.primary()?;
            claims += usize::from(matches!(comparison.verdict, Verdict::Faster | Verdict::Slower));
            right += usize::from(comparison.verdict == Verdict::Slower && difference > 0.0);
            ratios.extend(comparison.ratio);
            peer += usize::from(is_single && self.peer_claims(&commands)?);
        }
        ratios.sort_by(f64::total_cmp);
        Ok(vec![
            kind.to_owned(),
            percent(difference),
            self.args.trials.to_string(),
            claims.to_string(),
            if difference > 0.0 { right.to_string() } else { "–".to_owned() },
            ratios.get(ratios.len() / 2).map_or("–".to_owned(), |ratio| format!("{ratio:.4}")),
            if is_single && self.hyperfine.is_some() { peer.to_string() } else { "–".to_owned() },
        ])
    }

    /// A file, or a folder of builds made of several.
    fn side(&self, name: &str, files: &[PathBuf]) -> Result<String, Error> {
        if let [file] = files {
            return Ok(file.display().to_string());
        }
        let folder = self.workshop.path(name);
        fs::create_dir_all(&folder).map_err(Error::file("create", &folder))?;
        let builds = json!({
            "schema": "lotse.builds/1", "name": "program", "command": "gcc", "method": "sections", "seed": 1, "files": files,
        });
        let manifest = folder.join("builds.json");
        fs::write(&manifest, builds.to_string()).map_err(Error::file("write", &manifest))?;
        Ok(folder.display().to_string())
    }

    /// Whether a Welch test on hyperfine's times claims a difference.
    fn peer_claims(&mut self, commands: &[String]) -> Result<bool, Error> {
        let Some(hyperfine) = &self.hyperfine else { return Ok(false) };
        let export = hyperfine.run(&mut self.workshop, 30, commands)?;
        let samples = export.samples("time_cpu")?;
        let [old, new] = &samples[..] else { return Ok(false) };
        Ok(welch(old, new)?.2 < 0.05)
    }
}

/// `count` different files of a pool, drawn at random.
fn drawn(dice: &mut Dice, pool: &[PathBuf], count: usize) -> Vec<PathBuf> {
    let mut left = pool.to_vec();
    (0..count.min(pool.len())).map(|_| left.swap_remove(dice.below(left.len() as u64) as usize)).collect()
}

fn spread(kernel: &str, name: &str, seconds: &[f64]) -> Result<Vec<String>, Error> {
    let fastest = seconds.iter().copied().fold(f64::MAX, f64::min);
    let slowest = seconds.iter().copied().fold(0.0, f64::max);
    Ok(vec![
        kernel.to_owned(),
        name.to_owned(),
        seconds.len().to_string(),
        format!("{:.3}", fastest * 1e3),
        format!("{:.2}", slowest / fastest),
        percent(lotse_stats::descriptive::relative_sd(seconds)?),
    ])
}
