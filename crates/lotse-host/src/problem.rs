//! Why a program could not be started ([`StartProblem`], which the user can solve), or the launcher itself failed
//! ([`LaunchError`]).

use std::io;
use std::path::PathBuf;

/// Why a program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartProblem {
    #[error("the command is empty")]
    EmptyCommand,
    /// No directory of `PATH` contains the name, or the path does not exist.
    #[error("there is no program `{name}`{}", suggestion(nearest.as_deref()))]
    NotFound {
        name: String,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// The file exists but is not executable.
    #[error("`{}` may not be executed; if it is a program, `chmod +x` makes it so", path.display())]
    PermissionDenied { path: PathBuf },
    #[error("`{}` is a directory, not a program", path.display())]
    IsDirectory { path: PathBuf },
    /// The kernel does not know the file's format: usually a script without `#!`.
    #[error("the system cannot execute `{}`: a script needs a first line such as `#!/bin/sh`; `-S` runs the command in a shell, which would read it", path.display())]
    NoInterpreter { path: PathBuf },
    #[error("`{}` is a program for another kind of machine", path.display())]
    WrongMachine { path: PathBuf },
    /// The file exists, but the interpreter in its `#!` line or its dynamic loader does not.
    #[error("`{}` needs an interpreter or loader that does not exist here", path.display())]
    InterpreterMissing { path: PathBuf },
    /// Arguments and environment exceed what the kernel allows.
    #[error("the arguments and the environment are together too long")]
    TooLong,
    /// An argument, variable or path contains a NUL byte, which cannot be passed to a program.
    #[error("a NUL byte in {what}")]
    NulByte { what: &'static str },
    /// The working directory cannot be entered.
    #[error("cannot enter the directory `{}`: {}", path.display(), describe(*code))]
    Directory {
        path: PathBuf,
        /// The kernel's error number.
        code: i32,
    },
    /// A file for stdin, stdout or stderr cannot be opened.
    #[error("cannot open `{}` as {stream}: {}", path.display(), describe(*code))]
    Stream {
        /// `stdin`, `stdout` or `stderr`
        stream: &'static str,
        path: PathBuf,
        /// The kernel's error number.
        code: i32,
    },
    #[error("CPU {cpu} cannot be used: {}", describe(*code))]
    Cpu {
        cpu: u32,
        /// The kernel's error number.
        code: i32,
    },
    #[error("{step} failed: {}", describe(*code))]
    Other {
        step: &'static str,
        /// The kernel's error number.
        code: i32,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}

fn describe(code: i32) -> io::Error {
    io::Error::from_raw_os_error(code)
}

/// A failure of the launcher itself.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no launcher for this platform.
    #[error("programs can be measured on Linux on x86-64 and aarch64 only")]
    Unsupported,
    #[error("cannot start the launcher: {0}")]
    Start(#[source] io::Error),
    /// The launcher ended unexpectedly.
    #[error("the launcher ended unexpectedly; was it killed?")]
    Lost,
    /// The launcher's answer violates the protocol.
    #[error("the launcher's answer makes no sense: {0}")]
    Protocol(&'static str),
    #[error("cannot {doing}: {source}")]
    Pipe { doing: &'static str, source: io::Error },
    #[error("at most {most} counters can be asked for, not {requested}")]
    TooManyCounters { most: usize, requested: usize },
}

#[cfg(test)]
mod tests {
    use super::{LaunchError, StartProblem};
    use std::error::Error as _;
    use std::io;

    #[test]
    fn problems_name_the_cause_and_the_remedy() {
        let check = |problem: StartProblem, text| assert_eq!(problem.to_string(), text);
        let not_found = |nearest: Option<&str>| {
            let (name, nearest) = ("srot".to_owned(), nearest.map(str::to_owned));
            StartProblem::NotFound { name, nearest }
        };
        check(not_found(None), "there is no program `srot`");
        check(not_found(Some("sort")), "there is no program `srot`; did you mean `sort`?");
        check(StartProblem::NulByte { what: "an argument" }, "a NUL byte in an argument");
        check(
            StartProblem::PermissionDenied { path: "/a b".into() },
            "`/a b` may not be executed; if it is a program, `chmod +x` makes it so",
        );
        check(StartProblem::Cpu { cpu: 9, code: 22 }, "CPU 9 cannot be used: Invalid argument (os error 22)");
    }

    #[test]
    fn errors_keep_their_source() {
        let source = || io::Error::from_raw_os_error(5);
        for error in [LaunchError::Start(source()), LaunchError::Pipe { doing: "listen", source: source() }] {
            assert!(error.source().is_some(), "{error}");
        }
        let many = LaunchError::TooManyCounters { most: 32, requested: 40 };
        assert_eq!(many.to_string(), "at most 32 counters can be asked for, not 40");
    }
}
