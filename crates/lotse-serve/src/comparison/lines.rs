//! The costliest source lines of one of two profiles: the one that the scope names, else the new one.
//!
//! Lines are not paired: a line moves with every edit above it. The source of a function has both sources line beside line.

use super::ComparisonDocument;
use crate::api::{LineRow, LineSort, LineTable, Problem, Remark, Scope};

/// The lines of one profile, with the numbers that functions have in the comparison.
pub(super) fn lines(
    document: &ComparisonDocument<'_>,
    (scope, events): (&Scope, &[String]),
    sort: LineSort,
    limit: usize,
) -> Result<LineTable, Problem> {
    let (profile, is_old) = document.side(scope);
    let ids = document.ids(scope)?;
    let mut table = profile.lines((scope, events), sort, limit)?;
    let numbered = |row: LineRow| LineRow { function: ids.renamed(row.function, is_old), ..row };
    table.rows = table.rows.into_iter().map(numbered).collect();
    let (which, other) = if is_old { ("old", "new") } else { ("new", "old") };
    let text = format!(
        "these are the lines of the {which} profile; at the top, Show: {other} has the others, and the source of a function \
         has both beside each other"
    );
    table.remarks.insert(0, Remark::note(text));
    Ok(table)
}
