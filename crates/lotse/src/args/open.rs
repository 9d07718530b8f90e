//! `lotse open` and `lotse export`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// What to open, and how the page is reached.
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    /// Profiles, traces, results of bench and histories of spy; without any, the page shows recent files
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Compare two profiles: the first is the old one
    #[arg(long)]
    pub(crate) compare: bool,
    /// With --compare: a function of the old profile has another name in the new one (see `lotse profile diff`)
    #[arg(long, value_name = "OLD=NEW|/OLD/=NEW", requires = "compare")]
    pub(crate) rename: Vec<String>,
    /// Show files that are a profile and a trace as one of them only; without it, both are shown
    #[arg(long = "as", value_name = "KIND", value_enum, conflicts_with = "compare")]
    pub(crate) kind: Option<KindArg>,
    /// Do not start a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// The port on this machine; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Listen on a socket file that only you can use, instead of a port; for machines with other users
    #[arg(long, value_name = "PATH", conflicts_with = "port")]
    pub(crate) socket: Option<PathBuf>,
    /// The page may look, but not start programs
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Programs and libraries that addresses without names belong to
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Vec<PathBuf>,
    /// Directories in which source files are searched
    #[arg(long, value_name = "DIR")]
    pub(crate) source_dir: Vec<PathBuf>,
    /// Neither use nor write an index in the cache (see `lotse config cache`)
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// A profile, trace, result of bench or history of spy: one file, the files of all threads of one run of callgrind, or
    /// two profiles with --compare
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Compare two profiles: the first is the old one
    #[arg(long)]
    pub(crate) compare: bool,
    /// With --compare: a function of the old profile has another name in the new one (see `lotse profile diff`)
    #[arg(long, value_name = "OLD=NEW|/OLD/=NEW", requires = "compare")]
    pub(crate) rename: Vec<String>,
    /// Show files that are a profile and a trace as one of them only; without it, both are shown
    #[arg(long = "as", value_name = "KIND", value_enum, conflicts_with = "compare")]
    pub(crate) kind: Option<KindArg>,
    /// The page to write; without it, the name of the file with `.html`, in this directory
    #[arg(short, long, value_name = "PAGE.html")]
    pub(crate) out: Option<PathBuf>,
    /// Programs and libraries that addresses without names belong to
    #[arg(long, value_name = "FILE")]
    pub(crate) binary: Vec<PathBuf>,
    /// Directories in which source files are searched
    #[arg(long, value_name = "DIR")]
    pub(crate) source_dir: Vec<PathBuf>,
    /// Neither use nor write an index in the cache (see `lotse config cache`)
    #[arg(long)]
    pub(crate) no_index: bool,
}

/// What a file is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum KindArg {
    Profile,
    Trace,
}
