//! The part of a call graph that is drawn: all of it up to a limit, else the most expensive nodes and edges.

use std::cmp::Reverse;

use super::{CallEdge, CallGraph, CallNode, drawn_share};
use crate::number::format_count;

/// The limit for the number of functions; larger graphs are unreadable and slow to lay out.
pub const MOST_NODES: usize = 1000;
/// One more box than functions, which says what is shown.
pub(super) const MOST_BOXES: usize = MOST_NODES + 1;
pub(super) const MOST_EDGES: usize = 4000;

/// The part of a graph that is drawn.
pub(super) struct Selection<'a> {
    pub(super) nodes: Vec<&'a CallNode>,
    /// The edges, with the indices of caller and callee in `nodes`.
    pub(super) edges: Vec<(usize, usize, &'a CallEdge)>,
    /// The indices of `nodes` in the graph.
    pub(super) node_indices: Vec<usize>,
    /// The indices of `edges` in the graph.
    pub(super) edge_indices: Vec<usize>,
    /// The numbers of nodes and edges that are not drawn.
    hidden: (usize, usize),
}

impl<'a> Selection<'a> {
    pub(super) fn new(graph: &'a CallGraph) -> Self {
        let kept = most_expensive(graph.nodes.iter().map(|node| node.share), MOST_BOXES);
        let mut indices = vec![None; graph.nodes.len()];
        kept.iter().enumerate().for_each(|(index, &node)| indices[node] = Some(index));
        let index = |node: usize| indices.get(node).copied().flatten();
        let among = graph.edges.iter().enumerate();
        let among = among.filter_map(|(at, edge)| Some((at, (index(edge.from)?, index(edge.to)?, edge))));
        let among: Vec<(usize, (usize, usize, &CallEdge))> = among.collect();
        let edges = most_expensive(among.iter().map(|(_, (_, _, edge))| edge.share), MOST_EDGES);
        let hidden = (graph.nodes.len() - kept.len(), graph.edges.len() - edges.len());
        Self {
            nodes: kept.iter().map(|&node| &graph.nodes[node]).collect(),
            edges: edges.iter().map(|&edge| among[edge].1).collect(),
            edge_indices: edges.iter().map(|&edge| among[edge].0).collect(),
            node_indices: kept,
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

/// The indices of the `most` largest shares, ascending.
fn most_expensive(shares: impl Iterator<Item = f64>, most: usize) -> Vec<usize> {
    let shares: Vec<f64> = shares.map(drawn_share).collect();
    let mut indices: Vec<usize> = (0..shares.len()).collect();
    // Shares are not negative; the bit patterns of such doubles have the same order as their values.
    indices.sort_by_key(|&index| Reverse(shares[index].to_bits()));
    indices.truncate(most);
    indices.sort_unstable();
    indices
}
