//! Prints the nanoseconds that one run of a program costs through the launcher, the whole loop included.
//!
//! `cargo run --release -p lotse-host --example spawn_cost -- RUNS PROGRAM [ARGUMENT...]`

use std::error::Error;
use std::time::Instant;

use lotse_host::{Job, Launcher, LauncherOptions};

#[expect(clippy::print_stdout, reason = "printing is what this program is for")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let runs =
        arguments.next().and_then(|it| it.to_str()?.parse().ok()).ok_or("first argument: how many runs")?;
    let job = Job::new(arguments);
    let mut launcher = Launcher::start(&LauncherOptions::default())?;
    let mut inside = 0;
    let begin = Instant::now();
    for _ in 0..runs {
        let report = launcher.run(&job)?;
        if !report.end.is_success() {
            return Err(format!("the program {}", report.end).into());
        }
        inside += report.wall_ns;
    }
    let whole = begin.elapsed().as_nanos() / runs;
    println!("{whole} ns a run, {} ns of them between start and end", u128::from(inside) / runs);
    Ok(())
}
