//! Who makes others wait.

use lotse_report::number::format_percent;
use lotse_report::{Column, Document};

use super::short_names::short_path;
use super::{path_name, seconds, share, shown, table};
use crate::answer::{Answer, BlameAnswer};

/// Shares below this are not listed.
const LEAST: f64 = 0.01;

/// Who causes most of all waiting, in a sentence; nothing where nobody waits.
pub(super) fn sentence(answer: &Answer) -> Option<String> {
    let first = answer.blame.first()?;
    let of_first = |row: &&BlameAnswer| row.who == first.who;
    let all: f64 = answer.blame.iter().filter(of_first).map(|row| row.share).sum();
    let most = answer.blame.iter().filter(of_first).count() > 1 && first.share < 0.95 * all;
    let path = if first.callpath.is_empty() { "time outside all regions" } else { &first.callpath };
    let path = short_path(path);
    Some(format!(
        "{} causes {} of all waiting: {}{path}.",
        first.who,
        format_percent(all.min(1.0), 0),
        if most { "most of it by " } else { "" }
    ))
}

pub(super) fn rows(document: &mut Document, answer: &Answer, limit: usize) {
    let columns =
        vec![Column::decimal("caused", "s"), Column::right("share"), Column::left("who"), Column::path("by")];
    let listed: Vec<&BlameAnswer> = answer.blame.iter().filter(|row| row.share >= LEAST).collect();
    let rows = shown(&listed, limit).iter().map(|row| {
        vec![seconds(row.seconds), share(row.share, 1.0), row.who.as_str().into(), path_name(&row.callpath)]
    });
    table(document, "Who makes others wait, over all kinds of waits", columns, rows.collect());
}
