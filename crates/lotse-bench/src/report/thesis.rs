//! Tables in the manner of temci and the thesis behind it: every program's figures, and for every pair the difference
//! of means and of minima, relative to the reference and to the larger deviation, with the usual tests.
//!
//! The tests concern unpaired means. Where the runs were interleaved, the paired verdict replaces them. Other metrics
//! follow where they were chosen.

use lotse_model::unit::Unit;
use lotse_report::number::{Uncertain, format_percent, significant};
use lotse_report::{Block, Cell, Column, Document, Role, Table};
use lotse_stats::SampleSummary;
use lotse_stats::hypothesis::anderson_darling::TablePValue;

use super::{View, primary, unit, verdict};
use crate::analysis::{UnpairedTests, unpaired_tests};
use crate::answer::{Answer, ProgramAnswer};

/// Figures of all programs and comparisons of all pairs with the reference.
pub fn thesis(answer: &Answer, view: View) -> Document {
    let primary = primary(answer);
    let unit = unit(answer, &primary);
    let mut document = Document::new();
    document.heading(1, "Benchmark report");
    push(&mut document, figures(answer, view, &primary, unit));
    if let Some((row, value)) = overall(answer, &primary) {
        document.paragraph(format!("{row}{value}"));
    }
    push(&mut document, differences(answer, view, &primary, unit));
    if answer.design.paired() {
        push(&mut document, verdicts(answer));
    } else {
        push(&mut document, tests(answer, &primary));
    }
    for metric in answer.chosen_metrics.iter().filter(|metric| **metric != primary) {
        let unit = super::unit(answer, metric);
        push(&mut document, figures(answer, view, metric, unit));
        push(&mut document, differences(answer, view, metric, unit));
    }
    document
}

/// Adds a table unless it is empty.
fn push(document: &mut Document, table: Table) {
    if !table.rows.is_empty() {
        document.push(Block::Table(table));
    }
}

/// The statistics of a metric, one row for each program with values.
fn figures(answer: &Answer, view: View, primary: &str, unit: Unit) -> Table {
    let titles =
        ["n", "min", "max", "median", "deviation", "deviation (1/n)", "deviation / mean", "geometric mean"];
    let mut columns = vec![Column::left("program"), Column::right(format!("mean {primary}"))];
    columns.extend(titles.map(Column::right));
    let mut table = Table::new(format!("Figures of {primary}"), columns);
    for program in view.programs(answer, primary) {
        let Ok(summary) = SampleSummary::from_values(&program.values(primary)) else { continue };
        let scale = view.scale(unit, summary.mean);
        let or_dash = |value: Option<f64>| value.map_or("–".to_owned(), |value| scale.format(value));
        let sd = summary.sample_sd.unwrap_or(0.0);
        table.rows.push(vec![
            Cell::text(&program.name),
            Cell::number(scale.with_uncertainty(summary.mean, sd, Uncertain::default()), summary.mean),
            Cell::text(summary.count.to_string()),
            Cell::number(scale.format(summary.min), summary.min),
            Cell::number(scale.format(summary.max), summary.max),
            Cell::number(scale.format(summary.quartiles.median), summary.quartiles.median),
            Cell::text(or_dash(summary.sample_sd)),
            Cell::number(scale.format(summary.population_sd), summary.population_sd),
            Cell::text(summary.relative_sd.map_or("–".to_owned(), |share| format_percent(share, 1))),
            Cell::text(or_dash(summary.geometric_mean)),
        ]);
    }
    table
}

/// Geometric mean of the ratios to the reference with its geometric deviation, over several programs.
fn overall(answer: &Answer, primary: &str) -> Option<(String, String)> {
    let reference = answer.primary().next()?.reference.clone();
    let mean = |program: &ProgramAnswer| {
        SampleSummary::from_values(&program.values(primary)).ok().map(|summary| summary.mean)
    };
    let base = answer.programs.iter().find(|program| program.name == reference).and_then(mean)?;
    let others = answer.programs.iter().filter(|program| program.name != reference);
    let normalised: Vec<f64> = others.filter_map(mean).map(|mean| mean / base).collect();
    if normalised.len() < 2 {
        return None;
    }
    let centre = lotse_stats::descriptive::geometric_mean(&normalised).ok()?;
    let spread = lotse_stats::descriptive::geometric_sd(&normalised).ok()?;
    let decided = answer.primary().filter(|comparison| comparison.differs()).count();
    let text =
        format!("Geometric mean of the means normalised by {reference} over {} programs: ", normalised.len());
    let share = format_percent(decided as f64 / normalised.len() as f64, 0);
    Some((text, format!("{centre:.4}, geometric deviation {spread:.4}; {share} of them differ.")))
}

/// The paired ratios with their intervals and verdicts.
fn verdicts(answer: &Answer) -> Table {
    let columns = vec![
        Column::left("pair"),
        Column::right("ratio"),
        Column::right("interval"),
        Column::left("verdict"),
    ];
    let mut table = Table::new("Paired comparisons", columns);
    for comparison in answer.primary() {
        let (role, text) = verdict::sentence(comparison);
        let interval = match comparison.interval {
            [Some(low), Some(high)] => verdict::bounds(low, high),
            _ => "not bounded".to_owned(),
        };
        table.rows.push(vec![
            Cell::text(format!("{} / {}", comparison.program, comparison.reference)),
            Cell::text(comparison.ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.4}"))),
            Cell::text(interval),
            Cell::text(text).role(role),
        ]);
    }
    table
}

/// A p value beyond the published table is a bound.
fn anderson_darling(p: Option<TablePValue>) -> Cell {
    let text = match p {
        None => "–".to_owned(),
        Some(TablePValue::Interpolated(p)) => significant(p, 3),
        Some(TablePValue::AtMost(p)) => format!("≤ {p}"),
        Some(TablePValue::AtLeast(p)) => format!("≥ {p}"),
    };
    let cell = Cell::text(text);
    if p.is_some_and(|p| p.value() < 0.05) { cell.role(Role::Strong) } else { cell }
}

/// Differences of means and of minima, for any order of runs.
fn differences(answer: &Answer, view: View, metric: &str, unit: Unit) -> Table {
    let titles = [
        "difference of means",
        "per first mean",
        "per max deviation",
        "difference of mins",
        "per first min",
        "mins per max deviation",
    ];
    let mut columns = vec![Column::left("pair")];
    columns.extend(titles.map(Column::right));
    let mut table = Table::new(format!("Differences of {metric}"), columns);
    for (pair, tests) in tested_pairs(answer, metric) {
        let scale = view.scale(unit, tests.difference.abs());
        let share = |share: Option<f64>, decimals: usize| {
            share
                .map_or_else(|| Cell::text("–"), |share| Cell::number(format_percent(share, decimals), share))
        };
        table.rows.push(vec![
            Cell::text(pair),
            Cell::number(scale.format(tests.difference), tests.difference),
            share(tests.per_mean, 1),
            share(tests.per_sd, 0),
            Cell::number(scale.format(tests.difference_of_mins), tests.difference_of_mins),
            share(tests.mins_per_min, 1),
            share(tests.mins_per_sd, 0),
        ]);
    }
    table
}

/// The usual tests of unpaired runs.
fn tests(answer: &Answer, metric: &str) -> Table {
    let titles = ["Welch p", "Mann-Whitney p", "Kolmogorov-Smirnov p", "Anderson-Darling p"];
    let mut columns = vec![Column::left("pair")];
    columns.extend(titles.map(Column::right));
    let mut table = Table::new(format!("Tests of {metric} (unpaired)"), columns);
    for (pair, tests) in tested_pairs(answer, metric) {
        let p = |value: Option<f64>| {
            let cell = Cell::text(value.map_or("–".to_owned(), |p| significant(p, 3)));
            if value.is_some_and(|p| p < 0.05) { cell.role(Role::Strong) } else { cell }
        };
        table.rows.push(vec![
            Cell::text(pair),
            p(tests.welch),
            p(tests.mann_whitney),
            p(tests.kolmogorov_smirnov),
            anderson_darling(tests.anderson_darling),
        ]);
    }
    table
}

/// Every program against the reference on a metric, with the name of the pair.
fn tested_pairs<'a>(
    answer: &'a Answer,
    metric: &'a str,
) -> impl Iterator<Item = (String, UnpairedTests)> + 'a {
    let named = |name: &str| answer.programs.iter().find(|program| program.name == name);
    answer.primary().filter_map(move |comparison| {
        let (own, base) = (named(&comparison.program)?, named(&comparison.reference)?);
        let tests = unpaired_tests(&own.values(metric), &base.values(metric))?;
        Some((format!("{} − {}", own.name, base.name), tests))
    })
}
