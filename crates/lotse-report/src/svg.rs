//! Plots as self-contained SVG, without external fonts, scripts or styles.
//!
//! Each picture contains its title and description, follows the reader's light or dark scheme, and uses colours that are
//! distinguishable with colour blindness, together with shapes and dashes. Values that are not finite are left out; a plot
//! without values says so. No input makes a plot panic.

mod axis;
mod bars;
mod box_plot;
mod call_graph;
mod canvas;
mod colour;
mod cost_tree;
mod curve;
mod ecdf;
mod flame;
mod forest;
mod histogram;
mod history_chart;
mod key_colour;
mod legend;
mod note;
mod run_order;
mod time_chart;
mod treemap;

pub use bars::{Bar, bars};
pub use box_plot::{BoxSeries, box_plot};
pub(crate) use call_graph::drawn_share;
pub use call_graph::{CallEdge, CallGraph, CallNode, MOST_NODES, PlacedGraph, call_graph, place_call_graph};
pub use cost_tree::CostNode;
pub use curve::{Curve, CurveMark, CurvePoint, curve};
pub use ecdf::ecdf;
pub use flame::{FlameFrame, FlameGrowth, LeftOut, flame, flame_frames};
pub use forest::{Forest, ForestRow, ForestVerdict, forest};
pub use histogram::histogram;
pub use history_chart::{HistoryBrackets, HistoryChart, HistoryMark, HistoryPanel, history_chart};
pub use run_order::{RunOrder, RunPoint, RunSeries, run_order};
pub use time_chart::{TimeArrow, TimeChart, TimeLane, TimeSpan, time_chart};
pub use treemap::{Rect, Tile, treemap, treemap_tiles};

use lotse_model::Unit;

/// A picture that this crate created: well-formed, without scripts and external resources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Svg(String);

impl Svg {
    /// The markup, from `<svg` on.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The texts of a plot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labels {
    /// Not drawn, but shown as a tooltip and read by screen readers.
    pub title: String,
    /// A description for readers who cannot see the plot.
    pub description: String,
    /// The measured quantity, written at its axis.
    pub quantity: String,
    pub unit: Unit,
}

/// The values of one program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sample {
    /// The program.
    pub name: String,
    /// In any order.
    pub values: Vec<f64>,
}

#[cfg(test)]
mod tests;
