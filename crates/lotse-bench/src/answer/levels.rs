//! What an answer says about levels of repetition: builds, layouts, runs and values within runs.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// Builds or layouts as the independent parts of a comparison: runs within one of them say nothing about others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Units {
    /// What they are: `build` or `layout`.
    pub level: &'static str,
    /// How many there are.
    pub count: u32,
    /// Standard deviation of the logarithm of the ratio from one to the next.
    pub deviation: f64,
    /// The precision wanted, a share to either side: what `--until` asked for, else delta.
    pub wanted: f64,
    /// About how many bound the ratio to within that, with as many runs in each as there are now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needed: Option<u32>,
}

/// The division of time over levels that makes the interval of a ratio the narrowest (Kalibera and Jones).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Division {
    /// The levels that vary, the highest first.
    pub levels: Vec<LevelShare>,
    /// About how many of the highest level bound the ratio to within the precision wanted, so divided.
    pub needed: u32,
    /// Seconds that takes, with both programs.
    pub seconds: f64,
}

/// One level of such a division.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LevelShare {
    /// `build`, `layout` or `run`.
    pub level: &'static str,
    /// Standard deviation that it adds to the logarithm of the ratio.
    pub deviation: f64,
    /// Seconds that one more of it takes for both programs, without what is in it; a layout takes none.
    pub seconds: f64,
    /// How many of it in each of the level above; absent for the highest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repetitions: Option<u64>,
}

/// The spread of one program by level.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProgramLevels {
    /// The program's name.
    pub program: String,
    /// The metric that varies.
    pub metric: String,
    /// The highest level first.
    pub levels: Vec<LevelSpread>,
}

/// What one level adds to the spread of a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LevelSpread {
    /// `build`, `layout`, `run`, or `value` for what was measured several times within a run.
    pub level: &'static str,
    /// How many there are in all.
    pub count: u32,
    /// Standard deviation that it adds, as a share of the value.
    pub deviation: f64,
}
