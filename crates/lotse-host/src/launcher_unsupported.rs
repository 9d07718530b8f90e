//! The launcher on unsupported platforms: starting it is an error.

use crate::{CounterSpec, CounterStatus, Interrupt, Job, LaunchError, RunReport};

/// Options of a launcher, which apply to all its runs.
#[derive(Debug, Clone, Default)]
pub struct LauncherOptions {
    /// Events to count during every run.
    pub counters: Vec<CounterSpec>,
    /// Stops the current run when it is set.
    pub interrupt: Option<Interrupt>,
    /// Whether to disable address space layout randomisation for all runs.
    pub fixed_addresses: bool,
}

/// Cannot exist on this platform.
#[derive(Debug)]
pub enum Launcher {}

impl Launcher {
    /// Always fails.
    pub fn start(_: &LauncherOptions) -> Result<Self, LaunchError> {
        Err(LaunchError::Unsupported)
    }

    /// The process id of the launcher.
    pub fn process_number(&self) -> u32 {
        match *self {}
    }

    /// Which counters are available.
    pub fn counters(&self) -> &[CounterStatus] {
        match *self {}
    }

    /// Runs a job.
    pub fn run(&mut self, _: &Job) -> Result<RunReport, LaunchError> {
        match *self {}
    }

    /// Runs two jobs at once.
    pub fn run_pair(&mut self, _: &Job, _: &Job) -> Result<[RunReport; 2], LaunchError> {
        match *self {}
    }
}
