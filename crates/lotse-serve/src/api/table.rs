//! Tables of functions, of calls and of data structures.

use lotse_profile::diff::LinePairing;
use serde::Serialize;

use super::{Amount, EventType, Remark, ReportColumn};

/// A function, without costs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FunctionName {
    /// The number of the function in this revision of the document.
    pub id: u32,
    /// Arguments and template parameters in full.
    pub name: String,
    /// Without arguments, and with what distinguishes it from others of the same name.
    pub label: String,
    pub object: Option<String>,
    pub file: Option<String>,
    pub line: Option<u32>,
    pub class: Option<String>,
    pub cycle: Option<u32>,
    /// What tells it from other functions of the same name: "a.py:2"; null if it is the only one.
    pub place: Option<String>,
    /// Functions with the same key have the same colour.
    pub colour_key: String,
}

/// Some rows of a table of functions or groups.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FunctionTable {
    pub events: Vec<EventType>,
    /// The number of rows that match, of which `rows` are those from `offset` on.
    pub count: usize,
    /// The number of all functions or groups, without the filter.
    pub all: usize,
    pub rows: Vec<FunctionRow>,
    /// What the table leaves out, or how to read it.
    pub remarks: Vec<Remark>,
}

/// A function or group with its costs.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FunctionRow {
    /// null for a group.
    pub function: Option<FunctionName>,
    /// The name of the function or group.
    pub name: String,
    /// For groups: how many functions.
    pub size: Option<usize>,
    pub calls: Option<Amount>,
    /// One for each event type of the question.
    pub costs: Vec<CostPair>,
}

/// The costliest source lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LineTable {
    pub events: Vec<EventType>,
    /// The number of all lines.
    pub count: usize,
    pub rows: Vec<LineRow>,
    /// What the table leaves out, or how to read it.
    pub remarks: Vec<Remark>,
}

/// A source line with its costs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LineRow {
    /// As the profile names it; empty if it does not.
    pub file: String,
    pub line: u32,
    /// In a comparison: the file in the old profile; null if only the new one has the line.
    pub old_file: Option<String>,
    pub old_line: Option<u32>,
    /// In a comparison: how the line was found in the other profile.
    #[cfg_attr(test, ts(type = "\"text\" | \"unchanged\" | \"number\" | \"new\" | \"gone\" | null"))]
    pub pairing: Option<LinePairing>,
    /// The function with the greatest self cost at the line.
    pub function: FunctionName,
    /// How many functions have costs or calls at the line.
    pub functions: usize,
    /// One for each event type; `inclusive` is null where it is not known exactly.
    pub costs: Vec<CostPair>,
}

/// In a comparison `self` and `inclusive` are the new costs, with the changes beside them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CostPair {
    #[serde(rename = "self")]
    pub own: Amount,
    pub inclusive: Option<Amount>,
    #[serde(rename = "self_change")]
    pub own_change: Option<Change>,
    pub inclusive_change: Option<Change>,
}

/// A cost before and after.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Change {
    pub old: Amount,
    pub difference: Amount,
    /// "1.3 times", "new", "gone".
    pub ratio: String,
    pub ratio_value: Option<f64>,
    /// Whether the change is within the noise of sampling.
    pub noise: bool,
}

/// The callers and callees of a function.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallsAnswer {
    pub function: FunctionRow,
    pub callers: Vec<CallRow>,
    pub callees: Vec<CallRow>,
    pub remarks: Vec<Remark>,
}

/// A caller or a callee.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallRow {
    pub function: FunctionName,
    pub calls: Option<Amount>,
    /// Inclusive cost of the calls, one for each event type, with its share of the function's inclusive cost.
    pub costs: Vec<Amount>,
    pub changes: Option<Vec<Change>>,
    pub inside_cycle: bool,
}

/// A table with texts only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DataTable {
    pub title: String,
    pub columns: Vec<ReportColumn>,
    pub rows: Vec<Vec<String>>,
    pub remarks: Vec<Remark>,
}

/// Whether a definition of an event type is right.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventCheck {
    pub event: Option<EventType>,
    pub problem: Option<EventProblem>,
}

/// What is wrong with a definition, and at which characters (UTF-16, as browsers count).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventProblem {
    pub message: String,
    pub from: usize,
    pub to: usize,
}
