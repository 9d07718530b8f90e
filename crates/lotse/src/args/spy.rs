//! `lotse spy`: arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use lotse_model::Invocation;

pub(crate) use thresholds::ThresholdArgs;

mod thresholds;

#[derive(Debug, Args)]
pub(crate) struct SpyArgs {
    #[command(subcommand)]
    pub(crate) verb: SpyVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SpyVerb {
    /// Record what a program does to its data structures: build it with callbacks, run it, analyse it
    Run(SpyRunArgs),
    /// Say what the structures of a recorded program tell: findings
    Analyze(SpyAnalyzeArgs),
    /// List where structures are made, and what is done with them
    Sites(SpySitesArgs),
    /// List the phases of structures: what was done in which order, and which code did it
    Phases(SpySitesArgs),
    /// Draw or list the accesses to a structure: index over time
    History(SpyHistoryArgs),
    /// Say how much of what was recorded has a name, and what has none
    Coverage(CoverageArgs),
    /// Move records from a program into a history (started by `run`)
    #[command(hide = true)]
    Collect(CollectArgs),
}

/// How a history is read.
#[derive(Debug, Default, Args)]
pub(crate) struct ReadingArgs {
    /// Neither use nor write an index in the cache (see `lotse config cache`)
    #[arg(long)]
    pub(crate) no_index: bool,
    #[command(flatten)]
    pub(crate) thresholds: ThresholdArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SpyRunArgs {
    /// The history to write
    #[arg(short, long, value_name = "FILE", default_value = "program.lotse-history")]
    pub(crate) out: PathBuf,
    /// Record only this crate; may be repeated
    #[arg(long = "crate", value_name = "NAME")]
    pub(crate) only: Vec<String>,
    /// Leave out this crate; may be repeated
    #[arg(long, value_name = "NAME")]
    pub(crate) exclude: Vec<String>,
    /// Only structures of these types, such as `vec,hashmap`
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    pub(crate) structure: Vec<String>,
    /// Only structures whose memory has at least so many bytes; one that grows counts from then on
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_bytes: u64,
    /// Keep recorded builds here, not in the user's cache
    #[arg(long, value_name = "DIR")]
    pub(crate) target_dir: Option<PathBuf>,
    /// Drop and count events that the collector is too slow for, instead of making the program wait
    #[arg(long)]
    pub(crate) drop: bool,
    /// Do not run the command a second time without recording: severities stay open
    #[arg(long)]
    pub(crate) no_second_run: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// The command: `cargo run`, `cargo test`, `cargo bench`, or a script that calls them
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
    /// The options as given, for the commands that findings advise.
    #[arg(skip)]
    pub(crate) call: Invocation,
}

#[derive(Debug, Args)]
pub(crate) struct CollectArgs {
    #[arg(long)]
    pub(crate) rings: PathBuf,
    #[arg(long)]
    pub(crate) out: PathBuf,
    /// How the program is recorded, as JSON
    #[arg(long)]
    pub(crate) start: String,
}

#[derive(Debug, Args)]
pub(crate) struct CoverageArgs {
    /// The history
    #[arg(value_name = "HISTORY")]
    pub(crate) history: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// List operations by place instead, as tab-separated values: place, method, kind, count
    #[arg(long, hide = true)]
    pub(crate) places: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SpyAnalyzeArgs {
    /// The history
    #[arg(value_name = "HISTORY")]
    pub(crate) history: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write the findings as SARIF 2.1.0
    #[arg(long, value_name = "FILE")]
    pub(crate) export_sarif: Option<PathBuf>,
    /// Show so many findings; 0 for all
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
    /// The options as given, for the commands that findings advise.
    #[arg(skip)]
    pub(crate) call: Invocation,
}

#[derive(Debug, Args)]
pub(crate) struct SpySitesArgs {
    /// The history
    #[arg(value_name = "HISTORY")]
    pub(crate) history: PathBuf,
    /// Only sites whose place contains this, such as `solve.rs:41`
    #[arg(value_name = "SITE")]
    pub(crate) site: Option<String>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,
    /// Print the table as CSV
    #[arg(long)]
    pub(crate) csv: bool,
    /// Show so many rows instead of 20, or of all with --csv; 0 for all
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}

#[derive(Debug, Args)]
pub(crate) struct SpyHistoryArgs {
    /// The history
    #[arg(value_name = "HISTORY")]
    pub(crate) history: PathBuf,
    /// The site at which the structure is made, such as `solve.rs:41`
    #[arg(value_name = "SITE")]
    pub(crate) site: String,
    /// The structure's number, as `phases` lists it; without it the one with the most accesses
    #[arg(long, value_name = "N")]
    pub(crate) instance: Option<u64>,
    /// Write the picture here
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
    /// Write all accesses here, one a line
    #[arg(long, value_name = "FILE")]
    pub(crate) csv: Option<PathBuf>,
    /// Time instead of event numbers as the horizontal axis
    #[arg(long)]
    pub(crate) time: bool,
    /// Print one JSON object: the structure, its phases and all accesses
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: ReadingArgs,
}
