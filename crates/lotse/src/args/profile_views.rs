//! The verbs of `lotse profile` that unfold or draw call graphs, as clap reads them.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::profile::{EventArgs, GroupArg, InputArgs, OutputArgs, SelectArgs, ShareArgs};

#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) unfold: UnfoldArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) shares: ShareArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

/// What is unfolded, and how far.
#[derive(Debug, Args)]
pub(crate) struct UnfoldArgs {
    /// Begin at this function: its whole name, its place (FILE:LINE), its name without class and arguments, or a piece
    /// of it
    #[arg(value_name = "FUNCTION")]
    pub(crate) function: Option<String>,
    /// Towards callers: who is responsible for a function's cost or, without one, for all self cost
    #[arg(long)]
    pub(crate) callers: bool,
    /// At most N calls from the root
    #[arg(long, value_name = "N")]
    pub(crate) depth: Option<u32>,
    /// Leave out what has a smaller share of the whole tree
    #[arg(long, value_name = "SHARE", default_value = "0.1%", value_parser = parse_cut)]
    pub(crate) min_share: f64,
}

#[derive(Debug, Args)]
pub(crate) struct FlameArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) unfold: UnfoldArgs,
    /// Roots at the top, callees below them
    #[arg(long)]
    pub(crate) icicle: bool,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) file: PictureArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct TreemapArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) unfold: UnfoldArgs,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) file: PictureArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(flatten)]
    pub(crate) input: InputArgs,
    /// Only this function, its callers and its callees; thresholds are then shares of its cost
    #[arg(value_name = "FUNCTION")]
    pub(crate) function: Option<String>,
    /// With a function: at most N calls away from it
    #[arg(long, value_name = "N", requires = "function")]
    pub(crate) depth: Option<u32>,
    /// Leave out functions with a smaller inclusive cost
    #[arg(long, value_name = "SHARE", default_value = "1%", value_parser = parse_cut)]
    pub(crate) node_share: f64,
    /// Leave out calls with a smaller cost
    #[arg(long, value_name = "SHARE", default_value = "0.5%", value_parser = parse_cut)]
    pub(crate) edge_share: f64,
    /// Show at most N functions, the costliest; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) nodes: usize,
    /// Put functions together
    #[arg(short, long, value_enum)]
    pub(crate) group: Option<GroupArg>,
    /// The format; else the ending of the file decides, and SVG where there is none
    #[arg(long, value_enum, conflicts_with = "json")]
    pub(crate) to: Option<DrawingArg>,
    #[command(flatten)]
    pub(crate) events: EventArgs,
    #[command(flatten)]
    pub(crate) file: PictureArgs,
    #[command(flatten)]
    pub(crate) select: SelectArgs,
}

/// Where a picture goes.
#[derive(Debug, Args)]
pub(crate) struct PictureArgs {
    /// The file to write; without it, or with `-`, standard output
    #[arg(short, long, alias = "output", value_name = "OUT")]
    pub(crate) out: Option<PathBuf>,
    /// Write what would be drawn, with positions, as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawingArg {
    /// A picture
    Svg,
    /// Text for Graphviz
    Dot,
}

/// A threshold: `0`, `0.5%`, `0.005`.
fn parse_cut(text: &str) -> Result<f64, String> {
    let bare = text.trim();
    let number = bare.strip_suffix('%').unwrap_or(bare).trim();
    if number.parse() == Ok(0.0) { Ok(0.0) } else { super::parse_share(bare) }
}

#[cfg(test)]
mod tests {
    use super::parse_cut;

    #[test]
    fn thresholds_may_be_zero() {
        assert_eq!([parse_cut("0"), parse_cut("0 %"), parse_cut("0.25")], [Ok(0.0), Ok(0.0), Ok(0.25)]);
        assert!(parse_cut("0.5%").is_ok_and(|share| (share - 0.005).abs() < 1e-12));
        assert!(parse_cut("100%").is_err() && parse_cut("x").is_err() && parse_cut("").is_err());
    }
}
