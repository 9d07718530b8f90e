//! Programs whose time depends on the addresses of their data: the spread over layouts that vary one part only.

use lotse_stats::descriptive::relative_sd;

use crate::Error;
use crate::lotse::Lotse;
use crate::table::{self, percent};
use crate::workshop::Workshop;

const SOURCE: &str = include_str!("../programs/layouts/places.c");
const LAYOUTS: usize = 32;
/// Runs of each layout: the fastest counts.
const ROUNDS: usize = 10;

/// The varied part of the layout, and the kernels that are measured with it.
const TABLES: [(&str, &str, &[&str]); 2] = [
    ("environment", "The same file, environment size alone", &["stack", "heap", "vectors"]),
    ("heap", "The same file, heap alone", &["stack", "heap", "vectors", "blocks"]),
];

/// Prints a table for each part of a layout.
pub fn print_spread(workshop: &mut Workshop, lotse: &Lotse) -> Result<(), Error> {
    let program = workshop.compile("places", SOURCE, &[])?;
    for (part, caption, kernels) in TABLES {
        let mut rows = Vec::new();
        for kernel in kernels {
            let command = format!("{} {kernel}", program.display());
            rows.push(row(kernel, &fastest(workshop, lotse, part, &command)?)?);
        }
        let titles = ["data", "layouts", "ms, fastest", "slowest : fastest", "slower by 10 %", "sd"];
        table::print(caption, &titles, &rows)?;
    }
    Ok(())
}

/// The fastest CPU time of each layout, in seconds. Layouts come in turn, one run of each.
fn fastest(workshop: &mut Workshop, lotse: &Lotse, part: &str, command: &str) -> Result<Vec<f64>, Error> {
    let (layouts, runs) = (LAYOUTS.to_string(), (LAYOUTS * ROUNDS).to_string());
    let options =
        ["--metric", "cpu", "--seed", "1", "--runs", &runs, "--layouts", &layouts, "--layout-parts", part];
    let (answer, _) = lotse.bench(workshop, &options, &[command.to_owned()])?;
    Ok(least_of_each(answer.first_samples("cpu")?, LAYOUTS))
}

fn least_of_each(samples: &[f64], layouts: usize) -> Vec<f64> {
    let of_layout =
        |layout: usize| samples.iter().skip(layout).step_by(layouts).copied().fold(f64::MAX, f64::min);
    (0..layouts.min(samples.len())).map(of_layout).collect()
}

fn row(kernel: &str, seconds: &[f64]) -> Result<Vec<String>, Error> {
    let fastest = seconds.iter().copied().fold(f64::MAX, f64::min);
    let slowest = seconds.iter().copied().fold(0.0, f64::max);
    let slow = seconds.iter().filter(|&&it| it > fastest * 1.1).count();
    Ok(vec![
        kernel.to_owned(),
        seconds.len().to_string(),
        format!("{:.2}", fastest * 1e3),
        format!("{:.2}", slowest / fastest),
        format!("{slow} of {}", seconds.len()),
        percent(relative_sd(seconds)?),
    ])
}

#[cfg(test)]
mod tests {
    use super::{least_of_each, row};

    #[test]
    fn layouts_come_in_turn() {
        assert_eq!(least_of_each(&[3.0, 5.0, 2.0, 6.0, 9.0, 4.0], 2), [2.0, 4.0]);
        assert_eq!(least_of_each(&[], 2), Vec::<f64>::new());
    }

    #[test]
    fn slow_layouts_are_counted() {
        let row = row("stack", &[0.010, 0.012, 0.0105, 0.020]).unwrap();
        assert_eq!(row[..5], ["stack", "4", "10.00", "2.00", "2 of 4"]);
    }
}
