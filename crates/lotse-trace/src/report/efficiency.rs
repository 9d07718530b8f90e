//! Efficiencies of runs, one or several beside each other.

use lotse_report::number::{format_percent, format_ratio};
use lotse_report::{Cell, Column, Document};

use super::{count, seconds, table};
use crate::analyze::EfficiencyAnswer;
use crate::scaling::ScalingRow;

/// A column for each run.
pub fn efficiency(answer: &EfficiencyAnswer) -> Document {
    let mut document = Document::new();
    let runs = &answer.runs;
    let mut columns = vec![Column::left("")];
    columns.extend(runs.iter().map(|run| Column::right(run.name.clone())));
    let mut rows = vec![
        line("processes", runs, |run| count(run.processes as u64)),
        line("threads", runs, |run| count(run.threads as u64)),
        line("run time", runs, |run| seconds(run.efficiency.runtime)),
        line("time outside MPI", runs, |run| seconds(run.efficiency.total_useful())),
        percent("parallel efficiency", runs, |run| run.efficiency.parallel_efficiency),
        percent("· of MPI", runs, |run| run.efficiency.mpi_parallel_efficiency),
        percent("· · load balance", runs, |run| run.efficiency.load_balance),
        percent("· · communication", runs, |run| run.efficiency.communication_efficiency),
        percent("· · · serialisation", runs, |run| run.efficiency.serialisation_efficiency),
        percent("· · · transfer", runs, |run| run.efficiency.transfer_efficiency),
    ];
    if runs.iter().any(|run| run.efficiency.omp_parallel_efficiency.is_some()) {
        rows.push(percent("· of threads", runs, |run| run.efficiency.omp_parallel_efficiency));
    }
    if runs.len() > 1 {
        rows.push(percent("computation scaling", runs, |run| run.computation_scaling));
        rows.push(percent("global efficiency", runs, |run| run.global_efficiency));
        rows.push(line("speed-up", runs, |run| ratio(run.speedup)));
        rows.push(line("ideal speed-up", runs, |run| ratio(run.ideal_speedup)));
    }
    table(&mut document, "", columns, rows);
    document
}

fn line(name: &str, runs: &[ScalingRow], cell: impl Fn(&ScalingRow) -> Cell) -> Vec<Cell> {
    std::iter::once(Cell::text(name)).chain(runs.iter().map(cell)).collect()
}

fn percent(name: &str, runs: &[ScalingRow], value: impl Fn(&ScalingRow) -> Option<f64>) -> Vec<Cell> {
    let cell = |share: f64| Cell::number(format_percent(share, 1), share);
    line(name, runs, |run| value(run).map_or_else(|| Cell::text("–"), cell))
}

fn ratio(value: Option<f64>) -> Cell {
    value.map_or_else(|| Cell::text("–"), |value| Cell::number(format_ratio(value), value))
}
