//! Answers about fitted models: JSON and documents.
//!
//! Doc comments of the JSON types become descriptions in the schema.

use std::collections::BTreeMap;

use lotse_model::Finding;
use lotse_model::rule::Thresholds;
use lotse_report::number::format_percent;
use lotse_report::{Block, Cell, Column, Document, Table};
use lotse_stats::StatsError;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analytic::AnalyticModel;
use super::power::{self, Intercept, Observation, PowerFit};
use super::rules::{FitData, findings};
use super::table::{MeasurementTable, TableError};

/// The column with the bytes of the lines that hold the footprint of X1.
const LINES: &str = "line_bytes";

/// Why a model cannot be fitted.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum FitError {
    /// The table lacks something.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The numbers do not determine a model.
    #[error("the model cannot be fitted: {0}")]
    Stats(#[from] StatsError),
}

/// What `lotse predict fit --json` prints.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FitAnswer {
    schema: String,
    /// "power" or "analytic".
    model: String,
    rows: usize,
    /// The fitted constants by name; a constant that the data do not determine is absent.
    constants: BTreeMap<String, f64>,
    /// Independent columns, and all columns.
    rank: Option<[usize; 2]>,
    /// Share of the squares that is explained.
    r_squared: Option<f64>,
    /// The typical relative error.
    relative_error: Option<f64>,
    /// The interval of measured divided by fitted times that holds 80 % of the rows.
    interval: Option<[f64; 2]>,
    /// What the model gives for rows without a time.
    pub(crate) predictions: Vec<PredictedRow>,
    findings: Vec<Finding>,
}

/// What a model gives at a point that was not measured.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PredictedRow {
    /// The row in the words of its columns.
    pub(crate) row: String,
    /// The time, in the unit of the measured ones.
    pub(crate) time: f64,
}

/// The power model Y = a X1^p1 X2^p2 X3^p3 of a table with the columns x1, x2, x3 and time.
pub fn power_model(
    name: &str,
    table: &MeasurementTable,
    capacity: f64,
    thresholds: &Thresholds,
) -> Result<FitAnswer, FitError> {
    const USED: [&str; 5] = ["x1", "x2", "x3", "time", LINES];
    let columns = |name| table.column(name);
    let (x1, x2, x3, time) = (columns("x1")?, columns("x2")?, columns("x3")?, columns("time")?);
    let line_bytes = if table.has(LINES) { table.column(LINES)? } else { &[] };
    let [a1, a2, a3] = ["x1", "x2", "x3"].map(|name| table.unmeasured_column(name));
    let (a1, a2, a3) = (a1?, a2?, a3?);
    let unmeasured: Vec<([f64; 3], String)> =
        (0..a1.len()).map(|i| ([a1[i], a2[i], a3[i]], table.unmeasured_label(i, &USED))).collect();
    let row = |i: usize| Observation { x1: x1[i], x2: x2[i], x3: x3[i], time: time[i] };
    let observations: Vec<Observation> = (0..time.len()).map(row).collect();
    let labels: Vec<String> = (0..time.len()).map(|row| table.label(row, &USED)).collect();
    let with_factor = power::fit(&observations, Intercept::Free)?;
    let without_factor = power::fit(&observations, Intercept::None)?;
    let data = FitData {
        name,
        observations: &observations,
        labels: &labels,
        with_factor: &with_factor,
        without_factor: &without_factor,
        capacity,
        line_bytes,
        unmeasured: &unmeasured,
        thresholds,
    };
    let mut answer = FitAnswer::power(&with_factor, time.len(), findings(&data));
    let predicted = |([x1, x2, x3], row): &([f64; 3], String)| PredictedRow {
        row: row.clone(),
        time: with_factor.predict(*x1, *x2, *x3),
    };
    answer.predictions = unmeasured.iter().map(predicted).collect();
    Ok(answer)
}

/// A sum of non-negative constants times the columns other than time.
pub fn analytic_model(
    name: &str,
    table: &MeasurementTable,
    thresholds: &Thresholds,
) -> Result<FitAnswer, FitError> {
    let model = AnalyticModel::new(table)?;
    // As many constants as rows fit any data exactly, so such a fit says nothing about its error.
    let tested = model.rows() > model.rank;
    let errors: Vec<f64> = model.fit.ratios.iter().map(|ratio| (ratio - 1.0).abs()).collect();
    let middle = lotse_stats::descriptive::median(&errors)?;
    let interval = model.fit.interval(0.8)?;
    Ok(FitAnswer {
        schema: "lotse.predict.fit/1".to_owned(),
        model: "analytic".to_owned(),
        rows: model.rows(),
        constants: model.constants(),
        rank: Some([model.rank, model.names.len()]),
        r_squared: None,
        relative_error: tested.then_some(middle),
        interval: tested.then_some(interval.into()),
        predictions: model.predictions(table),
        findings: model.findings(name, table, thresholds),
    })
}

impl FitAnswer {
    fn power(fit: &PowerFit, rows: usize, findings: Vec<Finding>) -> Self {
        let names = ["p1", "p2", "p3"].into_iter().zip(fit.exponents);
        let known = names.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let factor = ("a".to_owned(), 10_f64.powf(fit.log_factor));
        Self {
            schema: "lotse.predict.fit/1".to_owned(),
            model: "power".to_owned(),
            rows,
            constants: known.chain([factor]).collect(),
            rank: Some([fit.rank, fit.columns]),
            r_squared: fit.r_squared,
            relative_error: fit.relative_error(),
            interval: None,
            predictions: Vec::new(),
            findings,
        }
    }

    /// The findings about weaknesses of the fit.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The answer as a document.
    pub fn document(&self) -> Document {
        let mut document = Document::new();
        let error = self.relative_error.map_or_else(
            || "the data do not tell its error".to_owned(),
            |error| format!("its typical error on the {} rows is {}", self.rows, format_percent(error, 1)),
        );
        document.lead(format!("The {} model is fitted; {error}.", self.model));
        let mut table = Table::new("", vec![Column::left("constant"), Column::right("value")]);
        table.rows = self
            .constants
            .iter()
            .map(|(name, value)| vec![Cell::text(&**name), Cell::number(format!("{value:.9}"), *value)])
            .collect();
        document.push(Block::Table(table));
        if !self.predictions.is_empty() {
            let columns = vec![Column::left("row without a time"), Column::right("time by the model")];
            let mut table = Table::new("", columns);
            let row = |it: &PredictedRow| {
                vec![Cell::text(&*it.row), Cell::number(format!("{:.6}", it.time), it.time)]
            };
            table.rows = self.predictions.iter().map(row).collect();
            document.push(Block::Table(table));
        }
        if let Some([low, high]) = self.interval {
            document.paragraph(format!(
                "80 % of the measured times are between {low:.3} and {high:.3} times the fitted ones."
            ));
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use super::{analytic_model, power_model};
    use crate::fit::table::MeasurementTable;
    use lotse_model::rule::Thresholds;

    /// The paper's table through the CSV form: the exponents of the golden test, and its warnings.
    #[test]
    fn the_papers_table_as_csv() {
        let row = |line: &str| {
            let values: Vec<f64> = line.split(',').map(|value| value.parse().unwrap()).collect();
            let (n, b) = (values[0], values[1]);
            let (x1, x2) = (12.0 * b * b / 327.68, 12.0 * n * n / 32768.0);
            format!("{n},{b},{x1},{x2},{},{}\n", n * n * n, values[2])
        };
        let rows: String = include_str!("paper.csv").lines().skip(1).map(row).collect();
        let table = MeasurementTable::parse(&format!("N,B,x1,x2,x3,time\n{rows}")).unwrap();
        let answer = power_model("table 2", &table, 32768.0, Thresholds::DEFAULT).unwrap();
        assert!((answer.constants["p1"] + 0.021118767).abs() < 1e-8);
        assert!((answer.constants["p3"] - 0.935443062).abs() < 1e-8);
        assert_eq!(answer.constants.get("p2"), None);
        let rules: Vec<&str> = answer.findings.iter().map(|finding| finding.rule.id.as_str()).collect();
        assert!(rules.contains(&"fit-outlier"), "{rules:?}");
        assert!(answer.findings.iter().any(|finding| finding.reason.text.contains("N = 300, B = 52")));
    }

    #[test]
    fn sums_of_terms() {
        let table =
            MeasurementTable::parse("iterations,misses,time\n1,5,17\n2,5,19\n3,1,9\n9,9,45\n5,2,16\n")
                .unwrap();
        let answer = analytic_model("t", &table, Thresholds::DEFAULT).unwrap();
        assert!((answer.constants["iterations"] - 2.0).abs() < 1e-6, "{:?}", answer.constants);
        assert!((answer.constants["misses"] - 3.0).abs() < 1e-6);
        let lacks_time = MeasurementTable::parse("a,b\n1,2\n").unwrap();
        assert!(analytic_model("t", &lacks_time, Thresholds::DEFAULT).is_err());
    }
}
