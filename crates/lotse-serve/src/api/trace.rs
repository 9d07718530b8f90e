//! Time-lines and tables of call paths.

use serde::Serialize;

use super::Amount;

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
}

/// A region that is drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TimelineRegion {
    pub name: String,
    pub class: String,
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
