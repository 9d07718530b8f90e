//! Call graphs to draw: functions or groups of them that cost enough, and the calls among them.
//!
//! Promises: every box has the share that was asked for, also a member of a cycle; there are at most as many boxes as
//! asked for, the costliest; no share exceeds the whole; what is hidden is counted, with its self cost.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_report::number::format_share;
use lotse_report::svg::{CallEdge, CallGraph, CallNode, Labels};

use crate::analysis::{Analysis, Grouping};
use crate::events::{Column, Cost};
use crate::report::Numbers;
use crate::unfold::{NotAdditive, adds_up, value};

mod around;
mod elements;
mod levels;
mod recursion;
mod words;

use elements::Elements;
pub(crate) use levels::without_level;
use recursion::Recursion;

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
    /// At most so many functions, the costliest; `None` for all.
    pub nodes: Option<usize>,
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
    /// What is hidden, in one sentence; `None` where nothing is.
    pub hidden: Option<String>,
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

/// What a graph does not show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hidden {
    /// Functions or groups.
    functions: usize,
    /// How many of them have the share that was asked for, but are beyond the number of boxes.
    beyond: usize,
    /// Pairs of caller and callee.
    calls: usize,
    /// The share of the whole that the hidden functions cost themselves.
    own: f64,
}

/// Chooses what to draw; `title` says of what.
pub fn graph(analysis: &Analysis<'_>, query: &GraphQuery<'_>, title: &str) -> Result<Graph, NotAdditive> {
    adds_up(analysis, query.column)?;
    let elements = Elements::new(analysis, query.group);
    let edges = edges(analysis, &elements, query);
    let scene = Scene::new(analysis, query, &elements, &edges);
    let (kept, beyond) = scene.kept();
    let (kept, drawn) = scene.around(kept);
    let places: HashMap<usize, usize> = kept.iter().copied().zip(0..).collect();
    let drawn: Vec<CallEdge> = drawn.into_iter().filter_map(|edge| scene.arrow(edge, &places)).collect();
    let nodes: Vec<CallNode> = kept.iter().map(|&element| scene.node(element)).collect();
    let active = elements.active.iter().filter(|active| **active).count();
    let hidden = Hidden {
        functions: active - nodes.len(),
        beyond,
        calls: edges.len() - drawn.len(),
        own: scene.own_share_without(&kept),
    };
    Ok(words::worded(analysis, query, title, (CallGraph { nodes, edges: drawn }, hidden)))
}

/// Everything that could be drawn, with shares.
struct Scene<'a> {
    analysis: &'a Analysis<'a>,
    query: &'a GraphQuery<'a>,
    elements: &'a Elements,
    edges: &'a [Edge],
    total: Cost,
    start: Option<usize>,
    recursion: Recursion,
}

impl<'a> Scene<'a> {
    fn new(
        analysis: &'a Analysis<'a>,
        query: &'a GraphQuery<'a>,
        elements: &'a Elements,
        edges: &'a [Edge],
    ) -> Self {
        let total = query.column.total(&analysis.totals);
        let start = query.start.map(|start| elements.of[start.index()] as usize);
        let recursion = Recursion::default();
        let mut scene = Self { analysis, query, elements, edges, total, start, recursion };
        let own = |element: usize| scene.share(scene.cost(&elements.own, element));
        scene.recursion = Recursion::find(elements.names.len(), edges, own, |edge| scene.share(edge.cost));
        scene
    }

    fn share(&self, cost: Cost) -> f64 {
        let share = cost.as_f64() / self.total.as_f64();
        if share.is_finite() { share } else { 0.0 }
    }

    fn cost(&self, costs: &lotse_model::profile::Costs, element: usize) -> Cost {
        value(self.analysis, self.query.column, costs.row(element), self.elements.calls(element))
    }

    fn inclusive(&self, element: usize) -> f64 {
        self.share(self.cost(&self.elements.inclusive, element))
    }

    /// What an element costs at least. Calls inside a cycle count for no member's inclusive cost, but what enters the
    /// cycle there is spent below it.
    fn weight(&self, element: usize) -> f64 {
        self.inclusive(element).max(self.recursion.entering[element])
    }

    /// Shares asked for are shares of the function in the middle.
    fn scale(&self) -> f64 {
        self.start.map_or(1.0, |start| self.weight(start).min(1.0))
    }

    /// The elements that cost enough, at most so many; and how many were too many.
    fn kept(&self) -> (Vec<usize>, usize) {
        let least = self.query.node_share * self.scale();
        let heavy = |element: &usize| {
            Some(*element) == self.start || self.elements.active[*element] && self.weight(*element) >= least
        };
        let mut kept: Vec<usize> = (0..self.elements.names.len()).filter(heavy).collect();
        let order = |element: &usize| {
            let is_other = Some(*element) != self.start;
            (is_other, std::cmp::Reverse(ordered(self.weight(*element))), *element)
        };
        kept.sort_by_key(order);
        let beyond = kept.len().saturating_sub(self.query.nodes.unwrap_or(usize::MAX));
        kept.truncate(kept.len() - beyond);
        kept.sort_unstable();
        (kept, beyond)
    }

    /// The calls that cost enough, and of the elements those that are near the one in the middle.
    fn around(&self, mut kept: Vec<usize>) -> (Vec<usize>, Vec<&'a Edge>) {
        let least = self.query.edge_share * self.scale();
        let mut drawn: Vec<&Edge> = self.edges.iter().filter(|edge| self.edge_share(edge) >= least).collect();
        if let Some(start) = self.start {
            let near = around::reached(&drawn, self.elements.names.len(), start, self.query.depth, &kept);
            kept.retain(|&element| near[element].is_some());
            drawn.retain(|edge| around::belongs(&near, edge));
        }
        (kept, drawn)
    }

    /// The share of a call; inside a cycle no more than the whole cycle costs.
    fn edge_share(&self, edge: &Edge) -> f64 {
        let share = self.share(edge.cost);
        self.recursion.limit(edge).map_or(share, |limit| share.min(limit)).min(1.0)
    }

    fn arrow(&self, edge: &Edge, places: &HashMap<usize, usize>) -> Option<CallEdge> {
        let share = self.edge_share(edge);
        // Files that tell calls count a recursive call once for every level below it.
        let is_bound = self.analysis.samples.is_none() && self.recursion.limit(edge).is_some();
        let label = if is_bound { format!("≤ {}", format_share(share, 1)) } else { String::new() };
        let (from, to) = (*places.get(&edge.from)?, *places.get(&edge.to)?);
        Some(CallEdge { from, to, label, share, count: edge.count })
    }

    fn node(&self, element: usize) -> CallNode {
        let line = |word: &str, costs: &lotse_model::profile::Costs| {
            let cost = self.cost(costs, element);
            let written = Numbers::Readable.cost(self.query.column, cost);
            // Only costs that count recursion again exceed the whole; a share would say nothing.
            if self.share(cost) > 1.0 {
                return format!("{word} {written}");
            }
            format!("{word} {} · {written}", Numbers::Readable.share(cost, self.total))
        };
        let elements = self.elements;
        let (share, known) = (self.weight(element), self.inclusive(element));
        let inclusive = match share > known {
            true => format!("incl. ≥ {}", format_share(share, 1)),
            false => line("incl.", &elements.inclusive),
        };
        let mut details = vec![inclusive, line("self", &elements.own)];
        details.extend(elements.places[element].clone());
        CallNode {
            label: elements.names[element].clone(),
            details,
            share,
            is_cycle: elements.is_cycle[element],
        }
    }

    /// What all elements but these cost themselves.
    fn own_share_without(&self, kept: &[usize]) -> f64 {
        let own = |element: usize| self.share(self.cost(&self.elements.own, element));
        let all: f64 = (0..self.elements.names.len()).map(own).sum();
        let shown: f64 = kept.iter().map(|&element| own(element)).sum();
        (all - shown).clamp(0.0, 1.0)
    }
}

/// Shares in the order of their sizes; for numbers that are not negative that of their bits.
fn ordered(share: f64) -> u64 {
    share.max(0.0).to_bits()
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

#[cfg(test)]
mod tests;
