//! Results as tables for programs that read comma-separated values: one table, plain numbers in the unit that the
//! heading names, with all their digits. A cell without a value is empty.

use lotse_report::{Block, Cell, Column, Document, Table};
use lotse_stats::SampleSummary;
use lotse_stats::hypothesis::anderson_darling::TablePValue;

use crate::analysis::unpaired_tests;
use crate::answer::{Answer, Comparison, Verdict};

/// Every program with figures of the metric that the verdict is about.
pub fn programs(answer: &Answer) -> Document {
    let (metric, unit) = metric(answer);
    let in_unit = |what: &str| Column { unit, ..Column::right(format!("{what} {metric}")) };
    let tagged = answer.programs.iter().any(|program| !program.tags.is_empty());
    let mut columns = vec![Column::left("program"), Column::left("command"), Column::right("runs")];
    columns.extend(["mean", "deviation", "median", "min", "max", "geometric mean"].map(in_unit));
    columns.extend([Column::right("deviation / mean")]);
    columns.extend(tagged.then(|| Column::left("tags")));
    let mut table = Table::new("", columns);
    for program in &answer.programs {
        let Ok(summary) = SampleSummary::from_values(&program.values(&metric)) else { continue };
        let mut row = vec![Cell::text(&program.name), Cell::text(&program.command)];
        row.push(Cell::text(summary.count.to_string()));
        let (mean, median) = (Some(summary.mean), Some(summary.quartiles.median));
        let figures = [mean, summary.sample_sd, median, Some(summary.min), Some(summary.max)];
        row.extend(figures.map(number));
        row.extend([summary.geometric_mean, summary.relative_sd].map(number));
        row.extend(tagged.then(|| Cell::text(program.tags.join(" "))));
        table.rows.push(row);
    }
    document(table)
}

/// Every program against the reference on the primary metric, with tests of means where runs were not paired.
pub fn comparisons(answer: &Answer) -> Document {
    let (metric, unit) = metric(answer);
    let mut columns = ["program", "reference", "metric", "verdict"].map(Column::left).to_vec();
    columns.extend(["ratio", "ratio from", "ratio to", "confidence", "blocks"].map(Column::right));
    let in_unit = |what: &str| Column { unit, ..Column::right(format!("{what} {metric}")) };
    columns.extend(["difference of mean", "difference of min"].map(in_unit));
    columns.extend(
        ["Welch p", "Mann-Whitney p", "Kolmogorov-Smirnov p", "Anderson-Darling p"].map(Column::right),
    );
    columns.push(Column::left("Anderson-Darling p is"));
    let mut table = Table::new("", columns);
    for comparison in answer.primary() {
        table.rows.push(row(answer, comparison));
    }
    document(table)
}

/// The cells of one comparison. Tests of unpaired samples are left empty for interleaved runs.
fn row(answer: &Answer, comparison: &Comparison) -> Vec<Cell> {
    let names = [&comparison.program, &comparison.reference, &comparison.metric];
    let mut row: Vec<Cell> = names.map(Cell::text).into();
    row.push(Cell::text(match comparison.verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::Equivalent => "equivalent",
        Verdict::Undecided => "undecided",
    }));
    let [from, to] = comparison.interval;
    row.extend([comparison.ratio, from, to, Some(comparison.level)].map(number));
    row.push(Cell::text(comparison.blocks.to_string()));
    let named = |name: &str| answer.programs.iter().find(|program| program.name == name);
    let pair =
        named(&comparison.program).zip(named(&comparison.reference)).filter(|_| !answer.design.paired());
    let tests = pair.and_then(|(own, base)| {
        unpaired_tests(&own.values(&comparison.metric), &base.values(&comparison.metric))
    });
    let tested = tests.map_or([None; 6], |tests| {
        let differences = [Some(tests.difference), Some(tests.difference_of_mins)];
        let [means, mins] = differences;
        let anderson_darling = tests.anderson_darling.map(TablePValue::value);
        [means, mins, tests.welch, tests.mann_whitney, tests.kolmogorov_smirnov, anderson_darling]
    });
    row.extend(tested.map(number));
    row.push(Cell::text(match tests.and_then(|tests| tests.anderson_darling) {
        None => "",
        Some(TablePValue::Interpolated(_)) => "interpolated",
        Some(TablePValue::AtMost(_)) => "an upper bound",
        Some(TablePValue::AtLeast(_)) => "a lower bound",
    }));
    row
}

/// The metric that the verdict is about, and its unit.
fn metric(answer: &Answer) -> (String, &'static str) {
    let compared = answer.primary().next().map(|comparison| comparison.metric.as_str());
    let name = compared.or(answer.metrics.first().map(|metric| metric.name.as_str()));
    let name = name.unwrap_or(lotse_model::metric::WALL);
    let known = answer.metrics.iter().find(|metric| metric.name == name);
    (name.to_owned(), known.map_or("", |metric| metric.unit.symbol()))
}

fn number(value: Option<f64>) -> Cell {
    let finite = value.filter(|value| value.is_finite());
    Cell::text(finite.map_or(String::new(), |value| value.to_string()))
}

fn document(table: Table) -> Document {
    let mut document = Document::new();
    document.push(Block::Table(table));
    document
}
