//! The comparison of two runs.

use lotse_report::number::{format_percent, format_ratio, format_seconds};
use lotse_report::shorten::{NameKind, NameToFit, distinct};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::short_names::short_path;
use super::words::name_of;
use super::{UNKNOWN, first_rows, path_name, seconds, table};
use crate::diff::{CallPathDiff, DiffAnswer, Pair, RunAnswer, WaitDiff};
use crate::efficiency::Efficiency;

/// What changed in one sentence, then a table each for call paths, waits, processes and efficiencies.
pub fn diff(answer: &DiffAnswer, limit: usize) -> Document {
    let mut document = Document::new();
    document.push(Block::Paragraph(vec![Inline::Marked(Role::Strong, run_times(answer))]));
    document.blocks.extend(focus(answer).map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    document.blocks.extend(greatest_change(answer).map(|text| Block::Paragraph(vec![Inline::Text(text)])));
    callpaths(&mut document, answer, limit);
    waits(&mut document, answer, limit);
    processes(&mut document, answer, limit);
    efficiencies(&mut document, answer);
    document.paragraph(format!(
        "Each run was recorded once: changes no greater than runs of the same program differ by mean nothing.{}",
        sizes(answer)
    ));
    document
}

/// The greatest width of a run's name in a sentence.
const WIDEST_NAME: usize = 40;

fn run_times(answer: &DiffAnswer) -> String {
    let (before, after) = (answer.before.runtime, answer.after.runtime);
    let names = [&answer.after.name, &answer.before.name].map(|name| NameToFit { name, room: WIDEST_NAME });
    let names = distinct(NameKind::Path, &names);
    let times =
        format!("{} took {}, {} took {}", names[0], format_seconds(after), names[1], format_seconds(before));
    if before <= 0.0 || after <= 0.0 {
        return format!("{times}.");
    }
    let change = format_seconds((after - before).abs());
    match format_ratio(before.max(after) / before.min(after)) {
        ratio if ratio == format_ratio(1.0) => {
            format!("{times}: no difference that can be told in three digits.")
        }
        ratio if after < before => format!("{times}: {change} less, {ratio} times faster."),
        ratio => format!("{times}: {change} more, {ratio} times slower."),
    }
}

/// A sentence with the lengths of the parts that the efficiencies refer to.
fn focus(answer: &DiffAnswer) -> Option<String> {
    let (before, after) = (answer.before.focus.as_ref(), answer.after.focus.as_ref());
    let what = &before.or(after)?.what;
    let length = |run: &RunAnswer| run.focus.as_ref().map_or(run.runtime, |focus| focus.seconds);
    let (old, new) = (length(&answer.before), length(&answer.after));
    let what = match after.filter(|after| after.what != *what) {
        Some(after) => format!("{} (before: {what})", after.what),
        None => what.clone(),
    };
    Some(format!("Of that, {} after and {} before {what}.", format_seconds(new), format_seconds(old)))
}

/// Beyond this share a part exceeds the whole change by more than rounding.
const MORE_THAN_ALL: f64 = 1.02;

/// The call path whose time on the critical path changed most in the direction of the run time.
fn greatest_change(answer: &DiffAnswer) -> Option<String> {
    let (whole, run) = (
        answer.after.critical_path_length - answer.before.critical_path_length,
        answer.after.runtime - answer.before.runtime,
    );
    if whole * run <= 0.0 {
        return None;
    }
    let is_same_direction = |row: &&CallPathDiff| row.critical.change * whole > 0.0;
    let rows = answer.callpaths.iter().filter(is_same_direction);
    let most = rows.max_by(|a, b| a.critical.change.abs().total_cmp(&b.critical.change.abs()))?;
    let direction = if whole < 0.0 { "less" } else { "more" };
    let change = most.critical.change.abs();
    let part = change / whole.abs();
    let part = match part > MORE_THAN_ALL {
        true => "more than the whole: other parts of the path changed the other way".to_owned(),
        false => format!("{} of the change", format_percent(part.min(1.0), 0)),
    };
    Some(format!(
        "Most of it on the critical path: {}, {} {direction} ({part}).",
        short_path(&most.callpath),
        format_seconds(change)
    ))
}

/// A sentence about means, if the runs have different numbers of locations.
fn sizes(answer: &DiffAnswer) -> String {
    let (before, after) = (answer.before.locations, answer.after.locations);
    if before == after {
        return String::new();
    }
    format!(" {before} locations before and {after} after: means over locations are compared.")
}

fn cell(value: Option<f64>) -> Cell {
    value.map_or_else(|| Cell::text(UNKNOWN), seconds)
}

/// Three cells: before, after and the change.
fn cells(pair: Pair) -> [Cell; 3] {
    let sign = if pair.change > 0.0 { "+" } else { "" };
    let change = Cell::number(format!("{sign}{}", format_seconds(pair.change)), pair.change);
    [cell(pair.before), cell(pair.after), change]
}

fn changed() -> [Column; 3] {
    [Column::decimal("before", "s"), Column::decimal("after", "s"), Column::decimal("change", "s")]
}

fn callpaths(document: &mut Document, answer: &DiffAnswer, limit: usize) {
    let mut columns = changed().to_vec();
    columns.push(Column::decimal("on path before", "s").droppable(2));
    columns.push(Column::decimal("on path after", "s").droppable(2));
    columns.push(Column::path("call path"));
    columns.push(Column::left("most in").droppable(1));
    let row = |row: &CallPathDiff| {
        let mut cells = cells(row.mean).to_vec();
        cells.extend([cell(row.critical.before), cell(row.critical.after), path_name(&row.callpath)]);
        cells.push(most_changed_process(row));
        cells
    };
    let rows: Vec<&CallPathDiff> = answer.callpaths.iter().filter(|row| !row.is_unchanged()).collect();
    let rows = first_rows(&rows, limit).iter().map(|it| row(it)).collect();
    table(document, "Own time of call paths, mean over locations", columns, rows);
}

/// The process in which the call path changed most.
fn most_changed_process(row: &CallPathDiff) -> Cell {
    let changed = row.processes.iter().filter(|it| it.seconds.change != 0.0);
    let most = changed.max_by(|a, b| a.seconds.change.abs().total_cmp(&b.seconds.change.abs()));
    most.map_or_else(|| Cell::text(""), |it| Cell::text(&it.process))
}

fn waits(document: &mut Document, answer: &DiffAnswer, limit: usize) {
    let mut columns = changed().to_vec();
    columns.extend([Column::left("wait"), Column::path("call path")]);
    let rows: Vec<&WaitDiff> = answer.waits.iter().filter(|row| row.mean.change != 0.0).collect();
    let rows = first_rows(&rows, limit).iter().map(|row| {
        let mut cells = cells(row.mean).to_vec();
        cells.extend([Cell::text(name_of(row.metric)), path_name(&row.callpath)]);
        cells
    });
    table(document, "Waiting, mean over locations", columns, rows.collect());
}

/// Adds a table with the times of each process in both runs; its columns for sleeping only if some process sleeps.
fn processes(document: &mut Document, answer: &DiffAnswer, limit: usize) {
    let titles =
        ["computing before", "computing after", "computing change", "waiting before", "waiting after"];
    let mut columns = vec![Column::left("process")];
    columns.extend(titles.map(|title| Column::decimal(title, "s")));
    columns.push(Column::decimal("waiting change", "s"));
    let sleeps = answer.processes.iter().any(|row| row.sleeping.is_some());
    if sleeps {
        columns.extend(["sleeping before", "sleeping after"].map(|title| Column::decimal(title, "s")));
        columns.push(Column::decimal("sleeping change", "s"));
    }
    let rows = first_rows(&answer.processes, limit).iter().map(|row| {
        let mut line = vec![Cell::text(&row.process)];
        line.extend(cells(row.computing).into_iter().chain(cells(row.waiting)));
        if sleeps {
            line.extend(row.sleeping.map_or_else(<[Cell; 3]>::default, cells));
        }
        line
    });
    table(document, "Processes, all of their threads", columns, rows.collect());
}

/// The efficiencies of the focus, or those of the run where the focus is the whole run.
fn own_efficiency(run: &RunAnswer) -> Option<&Efficiency> {
    run.focus.as_ref().map_or(run.efficiency.as_ref(), |focus| focus.efficiency.as_ref())
}

/// The name of an efficiency, and its field.
type EfficiencyField = (&'static str, fn(&Efficiency) -> Option<f64>);

const EFFICIENCIES: [EfficiencyField; 6] = [
    ("parallel efficiency", |it| it.parallel_efficiency),
    ("load balance", |it| it.load_balance),
    ("communication", |it| it.communication_efficiency),
    ("serialisation", |it| it.serialisation_efficiency),
    ("transfer", |it| it.transfer_efficiency),
    ("threads", |it| it.omp_parallel_efficiency),
];

fn efficiencies(document: &mut Document, answer: &DiffAnswer) {
    let share = |value: Option<f64>| {
        value.map_or_else(|| Cell::text(UNKNOWN), |it| Cell::number(format_percent(it, 1), it))
    };
    let runs = [&answer.before, &answer.after];
    let has_focus = runs.iter().any(|run| run.focus.is_some());
    let row = |(name, part): EfficiencyField| {
        let whole = runs.map(|run| run.efficiency.as_ref().and_then(part));
        let own = runs.map(|run| own_efficiency(run).and_then(part));
        let known = own.iter().chain(&whole).any(Option::is_some);
        let values = own.into_iter().chain(whole.into_iter().filter(|_| has_focus));
        known.then(|| std::iter::once(Cell::text(name)).chain(values.map(share)).collect())
    };
    let mut columns = vec![Column::left("efficiency"), Column::right("before"), Column::right("after")];
    if has_focus {
        columns.extend([Column::right("whole run before"), Column::right("whole run after")]);
    }
    table(document, "Efficiencies", columns, EFFICIENCIES.into_iter().filter_map(row).collect());
}
