//! Questions about a document.

use serde::{Deserialize, Serialize};

use super::RunSelection;

/// The body of `POST /api/ask`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Ask {
    pub document: u32,
    /// The reading that ids of functions refer to.
    pub revision: u32,
    pub question: Question,
}

/// What every question about a profile has in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Scope {
    /// The event type that ranks and is drawn; null for the default.
    pub event: Option<String>,
    /// Definitions of the user's own event types: "NAME = FORMULA".
    pub define: Vec<String>,
    /// Numbers of parts; null for the default ones.
    pub parts: Option<Vec<usize>>,
    /// Texts, or regular expressions between slashes; null for none.
    pub focus: Option<String>,
    pub ignore: Option<String>,
    pub hide: Option<String>,
    /// In a comparison: which profile pictures show.
    pub side: Option<SideChoice>,
    /// In a comparison: functions of the old profile that have another name in the new one, as the user says.
    #[serde(default)]
    #[cfg_attr(test, ts(as = "Option<Vec<FunctionRename>>", optional))]
    pub renames: Vec<FunctionRename>,
}

/// A function that has two names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FunctionRename {
    /// Its whole name in the old profile.
    pub old: String,
    /// Its whole name in the new one.
    pub new: String,
}

/// One of two compared profiles, or what changed between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SideChoice {
    Old,
    New,
    Difference,
}

/// What a table of functions is sorted by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum FunctionSort {
    #[default]
    #[serde(rename = "self")]
    Own,
    Inclusive,
    Calls,
    Name,
    /// In a comparison: the cost in the old profile.
    Old,
    Difference,
    Ratio,
}

/// What source lines are sorted by; the greatest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LineSort {
    #[default]
    #[serde(rename = "self")]
    Own,
    Inclusive,
    /// In a comparison: the cost in the old profile.
    Old,
    Difference,
    Ratio,
}

/// Where a tree unfolds to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum TreeDirection {
    #[default]
    Callees,
    Callers,
}

/// The functions of one group.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GroupFilter {
    /// "object", "file", "class", "cycle" or "thread".
    pub group: String,
    pub name: String,
}

/// What statistics are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum StatisticsOf {
    Regions,
    Waits,
}

/// A question, with the type of its answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Question {
    /// `FunctionTable`
    Functions {
        scope: Scope,
        /// Event types of the columns.
        events: Vec<String>,
        sort: FunctionSort,
        ascending: bool,
        /// In a comparison: whether old costs, differences and ratios are those of inclusive costs.
        #[serde(default)]
        #[cfg_attr(test, ts(as = "Option<bool>", optional))]
        inclusive: bool,
        /// A text, or a regular expression between slashes.
        filter: String,
        /// "object", "file", "class", "cycle" or "thread" for a table of groups.
        group: Option<String>,
        /// Only functions of this group.
        within: Option<GroupFilter>,
        offset: usize,
        limit: usize,
    },
    /// `Headline`
    Headline { scope: Scope },
    /// `CallsAnswer`
    Calls { scope: Scope, function: u32, events: Vec<String> },
    /// `FlamePicture`
    Flame { scope: Scope, direction: TreeDirection, root: Option<u32> },
    /// `TreemapPicture`
    Treemap { scope: Scope, direction: TreeDirection, root: Option<u32>, width: f64, height: f64 },
    /// `GraphPicture`
    Graph { scope: Scope, function: Option<u32>, min_share: f64, nodes: usize },
    /// `SourceAnswer`
    Source { scope: Scope, function: u32, events: Vec<String>, instructions: bool },
    /// `LineTable`: the costliest source lines of the whole program.
    Lines {
        scope: Scope,
        events: Vec<String>,
        sort: LineSort,
        /// In a comparison: whether old costs, differences and ratios are those of inclusive costs.
        #[serde(default)]
        #[cfg_attr(test, ts(as = "Option<bool>", optional))]
        inclusive: bool,
        limit: usize,
    },
    /// `boolean`: whether the page has got the text of the source file with this path.
    Shown { path: String },
    /// `DataTable`
    Data { scope: Scope },
    /// `EventCheck`: tests a definition of an event type.
    Event { scope: Scope, definition: String },
    /// `Report`: a document of bench, spy, predict or trace as its report.
    Report {},
    /// `RunsAnswer`: the runs of a measurement; a metric of null is that of the verdict.
    Runs { metric: Option<String>, selection: Option<RunSelection> },
    /// `Timeline`: `lanes` lanes from `first_lane` on, or all locations in at most so many lanes.
    Timeline {
        from: Option<f64>,
        to: Option<f64>,
        columns: u32,
        lanes: usize,
        first_lane: usize,
        merge: bool,
        /// Whether the rows of the table are wanted, too.
        #[serde(default)]
        #[cfg_attr(test, ts(as = "Option<bool>", optional))]
        table: bool,
    },
    /// `MomentAnswer`: what a location does at a time.
    Moment { location: u32, at: f64 },
    /// `StatisticsTable`: how time is spent in a window; of one location, or of one row by location.
    Statistics {
        from: Option<f64>,
        to: Option<f64>,
        of: StatisticsOf,
        location: Option<u32>,
        row: Option<String>,
    },
    /// `NextWaitAnswer`: the wait after a time, or after the wait that begins then, ends at `end` and is of location `at`.
    NextWait {
        begin: f64,
        end: Option<f64>,
        at: Option<u32>,
        backward: bool,
        /// Only waits of this location.
        location: Option<u32>,
        /// Only waits of this metric.
        metric: Option<String>,
        /// Only waits of at least so many seconds.
        least: f64,
    },
    /// `CallPathTable`: severities of a metric by call path.
    CallPaths { metric: String },
}
