//! The answer of `bench history`, in the versioned form that `--json` prints.

use lotse_model::unit::Unit;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// The schema's name and version.
pub const SCHEMA: &str = "lotse.bench.history/1";

/// A history.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HistoryAnswer {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The database.
    pub store: String,
    /// The machine whose results these are.
    pub machine: Option<String>,
    /// Results that are left out because another machine made them.
    pub other_machines: u32,
    /// Each program with each metric asked for.
    pub series: Vec<SeriesAnswer>,
}

/// One program and one metric over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SeriesAnswer {
    /// The program.
    pub program: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: Unit,
    /// The oldest first.
    pub points: Vec<SeriesPoint>,
    /// Where the level changes.
    pub changes: Vec<Change>,
    /// A steady change, where a line fits better than steps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<Drifting>,
    /// Standard deviation from one result to the next at the same level, as a share.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Results that are off their level by more than three times the spread. These hardly count in the spread.
    pub far: u32,
}

/// A result in a series.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SeriesPoint {
    /// Which result.
    #[serde(flatten)]
    pub kept: Kept,
    /// What was measured; absent where no run was good.
    pub value: Option<f64>,
    /// Standard error as a share, as far as the runs of this result tell.
    pub error: Option<f64>,
    /// Good runs.
    pub runs: u32,
    /// Runs that failed.
    pub failed: u32,
}

/// A result of the history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Kept {
    /// Its number; 0 for one that is not in the history.
    pub id: i64,
    /// When it was measured.
    pub date: String,
    /// The commit.
    pub commit: Option<String>,
    /// Whether the files differed from the commit.
    pub changed: bool,
    /// Names given to it.
    pub labels: Vec<String>,
}

impl Kept {
    /// The commit in a few letters, with a `+` where files differed from it.
    pub fn short_commit(&self) -> Option<String> {
        let commit = self.commit.as_deref()?;
        Some(format!("{}{}", commit.get(..9).unwrap_or(commit), if self.changed { "+" } else { "" }))
    }
}

/// A change of level.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Change {
    /// The last result of the old level.
    pub before: Kept,
    /// The first one of the new level.
    pub after: Kept,
    /// New level / old level; absent where there is no ratio.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio, by the spread within levels.
    pub interval: [Option<f64>; 2],
    /// The chance that equal results look so, somewhere between the neighbouring changes; 0 where values are exact.
    pub p: f64,
}

/// A steady change.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Drifting {
    /// Ratio of one result to the one before.
    pub ratio_per_result: f64,
    /// Ratio of the last to the first one on the line.
    pub ratio_in_all: f64,
    /// The chance of such a trend in results that have none.
    pub p: f64,
}
