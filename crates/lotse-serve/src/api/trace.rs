//! Time-lines and tables of call paths.

use serde::Serialize;

use super::{Amount, ExactTime, WaitRow};

/// What a trace has.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TraceAbout {
    /// Seconds.
    pub runtime: f64,
    /// The resolution of its clock: times are exact to this part of a second.
    pub ticks_per_second: f64,
    pub locations: Vec<String>,
    /// Metrics that the table of call paths can show.
    pub metrics: Vec<MetricRow>,
}

/// A metric with its total over all call paths.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MetricRow {
    pub name: String,
    pub title: String,
    pub unit: String,
    /// Its depth in the tree of metrics, which comes in preorder.
    pub depth: usize,
    pub total: Amount,
    pub explanation: String,
}

/// Locations by time, reduced to `columns` columns.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Timeline {
    /// Seconds from the start of the run.
    pub begin: f64,
    pub end: f64,
    /// The whole run in seconds.
    pub runtime: f64,
    pub columns: u32,
    /// The number of all lanes. Messages and the critical path number lanes from the first of all.
    pub lane_count: usize,
    /// The number of the first lane in `lanes`.
    pub first_lane: usize,
    pub regions: Vec<TimelineRegion>,
    pub lanes: Vec<TimelineLane>,
    pub messages: Vec<TimelineMessage>,
    pub message_count: f64,
    pub hidden: String,
    /// Pieces of the critical path, in columns.
    pub critical_path: Vec<TimelinePiece>,
    /// Null unless the question asks for it.
    pub table: Option<TimelineTable>,
}

/// What the lines, the path and the hatching of a time-line stand for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineTable {
    /// Those of the drawn messages that took longest.
    pub messages: Vec<MessageRow>,
    /// "the 500 that took longest of 20000 messages, …"
    pub messages_listed: String,
    /// In the order of time.
    pub path: Vec<PathRow>,
    pub path_listed: String,
    /// In the order of time.
    pub waits: Vec<WaitRow>,
    pub waits_listed: String,
}

/// A message, or several that are drawn as one line: then times are those of the first.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MessageRow {
    pub count: f64,
    pub sender: String,
    pub receiver: String,
    pub sent: ExactTime,
    pub received: ExactTime,
    /// "sender" or "receiver" if the other end waited for it; "" if neither is known to.
    pub late: &'static str,
    /// How long the other end waited.
    pub waited: Option<ExactTime>,
    /// The mark of that time.
    pub mark: &'static str,
}

/// Time of the critical path in a region, without the calls inside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PathRow {
    pub location: String,
    pub region: String,
    pub begin: ExactTime,
    pub duration: ExactTime,
}

/// A region that is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineRegion {
    pub name: String,
    pub class: String,
    /// Its place by time among the regions of the whole run, from 0: its colour in all windows. Equal names have the same.
    pub rank: u32,
}

/// A location, or several if there is no room for all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineLane {
    pub name: String,
    /// Their numbers.
    pub locations: Vec<u32>,
    /// Columns `from` to `to` (exclusive) show the region that takes most of their time: one call, or several one after the other.
    pub from: Vec<u32>,
    pub to: Vec<u32>,
    pub region: Vec<u32>,
    /// Waits, hatched: pairs of columns.
    pub waits: Vec<(u32, u32)>,
}

/// Messages between two lanes, in seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineMessage {
    pub from_lane: u32,
    pub to_lane: u32,
    pub sent: f64,
    pub received: f64,
    pub count: f64,
}

/// A piece of the critical path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelinePiece {
    pub lane: u32,
    pub from: u32,
    pub to: u32,
}

/// A span of a location that is outlined on the time-line, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineBar {
    pub location: u32,
    /// The number of its lane where lanes are not merged.
    pub lane: usize,
    pub begin: f64,
    pub end: f64,
}

/// Severities of a metric by call path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallPathTable {
    pub metric: MetricRow,
    /// Preorder; `depth` gives the tree.
    pub rows: Vec<CallPathRow>,
}

/// A call path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CallPathRow {
    pub name: String,
    pub depth: usize,
    pub exclusive: Amount,
    pub inclusive: Amount,
    /// Where on the time-line it is worst, in seconds; null if unknown.
    pub window: Option<(f64, f64)>,
    /// The longest wait there.
    pub bar: Option<TimelineBar>,
}
