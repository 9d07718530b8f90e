//! Exit statuses, the same for every command.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    Done = 0,
    /// A gate rejects the result.
    No = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The user's program failed.
    ProgramFailed = 3,
    /// Something of the environment is missing.
    Missing = 4,
    /// The measurement could not decide.
    Undecided = 5,
    /// An input could not be read, or only in part; what could be read was used.
    Unreadable = 6,
    /// Stopped by the user.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An error message and the exit status of the process.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    pub(crate) message: String,
}

impl Failure {
    /// A failure with the messages of an error and of its causes, without repetitions.
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
