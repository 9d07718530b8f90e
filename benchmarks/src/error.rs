//! The errors of benchmarks, and how programs report them.

use std::error::Error as _;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use lotse_host::{End, LaunchError};
use lotse_stats::StatsError;

use crate::journal::JournalError;

/// Why a benchmark failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The executable of Lotse was not found.
    #[error("no Lotse at {}: build it with `cargo build --release -p lotse`, or give --lotse PATH", .0.display())]
    NoLotse(PathBuf),
    /// The measured programs cannot be built.
    #[error("gcc {0}: the measured programs are built by it (Debian: apt install gcc libc6-dev)")]
    NoCompiler(End),
    /// A file cannot be used.
    #[error("cannot {doing} {}", path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A program failed.
    #[error("{tool} {end}: {output}")]
    Tool {
        /// Which.
        tool: &'static str,
        /// How it ended.
        end: End,
        /// What it wrote to its standard error.
        output: String,
    },
    /// The output of a program is not as expected.
    #[error("the answer of {tool} has no {what}")]
    Answer {
        /// Which.
        tool: &'static str,
        /// What is missing in it.
        what: String,
    },
    /// The output of a program is not the expected JSON.
    #[error("the answer of {tool} is not understood")]
    Json {
        /// Which.
        tool: &'static str,
        /// Where and why.
        source: serde_json::Error,
    },
    /// The measured program cannot run for the wanted time.
    #[error("no number of steps gives a run of {wanted} s: {startup} s to start, {per_step} s a step")]
    Calibration {
        /// Seconds asked for.
        wanted: f64,
        /// Seconds without any step.
        startup: f64,
        /// Seconds for each step.
        per_step: f64,
    },
    /// The handler of Ctrl-C cannot be installed.
    #[error("cannot listen to signals")]
    Signals(#[source] io::Error),
    /// A trace cannot be read.
    #[error("cannot read the trace {}", path.display())]
    Trace {
        /// Its anchor.
        path: PathBuf,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The journal cannot be continued.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Nothing can be started.
    #[error(transparent)]
    Launch(#[from] LaunchError),
    /// The figures allow no statement.
    #[error(transparent)]
    Stats(#[from] StatsError),
}

impl Error {
    /// Why a trace cannot be read.
    pub fn trace(
        path: impl Into<PathBuf>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Trace { path: path.into(), source: source.into() }
    }

    /// What could not be done with a file.
    pub fn file(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { doing, path, source }
    }
}

/// Ends a program: prints an error with its causes.
#[expect(clippy::print_stderr, reason = "the last thing a benchmark does")]
pub fn finish(result: Result<(), Error>) -> ExitCode {
    let Err(error) = result else { return ExitCode::SUCCESS };
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(source) = cause {
        eprintln!("  because: {source}");
        cause = source.source();
    }
    ExitCode::FAILURE
}
