//! Efficiencies of runs, one or several beside each other: for people a column for each, for programs a row.

use lotse_report::number::{format_percent, format_ratio};
use lotse_report::shorten::{NameKind, NameToFit, distinct};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::{DEEPER, UNKNOWN, count, seconds, table};
use crate::analyze::EfficiencyAnswer;
use crate::scaling::ScalingRow;

/// A row for each run, with one kind of number in a column.
pub fn efficiency_rows(answer: &EfficiencyAnswer) -> Document {
    let focus: Vec<Line> = match focused(&answer.runs) {
        Some(rows) => lines(&rows, rows.len() > 1).into_iter().map(Line::within_focus).collect(),
        None => Vec::new(),
    };
    let lines: Vec<Line> = lines(&answer.runs, answer.runs.len() > 1).into_iter().chain(focus).collect();
    let mut columns = vec![Column::left("run")];
    columns.extend(lines.iter().map(|line| match line.unit {
        "" => Column::right(line.title()),
        unit => Column::decimal(line.title(), unit),
    }));
    let row = |(number, run): (usize, &ScalingRow)| {
        let cells = lines.iter().map(|line| line.cells[number].clone());
        std::iter::once(Cell::text(&run.name)).chain(cells).collect()
    };
    let rows = answer.runs.iter().enumerate().map(row).collect();
    let mut document = Document::new();
    table(&mut document, "", columns, rows);
    document
}

/// A column for each run.
pub fn efficiency(answer: &EfficiencyAnswer) -> Document {
    let mut document = Document::new();
    document
        .blocks
        .extend(limit(answer).map(|text| Block::Paragraph(vec![Inline::Marked(Role::Strong, text)])));
    for (run, caution) in answer.runs.iter().zip(&answer.cautions) {
        let of = if answer.runs.len() > 1 { format!("{}: ", run.name) } else { String::new() };
        document
            .blocks
            .extend(caution.iter().map(|it| Block::Paragraph(vec![Inline::Text(format!("{of}{it}"))])));
    }
    match (focused(&answer.runs), &answer.runs[..]) {
        (None, runs) => beside(&mut document, "", runs, runs.len() > 1),
        (Some(focus), [run]) => {
            let named = |name: &str, row: &ScalingRow| ScalingRow { name: name.to_owned(), ..row.clone() };
            document.paragraph(parts(&answer.runs));
            beside(&mut document, "", &[named("focus", &focus[0]), named("whole run", run)], false);
        }
        (Some(focus), runs) => {
            document.paragraph(parts(runs));
            beside(&mut document, "Focus", &focus, true);
            beside(&mut document, "Whole run", runs, true);
        }
    }
    document
}

/// A table with a column for each run; with what compares them if these are different runs.
fn beside(document: &mut Document, caption: &str, runs: &[ScalingRow], scales: bool) {
    let mut columns = vec![Column::left("")];
    let names: Vec<NameToFit<'_>> =
        runs.iter().map(|run| NameToFit { name: &run.name, room: WIDEST_NAME }).collect();
    columns.extend(distinct(NameKind::Path, &names).into_iter().map(Column::right));
    let row = |line: Line| std::iter::once(Cell::text(line.name)).chain(line.cells).collect();
    table(document, caption, columns, lines(runs, scales).into_iter().map(row).collect());
}

/// The rows of the focus, of the whole run where a run has none; nothing where no run has one.
fn focused(runs: &[ScalingRow]) -> Option<Vec<ScalingRow>> {
    let row = |run: &ScalingRow| match &run.focus {
        None => run.clone(),
        Some(focus) => ScalingRow {
            speedup: focus.speedup,
            computation_scaling: focus.computation_scaling,
            global_efficiency: focus.global_efficiency,
            efficiency: focus.efficiency.clone(),
            ..run.clone()
        },
    };
    runs.iter().any(|run| run.focus.is_some()).then(|| runs.iter().map(row).collect())
}

/// What part of the runs the focus is.
fn parts(runs: &[ScalingRow]) -> String {
    let mut parts: Vec<&str> =
        runs.iter().filter_map(|run| run.focus.as_ref()).map(|focus| focus.what.as_str()).collect();
    parts.dedup();
    let whole = if runs.iter().all(|run| run.focus.is_some()) { "" } else { "; else it is the whole run" };
    match parts[..] {
        [one] => format!("The focus is the part {one}{whole}."),
        _ => format!("The focus is the part {}, run by run{whole}.", parts.join("; ")),
    }
}

/// Headings take no more, so that several runs stand beside each other.
const WIDEST_NAME: usize = 22;

/// What keeps the run of the lowest efficiency from using all of its processors.
fn limit(answer: &EfficiencyAnswer) -> Option<String> {
    if let Some((run, unknown)) = answer.runs.iter().find_map(|run| Some((run, run.efficiency.unknown?))) {
        let of = if answer.runs.len() > 1 { format!(" of {}", run.name) } else { String::new() };
        return Some(format!("The parallel efficiency{of} is unknown: {}.", unknown.reason()));
    }
    let focus = focused(&answer.runs);
    let rows = focus.as_ref().unwrap_or(&answer.runs);
    let known = rows.iter().filter_map(|run| Some((run, run.efficiency.parallel_efficiency?)));
    let (run, whole) = known.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let efficiency = &run.efficiency;
    let parts = [
        ("load balance", efficiency.load_balance),
        ("serialisation", efficiency.serialisation_efficiency),
        ("transfer", efficiency.transfer_efficiency),
        ("threads", efficiency.omp_parallel_efficiency.filter(|_| run.threads > run.processes)),
    ];
    let known = parts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let worst = known.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, value)| *value < 1.0);
    let subject = if answer.runs.len() > 1 {
        format!("{}: parallel", short_run(answer, &run.name))
    } else {
        "Parallel".to_owned()
    };
    let most = worst.map_or_else(String::new, |(name, value)| {
        format!(", limited most by {name} ({})", format_percent(value, 1))
    });
    let run = answer.runs.iter().find(|it| it.name == run.name && it.focus.is_some());
    let run = run.and_then(|run| run.efficiency.parallel_efficiency).map_or_else(String::new, |run| {
        format!(" in the focus ({} over the whole run)", format_percent(run, 1))
    });
    let hides = efficiency.load_balance.is_none() && answer.cautions.iter().any(Option::is_some);
    let at_most = if hides { "at most " } else { "" };
    Some(format!("{subject} efficiency is {at_most}{}{run}{most}.", format_percent(whole, 1)))
}

/// The name of a run as its column has it.
fn short_run(answer: &EfficiencyAnswer, name: &str) -> String {
    let names: Vec<NameToFit<'_>> =
        answer.runs.iter().map(|run| NameToFit { name: &run.name, room: WIDEST_NAME }).collect();
    let found = answer.runs.iter().position(|run| run.name == name);
    found
        .and_then(|at| distinct(NameKind::Path, &names).into_iter().nth(at))
        .unwrap_or_else(|| name.to_owned())
}

/// A quantity of all runs.
struct Line {
    name: &'static str,
    unit: &'static str,
    /// Which part of the run, where it is not the whole.
    part: &'static str,
    cells: Vec<Cell>,
}

impl Line {
    /// The name where it does not stand below what it is part of.
    fn title(&self) -> String {
        let name = match self.name.trim_start_matches(DEEPER) {
            "of MPI" => "efficiency of MPI",
            "of threads" => "efficiency of threads",
            name => name,
        };
        format!("{}{name}", self.part)
    }

    /// The same quantity, of the focus.
    fn within_focus(self) -> Self {
        Self { part: "focus: ", ..self }
    }
}

fn lines(runs: &[ScalingRow], scales: bool) -> Vec<Line> {
    let mut lines = vec![
        line("processes", "", runs, |run| count(run.processes as u64)),
        line("threads", "", runs, |run| count(run.threads as u64)),
        line("run time", "s", runs, |run| seconds(run.efficiency.runtime)),
        line("time outside MPI", "s", runs, |run| seconds(run.efficiency.total_useful())),
        percent("parallel efficiency", runs, |run| run.efficiency.parallel_efficiency),
        percent("· of MPI", runs, |run| run.efficiency.mpi_parallel_efficiency),
        percent("· · load balance", runs, |run| run.efficiency.load_balance),
        percent("· · communication", runs, |run| run.efficiency.communication_efficiency),
        percent("· · · serialisation", runs, |run| run.efficiency.serialisation_efficiency),
        percent("· · · transfer", runs, |run| run.efficiency.transfer_efficiency),
    ];
    if runs.iter().any(|run| run.efficiency.omp_parallel_efficiency.is_some()) {
        lines.push(percent("· of threads", runs, |run| run.efficiency.omp_parallel_efficiency));
    }
    if scales {
        lines.push(percent("computation scaling", runs, |run| run.computation_scaling));
        lines.push(percent("global efficiency", runs, |run| run.global_efficiency));
        lines.push(line("speed-up", "", runs, |run| ratio(run.speedup)));
        lines.push(line("ideal speed-up", "", runs, |run| ratio(run.ideal_speedup)));
    }
    lines
}

fn line(
    name: &'static str,
    unit: &'static str,
    runs: &[ScalingRow],
    cell: impl Fn(&ScalingRow) -> Cell,
) -> Line {
    Line { name, unit, part: "", cells: runs.iter().map(cell).collect() }
}

fn percent(name: &'static str, runs: &[ScalingRow], value: impl Fn(&ScalingRow) -> Option<f64>) -> Line {
    let cell = |share: f64| Cell::number(format_percent(share, 1), share);
    line(name, "", runs, |run| value(run).map_or_else(|| Cell::text(UNKNOWN), cell))
}

fn ratio(value: Option<f64>) -> Cell {
    value.map_or_else(|| Cell::text(UNKNOWN), |value| Cell::number(format_ratio(value), value))
}
