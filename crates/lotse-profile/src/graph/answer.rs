//! A call graph as data: boxes and arrows with their positions.

use lotse_report::layered::{Course, Route};
use lotse_report::svg::{CallEdge, Rect, place_call_graph};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Graph, GraphQuery, graph};
use crate::analysis::Analysis;
use crate::answer::{DiagnosticAnswer, EventAnswer};
use crate::drawn::{DrawnFunction, DrawnFunctions};
use crate::events::Cost;
use crate::unfold::NotAdditive;

/// `lotse profile graph --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphAnswer {
    /// `lotse.profile.graph/1`.
    pub schema: &'static str,
    /// The format of the file.
    pub format: String,
    /// The event type whose costs are drawn.
    pub event: EventAnswer,
    /// The whole graph in pixels.
    pub width: f64,
    pub height: f64,
    pub nodes: Vec<GraphNodeAnswer>,
    pub edges: Vec<GraphEdgeAnswer>,
    pub hidden: HiddenAnswer,
    /// Problems of the file, and notes about the numbers.
    pub diagnostics: Vec<DiagnosticAnswer>,
}

/// A box: a function, or a group of functions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphNodeAnswer {
    /// The function; null for a group.
    pub function: Option<DrawnFunction>,
    pub label: String,
    /// The lines below the name: costs and place.
    pub details: Vec<String>,
    /// Whether it belongs to a cycle of functions that call each other.
    pub is_cycle: bool,
    /// Its share of the total, at least: of a member of a cycle, the inclusive cost has no calls inside the cycle.
    pub share: f64,
    #[serde(rename = "self")]
    pub own: Cost,
    pub inclusive: Cost,
    /// Its left side.
    pub x: f64,
    /// Its upper side.
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// An arrow: the calls from one box to another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct GraphEdgeAnswer {
    /// The index of the caller in `nodes`.
    pub from: usize,
    /// The index of the callee in `nodes`.
    pub to: usize,
    /// The share of the total that the calls cost.
    pub share: f64,
    /// Whether the share is an upper bound, because calls inside a cycle are counted once for every level.
    pub is_bound: bool,
    /// The number of calls; null where the format does not count.
    pub count: Option<u64>,
    /// The points from caller to callee.
    pub points: Vec<(f64, f64)>,
    /// The left end of the label's middle line.
    pub label_at: (f64, f64),
    /// `down`, `up` (it closes a cycle) or `loop` (from a function to itself).
    pub course: &'static str,
}

/// What thresholds and limits hide.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HiddenAnswer {
    /// Functions or groups.
    pub functions: usize,
    /// How many of them have the requested share, but exceed the number of boxes.
    pub beyond: usize,
    /// Pairs of caller and callee.
    pub calls: usize,
    /// The share of the total that hidden functions have as self cost.
    pub self_share: f64,
}

/// Selects what to draw and computes positions; the caller fills in format and diagnostics.
pub fn answer(analysis: &Analysis<'_>, query: &GraphQuery<'_>) -> Result<GraphAnswer, NotAdditive> {
    let drawn = graph(analysis, query, "")?;
    let placed = place_call_graph(&drawn.graph);
    let mut functions = DrawnFunctions::new(analysis);
    let mut indices = vec![None; drawn.graph.nodes.len()];
    for (index, (node, _)) in placed.boxes.iter().enumerate() {
        indices[*node] = Some(index);
    }
    let nodes = placed.boxes.iter().map(|(at, rect)| node(&drawn, *at, rect, &mut functions)).collect();
    let edges = placed.arrows.iter().filter_map(|(at, route)| {
        let edge = &drawn.graph.edges[*at];
        Some(arrow(edge, (indices[edge.from]?, indices[edge.to]?), route))
    });
    let edges = edges.collect();
    let hidden = drawn.hidden_elements;
    Ok(GraphAnswer {
        schema: "lotse.profile.graph/1",
        format: String::new(),
        event: EventAnswer::for_column(query.column, &analysis.totals),
        width: placed.size.width,
        height: placed.size.height,
        nodes,
        edges,
        hidden: HiddenAnswer {
            functions: hidden.functions,
            beyond: hidden.beyond,
            calls: hidden.calls,
            self_share: hidden.own,
        },
        diagnostics: Vec::new(),
    })
}

/// A box with its function, if it is one, costs and place.
fn node(drawn: &Graph, at: usize, rect: &Rect, functions: &mut DrawnFunctions<'_>) -> GraphNodeAnswer {
    let (function, own, inclusive) = drawn.costs[at];
    let node = &drawn.graph.nodes[at];
    let function = function.map(|function| {
        let index = functions.index(function);
        functions.list[index].clone()
    });
    GraphNodeAnswer {
        function,
        label: node.label.clone(),
        details: node.details.clone(),
        is_cycle: node.is_cycle,
        share: node.share,
        own,
        inclusive,
        x: rect.x,
        y: rect.y,
        width: rect.width,
        height: rect.height,
    }
}

fn arrow(edge: &CallEdge, (from, to): (usize, usize), route: &Route) -> GraphEdgeAnswer {
    GraphEdgeAnswer {
        from,
        to,
        share: edge.share,
        // Only bounds have a label of their own; else the share is written.
        is_bound: !edge.label.is_empty(),
        count: edge.count,
        points: route.points.clone(),
        label_at: route.label,
        course: match route.course {
            Course::Down => "down",
            Course::Up => "up",
            Course::Loop => "loop",
        },
    }
}
