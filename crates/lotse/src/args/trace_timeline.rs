//! `lotse trace timeline` as clap reads it.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::trace::{CutArgs, FilterArgs, InputArgs};
use super::units::duration;

#[derive(Debug, Args)]
pub(crate) struct TimelineArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) cut: CutArgs,
    /// Begin so long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) from: Option<Duration>,
    /// End so long after the first event
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) to: Option<Duration>,
    /// Draw more locations than this in groups of neighbours
    #[arg(long, value_name = "N", default_value = "200")]
    pub(crate) lanes: NonZeroUsize,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// The file to write; without it, or with `-`, standard output
    #[arg(short, long, alias = "output", value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Print the numbers behind the picture as one JSON object
    #[arg(long, conflicts_with = "out")]
    pub(crate) json: bool,
}
