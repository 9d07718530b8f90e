//! Call graphs: one box per function, callers above their callees, arrows as wide as the cost of the calls.

mod arrows;
mod boxes;
mod selection;

use super::canvas::{Canvas, text_width};
use super::legend::draw_no_values;
use super::note::{NOTE, note};
use super::treemap::Rect;
use super::{Labels, Svg};
use crate::layered::{GraphLayout, Link, Route, Size, layered};
pub use selection::MOST_NODES;
use selection::Selection;

/// Functions and the calls among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallGraph {
    pub nodes: Vec<CallNode>,
    pub edges: Vec<CallEdge>,
}

/// A function, or several that call each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallNode {
    pub label: String,
    /// Lines below the name: costs, the file it is in.
    pub details: Vec<String>,
    /// Its share of the total cost, 0 to 1, which determines the bar and the colour of its box.
    pub share: f64,
    /// Whether it represents a cycle of functions that call each other.
    pub is_cycle: bool,
}

/// The calls from one function to another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallEdge {
    /// Index of the caller. Edges from or to missing nodes are not drawn.
    pub from: usize,
    /// Index of the callee.
    pub to: usize,
    /// The cost of the calls as text; if empty, the share is written.
    pub label: String,
    /// Their share of the total cost, 0 to 1, which determines the width of the arrow.
    pub share: f64,
    /// The number of calls, where known.
    pub count: Option<u64>,
}

/// A call graph with the positions of its boxes and arrows, in pixels from the upper left corner.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedGraph {
    pub size: Size,
    /// The boxes that are drawn: the index of the node, and its box.
    pub boxes: Vec<(usize, Rect)>,
    /// The arrows that are drawn: the index of the edge, and its route.
    pub arrows: Vec<(usize, Route)>,
}

/// Computes the positions of boxes and arrows, for those who draw a graph themselves. Of a very large graph only the most
/// expensive nodes and edges have positions.
pub fn place_call_graph(graph: &CallGraph) -> PlacedGraph {
    let shown = Selection::new(graph);
    let (sizes, layout) = placed(&shown);
    let corner = |(centre, size): (&(f64, f64), &Size)| Rect {
        x: centre.0 - size.width / 2.0,
        y: centre.1 - size.height / 2.0,
        width: size.width,
        height: size.height,
    };
    let boxes = layout.centres.iter().zip(&sizes).map(corner);
    let routes = layout.routes.into_iter().zip(&shown.edge_indices);
    PlacedGraph {
        size: layout.size,
        boxes: shown.node_indices.iter().copied().zip(boxes).collect(),
        arrows: routes.filter_map(|(route, &edge)| Some((edge, route?))).collect(),
    }
}

/// The sizes of the boxes that are drawn, and the layout.
fn placed(shown: &Selection<'_>) -> (Vec<Size>, GraphLayout) {
    let sizes: Vec<Size> = shown.nodes.iter().map(|node| boxes::size(node)).collect();
    let links: Vec<Link> = shown.edges.iter().map(|(from, to, edge)| link(*from, *to, edge)).collect();
    let layout = layered(&sizes, &links);
    (sizes, layout)
}

const EDGE: f64 = 12.0;
const NARROWEST: f64 = 420.0;

/// Draws a call graph. Of a very large graph only the most expensive nodes are drawn, and a line below says so.
pub fn call_graph(labels: &Labels, graph: &CallGraph) -> Svg {
    let shown = Selection::new(graph);
    if shown.nodes.is_empty() {
        let mut canvas = Canvas::sized(NARROWEST, 2.0 * NOTE);
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    let (sizes, layout) = placed(&shown);
    let width = (layout.size.width + 2.0 * EDGE).max(NARROWEST);
    let bottom = EDGE + layout.size.height + EDGE;
    let mut canvas = Canvas::sized(width, bottom + NOTE);
    let shift = ((width - layout.size.width) / 2.0, EDGE);
    let routes = layout.routes.iter().zip(&shown.edges);
    for (route, edge) in routes.filter_map(|(route, edge)| route.as_ref().zip(Some(edge))) {
        arrows::draw(&mut canvas, &route.moved(shift), edge, &shown.nodes);
    }
    for ((node, size), centre) in shown.nodes.iter().zip(&sizes).zip(&layout.centres) {
        boxes::draw(&mut canvas, node, *size, (centre.0 + shift.0, centre.1 + shift.1));
    }
    note(&mut canvas, bottom, &shown.caption());
    canvas.finish(labels)
}

fn link(from: usize, to: usize, edge: &CallEdge) -> Link {
    let width = text_width(&arrows::text(edge)) * 11.0 / 12.0;
    Link { from, to, label: Size { width, height: 14.0 } }
}

/// A share clamped to 0..=1; NaN becomes 0.
pub(crate) fn drawn_share(share: f64) -> f64 {
    if share > 0.0 { share.min(1.0) } else { 0.0 }
}

#[cfg(test)]
mod tests;
