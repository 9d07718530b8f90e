//! Programs and debug information by build id, from the servers that `DEBUGINFOD_URLS` names.
//!
//! `debuginfod-find` of elfutils asks them and keeps what it gets. All questions together take no longer than a fixed
//! time: a server that does not answer must not keep the user from the rest of the answer.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::job::{Job, Output};
use crate::launcher::{Launcher, LauncherOptions};
use crate::problem::LaunchError;
use crate::report::{End, RunReport};
use crate::tools::find;

/// For all files of one command.
const PATIENCE: Duration = Duration::from_secs(60);
const TOOL: &str = "debuginfod-find";

/// Why servers gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum DebuginfodProblem {
    /// There is nothing to ask with.
    #[error("DEBUGINFOD_URLS is set, but {TOOL} is not installed (apt install debuginfod)")]
    NoTool,
    /// It could not be started.
    #[error("{TOOL} cannot be started")]
    Start(#[from] LaunchError),
    /// They did not answer in time.
    #[error("the servers of DEBUGINFOD_URLS did not answer within {} s", PATIENCE.as_secs())]
    Late,
    /// They do not have it, or cannot be reached.
    #[error("the servers of DEBUGINFOD_URLS do not have it ({0})")]
    Nothing(String),
}

/// Asks servers, one question after the other.
#[derive(Debug)]
pub struct Debuginfod {
    launcher: Option<Launcher>,
    left: Duration,
}

impl Debuginfod {
    /// A client; `None` where no server is named.
    pub fn new() -> Option<Self> {
        let named =
            std::env::var_os("DEBUGINFOD_URLS").is_some_and(|urls| !urls.to_string_lossy().trim().is_empty());
        named.then_some(Self { launcher: None, left: PATIENCE })
    }

    /// The path of a file: `executable` or `debuginfo` of a build id in hexadecimal digits.
    pub fn find(&mut self, kind: &str, build_id: &str) -> Result<PathBuf, DebuginfodProblem> {
        let tool = find(TOOL).ok_or(DebuginfodProblem::NoTool)?;
        self.ask(Job::new([tool.as_os_str(), kind.as_ref(), build_id.as_ref()]))
    }

    /// The path that a program prints, if it does so before the time is over.
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
