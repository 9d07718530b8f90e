//! Programs and debug information by build id, from the servers in `DEBUGINFOD_URLS`.
//!
//! `debuginfod-find` of elfutils queries the servers and caches their files. All queries of a command together have a time
//! limit, so that a server that does not answer delays the result by no more than that.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::job::{Job, Output};
use crate::launcher::{Launcher, LauncherOptions};
use crate::problem::LaunchError;
use crate::report::{End, RunReport};
use crate::tools::find_tool;

/// Time limit of all queries of one command.
const PATIENCE: Duration = Duration::from_secs(60);
const TOOL: &str = "debuginfod-find";

/// Why there is no file from a server.
#[derive(Debug, thiserror::Error)]
pub enum DebuginfodProblem {
    /// `debuginfod-find` is not installed.
    #[error("DEBUGINFOD_URLS is set, but {TOOL} is not installed (apt install debuginfod)")]
    NoTool,
    #[error("{TOOL} cannot be started")]
    Start(#[from] LaunchError),
    #[error("the servers of DEBUGINFOD_URLS did not answer within {} s", PATIENCE.as_secs())]
    Late,
    /// The servers do not have the file or cannot be reached.
    #[error("the servers of DEBUGINFOD_URLS do not have it ({0})")]
    Nothing(String),
}

/// A client of debuginfod servers, which sends one query at a time.
#[derive(Debug)]
pub struct Debuginfod {
    launcher: Option<Launcher>,
    left: Duration,
}

impl Debuginfod {
    /// A client; `None` if no server is configured.
    pub fn new() -> Option<Self> {
        let named =
            std::env::var_os("DEBUGINFOD_URLS").is_some_and(|urls| !urls.to_string_lossy().trim().is_empty());
        named.then_some(Self { launcher: None, left: PATIENCE })
    }

    /// Downloads a file and returns its path. `kind` is `executable` or `debuginfo`; the build id is in hexadecimal digits.
    pub fn find(&mut self, kind: &str, build_id: &str) -> Result<PathBuf, DebuginfodProblem> {
        let tool = find_tool(TOOL).ok_or(DebuginfodProblem::NoTool)?;
        self.ask(Job::new([tool.as_os_str(), kind.as_ref(), build_id.as_ref()]))
    }

    /// Runs a program and returns the path that it prints, unless the time limit is exceeded.
    fn ask(&mut self, mut job: Job) -> Result<PathBuf, DebuginfodProblem> {
        if self.left.is_zero() {
            return Err(DebuginfodProblem::Late);
        }
        let start = Instant::now();
        job.stdout = Output::Capture { limit: 1 << 16 };
        job.stderr = Output::Capture { limit: 1 << 16 };
        job.timeout = Some(self.left);
        let report = self.launcher()?.run(&job)?;
        self.left = self.left.saturating_sub(start.elapsed());
        found(&report)
    }

    fn launcher(&mut self) -> Result<&mut Launcher, LaunchError> {
        let started = match self.launcher.take() {
            Some(running) => running,
            None => Launcher::start(&LauncherOptions::default())?,
        };
        Ok(self.launcher.insert(started))
    }
}

fn found(report: &RunReport) -> Result<PathBuf, DebuginfodProblem> {
    let path = report.stdout.bytes.trim_ascii_end();
    match report.end {
        End::Exited(0) if !path.is_empty() => Ok(PathBuf::from(String::from_utf8_lossy(path).into_owned())),
        End::TimedOut => Err(DebuginfodProblem::Late),
        _ => {
            let error = String::from_utf8_lossy(&report.stderr.bytes);
            let error = error.lines().last().unwrap_or("without a reason").trim().to_owned();
            Err(DebuginfodProblem::Nothing(error))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::{Debuginfod, DebuginfodProblem, Job};

    #[test]
    fn servers_that_do_not_answer_are_given_up_and_not_asked_again() {
        let mut servers = Debuginfod { launcher: None, left: Duration::from_millis(100) };
        let late = servers.ask(Job::new(["sleep", "600"]));
        assert!(matches!(late, Err(DebuginfodProblem::Late)), "{late:?}");
        let after = servers.ask(Job::new(["echo", "/found"]));
        assert!(matches!(after, Err(DebuginfodProblem::Late)), "{after:?}");
    }

    #[test]
    fn a_path_or_the_reason_is_given_back() {
        let mut servers = Debuginfod { launcher: None, left: Duration::from_secs(60) };
        assert_eq!(servers.ask(Job::new(["echo", "/a b"])).unwrap(), PathBuf::from("/a b"));
        let none = servers.ask(Job::new(["sh", "-c", "echo first >&2; echo no such build >&2; exit 1"]));
        let printed = none.unwrap_err().to_string();
        assert_eq!(printed, "the servers of DEBUGINFOD_URLS do not have it (no such build)");
    }
}
