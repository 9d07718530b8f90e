//! Runners: how a run is measured and which values it gives.
//!
//! A runner may wrap the command in a tool, capture its output or open counters, and turns the results into values.
//! Adding one is a new file and a line in [`RUNNERS`].

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use lotse_host::{CounterSpec, RunReport};
use lotse_model::Unit;

mod output;
mod perf_events;
mod perf_stat;
mod rusage;
mod valgrind;

/// The runner used unless another is chosen.
pub const DEFAULT: &str = rusage::KIND.id;

/// The runner for counters of the processor and the kernel.
pub const COUNTING: &str = perf_events::KIND.id;

/// The runner whose values are the same on every run of a deterministic program.
pub const EXACT: &str = valgrind::KIND.id;

/// The metrics of a list that only counters give.
pub fn counters_among(metrics: &[String]) -> Vec<String> {
    metrics.iter().filter(|name| perf_events::is_event(name)).cloned().collect()
}

/// An entry in the list of runners.
#[derive(Debug, Clone, Copy)]
pub struct RunnerKind {
    /// Its name on the command line.
    pub id: &'static str,
    /// What it measures, in a line.
    pub title: &'static str,
    /// The names of the corresponding runners of temci.
    pub temci: &'static [&'static str],
    /// The external program it needs.
    pub tool: Option<&'static str>,
    /// The metric a verdict is planned on unless another is chosen.
    pub primary: &'static str,
    /// Sets it up for some events.
    pub create: fn(&[String]) -> Created,
}

/// A runner, or why it cannot be created.
pub type Created = Result<Box<dyn Runner>, RunnerError>;

/// All runners.
pub const RUNNERS: &[RunnerKind] =
    &[rusage::KIND, perf_events::KIND, perf_stat::KIND, valgrind::KIND, output::KIND];

/// Why a runner cannot measure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunnerError {
    /// There is no such runner.
    #[error("there is no runner '{name}': choose one of {}", names())]
    Unknown { name: String },
    /// It counts no such event.
    #[error("{runner} knows no event '{event}': it counts {known}")]
    UnknownEvent { runner: &'static str, event: String, known: String },
    /// It takes no events.
    #[error("the runner {runner} takes no --events")]
    NoEvents { runner: &'static str },
    /// The output that it reads is not as expected.
    #[error("{runner}: {problem}")]
    Unreadable { runner: &'static str, problem: String },
}

/// The names of all runners.
pub fn names() -> String {
    RUNNERS.iter().map(|kind| kind.id).collect::<Vec<_>>().join(", ")
}

/// The name of a runner of temci in Lotse; other names stay as they are.
pub fn from_temci(name: &str) -> &str {
    RUNNERS.iter().find(|kind| kind.temci.contains(&name)).map_or(name, |kind| kind.id)
}

/// The runner of that name.
pub fn named(name: &str) -> Result<&'static RunnerKind, RunnerError> {
    RUNNERS.iter().find(|kind| kind.id == name).ok_or_else(|| RunnerError::Unknown { name: name.to_owned() })
}

/// Values by metric.
pub type Values = BTreeMap<String, f64>;

/// The values of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunValues {
    /// One value for each metric.
    pub values: Values,
    /// What was measured several times within the run, by metric; `values` has the mean of each list.
    pub within: BTreeMap<String, Vec<f64>>,
}

impl From<Values> for RunValues {
    fn from(values: Values) -> Self {
        Self { values, within: BTreeMap::new() }
    }
}

/// The results of a run that a runner reads.
#[derive(Debug, Clone, Copy)]
pub struct RunOutput<'a> {
    pub report: &'a RunReport,
    /// A directory for this run alone.
    pub scratch: &'a Path,
}

/// Measures runs.
pub trait Runner {
    /// The arguments to start instead of those of the program.
    fn wrap(&self, argv: Vec<OsString>, _scratch: &Path) -> Vec<OsString> {
        argv
    }

    /// Whether it needs a directory for files of its own.
    fn needs_scratch(&self) -> bool {
        false
    }

    /// Whether it reads what the program prints.
    fn reads_output(&self) -> bool {
        false
    }

    /// Whether clocks and `rusage` are those of the program and not of a tool around it.
    fn keeps_usage(&self) -> bool {
        true
    }

    /// The tool whose own time is included in the measured wall time.
    fn tool_in_wall(&self) -> Option<&'static str> {
        None
    }

    /// Whether a trial run is needed to know what it can count on this machine.
    fn probes(&self) -> bool {
        false
    }

    /// The metric that holds the values of an event.
    fn metric_name<'a>(&self, event: &'a str) -> &'a str {
        event
    }

    /// Counters the launcher opens.
    fn counters(&self) -> Vec<CounterSpec> {
        Vec::new()
    }

    /// Metrics beyond `rusage` that are known before the first run.
    fn metrics(&self) -> Vec<String> {
        self.counters().into_iter().map(|counter| counter.name).collect()
    }

    /// The unit of a metric beyond `rusage`.
    fn unit(&self, _metric: &str) -> Unit {
        Unit::Count
    }

    /// Values beyond those of `rusage`.
    fn values(&self, _output: RunOutput<'_>) -> Result<RunValues, RunnerError> {
        Ok(RunValues::default())
    }
}

fn refuse_events(runner: &'static str, events: &[String]) -> Result<(), RunnerError> {
    if events.is_empty() { Ok(()) } else { Err(RunnerError::NoEvents { runner }) }
}
