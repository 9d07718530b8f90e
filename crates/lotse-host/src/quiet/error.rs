//! Errors of actions: why they are refused, or cannot be undone.

use std::io;

use super::process::ProcessId;
use crate::source::FileError;

/// Why an action is refused, has no effect, or cannot be undone.
#[derive(Debug, thiserror::Error)]
pub enum QuietError {
    /// The machine lacks the facility that the action changes.
    #[error("{0}")]
    Absent(String),
    /// The user lacks the permission.
    #[error("{0}")]
    Forbidden(String),
    /// The action had no effect.
    #[error("no effect: {0}")]
    NoEffect(String),
    #[error("cannot {doing} `{file}`: {source}")]
    File { doing: &'static str, file: String, source: io::Error },
    #[error("cannot {doing} of process {}: {source}", .process.pid)]
    Process { doing: &'static str, process: ProcessId, source: io::Error },
    /// The target no longer exists.
    #[error("it is gone")]
    Gone,
    /// The journal cannot be written; nothing is changed without it.
    #[error("cannot keep the journal of changes")]
    Journal(#[from] FileError),
    /// Another measurement has changed the machine; two would restore each other's values.
    #[error("another measurement with --separate is under way: wait for its end")]
    Busy,
    /// There is no directory for the journal.
    #[error("no place for the journal of changes: set HOME or XDG_STATE_HOME")]
    NoState,
    /// The watchdog process could not be started.
    #[error("cannot start the watchdog: {0}")]
    Watchdog(io::Error),
}

impl QuietError {
    /// An error about a file.
    pub(super) fn file(doing: &'static str, file: &str) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { doing, file: file.to_owned(), source }
    }

    /// An error about a process; [`QuietError::Gone`] if it no longer exists.
    pub(super) fn process(doing: &'static str, process: ProcessId) -> impl FnOnce(io::Error) -> Self {
        move |source| match source.raw_os_error() {
            Some(libc::ESRCH) => Self::Gone,
            _ => Self::Process { doing, process, source },
        }
    }
}

/// A list of actions that is not valid.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ChoiceError {
    #[error("there is no action or preset '{name}'; there are {known}")]
    Unknown {
        name: String,
        /// All valid names.
        known: String,
    },
    /// The value after `=` is not valid.
    #[error("'{value}' does not fit the action {action}: {expected}")]
    Value {
        action: &'static str,
        value: String,
        /// A description of valid values.
        expected: &'static str,
    },
}
