//! Call graphs to draw: functions or groups of functions that cost enough, and the calls between them.
//!
//! Guarantees: every box has at least the requested share, even a member of a cycle; there are at most as many boxes as
//! requested, the costliest; no share exceeds the whole; hidden functions are counted, with their self cost.

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;
use lotse_report::number::format_share;
use lotse_report::svg::{CallEdge, CallGraph, CallNode, Labels};

use crate::analysis::{Analysis, Grouping};
use crate::events::{Column, Cost};
use crate::report::Numbers;
use crate::unfold::{NotAdditive, adds_up, value};

mod answer;
mod around;
mod edges;
mod elements;
mod levels;
mod recursion;
mod words;

pub use answer::{GraphAnswer, GraphEdgeAnswer, GraphNodeAnswer, HiddenAnswer, answer};
use edges::Edges;
use elements::Elements;
pub(crate) use elements::FunctionGraph;
pub(crate) use levels::without_level;
use recursion::Recursion;

/// What to draw.
#[derive(Debug, Clone, Copy)]
pub struct GraphQuery<'a> {
    pub column: &'a Column,
    /// Draws only this function, its callers and its callees, at any distance.
    pub start: Option<FunctionId>,
    /// With a start: the greatest distance from it, in calls.
    pub depth: Option<u32>,
    /// Functions with a smaller share are left out. With a start, it is the share of its cost, else of the total.
    pub node_share: f64,
    /// Calls with a smaller share are left out.
    pub edge_share: f64,
    /// The greatest number of functions, the costliest; `None` for all.
    pub nodes: Option<usize>,
    /// Draws groups of functions instead of functions.
    pub group: Option<Grouping>,
}

/// A graph with its title and notes.
#[derive(Debug, Clone, PartialEq)]
pub struct Graph {
    /// Labels of the picture.
    pub labels: Labels,
    /// One line that describes what is shown.
    pub title: String,
    /// The same as a box in the picture.
    legend: CallNode,
    /// One sentence about what is hidden; `None` if nothing is.
    pub hidden: Option<String>,
    pub graph: CallGraph,
    /// For each node of the graph, its function, if it is one, and its self and inclusive cost.
    pub(crate) costs: Vec<(Option<FunctionId>, Cost, Cost)>,
    pub(crate) hidden_elements: HiddenElements,
}

impl Graph {
    /// The graph with a box that describes what is shown, because pictures of graphs have no title.
    pub fn with_legend(&self) -> CallGraph {
        let mut graph = self.graph.clone();
        graph.nodes.push(self.legend.clone());
        graph
    }
}

/// Counts of what a graph does not show.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct HiddenElements {
    /// Functions or groups.
    functions: usize,
    /// How many of them have the requested share, but exceed the number of boxes.
    beyond: usize,
    /// Pairs of caller and callee.
    calls: usize,
    /// The sum of the self costs of hidden functions, as a share of the total.
    own: f64,
}

/// Selects the functions and calls to draw.
pub fn graph(analysis: &Analysis<'_>, query: &GraphQuery<'_>, title: &str) -> Result<Graph, NotAdditive> {
    adds_up(analysis, query.column)?;
    let elements = Elements::new(analysis, query);
    let scene = Scene::new(analysis, query, &elements);
    let (kept, beyond) = scene.heaviest_elements();
    let (kept, drawn) = scene.connected(kept);
    let places: HashMap<usize, usize> = kept.iter().copied().zip(0..).collect();
    let drawn: Vec<CallEdge> = drawn.into_iter().filter_map(|edge| scene.call_edge(edge, &places)).collect();
    let nodes: Vec<CallNode> = kept.iter().map(|&element| scene.call_node(element)).collect();
    let active = elements.active.iter().filter(|active| **active).count();
    let hidden = HiddenElements {
        functions: active - nodes.len(),
        beyond,
        calls: scene.edges.len() - drawn.len(),
        own: scene.own_share_without(&kept),
    };
    let costs = kept.iter().map(|&element| scene.costs(element)).collect();
    let graph = CallGraph { nodes, edges: drawn };
    Ok(Graph { costs, ..words::describe(analysis, query, title, (graph, hidden)) })
}

/// All elements and edges that could be drawn, with shares.
struct Scene<'a> {
    analysis: &'a Analysis<'a>,
    query: &'a GraphQuery<'a>,
    elements: &'a Elements<'a>,
    edges: Edges<'a>,
    total: Cost,
    start: Option<usize>,
    recursion: Recursion<'a>,
}

impl<'a> Scene<'a> {
    fn new(analysis: &'a Analysis<'a>, query: &'a GraphQuery<'a>, elements: &'a Elements<'a>) -> Self {
        let edges = Edges { analysis, column: query.column, rows: elements.edges() };
        let total = query.column.total(&analysis.totals);
        let start = query.start.map(|start| elements.element_of(start));
        let own = |element: usize| {
            let costs = elements.own.row(element);
            share(value(analysis, query.column, costs, elements.calls(element)), total)
        };
        let recursion = Recursion::new(elements.cycles(), edges, own, |edge| share(edges.cost(edge), total));
        Self { analysis, query, elements, edges, total, start, recursion }
    }

    fn share(&self, cost: Cost) -> f64 {
        share(cost, self.total)
    }

    fn cost(&self, costs: &lotse_model::profile::Costs, element: usize) -> Cost {
        value(self.analysis, self.query.column, costs.row(element), self.elements.calls(element))
    }

    /// The function of an element, if it is one, and its self and inclusive cost.
    fn costs(&self, element: usize) -> (Option<FunctionId>, Cost, Cost) {
        let Elements { own, inclusive, .. } = self.elements;
        (self.elements.function(element), self.cost(own, element), self.cost(inclusive, element))
    }

    fn inclusive(&self, element: usize) -> f64 {
        self.share(self.cost(&self.elements.inclusive, element))
    }

    /// Whether the inclusive cost of an element is only known to be at least what is stated.
    fn is_lower_bound(&self, element: usize) -> bool {
        self.elements.function(element).is_some_and(|function| self.analysis.is_lower_bound(function))
    }

    /// The share of an element, at least. The inclusive cost of a member of a cycle does not include calls inside the
    /// cycle, but all calls that enter the cycle there are spent below the member.
    fn weight(&self, element: usize) -> f64 {
        self.inclusive(element).max(self.recursion.entering[element])
    }

    /// The factor from shares of the query to shares of the total: with a start, shares are relative to its cost.
    fn scale(&self) -> f64 {
        self.start.map_or(1.0, |start| self.weight(start).min(1.0))
    }

    /// The elements that cost enough, at most as many as the query allows, and how many more there were.
    fn heaviest_elements(&self) -> (Vec<usize>, usize) {
        let least = self.query.node_share * self.scale();
        let heavy = |element: &usize| {
            Some(*element) == self.start || self.elements.active[*element] && self.weight(*element) >= least
        };
        let mut kept: Vec<usize> = (0..self.elements.count()).checked().filter(heavy).collect();
        let order = |element: &usize| {
            let is_other = Some(*element) != self.start;
            (is_other, std::cmp::Reverse(sort_key(self.weight(*element))), *element)
        };
        kept.sort_by_cached_key(order);
        let beyond = kept.len().saturating_sub(self.query.nodes.unwrap_or(usize::MAX));
        kept.truncate(kept.len() - beyond);
        kept.sort_unstable();
        (kept, beyond)
    }

    /// The calls between kept elements that cost enough, and of the elements those that such calls connect with the
    /// start, if there is one.
    fn connected(&self, mut kept: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
        let least = self.query.edge_share * self.scale();
        let mut is_kept = vec![false; self.elements.count()];
        kept.iter().for_each(|&element| is_kept[element] = true);
        let ends = self.edges.from().iter().zip(self.edges.to()).enumerate();
        // Ends are looked up before costs, for few edges of a large graph are between kept elements.
        let between = ends.filter(|(_, (from, to))| is_kept[from.index()] && is_kept[to.index()]);
        let mut drawn: Vec<usize> =
            between.checked().map(|(edge, _)| edge).filter(|&edge| self.edge_share(edge) >= least).collect();
        if let Some(start) = self.start {
            let ends: Vec<(usize, usize)> = drawn.iter().map(|&edge| self.edges.ends(edge)).collect();
            let near = around::reached(&ends, self.elements.count(), start, self.query.depth);
            kept.retain(|&element| near[element].is_some());
            drawn.retain(|&edge| around::belongs(&near, self.edges.ends(edge)));
        }
        (kept, drawn)
    }

    /// The share of a call; a call inside a cycle costs at most as much as the whole cycle.
    fn edge_share(&self, edge: usize) -> f64 {
        let share = self.share(self.edges.cost(edge));
        self.recursion.limit(self.edges.ends(edge)).map_or(share, |limit| share.min(limit)).min(1.0)
    }

    fn call_edge(&self, edge: usize, places: &HashMap<usize, usize>) -> Option<CallEdge> {
        let share = self.edge_share(edge);
        let ends = self.edges.ends(edge);
        // Formats with calls count the cost of a recursive call once for every level.
        let is_bound = self.analysis.samples.is_none() && self.recursion.limit(ends).is_some();
        let label = if is_bound { format!("≤ {}", format_share(share, 1)) } else { String::new() };
        let (from, to) = (*places.get(&ends.0)?, *places.get(&ends.1)?);
        Some(CallEdge { from, to, label, share, count: self.edges.count(edge) })
    }

    /// The box of an element: name, inclusive and self cost, and place.
    fn call_node(&self, element: usize) -> CallNode {
        let line = |word: &str, costs: &lotse_model::profile::Costs| {
            let cost = self.cost(costs, element);
            let written = Numbers::Readable.cost(self.query.column, cost);
            // Only costs that count recursion repeatedly exceed the total; a share above 100 % would be meaningless.
            if self.share(cost) > 1.0 {
                return format!("{word} {written}");
            }
            format!("{word} {} · {written}", Numbers::Readable.share(cost, self.total))
        };
        let elements = self.elements;
        let (share, known) = (self.weight(element), self.inclusive(element));
        let inclusive = match share > known {
            true => format!("incl. ≥ {}", format_share(share, 1)),
            false if self.is_lower_bound(element) => line("incl. ≥", &elements.inclusive),
            false => line("incl.", &elements.inclusive),
        };
        let own = if elements.has_levels(element) { "self, all levels:" } else { "self" };
        let mut details = vec![inclusive, line(own, &elements.own)];
        details.extend(elements.place(element));
        CallNode { label: elements.name(element), details, share, is_cycle: elements.is_cycle[element] }
    }

    /// The sum of the self costs of all elements but these, as a share of the total.
    fn own_share_without(&self, kept: &[usize]) -> f64 {
        let own = |element: usize| self.share(self.cost(&self.elements.own, element));
        let all: f64 = (0..self.elements.count()).checked().map(own).sum();
        let shown: f64 = kept.iter().map(|&element| own(element)).sum();
        (all - shown).clamp(0.0, 1.0)
    }
}

/// The share of the total; 0 if the total is 0.
fn share(cost: Cost, total: Cost) -> f64 {
    let share = cost.as_f64() / total.as_f64();
    if share.is_finite() { share } else { 0.0 }
}

/// A sort key for shares: non-negative floating-point numbers sort like their bits.
fn sort_key(share: f64) -> u64 {
    share.max(0.0).to_bits()
}

#[cfg(test)]
mod tests;
