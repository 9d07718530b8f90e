//! Answers about one place of a time-line: a moment, a window, a wait.

use serde::Serialize;

use super::{Amount, TimelineBar};

/// A time with all digits of the trace's clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExactTime {
    pub seconds: f64,
    /// "0.123456789 s"
    pub text: String,
}

/// What a location does at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MomentAnswer {
    pub location: u32,
    pub name: String,
    pub at: ExactTime,
    /// The open calls, the outermost first; empty outside all regions.
    pub stack: Vec<OpenCallRow>,
    /// The events around it in the order of time: enter, leave, send, receive.
    pub events: Vec<MomentEvent>,
    /// What it waits for at this time, the longest wait first.
    pub waits: Vec<WaitRow>,
}

/// A call that is open at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OpenCallRow {
    pub name: String,
    pub class: String,
    pub entered: ExactTime,
    /// Null if the records of the location end before.
    pub left: Option<ExactTime>,
    /// Null if it is not left.
    pub duration: Option<ExactTime>,
}

/// An event near a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct MomentEvent {
    /// "enter", "leave", "send" or "receive".
    pub kind: &'static str,
    pub at: ExactTime,
    /// The region, or the location of the other end.
    pub what: String,
    /// Of messages: the time of the other end; null for others, and if it is not recorded.
    pub partner_at: Option<ExactTime>,
    /// Of messages: from the send to the receive; null if it is not known.
    pub duration: Option<ExactTime>,
    /// Of messages: bytes.
    pub bytes: Option<f64>,
}

/// A wait.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WaitRow {
    pub bar: TimelineBar,
    /// The location that waits.
    pub name: String,
    /// The kind of waiting: its name and its title.
    pub metric: String,
    pub title: String,
    /// The call path that waits.
    pub path: String,
    pub begin: ExactTime,
    pub end: ExactTime,
    pub duration: ExactTime,
    /// "" exact, "≤" upper bound, "≥" lower bound.
    pub mark: &'static str,
    /// The location that was waited for; null if it is not known.
    pub cause: Option<String>,
}

/// The wait that comes next.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct NextWaitAnswer {
    /// Null if there is none in this direction.
    pub wait: Option<WaitRow>,
    /// The part of the run to show.
    pub window: Option<(f64, f64)>,
    /// Its number among all in the order of time, from 1.
    pub number: usize,
    pub count: usize,
}

/// How time is spent in a window.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StatisticsTable {
    pub begin: ExactTime,
    pub end: ExactTime,
    /// The time between the first and the last event of each location, in the window: what shares refer to.
    pub whole: Amount,
    /// The row with the most time first.
    pub rows: Vec<StatisticsRow>,
    /// What is not in the rows, and why; empty for nothing.
    pub hidden: String,
}

/// A region, a kind of waiting, or a location.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct StatisticsRow {
    /// What identifies it in questions.
    pub id: String,
    pub name: String,
    /// The class of a region, or what a kind of waiting is part of.
    pub class: String,
    pub time: Amount,
    /// How many locations have time in it; null in a table of locations.
    pub locations: Option<usize>,
    /// The location with the most time, and that time; null in a table of locations.
    pub most: Option<(String, Amount)>,
}
