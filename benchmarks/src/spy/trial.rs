//! The tests of one crate, as they are and recorded.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lotse_host::{End, Environment, Job, Output, RunReport};
use serde::{Deserialize, Serialize};

use super::published::{Published, remove};
use crate::error::Error;
use crate::lotse::Lotse;
use crate::workshop::Workshop;

/// How much of an output is kept.
const KEPT: usize = 16 << 20;

/// How long things may take, in seconds.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// A build.
    pub build: u64,
    /// The tests as they are; recorded ones get twenty times what these took, at least a minute, at most this.
    pub run: u64,
    /// The analysis.
    pub analysis: u64,
}

/// What test programs printed about their tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Tests {
    /// Passed.
    pub passed: u64,
    /// Failed.
    pub failed: u64,
    /// Seconds of all test programs together, as they print them: in steps of 10 ms.
    pub seconds: f64,
}

/// What came of a crate.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Outcome {
    /// The crate.
    pub name: String,
    /// The tests as they are.
    pub plain: Tests,
    /// The tests while they are recorded.
    pub recorded: Tests,
    /// Bytes of the history.
    pub history: u64,
    /// What the analysis found.
    pub answer: Option<Answer>,
    /// CPU seconds of the analysis.
    pub analysis_seconds: f64,
    /// Peak memory of the analysis in bytes.
    pub analysis_memory: u64,
    /// Which step did not end well, and how.
    pub problem: Option<String>,
}

/// What `lotse spy analyze --json` prints, as far as it is used here.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Answer {
    /// Accesses to structures.
    pub events: u64,
    /// Findings.
    pub findings: Vec<serde_json::Value>,
    /// How much has a name.
    pub coverage: Coverage,
}

/// Accesses by what they belong to.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Coverage {
    /// All.
    pub accesses: u64,
    /// To memory of no structure.
    pub elsewhere: u64,
    /// Of an operation that has a name.
    pub named: u64,
    /// By a line of the program itself.
    pub direct: u64,
    /// By library code without a name.
    pub unnamed: u64,
    /// By library code that no line of the program called.
    pub library: u64,
    /// Events that were lost.
    pub lost: u64,
}

impl Coverage {
    /// The share of the accesses to structures that have a name or a line.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let known = self.named + self.direct;
        let all = known + self.unnamed + self.library;
        (all > 0).then(|| known as f64 / all as f64)
    }
}

/// A crate on its way through all steps.
#[derive(Debug)]
pub struct Trial<'a> {
    /// Where everything is run.
    pub workshop: &'a mut Workshop,
    /// The tool.
    pub lotse: &'a Lotse,
    /// How long steps may take.
    pub limits: Limits,
}

impl Trial<'_> {
    /// Builds and tests a crate as it is and recorded, and analyses what was recorded.
    pub fn run(&mut self, published: &Published) -> Result<Outcome, Error> {
        let mut outcome = Outcome { name: published.name.to_owned(), ..Outcome::default() };
        let source = published.unpack(self.workshop)?;
        outcome.problem = self.steps(published, &source, &mut outcome).err();
        for folder in ["source", "plain", "recorded"] {
            remove(&self.workshop.path(folder))?;
        }
        Ok(outcome)
    }

    fn steps(&mut self, published: &Published, source: &Path, outcome: &mut Outcome) -> Result<(), String> {
        let test = ["cargo", "test", "--release", "--no-fail-fast"];
        let which = if published.arguments.is_empty() { &["--tests"][..] } else { published.arguments };
        let test: Vec<&str> = test.iter().chain(which).copied().collect();
        let build: Vec<&str> = test.iter().copied().chain(["--no-run"]).collect();
        let plain = self.workshop.path("plain");
        let limits = self.limits;
        self.step("build", source, &build, &plain, limits.build, &[0])?;
        let report = self.step("tests", source, &test, &plain, limits.run, &[0, 101])?;
        outcome.plain = Tests::read(&report);
        let most = ((outcome.plain.seconds * 20.0) as u64 + 60).min(limits.run);
        let (target, history) = (self.workshop.path("recorded"), self.workshop.path("tests.lotse-history"));
        self.spy("recorded build", source, &build, (&target, &history), limits.build, &[0])?;
        let analysed = limits.run + limits.analysis;
        let report = self.spy(
            "recorded tests",
            source,
            &test,
            (&target, &history),
            most.max(60) + analysed,
            &[0, 3, 4, 101],
        )?;
        outcome.recorded = Tests::read(&report);
        outcome.history = fs::metadata(&history).map_or(0, |file| file.len());
        let analyze =
            [self.lotse.path().display().to_string(), "spy".into(), "analyze".into(), "--json".into()];
        let analyze: Vec<&str> = analyze.iter().map(String::as_str).collect();
        let name = history.display().to_string();
        let command: Vec<&str> = analyze.into_iter().chain([name.as_str()]).collect();
        let report = self.step("analysis", source, &command, &target, limits.analysis, &[0])?;
        outcome.analysis_seconds = (report.usage.user_ns + report.usage.system_ns) as f64 / 1e9;
        outcome.analysis_memory = report.usage.max_resident_bytes;
        outcome.answer =
            serde_json::from_slice(&report.stdout.bytes).map_err(|error| format!("analysis: {error}"))?;
        Ok(())
    }

    fn spy(
        &mut self,
        step: &str,
        source: &Path,
        command: &[&str],
        (target, history): (&Path, &Path),
        seconds: u64,
        accepted: &[i32],
    ) -> Result<RunReport, String> {
        let words = [self.lotse.path(), Path::new("spy"), Path::new("run"), Path::new("--no-second-run")];
        let places = [Path::new("--target-dir"), target, Path::new("-o"), history, Path::new("--")];
        let words: Vec<String> =
            words.into_iter().chain(places).map(|word| word.display().to_string()).collect();
        let all: Vec<&str> = words.iter().map(String::as_str).chain(command.iter().copied()).collect();
        self.step(step, source, &all, target, seconds, accepted)
    }

    /// Runs a command in the source; how it ended, if it did not end as accepted.
    fn step(
        &mut self,
        step: &str,
        source: &Path,
        command: &[&str],
        target: &Path,
        seconds: u64,
        accepted: &[i32],
    ) -> Result<RunReport, String> {
        let mut environment = Environment::default();
        environment.set("CARGO_TARGET_DIR", OsString::from(target));
        let capture = Output::Capture { limit: KEPT };
        let job = Job {
            environment,
            directory: Some(PathBuf::from(source)),
            stdout: capture.clone(),
            stderr: capture,
            timeout: Some(Duration::from_secs(seconds)),
            ..Job::new(command)
        };
        let report = self.workshop.launcher().run(&job).map_err(|error| format!("{step}: {error}"))?;
        match &report.end {
            End::Exited(status) if accepted.contains(status) => Ok(report),
            End::TimedOut => Err(format!("{step}: more than {seconds} s")),
            end => Err(format!("{step}: {end}: {}", last_error(&report))),
        }
    }
}

/// Lines that begin with `error`, or the last one.
fn last_error(report: &RunReport) -> String {
    let text = String::from_utf8_lossy(&report.stderr.bytes);
    let errors: Vec<&str> =
        text.lines().filter(|line| line.contains("error") || line.contains("signal")).collect();
    let text =
        if errors.is_empty() { text.lines().last().unwrap_or("").to_owned() } else { errors.join("; ") };
    text.chars().take(300).collect()
}

impl Tests {
    fn read(report: &RunReport) -> Self {
        Self::parse(&String::from_utf8_lossy(&report.stdout.bytes))
    }

    /// Sums lines such as `test result: ok. 96 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s`.
    fn parse(text: &str) -> Self {
        let mut tests = Self::default();
        // Tests may print without a new line before the result.
        for (_, result) in text.lines().filter_map(|line| line.split_once("test result: ")) {
            let number = |word: &str| {
                let before = result.split(word).next()?.trim_end();
                before.rsplit(' ').next()?.parse::<u64>().ok()
            };
            tests.passed += number(" passed").unwrap_or(0);
            tests.failed += number(" failed").unwrap_or(0);
            let seconds =
                result.split_once("finished in ").and_then(|(_, time)| time.strip_suffix('s')?.parse().ok());
            tests.seconds += seconds.unwrap_or(0.0);
        }
        tests
    }
}

#[cfg(test)]
mod tests {
    use super::Tests;

    #[test]
    fn results_of_test_programs_are_summed() {
        let text = "running 2 tests\n..\ntest result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.25s\n\n\
            xtest result: FAILED. 3 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.50s\n";
        assert_eq!(Tests::parse(text), Tests { passed: 5, failed: 4, seconds: 1.75 });
    }
}
