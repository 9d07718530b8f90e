//! `lotse trace diff` as clap reads it.

use std::path::PathBuf;

use clap::Args;

use super::trace::{CutArgs, FilterArgs, OutputArgs, ReadArgs};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The trace to compare with
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The trace of the changed program, or of the same program at another size
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// Show at most N rows of each table, 0 for all [default: 10, with --csv all]
    #[arg(short = 'n', long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Which table --csv prints, instead of the first of these
    #[arg(long, value_parser = ["callpaths", "waits", "processes", "efficiencies"], requires = "csv")]
    pub(crate) table: Option<String>,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}
