//! The table of data structures.

use lotse_profile::answer::{EventAnswer, default_event};
use lotse_profile::data::{DataAnswer, StructureGrouping, structures};
use lotse_profile::report::{self, Numbers};

use super::{MOST_ROWS, ProfileDocument};
use crate::api::{DataTable, Problem, Remark, ReportBlock, Scope};
use crate::report::report_blocks;

/// Data structures by the place that allocates them, the costliest first.
pub(super) fn data(document: &ProfileDocument<'_>, scope: &Scope) -> Result<DataTable, Problem> {
    let opened = document.opened();
    if opened.profile.data.is_empty() {
        let why = format!(
            "a profile in the format {} has nothing about data structures; DHAT, heaptrack and Massif have",
            opened.format
        );
        return Err(Problem::new(why));
    }
    let scoped = document.analysis(scope)?;
    let columns = vec![document.weight(scope)?];
    let (totals, mut all) =
        structures(&opened.profile, &scoped.get().analysis.parts, &columns, StructureGrouping::Sites);
    let count = all.len();
    all.truncate(MOST_ROWS);
    let answer = DataAnswer {
        schema: "lotse.profile.data/1",
        format: opened.format.to_owned(),
        events: EventAnswer::for_columns(&columns, &totals),
        default_event: default_event(&opened.profile),
        count,
        structures: all,
        diagnostics: Vec::new(),
    };
    let blocks = report_blocks(&report::data(&answer, &columns, Numbers::Readable));
    let cut =
        (count > MOST_ROWS).then(|| Remark::note(format!("shown: {MOST_ROWS} of {count} data structures")));
    let table = blocks.into_iter().find_map(|block| match block {
        ReportBlock::Table { caption, columns, rows } => Some((caption, columns, rows)),
        _ => None,
    });
    let (title, columns, rows) = table.ok_or_else(|| Problem::new("there are no data structures"))?;
    let rows = rows.into_iter().map(|row| row.into_iter().map(|cell| cell.text).collect()).collect();
    Ok(DataTable { title, columns, rows, remarks: cut.into_iter().collect() })
}
