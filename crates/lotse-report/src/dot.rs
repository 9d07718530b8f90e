//! Call graphs in the DOT language of Graphviz, without any limit of size: `dot -Tsvg` draws them.

use crate::format::one_line;
use crate::number::{format_count, format_percent};
use crate::svg::{CallEdge, CallGraph, CallNode, drawn_share};

/// The colours of a box that costs nothing and of one that costs all.
const COOL: [f64; 3] = [255.0, 255.0, 255.0];
const HOT: [f64; 3] = [240.0, 140.0, 90.0];

/// The graph in the DOT language. Edges from or to missing nodes are left out.
pub fn dot(title: &str, graph: &CallGraph) -> String {
    let head = format!(
        "digraph {} {{\n  graph [label={0}, labelloc=t, fontname=\"sans-serif\"]\n  \
         node [shape=box, style=\"filled,rounded\", fontname=\"monospace\", fontsize=11]\n  \
         edge [fontname=\"sans-serif\", fontsize=10, color=\"#5f6870\"]\n",
        quoted([title])
    );
    let nodes = graph.nodes.iter().enumerate().map(|(i, node)| node_line(i, node));
    let is_there = |edge: &&CallEdge| edge.from.max(edge.to) < graph.nodes.len();
    let edges = graph.edges.iter().filter(is_there).map(edge_line);
    let body: String = nodes.chain(edges).collect();
    head + &body + "}\n"
}

fn node_line(i: usize, node: &CallNode) -> String {
    let share = drawn_share(node.share);
    let percent = format_percent(share, 2);
    let lines = [node.label.as_str()].into_iter().chain(node.details.iter().map(String::as_str));
    let borders = if node.is_cycle { ", peripheries=2" } else { "" };
    format!(
        "  n{i} [label={}, tooltip={}, fillcolor=\"{}\"{borders}]\n",
        quoted(lines),
        quoted([node.label.as_str(), &percent]),
        heat(share)
    )
}

fn edge_line(edge: &CallEdge) -> String {
    let share = drawn_share(edge.share);
    let cost = if edge.label.is_empty() { format_percent(share, 2) } else { edge.label.clone() };
    let count = edge.count.map(|count| format!("{} ×", format_count(count as f64)));
    let lines = [cost.as_str()].into_iter().chain(count.as_deref());
    let width = 0.8 + 5.2 * share;
    format!("  n{} -> n{} [label={}, penwidth={width:.2}]\n", edge.from, edge.to, quoted(lines))
}

/// Lines as one quoted string of the DOT language, with backslashes, quotes and ampersands escaped.
fn quoted<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let escaped =
        |line: &str| one_line(line).replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;");
    let lines: Vec<String> = lines.into_iter().map(escaped).collect();
    format!("\"{}\"", lines.join("\\n"))
}

/// The fill colour of a box: the root makes small shares visible.
fn heat(share: f64) -> String {
    let mixed = |i: usize| (COOL[i] + (HOT[i] - COOL[i]) * share.sqrt()).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2))
}

#[cfg(test)]
mod tests;
