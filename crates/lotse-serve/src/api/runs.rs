//! The runs of a measurement, for plots that can be looked into.

use serde::{Deserialize, Serialize};

use super::{Remark, ReportCell, ReportColumn};

/// Runs that the user marked in a plot: all bounds belong to the selection.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunSelection {
    /// The number of the first run, in the order in which all runs were made, from 1.
    pub first: usize,
    pub last: usize,
    /// The least and the greatest value, in the unit of the metric; null for any.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// The metric in whose plot they were marked; null for the one that is asked for.
    pub metric: Option<String>,
}

/// The runs of a measurement, and statistics of all of them and of the selected ones.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunsAnswer {
    /// The metric of the values.
    pub metric: String,
    pub metrics: Vec<String>,
    /// The metric, with its unit in brackets.
    pub axis: String,
    pub ticks: Vec<RunTick>,
    pub programs: Vec<String>,
    /// In the order in which they were made.
    pub runs: Vec<RunRow>,
    pub all: RunTable,
    /// null without a selection.
    pub selected: Option<RunTable>,
    pub remarks: Vec<Remark>,
}

/// A mark of the axis of values.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunTick {
    pub value: f64,
    pub text: String,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunRow {
    /// From 1, in the order in which all runs were made.
    pub number: usize,
    /// The index of its program.
    pub program: usize,
    /// From 1.
    pub round: u32,
    /// Its place in the round, from 1.
    pub place: u32,
    /// null for a run without a value: it failed, or the system gave none.
    pub value: Option<f64>,
    /// The value with its unit, or why there is none.
    pub text: String,
    /// Whether it had to share its CPU.
    pub contended: bool,
    pub selected: bool,
}

/// Statistics, one row for each program.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct RunTable {
    /// Says whether it is about all runs or a selection.
    pub caption: String,
    pub columns: Vec<ReportColumn>,
    pub rows: Vec<Vec<ReportCell>>,
}
