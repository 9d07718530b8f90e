//! What of a call graph is drawn: all of it as long as it can be read, then the costliest.

use std::cmp::Reverse;

use super::{CallEdge, CallGraph, CallNode, drawn_share};
use crate::number::format_count;

/// More functions than this are no picture; laying them out would take long besides.
pub const MOST_NODES: usize = 1000;
/// There is room for one more box that says what is shown.
pub(super) const MOST_BOXES: usize = MOST_NODES + 1;
pub(super) const MOST_EDGES: usize = 4000;

/// The part of a graph that is drawn.
pub(super) struct Selection<'a> {
    pub(super) nodes: Vec<&'a CallNode>,
    /// With the places of their ends in `nodes`.
    pub(super) edges: Vec<(usize, usize, &'a CallEdge)>,
    hidden: (usize, usize),
}

impl<'a> Selection<'a> {
    pub(super) fn new(graph: &'a CallGraph) -> Self {
        let kept = costliest(graph.nodes.iter().map(|node| node.share), MOST_BOXES);
        let mut places = vec![None; graph.nodes.len()];
        kept.iter().enumerate().for_each(|(place, &node)| places[node] = Some(place));
        let place = |node: usize| places.get(node).copied().flatten();
        let among = graph.edges.iter().filter_map(|edge| Some((place(edge.from)?, place(edge.to)?, edge)));
        let among: Vec<(usize, usize, &CallEdge)> = among.collect();
        let edges = costliest(among.iter().map(|(_, _, edge)| edge.share), MOST_EDGES);
        let hidden = (graph.nodes.len() - kept.len(), graph.edges.len() - edges.len());
        Self {
            nodes: kept.iter().map(|&node| &graph.nodes[node]).collect(),
            edges: edges.iter().map(|&edge| among[edge]).collect(),
            hidden,
        }
    }

    pub(super) fn caption(&self) -> [String; 2] {
        let counted = |count: usize, one: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{} {one}{plural}", format_count(count as f64))
        };
        let (nodes, edges) = (counted(self.nodes.len(), "function"), counted(self.edges.len(), "edge"));
        let whole = format!("{nodes}, {edges}; bars and arrow widths: share of the whole");
        match self.hidden {
            (0, 0) => [whole, String::new()],
            (nodes, edges) => {
                [whole, format!("not shown: {}, {}", counted(nodes, "function"), counted(edges, "edge"))]
            }
        }
    }
}

/// The places of the largest shares, in their given order.
fn costliest(shares: impl Iterator<Item = f64>, most: usize) -> Vec<usize> {
    let shares: Vec<f64> = shares.map(drawn_share).collect();
    let mut places: Vec<usize> = (0..shares.len()).collect();
    // Shares are never negative, and for such numbers the order of the bits is that of the values.
    places.sort_by_key(|&place| Reverse(shares[place].to_bits()));
    places.truncate(most);
    places.sort_unstable();
    places
}
