//! Exit statuses, the same for every command.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done = 0,
    /// The answer is no: a gate does not let the result pass.
    No = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The user's program failed.
    ProgramFailed = 3,
    /// Something of the environment is missing.
    Missing = 4,
    /// The measurement could not decide.
    Undecided = 5,
    /// An input could not be read; what could be was printed.
    Unreadable = 6,
    /// Stopped by the user.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error with the status it ends in.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(exit: Exit, error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !message.contains(&text) {
                message = format!("{message}: {text}");
            }
            source = cause.source();
        }
        Self { exit, message }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }
}
