//! `lotse profile diff OLD NEW --lines`: the lines of whole programs.

use lotse_profile::diff::{
    Comparison, DiffQuery, DiffSide, LineDiff, LineSources, paired_lines, program_lines,
};
use lotse_profile::lines::{LineOrder, LinesQuery, RankedLine, ranked_lines};
use lotse_profile::open::Opened;

use super::binaries::Disk;
use super::format_failure;
use crate::args::profile_diff::DiffArgs;
use crate::exit::{Exit, Failure};

/// The lines that changed, and notes about how they were matched and which are not shown.
pub(super) fn whole_program(
    args: &DiffArgs,
    comparison: &Comparison<'_>,
    opened: &[Opened<'_>],
    sides: &[DiffSide<'_>],
    query: &DiffQuery<'_>,
) -> Result<(Vec<LineDiff>, Vec<String>), Failure> {
    let ([old, new], [old_side, new_side]) = (opened, sides) else {
        return Err(Failure::usage("--lines without a function compares two profiles"));
    };
    let [old, new] = [(old, old_side), (new, new_side)].map(|(opened, side)| all_lines(opened, side));
    let (old, new) = (old?, new?);
    let directories: Vec<String> =
        args.source_dir.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let disk = Disk::new();
    let sources = LineSources { files: &disk, directories: &directories };
    let paired = paired_lines(comparison, [&old, &new], [sources, sources]);
    Ok(program_lines(comparison, paired, query))
}

fn all_lines(opened: &Opened<'_>, side: &DiffSide<'_>) -> Result<Vec<RankedLine>, Failure> {
    let query = LinesQuery { columns: side.columns, order: LineOrder::Own, limit: None };
    let found = ranked_lines(opened, side.analysis, &query).map_err(format_failure)?;
    if found.count == 0 {
        let message = format!(
            "{} has no costs by line here: it was recorded without debug information, or the format {} has none",
            side.file, side.format
        );
        return Err(Failure { exit: Exit::Missing, message });
    }
    Ok(found.lines)
}
