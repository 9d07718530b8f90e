//! The report of `lotse trace analyze`: losses first, then the critical path and the distribution of time.

use lotse_report::number::{format_percent, format_seconds};
use lotse_report::shorten::{NameKind, shortened};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::left_out::left_out;
use super::polling::polling;
use super::short_names::short_path;
use super::sleeping::sleeping;
use super::what_if::{distribution, kept_order};
use super::words::name_of;
use super::{DEEPER, accelerators, blame, count, first_rows, path_name, seconds, share, table};
use crate::answer::{Answer, LossAnswer, SeverityAnswer, TimeAnswer};
use crate::efficiency::Unknown;
use crate::marks::mark;
use crate::metric::Bound;
use crate::patterns;
use crate::rules::without_words;
use crate::store::OUTSIDE;
use crate::unrecorded::Hidden;

mod gains;
mod late_end;
mod summary;

use gains::{critical, unknown_gain};
use late_end::{is_late_end, late_end};
pub(super) use summary::bound_words;
use summary::summary;

/// The answer as a document, with at most `limit` rows in a table; 0 for all.
pub fn analyze(answer: &Answer, limit: usize) -> Document {
    let mut document = Document::new();
    let missing = left_out(&answer.facts);
    let text = |text: String| Block::Paragraph(vec![Inline::Text(text)]);
    match missing.filter(|_| !answer.facts.incomplete_locations.is_empty()) {
        Some(cut_off) => {
            document.lead(cut_off);
            document.blocks.push(text(waiting(answer)));
        }
        None => {
            document.lead(waiting(answer));
            document.blocks.extend(left_out(&answer.facts).map(text));
        }
    }
    for work in &answer.polling_work {
        document.paragraph(polling(work));
    }
    let polls = answer.losses.iter().any(|loss| loss.metric == "busy_wait");
    let slept = answer.sleeping.as_ref();
    if let Some(sentence) = slept.and_then(|it| sleeping(it, answer.focus.efficiency.as_ref(), polls)) {
        document.paragraph(sentence);
    }
    document.blocks.extend(blame::sentence(answer).map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    for farm in &answer.dynamic_distribution {
        document.paragraph(format!(
            "{} Reachable gains keep who did which task, so they are lower bounds.",
            distribution(farm, &answer.facts.location_labels)
        ));
    }
    for order in &answer.kept_order {
        let order = kept_order(order, &answer.facts.location_labels);
        document.paragraph(format!("{order} Reachable gains are lower bounds."));
    }
    document.paragraph(summary(answer));
    if answer.corrected.clocks {
        document.paragraph("The clocks were corrected; all times and shares are by the corrected clocks.");
    }
    blame::rows(&mut document, answer, limit);
    let (losses, notable) = answer.losses.split_at(answer.losses.partition_point(|loss| loss.is_loss));
    if losses.is_empty() {
        document.paragraph("No wait is long enough to be listed.");
    } else {
        let rows = first_rows(losses, limit).iter().map(|loss| loss_row(answer, loss)).collect();
        table(&mut document, &format!("Time lost by waiting{}", shares_of(answer)), loss_columns(), rows);
        if first_rows(losses, limit).iter().any(LossAnswer::is_doubtful) {
            document.paragraph("≈: shorter than the uncertainty of the clocks; there may be no wait at all.");
        }
    }
    if !notable.is_empty() {
        let rows = first_rows(notable, limit).iter().map(|loss| notable_row(answer, loss)).collect();
        table(&mut document, &format!("{NOTABLE}{}", shares_of(answer)), notable_columns(), rows);
    }
    critical(&mut document, answer, limit);
    accelerators::rows(&mut document, answer, limit);
    let mut rows = Vec::new();
    add_time_rows(answer, None, 0, &mut rows);
    rows.extend(overlap_row(answer));
    table(&mut document, &format!("Time of all locations in {}", answer.analysed), time_columns(), rows);
    document
}

/// The first sentence: how much of the time is waiting, for what, and what could be gained.
fn waiting(answer: &Answer) -> String {
    let (total, waits) = (all_time(answer), all_waits(answer));
    if total <= 0.0 || waits <= 0.0 {
        let unknown = answer.focus.efficiency.as_ref().and_then(|it| it.unknown);
        let late = late_end(answer).map_or_else(String::new, |late| format!(" {late}."));
        return no_waits((unknown, answer.facts.hidden), within(answer)) + &late;
    }
    let at_least = if answer.facts.hidden == Hidden::Nothing { "" } else { "At least " };
    let share = format!("{at_least}{}", format_percent(waits / total, 1));
    // The loss of threads that do not exist yet is not contained in the time of any location.
    let is_part = |loss: &&LossAnswer| loss.is_wait && loss.seconds <= waits * 1.000_001;
    let Some(first) = answer.losses.iter().find(is_part) else {
        let late = late_end(answer).map_or_else(String::new, |late| format!(", but {late}"));
        return format!("{share} of the time of all locations in {} is waiting{late}.", answer.analysed);
    };
    let path = |path: &str| shortened(NameKind::Path, &short_path(path), LETTERS);
    let cause = if at_least.is_empty() { cause_clause(answer, first) } else { String::new() };
    let gain = first.gain.map_or_else(String::new, |gain| {
        let is_negligible = gain < LEAST_GAIN * answer.corrected.runtime;
        if let Some(bounding) = bounding(answer).filter(|_| is_negligible) {
            return late_end(answer)
                .map_or(bounding, |late| format!(". That does not bound the run; {late}"));
        }
        let without = without_words(first).unwrap_or("without it");
        let run = if answer.focus.is_cut_out { "that part of the run" } else { "the run" };
        let late = late_end(answer).filter(|_| !is_late_end(answer, first));
        let late = late.map_or_else(String::new, |late| format!(". {late}"));
        format!("; {without} {run} would be {} shorter{late}", format_seconds(gain))
    });
    format!(
        "{share} of the time of all locations in {} is waiting; the largest part is {} in {} ({}{}){cause}{gain}.",
        answer.analysed,
        first.title,
        path(&first.callpath),
        sign(first.bound, first.is_doubtful()),
        format_seconds(first.seconds)
    )
}

/// The time of all locations: the whole of every share of waiting in this report, so that rows and sentences can be compared.
fn all_time(answer: &Answer) -> f64 {
    answer.time_tree.first().map_or(0.0, |root| root.inclusive)
}

fn shares_of(answer: &Answer) -> String {
    format!("; shares of the time of all locations in {}", answer.analysed)
}

/// The total time of all waits, in seconds.
pub(super) fn all_waits(answer: &Answer) -> f64 {
    let is_wait = |id: &str| patterns::metrics().any(|metric| metric.id == id);
    let outermost = |node: &&TimeAnswer| is_wait(node.id) && !node.parent.is_some_and(is_wait);
    answer.time_tree.iter().filter(outermost).map(|node| node.inclusive).sum()
}

/// The first sentence if no wait was found.
fn no_waits((unknown, hidden): (Option<Unknown>, Hidden), within: &str) -> String {
    match unknown {
        Some(Unknown::OnlyArrows) => {
            "No wait is found, but of what locations wait for only arrows are recorded, and not when they wait.".to_owned()
        }
        Some(Unknown::LostDefinitions) => {
            "What the locations wait for is not known: definitions of regions or locations are missing."
                .to_owned()
        }
        Some(Unknown::NoCommunication) => {
            "No wait is found, but no communication or synchronisation of processes or threads is recorded."
                .to_owned()
        }
        Some(Unknown::OneThread) | None if hidden == Hidden::Nothing => {
            format!("No location waits for another{within}.")
        }
        Some(Unknown::OneThread) | None => {
            format!("How long locations wait for each other{within} is not known: the recording does not show it.")
        }
    }
}

/// A phrase for answers about a part of the run only; the summary says which part.
fn within(answer: &Answer) -> &'static str {
    if answer.focus.is_cut_out { " in the focus" } else { "" }
}

/// The cause of the greatest loss, as the end of a sentence: the lock and its holder, or the delaying call path.
fn cause_clause(answer: &Answer, loss: &LossAnswer) -> String {
    let path = |path: &str| shortened(NameKind::Path, &short_path(path), LETTERS);
    if let Some((lock, holder)) = loss.lock.as_ref().and_then(|lock| Some((lock, lock.holder.as_ref()?))) {
        let by = if holder.callpath.is_empty() { OUTSIDE } else { &path(&holder.callpath) };
        return format!(", for {}, which is held mostly by {by}", lock.name);
    }
    let cause = loss.cause.as_ref().filter(|cause| !cause.callpath.is_empty());
    cause.map_or_else(String::new, |cause| {
        let name = answer.facts.location_labels.get(cause.location as usize).map_or("", String::as_str);
        let unknown = if cause.unrecorded { ", whose own cause the recorder did not write" } else { "" };
        let indirectly = if cause.leads_back { "indirectly, through waits of others, " } else { "" };
        let part = if cause.seconds < MAIN * loss.seconds { "caused in part by" } else { "caused by" };
        format!(", {indirectly}{part} {} on {name}{unknown}", path(&cause.callpath))
    })
}

/// The share of a wait from which on its cause is called the cause of all of it.
const MAIN: f64 = 0.5;

/// A gain below this share of the run is negligible.
const LEAST_GAIN: f64 = 0.001;

/// The call path that bounds the run instead of the waits, if the gain without it is known.
fn bounding(answer: &Answer) -> Option<String> {
    let rows = answer.critical_path.iter().filter(|row| !row.callpath.is_empty());
    let most = rows.max_by(|a, b| a.seconds.total_cmp(&b.seconds))?;
    let zero = answer.what_if_zero.iter().find(|zero| zero.callpath == most.callpath)?;
    let on = answer.facts.location_labels.get(most.location as usize)?;
    Some(format!(
        ". That does not bound the run; {} on {on} does most ({} of the critical path): without it on all locations \
         the run would be {} shorter",
        shortened(NameKind::Path, &short_path(&most.callpath), LETTERS),
        format_percent(most.seconds / answer.critical_path_length, 1),
        format_seconds(zero.gain)
    ))
}

/// The greatest length of call paths in sentences.
const LETTERS: usize = 48;

fn loss_columns() -> Vec<Column> {
    vec![
        Column::decimal("lost", "s"),
        Column::right("share").droppable(2),
        Column::left("cause"),
        Column::left("who").droppable(3),
        Column::path("call path"),
        Column::path("mostly because of"),
        Column::path("on").droppable(1),
        Column::decimal("reachable gain", "s"),
    ]
}

fn loss_row(answer: &Answer, loss: &LossAnswer) -> Vec<Cell> {
    let name = |location: u32| answer.facts.location_labels.get(location as usize).map_or("", String::as_str);
    let by = loss.cause.as_ref().map_or_else(Cell::default, |cause| path_name(&cause.callpath));
    let on = loss.cause.as_ref().map_or_else(String::new, |cause| {
        let other = if cause.contested { ", or another" } else { "" };
        format!("{}{other}", name(cause.location))
    });
    vec![
        bounded(loss.seconds, loss.bound, loss.is_doubtful()).role(Role::Strong),
        share(loss.seconds, all_time(answer)),
        loss.title.into(),
        who(answer, loss).into(),
        loss.callpath.as_str().into(),
        by,
        on.into(),
        loss.gain.map_or_else(unknown_gain, seconds),
    ]
}

const NOTABLE: &str = "Time that may be well spent, also part of the rows above and below";
fn notable_columns() -> Vec<Column> {
    let (what, who) = (Column::left("what"), Column::left("who").droppable(1));
    vec![Column::decimal("time", "s"), Column::right("share"), what, who, Column::path("call path")]
}

fn notable_row(answer: &Answer, loss: &LossAnswer) -> Vec<Cell> {
    vec![
        bounded(loss.seconds, loss.bound, loss.is_doubtful()),
        share(loss.seconds, all_time(answer)),
        loss.title.into(),
        who(answer, loss).into(),
        loss.callpath.as_str().into(),
    ]
}

/// The number of locations of a loss, and which of them lost most.
fn who(answer: &Answer, loss: &LossAnswer) -> String {
    let most = answer.facts.location_labels.get(loss.worst_location as usize).map_or("", String::as_str);
    match loss.locations {
        1 => most.to_owned(),
        many => format!("{many} locations, most {most}"),
    }
}

/// A time with a sign for bounds, and for times below the error of the clocks.
fn bounded(value: f64, bound: Bound, is_doubtful: bool) -> Cell {
    Cell::number(format!("{}{}", sign(bound, is_doubtful), format_seconds(value)), value)
}

/// The mark of a time, with a space before the number.
fn sign(bound: Bound, is_doubtful: bool) -> String {
    match mark(bound, is_doubtful) {
        "" => String::new(),
        mark => format!("{mark} "),
    }
}

fn time_columns() -> Vec<Column> {
    vec![
        Column::left("what"),
        Column::decimal("time", "s"),
        Column::right("share"),
        Column::decimal("alone", "s"),
    ]
}

/// Adds the nodes below one, each before its own parts. The recursion is as deep as the hierarchy of metrics.
fn add_time_rows(answer: &Answer, parent: Option<&str>, depth: usize, rows: &mut Vec<Vec<Cell>>) {
    for node in answer.time_tree.iter().filter(|node| node.parent == parent) {
        rows.push(time_row(answer, node, depth));
        add_time_rows(answer, Some(node.id), depth + 1, rows);
    }
}

fn time_row(answer: &Answer, node: &TimeAnswer, depth: usize) -> Vec<Cell> {
    let total = root(answer, node).inclusive;
    vec![
        format!("{}{}", DEEPER.repeat(depth), name_of(node.id)).into(),
        seconds(node.inclusive),
        share(node.inclusive, total),
        seconds(node.exclusive),
    ]
}

/// The outermost node that contains a node.
fn root<'a>(answer: &'a Answer, node: &'a TimeAnswer) -> &'a TimeAnswer {
    let parent = |node: &&'a TimeAnswer| answer.time_tree.iter().find(|it| Some(it.id) == node.parent);
    std::iter::successors(Some(node), parent).last().unwrap_or(node)
}

/// The row of waits that are in none of the rows above.
fn overlap_row(answer: &Answer) -> Option<Vec<Cell>> {
    let overlap: f64 = answer.time_tree.iter().map(|node| node.overlap).sum();
    let row = || vec!["(waits during a longer wait of the same call)".into(), seconds(overlap)];
    (overlap > 0.0).then(row)
}

/// A table of the given cells of the severity cube.
pub fn severities(answer: &Answer, rows: &[SeverityAnswer], limit: usize) -> Document {
    let mut rows: Vec<&SeverityAnswer> = rows.iter().collect();
    rows.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let name = |location: u32| answer.facts.location_labels.get(location as usize).map_or("", String::as_str);
    let cells = first_rows(&rows, limit).iter().map(|row| {
        vec![
            row.metric.into(),
            count(u64::from(row.location)),
            name(row.location).into(),
            path_name(&row.callpath),
            bounded(row.seconds, row.bound, row.is_doubtful()),
            if row.is_doubtful() { "uncertain" } else { bound_name(row.bound) }.into(),
        ]
    });
    let columns = vec![
        Column::left("metric"),
        Column::right("location"),
        Column::path("name").droppable(1),
        Column::path("call path"),
        Column::decimal("time", "s"),
        Column::left("bound").droppable(2),
    ];
    let mut document = Document::new();
    table(&mut document, "", columns, cells.collect());
    document
}

fn bound_name(bound: Bound) -> &'static str {
    match bound {
        Bound::Exact => "exact",
        Bound::Lower => "lower",
        Bound::Upper => "upper",
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::work::Sequential;
    use lotse_report::Options as Rendering;

    use crate::analyze::{Clocks, Options, analyze};
    use crate::fixture::Script;

    #[test]
    fn corrected_clocks_and_their_uncertainty_are_reported() {
        let options = Options { quick: true, ..Options::usual("a trace") };
        let terminal = lotse_report::format::named("terminal").unwrap();
        let text = |document| terminal.to_string(&document, Rendering::default()).unwrap();
        let answer = analyze(Script::clocks_apart().trace(), &options, &Sequential).unwrap();
        let report = text(super::analyze(&answer, 10));
        for part in ["The clocks were corrected;", "≈ 25.00 ms", "≈: shorter than the uncertainty"] {
            assert!(report.contains(part), "{part}: {report}");
        }
        let cube = text(super::severities(&answer, &answer.corrected_severities, 0));
        assert!(cube.contains("uncertain") && !cube.contains("exact"), "{cube}");
        let raw =
            analyze(Script::clocks_apart().trace(), &Options { clock: Clocks::Raw, ..options }, &Sequential)
                .unwrap();
        assert!(!text(super::analyze(&raw, 10)).contains("clocks were corrected"));
    }
}
