//! Failures of commands and their exit status: 1 for a failed check or step, 2 for wrong usage, 4 for a missing program or an
//! error of the environment.

use std::error::Error as _;
use std::process::{ExitCode, ExitStatus};

/// Why a command did not succeed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("complaints: {0}")]
    Complaints(usize),
    #[error("`{line}` failed ({status})")]
    Step { line: String, status: ExitStatus },
    #[error("tests failed: {}", .0.join(", "))]
    Tests(Vec<String>),
    #[error("{0} skips for want of something that can be installed: see the list above")]
    Skipped(usize),
    #[error("{problem}\n{usage}")]
    Usage { problem: String, usage: String },
    #[error("{what} is missing: {remedy}")]
    Missing { what: &'static str, remedy: &'static str },
    #[error(transparent)]
    Environment(#[from] xtask::Error),
}

impl Failure {
    /// Prints the failure and its causes.
    pub(crate) fn print(&self) {
        eprintln!("error: {self}");
        let mut cause = self.source();
        while let Some(error) = cause {
            eprintln!("  because: {error}");
            cause = error.source();
        }
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Complaints(_) | Self::Step { .. } | Self::Tests(_) | Self::Skipped(_) => 1,
            Self::Usage { .. } => 2,
            Self::Missing { .. } | Self::Environment(_) => 4,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Failure;
    use std::process::ExitCode;

    #[test]
    fn each_kind_has_its_exit_code() {
        let usage = Failure::Usage { problem: "a".to_owned(), usage: "b".to_owned() };
        let missing = Failure::Missing { what: "a", remedy: "b" };
        for (failure, code) in [(Failure::Complaints(2), 1), (usage, 2), (missing, 4)] {
            assert_eq!(failure.exit_code(), ExitCode::from(code), "{failure}");
        }
    }
}
