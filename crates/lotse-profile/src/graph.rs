//! Call graphs to draw: functions or groups of them that cost enough, and the calls among them.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_report::svg::{CallEdge, CallGraph, CallNode, Labels};

use crate::analysis::{Analysis, Grouping};
use crate::events::{Column, Cost};
use crate::report::Numbers;
use crate::unfold::{NotAdditive, adds_up, threshold, value, whole_note};

mod around;
mod elements;

use elements::Elements;

/// What to draw.
#[derive(Debug, Clone, Copy)]
pub struct GraphQuery<'a> {
    /// The cost.
    pub column: &'a Column,
    /// Only this function, its callers and its callees.
    pub start: Option<FunctionId>,
    /// With a function: at most so many calls away from it.
    pub depth: Option<u32>,
    /// Functions that cost less than this share are left out; of the function's cost where there is one.
    pub node_share: f64,
    /// So are calls.
    pub edge_share: f64,
    /// Functions put together.
    pub group: Option<Grouping>,
}

/// A graph with the words that belong to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// For a picture.
    pub labels: Labels,
    /// One line that says what is shown.
    pub title: String,
    /// The same as a box for the picture.
    legend: CallNode,
    /// The functions and calls.
    pub graph: CallGraph,
}

impl Graph {
    /// With a box that says what is shown, for pictures draw no title.
    pub fn pictured(&self) -> CallGraph {
        let mut graph = self.graph.clone();
        graph.nodes.push(self.legend.clone());
        graph
    }
}

/// Chooses what to draw; `title` says of what.
pub fn graph(analysis: &Analysis<'_>, query: &GraphQuery<'_>, title: &str) -> Result<Graph, NotAdditive> {
    adds_up(analysis, query.column)?;
    let elements = Elements::new(analysis, query.group);
    let edges = edges(analysis, &elements, query);
    let total = query.column.total(&analysis.totals);
    let share = |cost: Cost| {
        let share = cost.as_f64() / total.as_f64();
        if share.is_finite() { share } else { 0.0 }
    };
    let inclusive = |element: usize| {
        value(analysis, query.column, elements.inclusive.row(element), elements.calls(element))
    };
    let start = query.start.map(|start| elements.of[start.index()] as usize);
    let scale = start.map_or(1.0, |start| share(inclusive(start)));
    let entering = entering(&elements, &edges, share);
    let weight = |element: usize| share(inclusive(element)).max(entering[element]);
    let heavy = |element: &usize| {
        Some(*element) == start || elements.active[*element] && weight(*element) >= query.node_share * scale
    };
    let mut kept: Vec<usize> = (0..elements.names.len()).filter(heavy).collect();
    let mut drawn: Vec<&Edge> =
        edges.iter().filter(|edge| share(edge.cost) >= query.edge_share * scale).collect();
    if let Some(start) = start {
        let near = around::reached(&drawn, elements.names.len(), start, query.depth, &kept);
        kept.retain(|&element| near[element].is_some());
        drawn.retain(|edge| around::belongs(&near, edge));
    }
    let places: HashMap<usize, usize> = kept.iter().copied().zip(0..).collect();
    let edge = |edge: &&Edge| {
        Some(CallEdge {
            from: *places.get(&edge.from)?,
            to: *places.get(&edge.to)?,
            label: String::new(),
            share: share(edge.cost),
            count: edge.count,
        })
    };
    let drawn: Vec<CallEdge> = drawn.iter().filter_map(edge).collect();
    let nodes: Vec<CallNode> = kept
        .iter()
        .map(|&element| node(analysis, &elements, query, element, share(inclusive(element))))
        .collect();
    let shown = (nodes.len(), drawn.len());
    let hidden = (elements.active.iter().filter(|active| **active).count() - shown.0, edges.len() - shown.1);
    Ok(worded(analysis, query, title, (CallGraph { nodes, edges: drawn }, hidden)))
}

/// The costliest calls of each member of a cycle. Calls inside count for no member's cost, and without those that
/// carry it through the cycle the picture would fall apart.
fn entering(elements: &Elements, edges: &[Edge], share: impl Fn(Cost) -> f64) -> Vec<f64> {
    let mut entering = vec![0.0_f64; elements.names.len()];
    for edge in edges.iter().filter(|edge| elements.is_cycle[edge.to]) {
        entering[edge.to] = entering[edge.to].max(share(edge.cost));
    }
    entering
}

/// Calls between two elements.
#[derive(Debug, Clone, PartialEq)]
struct Edge {
    from: usize,
    to: usize,
    cost: Cost,
    count: Option<u64>,
}

fn edges(analysis: &Analysis<'_>, elements: &Elements, query: &GraphQuery<'_>) -> Vec<Edge> {
    let calls = &analysis.calls;
    let mut rows: HashMap<(u32, u32), usize> = HashMap::new();
    let mut found: Vec<((u32, u32), u64)> = Vec::new();
    let mut costs = lotse_model::profile::Costs::new(analysis.own.width(), analysis.own.signed());
    for row in 0..calls.len() {
        let ends = (elements.of[calls.caller[row].index()], elements.of[calls.callee[row].index()]);
        if ends.0 == ends.1 && query.group.is_some() {
            continue;
        }
        let at = *rows.entry(ends).or_insert(found.len());
        if at == found.len() {
            found.push((ends, 0));
            costs.push(&[]);
        }
        found[at].1 = found[at].1.saturating_add(calls.count[row]);
        costs.add(at, calls.costs.row(row));
    }
    let edge = |(at, ((from, to), count)): (usize, ((u32, u32), u64))| {
        let count = analysis.counted.then_some(count);
        let cost = value(analysis, query.column, costs.row(at), count);
        Edge { from: from as usize, to: to as usize, cost, count }
    };
    found.into_iter().enumerate().map(edge).collect()
}

fn node(
    analysis: &Analysis<'_>,
    elements: &Elements,
    query: &GraphQuery<'_>,
    element: usize,
    share: f64,
) -> CallNode {
    let calls = elements.calls(element);
    let line = |word: &str, costs: &lotse_model::profile::Costs| {
        let cost = value(analysis, query.column, costs.row(element), calls);
        let total = query.column.total(&analysis.totals);
        let (share, cost) =
            (Numbers::Readable.share(cost, total), Numbers::Readable.cost(query.column, cost));
        format!("{word} {share} · {cost}")
    };
    let mut details = vec![line("incl.", &elements.inclusive), line("self", &elements.own)];
    details.extend(elements.places[element].clone());
    CallNode { label: elements.names[element].clone(), details, share, is_cycle: elements.is_cycle[element] }
}

/// Adds what the picture is about, in one line and as a box.
fn worded(
    analysis: &Analysis<'_>,
    query: &GraphQuery<'_>,
    title: &str,
    (graph, hidden): (CallGraph, (usize, usize)),
) -> Graph {
    let whole = whole_note(analysis, query.column, query.column.total(&analysis.totals));
    let of = if query.start.is_some() { " of the function" } else { "" };
    let counted = |count: usize, one: &str| {
        format!("{} {one}{}", Numbers::Readable.count(count as u64), if count == 1 { "" } else { "s" })
    };
    let cuts = [
        format!("functions ≥ {}{of}", threshold(query.node_share)),
        format!("calls ≥ {}{of}", threshold(query.edge_share)),
        format!("left out: {}, {}", counted(hidden.0, "function"), counted(hidden.1, "edge")),
    ];
    let line = format!("{title} · {whole} · {}", cuts.join(", "));
    let legend = CallNode { label: whole, details: cuts.to_vec(), share: 0.0, is_cycle: false };
    let labels = Labels {
        title: title.to_owned(),
        description: line.clone(),
        quantity: query.column.name.clone(),
        unit: query.column.base,
    };
    Graph { labels, title: line, legend, graph }
}

#[cfg(test)]
mod tests;
