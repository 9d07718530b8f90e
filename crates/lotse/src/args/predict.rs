//! `lotse predict`: arguments.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct PredictArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<PredictVerb>,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PredictVerb {
    /// Measure the constants of this machine that predictions use, and keep them
    Calibrate(CalibrateArgs),
    /// Fit a model to measured times, and say what is wrong with it
    Fit(FitArgs),
}

#[derive(Debug, Args)]
pub(crate) struct AskArgs {
    /// A C or Rust source (.c, .h, .rs), as it is
    #[arg(value_name = "FILE", required = true)]
    pub(crate) file: Option<PathBuf>,
    /// Answer about this function; without it, all functions are listed
    #[arg(long, short, value_name = "NAME")]
    pub(crate) function: Option<String>,
    /// The value of a parameter, such as `N=1000`; may be repeated
    #[arg(short = 'D', long = "define", value_name = "NAME=VALUE")]
    pub(crate) define: Vec<String>,
    /// A description of a machine as TOML, instead of this machine
    #[arg(long, value_name = "TOML")]
    pub(crate) machine: Option<PathBuf>,
    /// What is in the caches before: what a previous call left there, or nothing
    #[arg(long, value_enum, default_value_t = CacheArg::Warm)]
    pub(crate) cache: CacheArg,
    /// The compiler to assume [default: gcc -O2 for C, rustc -O for Rust]
    #[arg(long, value_enum)]
    pub(crate) assume: Option<AssumeArg>,
    /// Compile the source by this command, such as 'gcc -O3 -march=native', and take the instructions of its loops; nothing is
    /// executed
    #[arg(long, value_name = "COMMAND", conflicts_with_all = ["assume", "object", "compare"])]
    pub(crate) compile: Option<String>,
    /// Take the instructions of loops from this object file, library or program, which needs debug information
    #[arg(long, value_name = "FILE", conflicts_with_all = ["assume", "compare"])]
    pub(crate) object: Option<PathBuf>,
    /// Let `cc -E` with these options preprocess the source first, such as '-Iinclude -DFAST'
    #[arg(long, value_name = "OPTIONS", allow_hyphen_values = true)]
    pub(crate) cpp: Option<String>,
    /// The time for values of a parameter, such as `N=100..2000`
    #[arg(long, value_name = "NAME=A..B", conflicts_with_all = ["compare", "tile"])]
    pub(crate) sweep: Option<String>,
    /// Say which is faster: this file's function or the one of another file
    #[arg(long, value_name = "FILE2", conflicts_with = "tile")]
    pub(crate) compare: Option<PathBuf>,
    /// Rank sizes of tiles: the parameter that is the step of the tiling loops
    #[arg(long)]
    pub(crate) tile: bool,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a picture of the sweep or of the tile sizes
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CacheArg {
    Warm,
    Cold,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AssumeArg {
    #[value(name = "gcc-O2")]
    GccO2,
    #[value(name = "gcc-O3")]
    GccO3,
    #[value(name = "rustc-O")]
    RustcO,
}

#[derive(Debug, Args)]
pub(crate) struct CalibrateArgs {
    /// Write the description of the machine here as well
    #[arg(long, value_name = "TOML")]
    pub(crate) out: Option<PathBuf>,
    /// Repetitions of each measurement
    #[arg(long, value_name = "N", default_value_t = 15)]
    pub(crate) repetitions: u32,
    /// Do not keep the result for later predictions
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// Measured times as CSV with a line of names: x1, x2, x3 and time for `power`, any terms and time for `analytic`; rows
    /// without a time are predicted. A column line_bytes tells `power` what the lines of the footprint need
    #[arg(value_name = "CSV")]
    pub(crate) data: PathBuf,
    /// The model
    #[arg(long, value_enum, default_value_t = ModelArg::Power)]
    pub(crate) model: ModelArg,
    /// Bytes of the cache that x1 and x2 refer to
    #[arg(long, value_name = "SIZE", default_value = "32 KiB", value_parser = super::parse_size)]
    pub(crate) capacity: u64,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModelArg {
    /// time = a * x1^p1 * x2^p2 * x3^p3
    Power,
    /// time = sum of constants >= 0 times the terms
    Analytic,
}
