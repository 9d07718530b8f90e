//! The data types of the store.

use std::fmt;

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;

/// The number of a result in its store. Numbers are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultId(pub i64);

impl fmt::Display for ResultId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.0)
    }
}

/// The version-control state of the measured source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceOrigin {
    pub commit: Option<String>,
    pub branch: Option<String>,
    /// Whether there were uncommitted changes.
    pub changed: bool,
}

/// A result file with its original bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultFile {
    /// The id of its format.
    pub format: String,
    pub content: Vec<u8>,
}

/// The value of one metric of one program in one result.
#[derive(Debug, Clone, PartialEq)]
pub struct MetricPoint {
    /// The program's name, which identifies it across results.
    pub program: String,
    pub command: String,
    /// The commit it was built from, if it differs from that of the result.
    pub commit: Option<String>,
    pub metric: String,
    pub unit: Unit,
    /// The number of good runs.
    pub runs: u32,
    /// The number of failed runs.
    pub failed: u32,
    /// The number of good runs that had to share their CPU noticeably.
    pub contended: u32,
    /// The centre of the runs' values; `None` without good runs.
    pub centre: Option<f64>,
    /// The standard error of the logarithm of `centre` by the runs of this result; `None` where it is not defined.
    pub error: Option<f64>,
}

/// A result to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewResult {
    /// The time of the measurement (UTC, RFC 3339).
    pub date: String,
    pub origin: SourceOrigin,
    pub machine: Option<Fingerprint>,
    /// The primary metric.
    pub primary: Option<String>,
    /// Names that the user gave to the result.
    pub labels: Vec<String>,
    pub file: ResultFile,
    pub points: Vec<MetricPoint>,
}

/// A stored result, without its file.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredResult {
    pub id: ResultId,
    /// The time of the measurement (UTC, RFC 3339).
    pub date: String,
    pub origin: SourceOrigin,
    pub machine: Option<Fingerprint>,
    /// The primary metric.
    pub primary: Option<String>,
    /// Names that the user gave to the result, sorted.
    pub labels: Vec<String>,
    pub points: Vec<MetricPoint>,
}

impl StoredResult {
    /// The value of a metric of a program.
    pub fn point(&self, program: &str, metric: &str) -> Option<&MetricPoint> {
        self.points.iter().find(|point| point.program == program && point.metric == metric)
    }
}
