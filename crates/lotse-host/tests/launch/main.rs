//! Runs real programs through the launcher. Every process here is a child of these tests.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ends;
mod leftovers;
mod measures;
mod streams;
mod terminal;
mod tools;

use std::path::Path;
use std::time::{Duration, Instant};

use lotse_host::{Job, Launcher, LauncherOptions, Output, RunReport};

const ALL: Output = Output::Capture { limit: usize::MAX };

fn launcher() -> Launcher {
    Launcher::start(&LauncherOptions::default()).unwrap()
}

fn run(job: &Job) -> RunReport {
    launcher().run(job).unwrap()
}

/// A job of the shell whose output is captured.
fn shell(script: &str) -> Job {
    Job { stdout: ALL, stderr: ALL, ..Job::new(["/bin/sh", "-c", script]) }
}

fn stdout(report: &RunReport) -> &str {
    std::str::from_utf8(&report.stdout.bytes).unwrap().trim_end()
}

fn is_running(pid: &str) -> bool {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
    status.is_ok_and(|it| !it.rsplit(')').next().unwrap().starts_with(" Z"))
}

/// Waits until a condition holds, with a generous time limit for slow machines.
fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !happened() {
        assert!(begin.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
