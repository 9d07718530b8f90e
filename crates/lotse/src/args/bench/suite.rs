//! Which programs of a suite or a result, and temci's settings.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Which programs")]
pub(crate) struct SelectArgs {
    /// Only programs with this name or tag, or this number in the suite (from 0), or where it fits one as a regular expression
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) include: Vec<String>,
    /// None of these programs
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) exclude: Vec<String>,
    /// temci's settings (temci.yaml), for all that the command line does not say
    #[arg(long, value_name = "FILE")]
    pub(crate) settings: Option<PathBuf>,
}
