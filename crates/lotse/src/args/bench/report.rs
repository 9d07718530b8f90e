//! `lotse bench report`: the arguments.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ShowArgs;
use super::suite::SelectArgs;
use crate::args::units::share;

#[derive(Debug, Clone, Args)]
pub(crate) struct ReportArgs {
    /// Results to report on: of Lotse (--out or --json), hyperfine or temci; several are joined
    #[arg(value_name = "RESULT", required_unless_present = "settings")]
    pub(crate) results: Vec<PathBuf>,
    /// How the results are written, when their content does not show it
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<String>,
    /// What to write [default: terminal]
    #[arg(long, visible_alias = "reporter", value_enum)]
    pub(crate) to: Option<ReportFormat>,
    /// Which table --to csv writes
    #[arg(long, value_enum, default_value_t = ReportTable::Programs)]
    pub(crate) table: ReportTable,
    /// Which columns --to csv, latex, markdown, asciidoc or org writes: attributes, or METRIC[mean|p] and the like
    #[arg(long, value_name = "COLUMN,…")]
    pub(crate) columns: Vec<String>,
    /// Write to FILE instead of standard output
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Compare with the program of this name instead of the first
    #[arg(long, value_name = "NAME")]
    pub(crate) reference: Option<String>,
    /// The metric the comparison is about [default: wall, or the first there is]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// The metrics to show, in order; the first is the one compared unless --metric says otherwise
    #[arg(long, value_name = "METRIC,…", value_delimiter = ',')]
    pub(crate) metrics: Vec<String>,
    /// Leave these metrics out
    #[arg(long, value_name = "METRIC,…", value_delimiter = ',')]
    pub(crate) without_metrics: Vec<String>,
    /// Differences within this share are too small to matter [default: 1%]
    #[arg(long, value_name = "SHARE", value_parser = share, allow_hyphen_values = true)]
    pub(crate) delta: Option<f64>,
    /// Only programs with one of these tags
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub(crate) tag: Vec<String>,
    /// No programs with one of these tags
    #[arg(long, value_name = "TAG,…", value_delimiter = ',')]
    pub(crate) without_tag: Vec<String>,
    /// Short for --to json
    #[arg(long, conflicts_with = "to")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) show: ShowArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
    #[command(flatten)]
    pub(crate) codespeed: CodespeedArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportTable {
    /// Every program with its figures
    Programs,
    /// Every program against the reference
    Comparisons,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    Terminal,
    Html,
    Markdown,
    Asciidoc,
    Org,
    Csv,
    Latex,
    Json,
    Hyperfine,
    Hyperfine1,
    Temci,
    Sarif,
    Codespeed,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What --to codespeed says beside the figures")]
pub(crate) struct CodespeedArgs {
    /// The project
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// The executable [default: the project]
    #[arg(long, value_name = "NAME")]
    pub(crate) executable: Option<String>,
    /// The environment [default: the machine's name]
    #[arg(long, value_name = "NAME")]
    pub(crate) environment: Option<String>,
    /// The branch [default: that of this folder, else master]
    #[arg(long, value_name = "NAME")]
    pub(crate) branch: Option<String>,
    /// The commit [default: the newest of this folder]
    #[arg(long, value_name = "ID")]
    pub(crate) commit: Option<String>,
}
