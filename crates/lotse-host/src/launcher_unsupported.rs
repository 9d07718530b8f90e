//! The launcher where there is none: it says so.

use crate::{CounterSpec, CounterStatus, Interrupt, Job, LaunchError, RunReport};

/// What a launcher shall do besides running.
#[derive(Debug, Clone, Default)]
pub struct LauncherOptions {
    /// Events to count during every run.
    pub counters: Vec<CounterSpec>,
    /// Stops what runs.
    pub interrupt: Option<Interrupt>,
    /// Whether every run gets the same addresses (no ASLR).
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

    /// The number of the process.
    pub fn process_number(&self) -> u32 {
        match *self {}
    }

    /// Which counters count.
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
