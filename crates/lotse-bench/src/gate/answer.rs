//! The answer of a gate, in the versioned form that `--json` prints.

use lotse_model::unit::Unit;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::history::Kept;

/// The schema's name and version.
pub const SCHEMA: &str = "lotse.bench.gate/1";

/// What a gate says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GateAnswer {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// What the programs were compared with, in words.
    pub baseline: String,
    /// The largest share by which a program may be slower.
    pub max_regression: f64,
    /// Confidence of all statements together.
    pub level: f64,
    /// The gravest decision of all checks.
    pub decision: Decision,
    /// The result that was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Kept>,
    /// A check for each program of the result, and for programs that it lacks.
    pub checks: Vec<Check>,
    /// What else should be known, such as result files that were left out.
    pub remarks: Vec<String>,
}

/// A program against its baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Check {
    /// The program.
    pub program: String,
    /// The metric.
    pub metric: String,
    /// Its unit.
    pub unit: Unit,
    /// What was measured now: the newest result, or the level of the newest results that are judged together.
    pub value: Option<f64>,
    /// The number of newest results that `value` and `ratio` are about.
    pub together: u32,
    /// The level of the baseline.
    pub baseline: Option<f64>,
    /// What it was compared with, in words.
    pub against: String,
    /// Results that the baseline consists of; 0 where both were measured together.
    pub results: u32,
    /// Now / baseline.
    pub ratio: Option<f64>,
    /// Its interval; an end is absent where nothing bounds it.
    pub interval: [Option<f64>; 2],
    /// What follows.
    pub decision: Decision,
    /// Why it could not be decided, or what failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// What a check says, from the best to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Not slower by more than is allowed.
    Pass,
    /// It was measured before and is not in this result.
    Absent,
    /// There is nothing to compare with.
    New,
    /// The interval allows for both.
    Undecided,
    /// Slower by more than is allowed.
    Regression,
    /// Runs of the program failed.
    Failed,
}

impl Decision {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Absent => "absent",
            Self::New => "new",
            Self::Undecided => "undecided",
            Self::Regression => "regression",
            Self::Failed => "failed",
        }
    }
}

impl GateAnswer {
    /// The answer of some checks.
    pub(super) fn from_checks(baseline: String, limits: &super::Limits, checks: Vec<Check>) -> Self {
        let decision = checks.iter().map(|check| check.decision).max().unwrap_or(Decision::New);
        Self {
            schema: SCHEMA,
            baseline,
            max_regression: limits.max_regression,
            level: limits.level,
            decision,
            result: None,
            checks,
            remarks: Vec::new(),
        }
    }
}
