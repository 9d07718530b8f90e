//! Why a measurement cannot begin, or does not come to its end.

use lotse_host::LaunchError;
use lotse_host::quiet::QuietError;
use lotse_model::results::ResultSet;

use super::HookError;
use crate::log::LogError;
use crate::runner::RunnerError;
use crate::trial::StoppedBy;

/// Why nothing could be measured, or not to the end.
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
    /// Two at once needs two.
    #[error("a duet is for exactly two programs, not {count}")]
    Duet {
        /// How many there are.
        count: usize,
    },
    /// The verdict was planned on something nobody measures.
    #[error("no run gave a value of '{metric}'; there are {known}")]
    NoSuchMetric {
        /// What was asked for.
        metric: String,
        /// What was measured.
        known: String,
    },
    /// A counter was asked for that this machine lacks.
    #[error("this machine does not offer '{metric}': {reason}; 'lotse doctor' says what it offers")]
    NotOffered {
        /// The counter.
        metric: String,
        /// Why.
        reason: String,
    },
    /// The runner's tool does not run.
    #[error("the runner {runner} does not work here: {problem}")]
    Probe {
        /// The runner.
        runner: String,
        /// What the tool says.
        problem: String,
    },
    /// The program ran, but the runner could read no value of any run.
    #[error("the runner {runner} gave no value of '{program}': {problem}")]
    NoValues {
        /// The runner.
        runner: String,
        /// The program.
        program: String,
        /// What was wrong with the last run.
        problem: String,
    },
    /// Two at once needs two CPUs.
    #[error("a duet needs two CPUs, and this process may use only one")]
    OneCpu,
    /// No directory for a runner's files.
    #[error("cannot make a directory for the runner's files")]
    Scratch(#[source] std::io::Error),
    /// The shell does not start.
    #[error("cannot measure the shell: {problem}")]
    Shell {
        /// Why.
        problem: String,
    },
    /// The statistics refused, a mistake of ours.
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

    /// Whether there is no answer to show beside the error. A failed hook leaves at least the names of what it was for.
    pub(super) fn leaves_nothing(&self, set: &ResultSet) -> bool {
        match self {
            Self::Hook(_) => false,
            Self::NoSuchMetric { .. } | Self::NotOffered { .. } => true,
            _ => set.runs.is_empty(),
        }
    }
}
