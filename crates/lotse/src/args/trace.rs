//! `lotse trace` as clap reads it.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use lotse_model::Invocation;
use lotse_trace::export::{TARGETS, Target, target_named};
use lotse_trace::filter::Filter;

use super::trace_diff::DiffArgs;
use super::trace_timeline::TimelineArgs;
use super::trace_what_if::WhatIfArgs;

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    pub(crate) verb: TraceVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TraceVerb {
    /// Say what a trace holds: locations, events, what was repaired
    Info(InfoArgs),
    /// Say why the program waits: causes, seconds lost, who, where, what can be gained
    Analyze(Box<AnalyzeArgs>),
    /// Show what bounds the run time: the path of activities that no other work overlaps
    CriticalPath(CriticalPathArgs),
    /// Predict the run time after a change
    WhatIf(Box<WhatIfArgs>),
    /// Cut the run into phases of like behaviour
    Phases(PhasesArgs),
    /// Draw the run over time as SVG: locations, regions, waits, messages, the critical path
    Timeline(TimelineArgs),
    /// Compare a parallel run with the sequential one, region by region: what parallelism costs
    Overheads(OverheadsArgs),
    /// Give efficiencies: load balance, serialisation, transfer; over several traces also how it scales
    Efficiency(EfficiencyArgs),
    /// Compare two runs: call paths, waits, critical path, processes, efficiencies
    Diff(DiffArgs),
    /// Write a trace in another format
    Export(ExportArgs),
}

/// How traces are read.
#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The format, when the content leaves it open
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// Use this many threads; else one for each processor
    #[arg(long, value_name = "N")]
    pub(crate) threads: Option<NonZeroUsize>,
}

/// Which trace.
#[derive(Debug, Args)]
pub(crate) struct InputArgs {
    /// The trace: an OTF2 anchor or its folder, a Chrome trace (.json, .json.gz), a Paraver trace (.prv)
    #[arg(value_name = "TRACE")]
    pub(crate) trace: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Which part of the run, by which clocks.
#[derive(Debug, Args)]
pub(crate) struct CutArgs {
    /// Only this phase, by its number as `lotse trace phases` lists them
    #[arg(long, value_name = "N")]
    pub(crate) phase: Option<NonZeroUsize>,
    /// Only the time from the first enter to the last leave of a region on any location: its name, its short name or a
    /// pattern with `*`; `all` is the whole run. Else efficiencies and shares are about what lies between MPI_Init and
    /// MPI_Finalize
    #[arg(long, value_name = "REGION", conflicts_with = "phase")]
    pub(crate) focus: Option<String>,
    /// The clocks: as recorded, or corrected so that no message arrives before it was sent
    #[arg(long, value_enum, default_value_t = ClockArg::Corrected)]
    pub(crate) clock: ClockArg,
}

impl CutArgs {
    /// The whole run, not a part of it.
    pub(crate) fn whole_run(clock: ClockArg) -> Self {
        Self { phase: None, focus: None, clock }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClockArg {
    Raw,
    Corrected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LevelArg {
    Program,
    Machine,
    Process,
    Thread,
    Region,
    Activity,
}

/// Which call paths are shown.
#[derive(Debug, Args)]
pub(crate) struct FilterArgs {
    /// Show only call paths with this region in them: its name, its short name or a pattern with `*`
    #[arg(long, value_name = "REGION")]
    pub(crate) only: Vec<String>,
    /// Hide call paths with this region in them, likewise
    #[arg(long, value_name = "REGION")]
    pub(crate) exclude: Vec<String>,
}

impl FilterArgs {
    pub(crate) fn filter(&self) -> Filter {
        Filter { only: self.only.clone(), exclude: self.exclude.clone() }
    }
}

/// How the answer is written.
#[derive(Debug, Args)]
pub(crate) struct OutputArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print one table as comma-separated values with all digits
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Which table --csv prints, instead of the first of these
    #[arg(long, value_parser = ["locations", "records"], requires = "csv")]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// Show times and waits at this level
    #[arg(long, value_enum)]
    pub(crate) level: Option<LevelArg>,
    /// Show only this metric and its parts, or what this rule books, as `lotse explain` names them
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Waits below this share of all locations' time are not listed
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = super::parse_share)]
    pub(crate) min_share: f64,
    /// Only waits, critical path and delays: no reachable gains, no phases; for very large traces
    #[arg(long)]
    pub(crate) quick: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Show at most N rows, 0 for all [default: 10, with --csv all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Which table --csv prints, instead of the first of these
    #[arg(long, value_parser = ["waits", "blame", "losses", "path", "accelerators", "time"], requires = "csv", conflicts_with_all = ["metric", "level"])]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The options as given, for the commands that findings advise.
    #[arg(skip)]
    pub(crate) call: Invocation,
}

#[derive(Debug, Args)]
pub(crate) struct CriticalPathArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// Which table --csv prints, instead of the first of these
    #[arg(long, value_parser = ["path", "processes", "pairs", "imbalance", "rival"], requires = "csv")]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// Show at most N rows, 0 for all [default: 20, with --csv all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PhasesArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// The clocks: as recorded, or corrected
    #[arg(long, value_enum, default_value_t = ClockArg::Corrected)]
    pub(crate) clock: ClockArg,
    /// How strong a change must be to begin a phase, as a share of the strongest; higher gives fewer phases
    #[arg(long, value_name = "SHARE")]
    pub(crate) threshold: Option<f64>,
    /// Over how many steps the curves are smoothed
    #[arg(long, value_name = "N")]
    pub(crate) window: Option<usize>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct OverheadsArgs {
    /// The trace of the sequential run
    #[arg(long, value_name = "TRACE")]
    pub(crate) sequential: PathBuf,
    /// The trace of the parallel run
    #[arg(long, value_name = "TRACE")]
    pub(crate) parallel: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    /// Show at most N rows, 0 for all [default: 20, with --csv all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EfficiencyArgs {
    /// Traces; the first is the reference that others are compared with
    #[arg(value_name = "TRACE", required = true)]
    pub(crate) traces: Vec<PathBuf>,
    /// The problem grows with the number of threads; else all runs solve the same one
    #[arg(long)]
    pub(crate) weak: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Only this phase, by its number as `lotse trace phases` lists them
    #[arg(long, value_name = "N")]
    pub(crate) phase: Option<NonZeroUsize>,
    /// The clocks: as recorded, or corrected so that no message arrives before it was sent
    #[arg(long, value_enum, default_value_t = ClockArg::Raw)]
    pub(crate) clock: ClockArg,
    /// What to write; else what the name of the output ends in
    #[arg(long, value_name = "FORMAT", value_parser = targets())]
    pub(crate) to: Option<&'static Target>,
    /// Where to write: a file (`-`: standard output); for OTF2 the anchor, or a folder for it
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}

/// The formats of the engine's list, with what they are for the help.
fn targets() -> impl TypedValueParser<Value = &'static Target> {
    let values = TARGETS.iter().map(|target| PossibleValue::new(target.id).help(target.title));
    PossibleValuesParser::new(values).try_map(|id| target_named(&id).ok_or("there is no such format"))
}
