//! Capabilities that can only be found out by trying.

use std::time::Instant;

use crate::counter::CounterSpec;
use crate::job::Job;
use crate::launcher::{Launcher, LauncherOptions};
use crate::problem::LaunchError;

/// The results of trials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Whether instructions can be counted.
    pub hardware_counters: Result<(), CountingProblem>,
    /// Nanoseconds of the smallest step of the clock; `None` if it did not advance.
    pub clock_step_ns: Option<u64>,
    pub root: bool,
}

/// Why instructions cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountingProblem {
    /// The kernel refuses the counter.
    #[error("{reason}")]
    Refused { reason: String },
    /// On some machines a counter can be opened but stays at 0.
    #[error("a counter was opened but counted nothing")]
    Idle,
    /// The program to be counted could not be run.
    #[error("it could not be tried: {why}")]
    Untried { why: String },
}

impl From<LaunchError> for CountingProblem {
    fn from(error: LaunchError) -> Self {
        Self::Untried { why: error.to_string() }
    }
}

impl Live {
    /// Runs all trials; takes some milliseconds.
    pub fn probe() -> Self {
        Self { hardware_counters: count_instructions(), clock_step_ns: clock_step_ns(), root: is_root() }
    }
}

/// Counts the instructions of a small program.
fn count_instructions() -> Result<(), CountingProblem> {
    const HARDWARE: u32 = 0;
    const INSTRUCTIONS: u64 = 1;
    let spec = CounterSpec { user_only: true, ..CounterSpec::new("instructions", HARDWARE, INSTRUCTIONS) };
    let mut launcher =
        Launcher::start(&LauncherOptions { counters: vec![spec], ..LauncherOptions::default() })?;
    if let Some(reason) = launcher.counters().first().and_then(|it| it.reason()) {
        return Err(CountingProblem::Refused { reason });
    }
    let report = launcher.run(&Job::new(["true"]))?;
    let counted = report.counters.first().copied().flatten().is_some_and(|it| it.value > 0);
    if counted { Ok(()) } else { Err(CountingProblem::Idle) }
}

/// The smallest difference of two different readings of the clock.
fn clock_step_ns() -> Option<u64> {
    const TRIES: usize = 1000;
    let steps = (0..TRIES).map(|_| {
        let first = Instant::now();
        first.elapsed().as_nanos()
    });
    steps.filter(|step| *step > 0).min().and_then(|step| u64::try_from(step).ok())
}

#[cfg(unix)]
fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_root() -> bool {
    false
}
