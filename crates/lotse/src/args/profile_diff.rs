//! `lotse profile diff` as clap reads it.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use lotse_model::Invocation;

use super::parse_share;
use super::profile::{EventArgs, FilterArgs, OutputArgs, ReadArgs};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The profile before the change
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The profile after it
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// Further profiles, each compared with the first
    #[arg(value_name = "MORE")]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) filter: FilterArgs,
    /// What is compared; without it costs, or shares where formats or event types differ
    #[arg(long, value_enum)]
    pub(crate) by: Option<BasisArg>,
    /// What is sorted by
    #[arg(short, long, value_enum, default_value_t = DiffSortArg::Difference)]
    pub(crate) sort: DiffSortArg,
    /// Show and sort by inclusive cost
    #[arg(short, long)]
    pub(crate) inclusive: bool,
    /// Compare lines: of the whole program, by their text where both sources are found, else by number; of one function by
    /// number. Without a function it comes last
    #[arg(long, value_name = "FUNCTION", num_args = 0..=1, conflicts_with = "calls")]
    pub(crate) lines: Option<Option<String>>,
    /// With --lines: search for source files here first; may be given several times
    #[arg(long, value_name = "DIR", requires = "lines")]
    pub(crate) source_dir: Vec<PathBuf>,
    /// Compare calls, by caller and callee
    #[arg(long)]
    pub(crate) calls: bool,
    /// A function of OLD has another name in NEW: a word of the name, or an expression between slashes
    #[arg(long, value_name = "OLD=NEW|/OLD/=NEW")]
    pub(crate) rename: Vec<String>,
    /// Hide changes below this share of the total; what is hidden is summed up
    #[arg(long, value_name = "SHARE", default_value = "0.1%", value_parser = least_change)]
    pub(crate) min_change: f64,
    /// Show at most N; 0 for all
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
    /// Do not show findings
    #[arg(long)]
    pub(crate) no_findings: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    /// The options as given, for the commands that findings advise.
    #[arg(skip)]
    pub(crate) call: Invocation,
}

impl DiffArgs {
    /// All profiles, the old one first.
    pub(crate) fn files(&self) -> Vec<&Path> {
        [&self.old, &self.new].into_iter().chain(&self.more).map(PathBuf::as_path).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BasisArg {
    /// Costs as they are
    Cost,
    /// Shares of the total
    Share,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffSortArg {
    /// The difference, whatever its sign
    #[value(alias = "diff")]
    Difference,
    /// The factor of the change, up or down
    Ratio,
    /// New cost
    New,
    /// Old cost
    Old,
    /// Name, from A to Z
    Name,
}

/// A share, or 0 to hide nothing.
fn least_change(text: &str) -> Result<f64, String> {
    match text.trim().trim_end_matches('%').trim().parse() {
        Ok(0.0) => Ok(0.0),
        _ => parse_share(text),
    }
}

#[cfg(test)]
mod tests {
    use super::least_change;

    #[test]
    fn a_threshold_of_zero_hides_nothing() {
        assert_eq!([least_change("0"), least_change("0 %")], [Ok(0.0), Ok(0.0)]);
        assert_eq!(least_change("1%"), Ok(0.01));
        assert!(least_change("x").is_err() && least_change("200%").is_err());
    }
}
