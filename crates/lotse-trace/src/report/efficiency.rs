//! Efficiencies of one or several runs: a column for each run in text, a row for each run for other programs.

use lotse_report::number::{format_percent, format_ratio};
use lotse_report::shorten::{NameKind, NameToFit, distinct};
use lotse_report::{Block, Cell, Column, Document, Inline, Role};

use super::analyze::bound_words;
use super::{DEEPER, UNKNOWN, count, seconds, sleeping, table};
use crate::analyze::EfficiencyAnswer;
use crate::scaling::ScalingRow;

/// A table with a row for each run and a column for each quantity.
pub fn efficiency_rows(answer: &EfficiencyAnswer) -> Document {
    let focus: Vec<Quantity> = match focused(&answer.runs) {
        Some(rows) => quantities(&rows, rows.len() > 1).into_iter().map(Quantity::within_focus).collect(),
        None => Vec::new(),
    };
    let quantities: Vec<Quantity> =
        quantities(&answer.runs, answer.runs.len() > 1).into_iter().chain(focus).collect();
    let mut columns = vec![Column::left("run")];
    columns.extend(quantities.iter().map(|quantity| match quantity.unit {
        "" => Column::right(quantity.title()),
        unit => Column::decimal(quantity.title(), unit),
    }));
    let row = |(number, run): (usize, &ScalingRow)| {
        let cells = quantities.iter().map(|quantity| quantity.cells[number].clone());
        std::iter::once(Cell::text(&run.name)).chain(cells).collect()
    };
    let rows = answer.runs.iter().enumerate().map(row).collect();
    let mut document = Document::new();
    table(&mut document, "", columns, rows);
    document
}

/// Tables with a column for each run.
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
    focused(&answer.runs).as_ref().unwrap_or(&answer.runs).iter().for_each(|run| {
        let name = if answer.runs.len() > 1 { format!("{}: ", run.name) } else { String::new() };
        if let Some(share) = run.efficiency.sleeping.filter(|share| *share >= sleeping::LEAST) {
            document.paragraph(format!("{name}{}", sleeping::share_of_cpus(share)));
        }
    });
    match (focused(&answer.runs), &answer.runs[..]) {
        (None, runs) => add_table(&mut document, "", runs, runs.len() > 1),
        (Some(focus), [run]) => {
            let named = |name: &str, row: &ScalingRow| ScalingRow { name: name.to_owned(), ..row.clone() };
            document.paragraph(parts(&answer.runs));
            add_table(&mut document, "", &[named("focus", &focus[0]), named("whole run", run)], false);
        }
        (Some(focus), runs) => {
            document.paragraph(parts(runs));
            add_table(&mut document, "Focus", &focus, true);
            add_table(&mut document, "Whole run", runs, true);
        }
    }
    document
}

/// Adds a table with a column for each run; with speed-up and scaling if these are different runs.
fn add_table(document: &mut Document, caption: &str, runs: &[ScalingRow], has_scaling: bool) {
    let mut columns = vec![Column::left("")];
    let names: Vec<NameToFit<'_>> =
        runs.iter().map(|run| NameToFit { name: &run.name, room: WIDEST_NAME }).collect();
    columns.extend(distinct(NameKind::Path, &names).into_iter().map(Column::right));
    let row = |quantity: Quantity| std::iter::once(Cell::text(quantity.name)).chain(quantity.cells).collect();
    table(document, caption, columns, quantities(runs, has_scaling).into_iter().map(row).collect());
}

/// The runs with the efficiencies of their focus, or of the whole run if a run has none; none if no run has a focus.
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

/// A sentence with the part of the runs that the focus is.
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

/// The greatest width of a heading, so that several runs fit side by side.
const WIDEST_NAME: usize = 22;

/// A sentence with the lowest parallel efficiency of all runs, and the factor that limits it most.
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
    let bound = bound_words(efficiency);
    Some(format!("{subject} efficiency is {bound}{}{run}{most}.", format_percent(whole, 1)))
}

/// The name of a run as in the heading of its column.
fn short_run(answer: &EfficiencyAnswer, name: &str) -> String {
    let names: Vec<NameToFit<'_>> =
        answer.runs.iter().map(|run| NameToFit { name: &run.name, room: WIDEST_NAME }).collect();
    let found = answer.runs.iter().position(|run| run.name == name);
    found
        .and_then(|at| distinct(NameKind::Path, &names).into_iter().nth(at))
        .unwrap_or_else(|| name.to_owned())
}

/// A quantity with its values for all runs.
struct Quantity {
    name: &'static str,
    unit: &'static str,
    /// The part of the run, if it is not the whole run.
    part: &'static str,
    cells: Vec<Cell>,
}

impl Quantity {
    /// The name without indentation, complete without the row above it.
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

/// All quantities in the order of the table; those that are factors of another follow it with a deeper indentation.
fn quantities(runs: &[ScalingRow], has_scaling: bool) -> Vec<Quantity> {
    let mut quantities = vec![
        quantity("processes", "", runs, |run| count(run.processes as u64)),
        quantity("threads", "", runs, |run| count(run.threads as u64)),
        quantity("run time", "s", runs, |run| seconds(run.efficiency.runtime)),
        quantity("time outside MPI", "s", runs, |run| seconds(run.efficiency.total_useful())),
        percent("parallel efficiency", runs, |run| run.efficiency.parallel_efficiency),
        percent("· of MPI", runs, |run| run.efficiency.mpi_parallel_efficiency),
        percent("· · load balance", runs, |run| run.efficiency.load_balance),
        percent("· · communication", runs, |run| run.efficiency.communication_efficiency),
        percent("· · · serialisation", runs, |run| run.efficiency.serialisation_efficiency),
        percent("· · · transfer", runs, |run| run.efficiency.transfer_efficiency),
    ];
    if runs.iter().any(|run| run.efficiency.omp_parallel_efficiency.is_some()) {
        quantities.push(percent("· of threads", runs, |run| run.efficiency.omp_parallel_efficiency));
    }
    if runs.iter().any(|run| run.efficiency.sleeping.is_some()) {
        quantities.push(percent("parallel efficiency without sleeping", runs, |run| {
            run.efficiency.without_sleeping().or(run.efficiency.parallel_efficiency)
        }));
    }
    if has_scaling {
        quantities.push(percent("computation scaling", runs, |run| run.computation_scaling));
        quantities.push(percent("global efficiency", runs, |run| run.global_efficiency));
        quantities.push(quantity("speed-up", "", runs, |run| ratio(run.speedup)));
        quantities.push(quantity("ideal speed-up", "", runs, |run| ratio(run.ideal_speedup)));
    }
    quantities
}

fn quantity(
    name: &'static str,
    unit: &'static str,
    runs: &[ScalingRow],
    cell: impl Fn(&ScalingRow) -> Cell,
) -> Quantity {
    Quantity { name, unit, part: "", cells: runs.iter().map(cell).collect() }
}

fn percent(name: &'static str, runs: &[ScalingRow], value: impl Fn(&ScalingRow) -> Option<f64>) -> Quantity {
    let cell = |share: f64| Cell::number(format_percent(share, 1), share);
    quantity(name, "", runs, |run| value(run).map_or_else(|| Cell::text(UNKNOWN), cell))
}

fn ratio(value: Option<f64>) -> Cell {
    value.map_or_else(|| Cell::text(UNKNOWN), |value| Cell::number(format_ratio(value), value))
}
