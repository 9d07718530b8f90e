//! Pictures as data: what is where. Rectangles are columns of equal length, because there may be twenty thousand.

use serde::Serialize;

use super::{Amount, EventType, FunctionName, Remark, TreeDirection};

/// A flame graph.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FlamePicture {
    pub event: EventType,
    pub direction: TreeDirection,
    /// Whether costs were divided in proportion, because the file has calls and no stacks.
    pub estimated: bool,
    pub whole: Amount,
    pub functions: Vec<FunctionName>,
    pub frames: Frames,
    /// "312 branches below 0.1 % (2.1 % together) are not shown"; empty if nothing is hidden.
    pub hidden: String,
    /// Why nothing is drawn, where that is known; else empty.
    pub empty: String,
    pub remarks: Vec<Remark>,
}

/// Frames; each comes after its parent.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Frames {
    /// Index into `functions`.
    pub function: Vec<usize>,
    /// Index of the parent frame; -1 for a root.
    pub parent: Vec<i32>,
    pub depth: Vec<usize>,
    /// Left side as a share of the whole.
    pub start: Vec<f64>,
    /// Width as a share of the whole.
    pub share: Vec<f64>,
    /// Text of the self cost; empty where a frame has none of its own, as above the first level towards callers.
    #[serde(rename = "self")]
    pub own: Vec<String>,
    /// Text of the inclusive cost.
    pub inclusive: Vec<String>,
    /// In a difference: what the frame costs more (> 0) or less (< 0), as a share of the old total or, where shares are compared,
    /// the growth of its share of the total; else empty.
    pub change: Vec<f64>,
}

/// A treemap.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TreemapPicture {
    pub event: EventType,
    pub estimated: bool,
    pub whole: Amount,
    pub functions: Vec<FunctionName>,
    pub tiles: Tiles,
    pub hidden: String,
    /// Why nothing is drawn, where that is known; else empty.
    pub empty: String,
    pub remarks: Vec<Remark>,
}

/// Tiles; outer ones come before inner ones.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Tiles {
    /// Index into `functions`.
    pub function: Vec<usize>,
    /// Index of the tile around it; -1 for an outermost one.
    pub parent: Vec<i32>,
    pub x: Vec<f64>,
    pub y: Vec<f64>,
    pub width: Vec<f64>,
    pub height: Vec<f64>,
    /// Share of the whole.
    pub share: Vec<f64>,
    /// Text of the self cost.
    #[serde(rename = "self")]
    pub own: Vec<String>,
    /// Text of the inclusive cost.
    pub inclusive: Vec<String>,
    /// In a difference: what the tile costs more (> 0) or less (< 0), as a share of the old total or, where shares are compared,
    /// the growth of its share of the total; else empty.
    pub change: Vec<f64>,
}

/// A call graph with its positions in pixels.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphPicture {
    pub event: EventType,
    pub width: f64,
    pub height: f64,
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
    pub hidden: String,
    /// Why nothing is drawn, where that is known; else empty.
    pub empty: String,
    pub remarks: Vec<Remark>,
}

/// A function, or a group of functions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphNode {
    pub function: Option<FunctionName>,
    pub label: String,
    /// Lines below the name.
    pub details: Vec<String>,
    pub is_cycle: bool,
    #[serde(rename = "self")]
    pub own: Amount,
    pub inclusive: Amount,
    /// In a difference: how much more (> 0) or less (< 0) it costs with its callees, as a share of the old total or, where shares
    /// are compared, the growth of its share of the total; else null.
    pub change: Option<f64>,
    /// Its left side.
    pub x: f64,
    /// Its upper side.
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// The calls from one node to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct GraphEdge {
    pub from: usize,
    pub to: usize,
    pub share: f64,
    /// "12 %", "≤ 12 %" and the number of calls, as two lines.
    pub label: Vec<String>,
    pub points: Vec<(f64, f64)>,
    pub label_at: (f64, f64),
    #[cfg_attr(test, ts(type = "\"down\" | \"up\" | \"loop\""))]
    pub course: &'static str,
}
