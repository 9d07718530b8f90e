//! `lotse spy`: arguments.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Args)]
pub(crate) struct SpyArgs {
    #[command(subcommand)]
    pub(crate) verb: SpyVerb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SpyVerb {
    /// Record what a program does to its data structures: build it with callbacks, run it, analyse it
    Run(SpyRunArgs),
    /// Say how much of what was recorded has a name, and what has none
    Coverage(CoverageArgs),
    /// Move records from a program into a history (started by `run`)
    #[command(hide = true)]
    Collect(CollectArgs),
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
    /// Keep recorded builds here, not in the user's cache
    #[arg(long, value_name = "DIR")]
    pub(crate) target_dir: Option<PathBuf>,
    /// Drop and count events that the collector is too slow for, instead of making the program wait
    #[arg(long)]
    pub(crate) drop: bool,
    /// Do not run the command a second time without recording: severities stay open
    #[arg(long)]
    pub(crate) no_second_run: bool,
    /// The command: `cargo run`, `cargo test`, `cargo bench`, or a script that calls them
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
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
}
