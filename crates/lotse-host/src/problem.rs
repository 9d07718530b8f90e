//! Why a run could not begin ([`StartProblem`], the user's affair), or the launcher itself failed
//! ([`LaunchError`], ours).

use std::io;
use std::path::PathBuf;

/// Why a program could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartProblem {
    /// There was no word at all.
    #[error("the command is empty")]
    EmptyCommand,
    /// A name that no directory of `PATH` has, or a path that leads nowhere.
    #[error("there is no program `{name}`{}", suggestion(nearest.as_deref()))]
    NotFound {
        /// What was asked for.
        name: String,
        /// A program with a similar name.
        nearest: Option<String>,
    },
    /// The file is there but may not be executed.
    #[error("`{}` may not be executed; if it is a program, `chmod +x` makes it so", path.display())]
    PermissionDenied {
        /// The file.
        path: PathBuf,
    },
    /// The path is a directory.
    #[error("`{}` is a directory, not a program", path.display())]
    IsDirectory {
        /// The directory.
        path: PathBuf,
    },
    /// The kernel does not know the file's format: mostly a script without `#!`.
    #[error("the system cannot execute `{}`: a script needs a first line such as `#!/bin/sh`; `-S` runs the command in a shell, which would read it", path.display())]
    NoInterpreter {
        /// The file.
        path: PathBuf,
    },
    /// The file is an executable of another machine.
    #[error("`{}` is a program for another kind of machine", path.display())]
    WrongMachine {
        /// The file.
        path: PathBuf,
    },
    /// The file is there, but not what its `#!` line or its loader names.
    #[error("`{}` needs an interpreter or loader that does not exist here", path.display())]
    InterpreterMissing {
        /// The file.
        path: PathBuf,
    },
    /// Arguments and environment exceed what the kernel allows.
    #[error("the arguments and the environment are together too long")]
    TooLong,
    /// An argument, variable or path holds a NUL byte, which no program can be given.
    #[error("a NUL byte in {what}")]
    NulByte {
        /// Where it is.
        what: &'static str,
    },
    /// The working directory cannot be entered.
    #[error("cannot enter the directory `{}`: {}", path.display(), describe(*code))]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The kernel's error number.
        code: i32,
    },
    /// A file for stdin, stdout or stderr cannot be opened.
    #[error("cannot open `{}` as {stream}: {}", path.display(), describe(*code))]
    Stream {
        /// `stdin`, `stdout` or `stderr`.
        stream: &'static str,
        /// The file.
        path: PathBuf,
        /// The kernel's error number.
        code: i32,
    },
    /// The CPU asked for cannot be used.
    #[error("CPU {cpu} cannot be used: {}", describe(*code))]
    Cpu {
        /// Its number.
        cpu: u32,
        /// The kernel's error number.
        code: i32,
    },
    /// Anything else.
    #[error("{step} failed: {}", describe(*code))]
    Other {
        /// What was being done.
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

/// Why the launcher failed.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// There is no launcher for this platform.
    #[error("programs can be measured on Linux on x86-64 and aarch64 only")]
    Unsupported,
    /// It could not be started.
    #[error("cannot start the launcher: {0}")]
    Start(#[source] io::Error),
    /// It ended before its time.
    #[error("the launcher ended unexpectedly; was it killed?")]
    Lost,
    /// Its answer makes no sense.
    #[error("the launcher's answer makes no sense: {0}")]
    Protocol(&'static str),
    /// The pipes to it failed.
    #[error("cannot {doing}: {source}")]
    Pipe {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// More counters than it takes.
    #[error("at most {most} counters can be asked for, not {asked}")]
    TooManyCounters {
        /// How many it takes.
        most: usize,
        /// How many were asked for.
        asked: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::{LaunchError, StartProblem};
    use std::error::Error as _;
    use std::io;

    #[test]
    fn problems_name_the_thing_and_the_mend() {
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
        let many = LaunchError::TooManyCounters { most: 32, asked: 40 };
        assert_eq!(many.to_string(), "at most 32 counters can be asked for, not 40");
    }
}
