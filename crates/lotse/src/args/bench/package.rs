//! `lotse bench pack` and `lotse bench replay`.

use std::path::PathBuf;

use clap::Args;

use super::RunArgs;

#[derive(Debug, Args)]
pub(crate) struct PackArgs {
    /// The package to write (a gzipped tar archive)
    #[arg(short = 'a', long, value_name = "FILE", default_value = "lotse-package.tar.gz")]
    pub(crate) archive: PathBuf,
    /// Pack this file or folder too; files that commands, hooks and inputs name are packed anyway
    #[arg(long, value_name = "PATH")]
    pub(crate) add: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The package
    #[arg(value_name = "PACKAGE")]
    pub(crate) package: PathBuf,
    /// Show what is in it and what would be run, and run nothing
    #[arg(long)]
    pub(crate) list: bool,
    /// Unpack into this new folder and leave it there [default: a temporary one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
