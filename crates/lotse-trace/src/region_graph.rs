//! The dynamic region call graph (SCALEA): a node for each executed region, an edge from a region to each region inside it.
//!
//! Times are sums over all locations. A recursive call adds visits but no inclusive time, neither to its region nor to the
//! edge, because the outermost call contains it. Hence a region's inclusive time is the sum over its incoming edges. The
//! exclusive times of all regions sum to the time of all locations; time outside of all regions belongs to the node without
//! a region.

use std::collections::BTreeMap;

use lotse_model::id::{PathId, RegionId};
use lotse_model::trace::Ticks;

use crate::store::{PathUse, Paths, Trace};

/// The graph of a run. The first node is the run itself, outside all regions; the others are in the order of regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionGraph {
    /// The executed regions.
    pub nodes: Vec<RegionNode>,
    /// Which region ran inside which, in the order of nodes.
    pub edges: Vec<RegionEdge>,
}

/// An executed region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionNode {
    /// The region; `None` for the run itself.
    pub region: Option<RegionId>,
    pub amount: VisitsAndTime,
    /// Time in the region, without the regions inside it.
    pub exclusive: Ticks,
}

/// A region that ran inside another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegionEdge {
    /// The node of the outer region.
    pub from: usize,
    /// The node of the inner region.
    pub to: usize,
    pub amount: VisitsAndTime,
}

/// Visits and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VisitsAndTime {
    /// Number of enters.
    pub visits: u64,
    /// Time in the region and the regions inside it.
    pub inclusive: Ticks,
}

impl VisitsAndTime {
    fn add(&mut self, visits: u64, inclusive: Ticks) {
        self.visits += visits;
        self.inclusive = self.inclusive.saturating_add(inclusive);
    }
}

/// Builds the graph of a trace.
pub fn region_graph(trace: &Trace) -> RegionGraph {
    let used = sums_by_path(trace);
    let inclusive = inclusive(&trace.paths, &used);
    let outermost = outermost(&trace.paths, trace.definitions.regions.len());
    let key = |path: PathId| (path != Paths::ROOT).then(|| trace.paths.region(path));
    let mut nodes: BTreeMap<Option<RegionId>, RegionNode> = BTreeMap::new();
    let mut edges: BTreeMap<(Option<RegionId>, Option<RegionId>), VisitsAndTime> = BTreeMap::new();
    for path in trace.paths.ids() {
        let (visits, exclusive) = used[path.index()];
        let time = if outermost[path.index()] { inclusive[path.index()] } else { 0 };
        if path != Paths::ROOT && visits == 0 && inclusive[path.index()] == 0 {
            continue;
        }
        let new = || RegionNode { region: key(path), amount: VisitsAndTime::default(), exclusive: 0 };
        let node = nodes.entry(key(path)).or_insert_with(new);
        node.amount.add(visits, time);
        node.exclusive = node.exclusive.saturating_add(exclusive);
        if path != Paths::ROOT {
            let edge = (key(trace.paths.parent(path)), key(path));
            edges.entry(edge).or_default().add(visits, time);
        }
    }
    let numbers: BTreeMap<Option<RegionId>, usize> = nodes.keys().copied().zip(0..).collect();
    let edge = |((from, to), amount)| RegionEdge { from: numbers[&from], to: numbers[&to], amount };
    RegionGraph { edges: edges.into_iter().map(edge).collect(), nodes: nodes.into_values().collect() }
}

/// Visits and exclusive time by path, over all locations.
fn sums_by_path(trace: &Trace) -> Vec<(u64, Ticks)> {
    let mut sums: Vec<(u64, Ticks)> = vec![(0, 0); trace.paths.len()];
    for used in trace.uses.iter().flatten() {
        let sum = &mut sums[used.path.index()];
        *sum = (sum.0 + used.visits, sum.1.saturating_add(used.exclusive));
    }
    sums
}

fn inclusive(paths: &Paths, used: &[(u64, Ticks)]) -> Vec<Ticks> {
    let mut times: Vec<Ticks> = used.iter().map(|&(_, exclusive)| exclusive).collect();
    add_to_parents(paths, &mut times);
    times
}

/// Inclusive time by path, of one location.
pub(crate) fn inclusive_of(paths: &Paths, uses: &[PathUse]) -> Vec<Ticks> {
    let mut times = vec![0; paths.len()];
    for used in uses {
        times[used.path.index()] += used.exclusive;
    }
    add_to_parents(paths, &mut times);
    times
}

/// Turns exclusive into inclusive times: children have larger numbers than their parents, so one backward pass suffices.
fn add_to_parents(paths: &Paths, times: &mut [Ticks]) {
    for path in (1..times.len()).rev() {
        let parent = paths.parent(PathId::from(path)).index();
        times[parent] = times[parent].saturating_add(times[path]);
    }
}

/// By path: whether its region occurs only once on it, so that its time is not contained in an outer call of the region.
/// A depth-first traversal with an explicit stack counts the open calls of each region.
pub(crate) fn outermost(paths: &Paths, regions: usize) -> Vec<bool> {
    let (first, children) = children(paths);
    let mut open = vec![0_u32; regions];
    let mut outermost = vec![true; paths.len()];
    let mut stack = vec![(Paths::ROOT, first[0])];
    while let Some((path, next)) = stack.last_mut() {
        let (path, at) = (*path, *next);
        if at < first[path.index() + 1] {
            *next += 1;
            let child = children[at];
            let count = &mut open[paths.region(child).index()];
            outermost[child.index()] = *count == 0;
            *count += 1;
            stack.push((child, first[child.index()]));
        } else {
            stack.pop();
            if path != Paths::ROOT {
                open[paths.region(path).index()] -= 1;
            }
        }
    }
    outermost
}

/// The children of all paths in one list, and the position of each path's first child in it.
fn children(paths: &Paths) -> (Vec<usize>, Vec<PathId>) {
    let mut children: Vec<PathId> = paths.ids().skip(1).collect();
    children.sort_by_key(|&child| paths.parent(child));
    let mut first = vec![0; paths.len() + 1];
    for child in &children {
        first[paths.parent(*child).index() + 1] += 1;
    }
    for path in 1..first.len() {
        first[path] += first[path - 1];
    }
    (first, children)
}

#[cfg(test)]
mod tests {
    use super::{RegionGraph, region_graph};
    use crate::fixture::Script;
    use crate::store::Trace;

    fn name(trace: &Trace, graph: &RegionGraph, node: usize) -> String {
        graph.nodes[node].region.map_or("(run)".to_owned(), |it| trace.region_name(it).to_owned())
    }

    fn nodes(trace: &Trace, graph: &RegionGraph) -> Vec<(String, u64, u64, u64)> {
        let row = |(number, node): (usize, &super::RegionNode)| {
            (name(trace, graph, number), node.amount.visits, node.amount.inclusive, node.exclusive)
        };
        graph.nodes.iter().enumerate().map(row).collect()
    }

    fn edges(trace: &Trace, graph: &RegionGraph) -> Vec<(String, u64, u64)> {
        let row = |it: &super::RegionEdge| {
            let names = [name(trace, graph, it.from), name(trace, graph, it.to)].join(">");
            (names, it.amount.visits, it.amount.inclusive)
        };
        graph.edges.iter().map(row).collect()
    }

    #[test]
    fn regions_in_regions_on_two_locations() {
        let mut script = Script::processes(2);
        script.enter(0, 0, "main").enter(0, 10, "solve").call(0, 20, 50, "dot").leave(0, 60, "solve");
        script.call(0, 60, 70, "dot").leave(0, 100, "main");
        script.enter(1, 0, "main").call(1, 10, 30, "solve").leave(1, 90, "main");
        let trace = script.trace();
        let graph = region_graph(&trace);
        let text = |name: &str, a, b, c| (name.to_owned(), a, b, c);
        assert_eq!(
            nodes(&trace, &graph),
            [
                text("(run)", 0, 190, 0),
                text("main", 2, 190, 110),
                text("solve", 2, 70, 40),
                text("dot", 2, 40, 40)
            ]
        );
        let text = |name: &str, a, b| (name.to_owned(), a, b);
        let want = [
            text("(run)>main", 2, 190),
            text("main>solve", 2, 70),
            text("main>dot", 1, 10),
            text("solve>dot", 1, 30),
        ];
        assert_eq!(edges(&trace, &graph), want);
    }

    #[test]
    fn recursion_counts_visits_and_the_outermost_time() {
        let mut script = Script::processes(1);
        script.enter(0, 0, "fib").enter(0, 10, "fib").call(0, 20, 30, "fib").leave(0, 40, "fib");
        script.leave(0, 50, "fib");
        let trace = script.trace();
        let graph = region_graph(&trace);
        assert_eq!(nodes(&trace, &graph)[1], ("fib".to_owned(), 3, 50, 50));
        let want = [("(run)>fib".to_owned(), 1, 50), ("fib>fib".to_owned(), 2, 0)];
        assert_eq!(edges(&trace, &graph), want);
    }

    #[test]
    fn very_deep_stacks_are_handled() {
        let mut script = Script::processes(1);
        for depth in 0..20_000 {
            script.enter(0, depth, "down");
        }
        let graph = region_graph(&script.trace());
        assert_eq!((graph.nodes[1].amount.visits, graph.nodes[1].amount.inclusive), (20_000, 19_999));
    }
}
