//! `lotse bench history` and `lotse bench gate`, and the options that keep and judge a measurement.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::args::units::share;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "History")]
pub(crate) struct KeepArgs {
    /// Keep the result in the project's history (.lotse/history.db), which is begun where there is none; where there is one, results are always kept
    #[arg(long, overrides_with = "no_keep")]
    pub(crate) keep: bool,
    /// Do not keep the result
    #[arg(long, overrides_with = "keep")]
    pub(crate) no_keep: bool,
    /// Name to keep the result under, such as v1.2; may be given several times; needs --keep where there is no history
    #[arg(long, value_name = "NAME", conflicts_with = "no_keep", value_parser = label)]
    pub(crate) label: Vec<String>,
    /// The history's file
    #[arg(long, value_name = "FILE", conflicts_with = "no_keep")]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Gate")]
pub(crate) struct GateRunArgs {
    /// End with status 1 if a program is slower than the reference by more than this share, by the interval; measuring goes on until the interval excludes it
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) max_regression: Option<f64>,
    #[command(flatten)]
    pub(crate) exports: GateExportArgs,
}

#[derive(Debug, Clone, Args)]
pub(crate) struct GateExportArgs {
    /// Write what the gate decides as a JUnit report
    #[arg(long, value_name = "FILE")]
    pub(crate) export_junit: Option<PathBuf>,
    /// Write what the gate decides as Markdown; added to the file that GITHUB_STEP_SUMMARY names
    #[arg(long, value_name = "FILE")]
    pub(crate) export_summary: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct GateArgs {
    /// What to compare with: last:N (the last N results, as far as they are at one level), a label, a revision of git, or a result file (several may be given); file:, label: and rev: before a name say which
    #[arg(long, value_name = "BASELINE", default_value = "last:10")]
    pub(crate) baseline: Vec<String>,
    /// The largest share by which a program may be slower
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "2%")]
    pub(crate) max_regression: f64,
    /// The result to judge: a file, or its number in the history [default: the newest of the history]
    #[arg(long, value_name = "RESULT")]
    pub(crate) result: Option<String>,
    /// The metric [default: the one the result is about]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Confidence of all statements together
    #[arg(long, value_name = "SHARE", value_parser = share, default_value = "95%")]
    pub(crate) level: f64,
    /// Compare with results of other machines too
    #[arg(long)]
    pub(crate) across_machines: bool,
    /// Standard deviation from one result to the next, to be assumed where the history does not tell
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) session_spread: Option<f64>,
    /// The history's file [default: .lotse/history.db of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) exports: GateExportArgs,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Print only the sentences
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct HistoryArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<HistoryVerb>,
    #[command(flatten)]
    pub(crate) show: HistoryShowArgs,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryShowArgs {
    /// Only programs of these names
    #[arg(value_name = "PROGRAM")]
    pub(crate) programs: Vec<String>,
    /// The metric [default: the one each result is about]
    #[arg(long, value_name = "METRIC")]
    pub(crate) metric: Option<String>,
    /// Look at the newest NUM results only
    #[arg(long, value_name = "NUM")]
    pub(crate) last: Option<NonZeroUsize>,
    /// List all results, not only the newest 20
    #[arg(long)]
    pub(crate) all: bool,
    /// Show results of other machines too
    #[arg(long)]
    pub(crate) across_machines: bool,
    /// The history's file [default: .lotse/history.db of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
    /// Write plots and all results as one HTML file
    #[arg(long, value_name = "FILE")]
    pub(crate) export_html: Option<PathBuf>,
    /// Write all results as CSV
    #[arg(long, value_name = "FILE")]
    pub(crate) export_csv: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HistoryVerb {
    /// Add result files of Lotse, hyperfine or temci
    Add(HistoryAddArgs),
    /// Write a result as the file it was
    Export(HistoryExportArgs),
    /// Give a result a name
    Label(HistoryLabelArgs),
    /// Delete results
    Forget(HistoryForgetArgs),
}

#[derive(Debug, Args)]
pub(crate) struct HistoryAddArgs {
    /// Result files
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) results: Vec<PathBuf>,
    /// The commit that was measured [default: none]
    #[arg(long, value_name = "REV")]
    pub(crate) commit: Option<String>,
    /// Name to keep them under
    #[arg(long, value_name = "NAME", value_parser = label)]
    pub(crate) label: Vec<String>,
    /// They were measured on this machine, which the files of other tools do not say
    #[arg(long)]
    pub(crate) this_machine: bool,
    /// The history's file [default: .lotse/history.db of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryExportArgs {
    /// Its number
    #[arg(value_name = "RESULT")]
    pub(crate) id: i64,
    /// The file to write; `-` is standard output
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The history's file [default: .lotse/history.db of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryLabelArgs {
    /// Its number
    #[arg(value_name = "RESULT")]
    pub(crate) id: i64,
    /// The name; `accepted` makes the gate take the level of this result as the one to compare with
    #[arg(value_name = "NAME", value_parser = label)]
    pub(crate) name: String,
    /// Take the name away
    #[arg(long)]
    pub(crate) remove: bool,
    /// The history's file [default: .lotse/history.db of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryForgetArgs {
    /// Their numbers
    #[arg(value_name = "RESULT", required = true)]
    pub(crate) ids: Vec<i64>,
    /// The history's file [default: .lotse/history.db of the project]
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
}

/// A name that `--baseline` can find again.
fn label(text: &str) -> Result<String, String> {
    let reserved = ["last:", "label:", "rev:", "file:"].iter().any(|start| text.starts_with(start));
    if text.trim().is_empty() || reserved || text == "last" {
        return Err(format!("'{text}' cannot be a label: --baseline would take it for something else"));
    }
    Ok(text.to_owned())
}
