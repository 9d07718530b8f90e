//! A history in words, tables and plots.

use lotse_model::unit::Unit;
use lotse_report::document::{Block, Cell, Column, Document, Figure, Inline, Role, Table};
use lotse_report::number::{format_change, format_change_interval, format_percent, format_value};
use lotse_report::spark::spark;
use lotse_report::svg::{Labels, RunOrder, RunPoint, RunSeries, run_order};

use super::answer::{Change, HistoryAnswer, SeriesAnswer, SeriesPoint};

/// The width of a one-line plot in columns.
const SPARK: usize = 60;

/// For a terminal: each series with its changes and its newest results.
pub fn summary(answer: &HistoryAnswer, most: usize) -> Document {
    let mut document = Document::new();
    for series in &answer.series {
        document.heading(2, title(series));
        let values: Vec<f64> = series.points.iter().map(|point| point.value.unwrap_or(f64::NAN)).collect();
        document.push(Block::Paragraph(vec![Inline::Text(spark(&values, SPARK))]));
        findings(&mut document, series);
        document.push(Block::Table(rows(series, most)));
    }
    remarks(&mut document, answer);
    document
}

/// For a file: plots too, and all results.
pub fn full(answer: &HistoryAnswer) -> Document {
    let mut document = Document::new();
    document.heading(1, "History of results");
    if let Some(machine) = &answer.machine {
        document.paragraph(machine.clone());
    }
    for series in &answer.series {
        document.heading(2, title(series));
        findings(&mut document, series);
        document.push(Block::Figure(figure(series)));
        document.push(Block::Table(rows(series, usize::MAX)));
    }
    remarks(&mut document, answer);
    document
}

fn title(series: &SeriesAnswer) -> String {
    let count = series.points.len();
    let results = if count == 1 { "result" } else { "results" };
    format!("{}: {}, {count} {results}", series.program, series.metric)
}

/// The list of what was found in a series: its changes of level or its drift, and the spread with the results that are far off.
fn findings(document: &mut Document, series: &SeriesAnswer) {
    let mut lines: Vec<Vec<Inline>> =
        series.changes.iter().map(|change| sentence(change, series.unit)).collect();
    if let Some(drift) = &series.drift {
        let per = format_change(drift.ratio_per_result, 2);
        let all = format_change(drift.ratio_in_all, 1);
        lines.push(vec![Inline::Text(format!("drifts by {per} from one result to the next, {all} in all"))]);
    }
    if lines.is_empty() && series.points.len() > 1 {
        lines.push(vec![Inline::Text("no change of level".to_owned())]);
    }
    if let Some(spread) = series.spread.filter(|spread| *spread > 0.0) {
        let spread = format_percent(spread, 1);
        let far = match series.far {
            0 => String::new(),
            far => format!("; {far} of {} are off by more than three times that", series.points.len()),
        };
        lines.push(vec![Inline::Text(format!(
            "results at one level differ by {spread} (standard deviation){far}"
        ))]);
    }
    document.push(Block::List(lines));
}

fn sentence(change: &Change, unit: Unit) -> Vec<Inline> {
    let name = |kept: &super::Kept| {
        let commit = kept.short_commit().map_or(String::new(), |commit| format!(" at {commit}"));
        format!("result {}{commit} ({})", kept.id, kept.date.get(..10).unwrap_or(&kept.date))
    };
    let ratio = change.ratio.map_or_else(|| "changed".to_owned(), |ratio| format_change(ratio, 1));
    // More time or memory is worse; for a plain number the better direction is not known.
    let role = match change.ratio {
        Some(ratio) if unit != Unit::Number && ratio > 1.0 => Role::Bad,
        Some(ratio) if unit != Unit::Number && ratio < 1.0 => Role::Good,
        _ => Role::Strong,
    };
    let place = format!("{} between {} and {}", interval(change), name(&change.before), name(&change.after));
    vec![Inline::Marked(role, ratio), Inline::Text(place)]
}

fn interval(change: &Change) -> String {
    match change.interval {
        [Some(low), Some(high)] if low != high => {
            format!(" ({})", format_change_interval(low, high, 1))
        }
        _ => String::new(),
    }
}

/// The newest `most` results of a series, one row each; a note marks failed runs and changes of level.
fn rows(series: &SeriesAnswer, most: usize) -> Table {
    let columns = vec![
        Column::right("result"),
        Column::key("date"),
        Column::key("commit"),
        Column::left("label"),
        Column::decimal(series.metric.clone(), ""),
        Column::decimal("±", ""),
        Column::right("runs"),
        Column::left("note"),
    ];
    let left_out = series.points.len().saturating_sub(most);
    let row = |point: &SeriesPoint| {
        let kept = &point.kept;
        let value = point
            .value
            .map_or_else(|| Cell::text("-"), |value| Cell::number(format_value(value, series.unit), value));
        let error =
            point.error.map_or_else(|| Cell::text(""), |error| Cell::number(format_percent(error, 1), error));
        vec![
            Cell::number(kept.id.to_string(), kept.id as f64),
            Cell::text(kept.date.replace('T', " ").trim_end_matches('Z')),
            kept.short_commit().map_or_else(Cell::default, Cell::text),
            Cell::text(kept.labels.join(", ")),
            value,
            error,
            Cell::number(point.runs.to_string(), f64::from(point.runs)),
            note(series, point),
        ]
    };
    let caption = if left_out > 0 {
        format!("The newest {most}; {left_out} older ones are not shown (--all)")
    } else {
        String::new()
    };
    Table { caption, columns, rows: series.points[left_out..].iter().map(row).collect() }
}

/// All results of all series in one table.
pub fn table(answer: &HistoryAnswer) -> Table {
    let titles = [
        "program", "metric", "result", "date", "commit", "changed", "labels", "value", "error", "runs",
        "failed",
    ];
    let number = |value: f64| Cell::number(value.to_string(), value);
    let row = |series: &SeriesAnswer, point: &SeriesPoint| {
        let kept = &point.kept;
        vec![
            Cell::text(series.program.clone()),
            Cell::text(series.metric.clone()),
            number(kept.id as f64),
            Cell::text(kept.date.clone()),
            kept.commit.clone().map_or_else(Cell::default, Cell::text),
            Cell::text(if kept.changed { "yes" } else { "no" }),
            Cell::text(kept.labels.join(" ")),
            point.value.map_or_else(Cell::default, number),
            point.error.map_or_else(Cell::default, number),
            number(f64::from(point.runs)),
            number(f64::from(point.failed)),
        ]
    };
    let all =
        answer.series.iter().flat_map(|series| series.points.iter().map(move |point| row(series, point)));
    let rows = all.collect();
    Table { caption: String::new(), columns: titles.iter().map(|title| Column::left(*title)).collect(), rows }
}

fn note(series: &SeriesAnswer, point: &SeriesPoint) -> Cell {
    if point.failed > 0 {
        return Cell::text(format!("{} runs failed", point.failed)).role(Role::Bad);
    }
    match series.changes.iter().find(|change| change.after == point.kept) {
        Some(Change { ratio: Some(ratio), .. }) => {
            Cell::text(format!("{} from here", format_change(*ratio, 1)))
        }
        Some(_) => Cell::text("changed here"),
        None => Cell::default(),
    }
}

fn figure(series: &SeriesAnswer) -> Figure {
    let point = |(at, point): (usize, &SeriesPoint)| {
        Some(RunPoint { run: at as f64 + 1.0, value: point.value?, contended: false })
    };
    let points: Vec<RunPoint> = series.points.iter().enumerate().filter_map(point).collect();
    let starts = |change: &Change| series.points.iter().position(|point| point.kept == change.after);
    let boundaries = series.changes.iter().filter_map(starts).map(|at| at as f64 + 0.5).collect();
    let drift = series.drift.as_ref().and_then(|drift| {
        // A straight line through the middle; for small drifts that is the exponential one.
        let values: Vec<f64> = points.iter().map(|point| point.value).collect();
        let middle = lotse_stats::descriptive::median(&values).ok()?;
        let rise = middle * (drift.ratio_per_result - 1.0);
        Some((middle - rise * (series.points.len() as f64 + 1.0) / 2.0, rise))
    });
    let name = series.program.clone();
    let plot = RunOrder { series: vec![RunSeries { name, points, drift }], boundaries, axis: Some("result") };
    let title = format!("{} over {} results", series.metric, series.points.len());
    let labels = Labels {
        title: title.clone(),
        quantity: series.metric.clone(),
        unit: series.unit,
        description: String::new(),
    };
    Figure {
        svg: run_order(&labels, &plot),
        title,
        caption: "Each point is one result, the oldest at the left. Lines across are changes of level."
            .to_owned(),
        alt: format!("{} of {} over {} results", series.metric, series.program, series.points.len()),
    }
}

fn remarks(document: &mut Document, answer: &HistoryAnswer) {
    if answer.other_machines > 0 {
        let count = answer.other_machines;
        let results = if count == 1 { "result was" } else { "results were" };
        document.paragraph(format!(
            "{count} {results} made on another machine and left out (--across-machines shows them)"
        ));
    }
}
