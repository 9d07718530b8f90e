//! `lotse bench`: the arguments of separation, and of undoing what it changed.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Keep the rest of the machine away (never by default)")]
pub(crate) struct SeparationArgs {
    /// Actions, presets (none, usable, all) or `suite` (what the suite asks for), for the time of measuring; `lotse doctor` lists them and says which work here
    #[arg(long, value_name = "ACTION[=VALUE],…", value_delimiter = ',')]
    pub(crate) separate: Vec<String>,
    /// Leave programs of these names alone
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', requires = "separate")]
    pub(crate) separate_keep: Vec<String>,
    /// Touch no process of others but these
    #[arg(long, value_name = "PID,…", value_delimiter = ',', num_args = 0..=1, requires = "separate", hide = true)]
    pub(crate) separate_only: Option<Vec<u32>>,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WatchdogArgs {
    /// The journal of the measurement
    pub(crate) journal: PathBuf,
}
