//! Why the machine cannot be made quiet, or not put back.

use std::io;

use super::process::ProcessId;
use crate::source::FileError;

/// Why an action is refused, has no effect, or cannot be undone.
#[derive(Debug, thiserror::Error)]
pub enum QuietError {
    /// The machine lacks what the action changes.
    #[error("{0}")]
    Absent(String),
    /// The user may not do it.
    #[error("{0}")]
    Forbidden(String),
    /// It was done and changed nothing.
    #[error("no effect: {0}")]
    NoEffect(String),
    /// A file of the system.
    #[error("cannot {doing} `{file}`: {source}")]
    File {
        /// What was tried.
        doing: &'static str,
        /// Where.
        file: String,
        /// Why not.
        source: io::Error,
    },
    /// A property of a process.
    #[error("cannot {doing} of process {}: {source}", .process.pid)]
    Process {
        /// What was tried.
        doing: &'static str,
        /// Whose.
        process: ProcessId,
        /// Why not.
        source: io::Error,
    },
    /// What was to be changed is no longer there.
    #[error("it is gone")]
    Gone,
    /// The journal cannot be written, and without it nothing is changed.
    #[error("cannot keep the journal of changes")]
    Journal(#[from] FileError),
    /// Two measurements would put back each other's values.
    #[error("another measurement with --separate is under way: wait for its end")]
    Busy,
    /// Nobody knows where the journal should be.
    #[error("no place for the journal of changes: set HOME or XDG_STATE_HOME")]
    NoState,
    /// The process that undoes everything after a kill.
    #[error("cannot start the watchdog: {0}")]
    Watchdog(io::Error),
}

impl QuietError {
    /// An error about a file.
    pub(super) fn file(doing: &'static str, file: &str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { doing, file: file.to_owned(), source }
    }

    /// An error about a process; one that no longer exists is gone.
    pub(super) fn process(doing: &'static str, process: ProcessId) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.raw_os_error() {
            Some(libc::ESRCH) => Self::Gone,
            _ => Self::Process { doing, process, source },
        }
    }
}

/// A list of actions that cannot be understood.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ChoiceError {
    /// There is no such action or preset.
    #[error("there is no action or preset '{name}'; there are {known}")]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// The value after `=` does not fit.
    #[error("'{value}' does not fit the action {action}: {expected}")]
    Value {
        /// The action.
        action: &'static str,
        /// What was given.
        value: String,
        /// What it takes.
        expected: &'static str,
    },
}
