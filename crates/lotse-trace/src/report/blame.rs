//! Processes and call paths that make others wait.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::{Column, Document};

use super::analyze::all_waits;
use super::short_names::short_path;
use super::{first_rows, path_name, seconds, share, table};
use crate::answer::{Answer, BlameAnswer};
use crate::store::START_UP;
use crate::unrecorded::Hidden;

/// From this share on the rest is not mentioned.
const NEARLY_ALL: f64 = 0.95;

/// If waits with a known cause are at least this share of all waits, they stand for all.
const MOST_EXPLAINED: f64 = 0.8;

/// Shares below this are not listed.
const LEAST: f64 = 0.01;

/// A sentence with the process that causes most waiting; none if there are no waits, or if a process without events may cause
/// them.
pub(super) fn sentence(answer: &Answer) -> Option<String> {
    if answer.facts.lacks_processes() {
        return None;
    }
    let is_start_up = |row: &&BlameAnswer| row.callpath == START_UP;
    let start_up: f64 = answer.blame.iter().filter(is_start_up).map(|row| row.share).sum();
    let rest: Vec<&BlameAnswer> = answer.blame.iter().filter(|row| !is_start_up(row)).collect();
    let of_total = total_in_words(answer);
    let Some(first) = rest.first().filter(|_| start_up < NEARLY_ALL) else {
        let late =
            || format!("{} of {of_total} is for processes that start late.", format_percent(start_up, 0));
        return (start_up > 0.0).then(late);
    };
    let of_first = |row: &&&BlameAnswer| row.who == first.who;
    let all: f64 = rest.iter().filter(of_first).map(|row| row.share).sum();
    let most = rest.iter().filter(of_first).count() > 1 && first.share < NEARLY_ALL * all;
    let path = if first.callpath.is_empty() { "time outside all regions" } else { &first.callpath };
    let path = short_path(path);
    Some(format!(
        "{} causes {} of {of_total}: {}{path}{}{}.",
        first.who,
        format_percent(all.min(1.0), 0),
        if most { "most of it by " } else { "" },
        if is_unrecorded(answer, first) { ", whose own cause the recorder did not write" } else { "" },
        start_up_clause(start_up)
    ))
}

/// Whether the call that makes others wait is one whose own waits were not recorded.
fn is_unrecorded(answer: &Answer, row: &BlameAnswer) -> bool {
    let called = |region: &str| row.callpath.rsplit('/').next() == Some(region);
    answer.facts.unrecorded.iter().any(|it| called(&it.region))
}

/// The total of which blame is a share, in words: waits without a known cause are not part of it.
fn total_in_words(answer: &Answer) -> String {
    let (known, all): (f64, f64) = (answer.blame.iter().map(|row| row.seconds).sum(), all_waits(answer));
    match answer.facts.hidden {
        Hidden::Nothing if known >= MOST_EXPLAINED * all => "all waiting".to_owned(),
        Hidden::Nothing => {
            format!("the waiting whose cause is known ({} of {})", format_seconds(known), format_seconds(all))
        }
        Hidden::Causes | Hidden::Waits => "the waiting that is known".to_owned(),
    }
}

/// A clause about waiting for processes that started late, which the program's code cannot change.
fn start_up_clause(share: f64) -> String {
    match share >= LEAST {
        true => format!("; {} is for processes that start late", format_percent(share, 0)),
        false => String::new(),
    }
}

pub(super) fn rows(document: &mut Document, answer: &Answer, limit: usize) {
    let columns =
        vec![Column::decimal("caused", "s"), Column::right("share"), Column::left("who"), Column::path("by")];
    let listed: Vec<&BlameAnswer> = answer.blame.iter().filter(|row| row.share >= LEAST).collect();
    let rows = first_rows(&listed, limit).iter().map(|row| {
        vec![seconds(row.seconds), share(row.share, 1.0), row.who.as_str().into(), path_name(&row.callpath)]
    });
    table(
        document,
        "Who makes others wait, over all kinds of waits; shares of the waiting with a known cause",
        columns,
        rows.collect(),
    );
}
