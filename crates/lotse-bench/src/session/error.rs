//! Why a measurement cannot begin or ends early.

use lotse_host::LaunchError;
use lotse_host::quiet::QuietError;
use lotse_model::results::ResultSet;

use super::HookError;
use crate::log::LogError;
use crate::runner::RunnerError;
use crate::trial::StoppedBy;

/// Why a measurement could not begin or ended early.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The launcher does not work here.
    #[error("cannot start programs")]
    Launch(#[from] LaunchError),
    /// The machine cannot be made quiet.
    #[error("cannot separate the programs from the rest of the machine: {0}")]
    Separation(#[from] QuietError),
    /// The runs cannot be added to the result.
    #[error("cannot add runs to the result: {0}")]
    Earlier(#[from] super::EarlierError),
    /// A command around the runs failed.
    #[error(transparent)]
    Hook(#[from] HookError),
    /// The runner cannot measure.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The result file cannot be written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A duet with more or fewer than two programs.
    #[error("a duet is for exactly two programs, not {count}")]
    Duet { count: usize },
    /// The primary metric is not measured.
    #[error("no run gave a value of '{metric}'; there are {known}")]
    NoSuchMetric {
        metric: String,
        /// The measured metrics.
        known: String,
    },
    /// A requested counter is not available on this machine.
    #[error("this machine does not offer '{metric}': {reason}; 'lotse doctor' says what it offers")]
    NotOffered { metric: String, reason: String },
    /// The runner's tool does not run.
    #[error("the runner {runner} does not work here: {problem}")]
    Probe {
        runner: String,
        /// The error output of the tool.
        problem: String,
    },
    /// The program ran, but the runner could read no value of any run.
    #[error("the runner {runner} gave no value of '{program}': {problem}")]
    NoValues {
        runner: String,
        program: String,
        /// What was wrong with the last run.
        problem: String,
    },
    /// A duet on a single CPU.
    #[error("a duet needs two CPUs, and this process may use only one")]
    OneCpu,
    /// No directory for a runner's files.
    #[error("cannot make a directory for the runner's files")]
    Scratch(#[source] std::io::Error),
    /// The shell does not start.
    #[error("cannot measure the shell: {problem}")]
    Shell { problem: String },
    /// The statistics failed, which is a bug of Lotse.
    #[error("cannot decide")]
    Stats(#[from] lotse_stats::StatsError),
}

impl SessionError {
    pub(super) fn stopped_by(&self) -> StoppedBy {
        match self {
            Self::Hook(_) => StoppedBy::Hook,
            Self::Launch(_) => StoppedBy::Launcher,
            _ => StoppedBy::Error,
        }
    }

    /// Whether there is no answer to show beside the error. After a failed hook the names of the programs are still shown.
    pub(super) fn leaves_nothing(&self, set: &ResultSet) -> bool {
        match self {
            Self::Hook(_) => false,
            Self::NoSuchMetric { .. } | Self::NotOffered { .. } => true,
            _ => set.runs.is_empty(),
        }
    }
}
