//! What the store keeps.

use std::fmt;

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;

/// The number of a result in its store. Never given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultId(pub i64);

impl fmt::Display for ResultId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

/// Where the measured source came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceOrigin {
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// Whether the files differed from the commit.
    pub changed: bool,
}

/// A result file as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFile {
    /// How it is written, a format's id.
    pub format: String,
    pub content: Vec<u8>,
}

/// One program's value of one metric in one result.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricPoint {
    /// The program's name in all results of the history.
    pub program: String,
    pub command: String,
    /// The commit it was built from, where that is its own and not that of the whole result.
    pub commit: Option<String>,
    pub metric: String,
    pub unit: Unit,
    /// Good runs.
    pub runs: u32,
    /// Runs that failed.
    pub failed: u32,
    /// Good runs that had to share their CPU to an extent that shows.
    pub contended: u32,
    /// The value around which the runs lie; absent where no run was good.
    pub centre: Option<f64>,
    /// Standard error of its logarithm, as far as the runs of this result tell; absent where a value has none.
    pub error: Option<f64>,
}

/// A result to keep.
#[derive(Debug, Clone, PartialEq)]
pub struct NewResult {
    /// When it was measured (UTC, RFC 3339).
    pub date: String,
    /// Where the source came from.
    pub origin: SourceOrigin,
    /// The machine, where known.
    pub machine: Option<Fingerprint>,
    /// The metric it was about.
    pub primary: Option<String>,
    /// Names given to it.
    pub labels: Vec<String>,
    /// The result itself.
    pub file: ResultFile,
    /// What it says.
    pub points: Vec<MetricPoint>,
}

/// A result that is kept, without its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredResult {
    pub id: ResultId,
    /// When it was measured (UTC, RFC 3339).
    pub date: String,
    /// Where the source came from.
    pub origin: SourceOrigin,
    /// The machine, where known.
    pub machine: Option<Fingerprint>,
    /// The metric it was about.
    pub primary: Option<String>,
    /// Names given to it, sorted.
    pub labels: Vec<String>,
    /// What it says.
    pub points: Vec<MetricPoint>,
}

impl StoredResult {
    /// What a program was measured at.
    pub fn point(&self, program: &str, metric: &str) -> Option<&MetricPoint> {
        self.points.iter().find(|point| point.program == program && point.metric == metric)
    }
}
