//! Other programs that Lotse can use: their paths and versions, and what they are used for.
//!
//! None of them is needed to measure; each entry of [`TOOLS`] says what it adds.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;

use crate::job::{Job, Output};
use crate::launcher::Launcher;
use crate::problem::LaunchError;
use crate::report::{End, RunReport};
use crate::resolve;

/// Time limit for printing a version.
const PATIENCE: Duration = Duration::from_secs(10);

/// A program that Lotse can use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Tool {
    pub name: &'static str,
    /// What it adds to Lotse.
    pub gives: &'static str,
    pub install: &'static str,
    /// The argument that makes it print its version.
    #[serde(skip)]
    ask: &'static str,
}

/// All tools; a new tool is one line.
#[rustfmt::skip]
pub const TOOLS: &[Tool] = &[
    tool("valgrind", "instruction counts that repeat exactly, and profiles by callgrind", "apt install valgrind"),
    tool("perf", "the events of `perf stat` and sampled profiles", "apt install linux-perf"),
    tool("gcc", "builds in C and C++ with a randomised layout", "apt install gcc"),
    tool("clang", "builds in C and C++ with a randomised order of functions", "apt install clang"),
    tool("cargo", "builds in Rust", "see https://rustup.rs"),
    tool("git", "comparing revisions", "apt install git"),
    tool("debuginfod-find", "programs and debug information of a recorded build, from servers", "apt install debuginfod"),
    tool("hyperfine", "only the comparison with it in our own benchmarks", "cargo install hyperfine"),
];

const fn tool(name: &'static str, gives: &'static str, install: &'static str) -> Tool {
    Tool { name, gives, install, ask: "--version" }
}

/// Whether a tool is installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ToolState {
    Found {
        path: PathBuf,
        /// Absent if the tool printed none.
        version: Option<String>,
    },
    /// It is installed but does not print its version.
    Broken {
        path: PathBuf,
        /// How the call ended.
        problem: String,
    },
    /// No directory of `PATH` contains it.
    Missing,
}

/// The path of an executable program in `PATH`.
pub fn find_tool(name: &str) -> Option<PathBuf> {
    resolve::program(&Job::new([name])).ok()
}

/// Searches a tool and runs it to get its version.
pub fn tool_state(tool: &Tool, launcher: &mut Launcher) -> Result<ToolState, LaunchError> {
    let Some(path) = find_tool(tool.name) else { return Ok(ToolState::Missing) };
    let output = Output::Capture { limit: 4096 };
    let mut job = Job::new([path.as_os_str(), tool.ask.as_ref()]);
    job.stdout.clone_from(&output);
    job.stderr = output;
    job.timeout = Some(PATIENCE);
    let report = launcher.run(&job)?;
    Ok(match report.end {
        End::Exited(0) => ToolState::Found { path, version: version(&report) },
        end => ToolState::Broken { path, problem: end.to_string() },
    })
}

fn version(report: &RunReport) -> Option<String> {
    let text = |bytes| version_in(&String::from_utf8_lossy(bytes));
    text(&report.stdout.bytes).or_else(|| text(&report.stderr.bytes))
}

/// The first number with a dot in it.
fn version_in(text: &str) -> Option<String> {
    let pieces = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let mut numbers = pieces.map(|piece| piece.trim_matches('.'));
    numbers.find(|piece| piece.contains('.')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{TOOLS, find_tool, version_in};

    #[test]
    fn versions_are_found_in_what_tools_say() {
        let check = |text, version: &str| assert_eq!(version_in(text).as_deref(), Some(version));
        check("valgrind-3.19.0\n", "3.19.0");
        check("perf version 6.1.170\n", "6.1.170");
        check("gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022 Free", "12.2.0");
        check("Debian clang version 14.0.6\nTarget: x86_64-pc-linux-gnu\n", "14.0.6");
        check("git version 2.39.5\n", "2.39.5");
        check("hyperfine 1.15.0", "1.15.0");
        assert_eq!(version_in("no version. at all"), None);
    }

    #[test]
    fn every_tool_says_what_it_gives_and_how_to_get_it() {
        for tool in TOOLS {
            assert!(!tool.gives.is_empty() && !tool.install.is_empty(), "{}", tool.name);
        }
    }

    #[test]
    fn only_what_is_there_is_found() {
        assert!(find_tool("sh").is_some());
        assert_eq!(find_tool("no-program-is-called-so"), None);
    }
}
