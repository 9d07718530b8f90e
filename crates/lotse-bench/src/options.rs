//! What to measure and how, as plain data. Edges fill it from arguments, settings and suite files.

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

/// A whole measurement.
#[derive(Debug, Clone)]
pub struct Options {
    /// What to compare.
    pub programs: Vec<ProgramSpec>,
    /// Which of them the others are compared with.
    pub reference: usize,
    /// In which order to run.
    pub design: Design,
    /// Why that order, where it was not asked for.
    pub design_note: Option<String>,
    /// What to do to keep the rest of the machine away; nothing unless asked for.
    pub separation: Option<SeparationOptions>,
    /// Seed of every random choice.
    pub seed: u64,
    /// When to stop.
    pub stopping: Stopping,
    /// Memory layouts to draw, where asked for.
    pub layouts: Option<Layouts>,
    /// The metric the verdict is planned on.
    pub primary: String,
    /// The metrics to compare beside it; none chosen means the usual ones and the runner's own.
    pub metrics: Vec<String>,
    /// Runs of each program before measuring begins.
    pub warmup: u32,
    /// Which runner measures.
    pub runner: RunnerChoice,
    /// Which shell reads the commands.
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
    /// What was measured.
    pub set: ResultSet,
    /// In how many parts.
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
    /// Time for each program.
    pub budget: Duration,
    /// Whether the budget was asked for; then it also ends a measurement of few blocks.
    pub strict_budget: bool,
    /// Blocks to make at least.
    pub min_blocks: u32,
    /// Blocks to make at most.
    pub max_blocks: Option<u32>,
    /// Exactly so many blocks, with one look at the end.
    pub fixed: bool,
}

impl Default for Stopping {
    fn default() -> Self {
        Self {
            alpha: 0.05,
            delta: 0.01,
            until: None,
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
    /// What is reported of it.
    pub program: Program,
    /// Words of the command; several alternatives are drawn from at random.
    pub alternatives: Vec<Vec<OsString>>,
    /// Whether the alternatives are builds of one program: then blocks go through them in turn, and the answer is about builds.
    pub are_builds: bool,
    /// Variables to set.
    pub environment: Vec<(String, String)>,
    /// Directory to run in, and for commands around the runs.
    pub directory: Option<PathBuf>,
    /// Directories of the alternatives, where each has its own; else none.
    pub directories: Vec<PathBuf>,
    /// Where standard input comes from.
    pub input: Input,
    /// Where standard output goes.
    pub output: Output,
    /// Commands around the runs.
    pub hooks: Hooks,
    /// What makes a run a good one.
    pub expected: Expected,
    /// Whether any exit code is as good as another.
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
    /// Through a pipe that Lotse empties (some programs are lazier when they see `/dev/null`).
    Pipe,
    /// To where Lotse's own goes.
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
    /// So many comparisons of the reference with itself, each a measurement of its own.
    Repeat(u32),
}
