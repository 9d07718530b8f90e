//! What must be tried to be known.

use std::time::Instant;

use crate::counter::CounterSpec;
use crate::job::Job;
use crate::launcher::{Launcher, LauncherOptions};
use crate::problem::LaunchError;

/// The outcome of trying.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Live {
    /// Whether instructions can be counted, else why not.
    pub hardware_counters: Result<(), CountingProblem>,
    /// Nanoseconds of the smallest step of the clock; nothing if it did not move.
    pub clock_step_ns: Option<u64>,
    /// Whether we are root.
    pub root: bool,
}

/// Why instructions cannot be counted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CountingProblem {
    /// The kernel refuses the counter.
    #[error("{reason}")]
    Refused {
        /// Why, in words.
        reason: String,
    },
    /// Some machines let a counter be opened that then stays at 0.
    #[error("a counter was opened but counted nothing")]
    Idle,
    /// Nothing could be run to count.
    #[error("it could not be tried: {why}")]
    Untried {
        /// What kept it from being tried.
        why: String,
    },
}

impl From<LaunchError> for CountingProblem {
    fn from(error: LaunchError) -> Self {
        Self::Untried { why: error.to_string() }
    }
}

impl Live {
    /// Tries all; takes some milliseconds.
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

/// The smallest difference of two readings that differ.
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
