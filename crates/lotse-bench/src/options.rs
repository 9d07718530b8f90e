//! What to measure and how, as plain data. The command line fills it from arguments, settings and suite files.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use lotse_host::quiet::SeparationOptions;
use lotse_model::Invocation;
use lotse_model::results::{Design, Program, ResultSet};
use lotse_model::rule::Thresholds;
use lotse_model::suite::Expected;

use crate::command::Shell;
use crate::layout::Layouts;

/// All options of a measurement.
#[derive(Debug, Clone)]
pub struct Options {
    pub programs: Vec<ProgramSpec>,
    /// Index of the program that the others are compared with.
    pub reference: usize,
    /// The order of the runs.
    pub design: Design,
    /// The reason for the order, if the user did not choose it.
    pub design_note: Option<String>,
    /// How to separate the programs from other work on the machine, if requested.
    pub separation: Option<SeparationOptions>,
    /// Seed of every random choice.
    pub seed: u64,
    /// When to stop.
    pub stopping: Stopping,
    /// Memory layouts to draw, if requested.
    pub layouts: Option<Layouts>,
    /// The metric the verdict is planned on.
    pub primary: String,
    /// Further metrics to compare; if empty, the usual ones and those of the runner.
    pub metrics: Vec<String>,
    /// Runs of each program before measuring begins.
    pub warmup: u32,
    pub runner: RunnerChoice,
    pub shell: Shell,
    /// Whether a program is also measured against itself.
    pub self_check: SelfCheckChoice,
    /// The call itself, for findings that advise to measure again with a change.
    pub invocation: Invocation,
    /// Changed thresholds of rules.
    pub thresholds: Thresholds,
    /// The result that new runs are added to, where there is one.
    pub earlier: Option<Earlier>,
}

/// A result that new runs are added to.
#[derive(Debug, Clone, PartialEq)]
pub struct Earlier {
    pub set: ResultSet,
    /// Number of parts in which it was measured.
    pub parts: u32,
}

/// When to stop measuring, whichever comes first.
#[derive(Debug, Clone, PartialEq)]
pub struct Stopping {
    /// Chance of a wrong claim of a difference, over all programs and looks.
    pub alpha: f64,
    /// Differences within this share are too small to matter.
    pub delta: f64,
    /// Stop once the interval's half-width is no more than this share.
    pub until: Option<f64>,
    /// The share by which a program may be larger than the reference: measuring goes on until every interval excludes it.
    pub max_regression: Option<f64>,
    /// Time for each program.
    pub budget: Duration,
    /// Whether the user set the budget; then it may end the measurement before `min_blocks`.
    pub strict_budget: bool,
    pub min_blocks: u32,
    pub max_blocks: Option<u32>,
    /// Make exactly `max_blocks` blocks, with one look at the end.
    pub fixed: bool,
}

impl Default for Stopping {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            delta: 0.01,
            until: None,
            max_regression: None,
            budget: Duration::from_secs(10),
            strict_budget: false,
            min_blocks: 10,
            max_blocks: None,
            fixed: false,
        }
    }
}

/// One program and how to start it.
#[derive(Debug, Clone)]
pub struct ProgramSpec {
    /// Its name, command and attributes, for results.
    pub program: Program,
    /// Argument lists of the command; of several alternatives each run draws one at random.
    pub alternatives: Vec<Vec<OsString>>,
    /// Whether the alternatives are builds of one program: then blocks use them in turn, and the interval is computed from builds.
    pub are_builds: bool,
    /// Variables to set.
    pub environment: Vec<(String, String)>,
    /// Directory to run in, and for commands around the runs.
    pub directory: Option<PathBuf>,
    /// Directories of the alternatives if each has its own; else empty.
    pub directories: Vec<PathBuf>,
    /// Where standard input comes from.
    pub input: Input,
    /// Where standard output goes.
    pub output: Output,
    /// Commands around the runs.
    pub hooks: Hooks,
    /// Conditions for a good run.
    pub expected: Expected,
    /// Whether any exit code counts as success.
    pub any_exit_code: bool,
    /// Longest time a run may take.
    pub timeout: Option<Duration>,
}

/// Where standard input comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing to read.
    #[default]
    Null,
    /// A file.
    File(PathBuf),
}

/// Where standard output goes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Output {
    /// Nowhere.
    #[default]
    Null,
    /// Through a pipe that Lotse reads (some programs do less work if standard output is `/dev/null`).
    Pipe,
    /// To the standard output of Lotse.
    Inherit,
    /// Into a file.
    File(PathBuf),
}

/// Shell commands around the runs of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hooks {
    /// Once before the first run.
    pub setup: Option<String>,
    /// Before every run.
    pub prepare: Option<String>,
    /// After every run.
    pub conclude: Option<String>,
    /// Once after the last run.
    pub cleanup: Option<String>,
}

/// Which runner, with the events it should count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerChoice {
    /// Its name in the list of runners.
    pub id: String,
    /// Events, where the runner takes any.
    pub events: Vec<String>,
}

impl Default for RunnerChoice {
    fn default() -> Self {
        Self { id: crate::runner::DEFAULT.to_owned(), events: Vec::new() }
    }
}

/// Whether a program is also measured against itself.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SelfCheckChoice {
    /// No.
    #[default]
    Off,
    /// A hidden copy of the reference takes part in every block.
    Arm,
    /// This number of comparisons of the reference with itself, each a separate measurement.
    Repeat(u32),
}
