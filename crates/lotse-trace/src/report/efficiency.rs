//! Efficiencies of runs, one or several beside each other: for people a column for each, for programs a row.

use lotse_report::number::{format_percent, format_ratio};
use lotse_report::shorten::{Entry, Kind, distinct};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::{DEEPER, UNKNOWN, count, seconds, table};
use crate::analyze::EfficiencyAnswer;
use crate::scaling::ScalingRow;

/// A row for each run, with one kind of number in a column.
pub fn efficiency_rows(answer: &EfficiencyAnswer) -> Document {
    let lines = lines(&answer.runs);
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
    let mut columns = vec![Column::left("")];
    let names: Vec<Entry<'_>> =
        answer.runs.iter().map(|run| Entry { name: &run.name, room: WIDEST_NAME }).collect();
    columns.extend(distinct(Kind::Path, &names).into_iter().map(Column::right));
    let row = |line: Line| std::iter::once(Cell::text(line.name)).chain(line.cells).collect();
    table(&mut document, "", columns, lines(&answer.runs).into_iter().map(row).collect());
    document
}

/// Headings take no more, so that several runs stand beside each other.
const WIDEST_NAME: usize = 22;

/// What keeps the run of the lowest efficiency from using all of its processors.
fn limit(answer: &EfficiencyAnswer) -> Option<String> {
    let known = answer.runs.iter().filter_map(|run| Some((run, run.efficiency.parallel_efficiency?)));
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
    let subject =
        if answer.runs.len() > 1 { format!("{}: parallel", run.name) } else { "Parallel".to_owned() };
    let most = worst.map_or_else(String::new, |(name, value)| {
        format!(", limited most by {name} ({})", format_percent(value, 1))
    });
    let hides = efficiency.load_balance.is_none() && answer.cautions.iter().any(Option::is_some);
    let at_most = if hides { "at most " } else { "" };
    Some(format!("{subject} efficiency is {at_most}{}{most}.", format_percent(whole, 1)))
}

/// A quantity of all runs.
struct Line {
    name: &'static str,
    unit: &'static str,
    cells: Vec<Cell>,
}

impl Line {
    /// The name where it does not stand below what it is part of.
    fn title(&self) -> &'static str {
        match self.name.trim_start_matches(DEEPER) {
            "of MPI" => "efficiency of MPI",
            "of threads" => "efficiency of threads",
            name => name,
        }
    }
}

fn lines(runs: &[ScalingRow]) -> Vec<Line> {
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
    if runs.len() > 1 {
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
    Line { name, unit, cells: runs.iter().map(cell).collect() }
}

fn percent(name: &'static str, runs: &[ScalingRow], value: impl Fn(&ScalingRow) -> Option<f64>) -> Line {
    let cell = |share: f64| Cell::number(format_percent(share, 1), share);
    line(name, "", runs, |run| value(run).map_or_else(|| Cell::text(UNKNOWN), cell))
}

fn ratio(value: Option<f64>) -> Cell {
    value.map_or_else(|| Cell::text(UNKNOWN), |value| Cell::number(format_ratio(value), value))
}
