//! How many steps the measured program makes in a given time, and how long one run takes.
//!
//! Steps are calibrated by CPU seconds, which other load changes little; the number of runs in a trial follows from wall seconds
//! under the load of the trial.

use std::path::Path;
use std::time::Instant;

use lotse_host::Job;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::workshop::Workshop;

/// Steps of the two measurements that determine the line.
const FEW: u64 = 1_000_000;
const MANY: u64 = 11_000_000;
/// Runs for each of the two measurements; the fastest counts.
const ATTEMPTS: u32 = 9;
/// Runs for the mean wall seconds of one run.
const WALL_RUNS: u32 = 25;

/// The cost of a run as a linear function of its steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// CPU seconds without any step.
    pub startup: f64,
    /// CPU seconds for each step.
    pub per_step: f64,
}

impl Cost {
    /// The line through two measurements of steps and seconds.
    pub fn through(few: (u64, f64), many: (u64, f64)) -> Self {
        let per_step = (many.1 - few.1) / (many.0 - few.0) as f64;
        Self { startup: few.1 - per_step * few.0 as f64, per_step }
    }

    /// Steps for a run of the wanted seconds.
    pub fn steps(&self, wanted: f64) -> Result<u64, Error> {
        let steps = ((wanted - self.startup) / self.per_step).round();
        let impossible = Error::Calibration { wanted, startup: self.startup, per_step: self.per_step };
        if steps.is_finite() && (1.0..1e12).contains(&steps) { Ok(steps as u64) } else { Err(impossible) }
    }

    /// Measures the cost of a program.
    pub fn measure(workshop: &mut Workshop, subject: &Path) -> Result<Self, Error> {
        let few = fastest(workshop, subject, FEW)?;
        let many = fastest(workshop, subject, MANY)?;
        Ok(Self::through((FEW, few), (MANY, many)))
    }
}

/// The number of steps increased by a share.
pub fn lengthened(steps: u64, difference: f64) -> u64 {
    (steps as f64 * (1.0 + difference)).round() as u64
}

/// How many runs fit into a time; at least 2, since a standard deviation needs two values.
pub fn runs_in(seconds: f64, run_seconds: f64) -> u32 {
    ((seconds / run_seconds).round() as u32).max(2)
}

/// Mean wall seconds per run under the current load.
pub fn wall_of_run(workshop: &mut Workshop, subject: &Path, steps: u64) -> Result<f64, Error> {
    let job = job(subject, steps);
    let begin = Instant::now();
    for _ in 0..WALL_RUNS {
        run(workshop, &job)?;
    }
    Ok(begin.elapsed().as_secs_f64() / f64::from(WALL_RUNS))
}

fn fastest(workshop: &mut Workshop, subject: &Path, steps: u64) -> Result<f64, Error> {
    let job = job(subject, steps);
    let mut least = f64::INFINITY;
    for _ in 0..ATTEMPTS {
        least = least.min(run(workshop, &job)?);
    }
    Ok(least)
}

fn job(subject: &Path, steps: u64) -> Job {
    Job::new([subject.as_os_str().to_owned(), format!("{steps:012}").into()])
}

/// CPU seconds of a run.
fn run(workshop: &mut Workshop, job: &Job) -> Result<f64, Error> {
    let report = workshop.launcher().run(job)?;
    if !report.end.is_success() {
        return Err(Error::Tool { tool: "the subject", end: report.end, output: String::new() });
    }
    Ok((report.usage.user_ns + report.usage.system_ns) as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::{Cost, lengthened, runs_in};

    #[test]
    fn the_line_goes_through_both_points() {
        let cost = Cost::through((1_000_000, 0.0025), (11_000_000, 0.0225));
        assert!((cost.startup - 0.0005).abs() < 1e-12, "{cost:?}");
        assert!((cost.per_step - 2e-9).abs() < 1e-15, "{cost:?}");
        assert_eq!(cost.steps(0.0205).unwrap(), 10_000_000);
    }

    #[test]
    fn impossible_lengths_are_refused() {
        let slow_start = Cost { startup: 0.03, per_step: 1e-9 };
        assert!(slow_start.steps(0.02).is_err());
        let no_cost = Cost { startup: 0.0, per_step: 0.0 };
        assert!(no_cost.steps(0.02).is_err());
    }

    #[test]
    fn differences_become_steps() {
        assert_eq!(lengthened(10_000_000, 0.005), 10_050_000);
        assert_eq!(lengthened(10_000_000, 0.0), 10_000_000);
        assert_eq!(lengthened(1000, 0.05), 1050);
    }

    #[test]
    fn runs_fill_the_time() {
        assert_eq!(runs_in(3.0, 0.02), 150);
        assert_eq!(runs_in(3.0, 0.0401), 75);
        assert_eq!(runs_in(0.01, 0.02), 2);
    }
}
