//! The layer of each node: above all nodes it links to, after cycles are broken.
//!
//! A depth-first search finds the back edges, which close cycles; they are reversed. The reverse order of finishing is then a
//! topological order, along which each node is put one layer below its lowest predecessor.

use super::Link;

/// The layers of a graph without cycles.
pub(super) struct Layering {
    /// The layer of each node, 0 at the top.
    pub(super) layers: Vec<usize>,
    /// Nodes in the order in which the depth-first search discovered them.
    pub(super) discovered: Vec<usize>,
    /// The upper and the lower end of each link; `None` for loops and for links from or to missing nodes.
    pub(super) ends: Vec<Option<(usize, usize)>>,
}

/// The number of rounds that shorten links; more rounds make no visible difference.
const ROUNDS: usize = 4;

/// Breaks cycles and assigns layers.
pub(super) fn assign_layers(nodes: usize, links: &[Link]) -> Layering {
    let ends = links.iter().map(|link| {
        (link.from != link.to && link.from < nodes && link.to < nodes).then_some((link.from, link.to))
    });
    let mut ends: Vec<Option<(usize, usize)>> = ends.collect();
    let search = DepthFirst::over(nodes, &ends);
    for (end, is_back) in ends.iter_mut().zip(&search.is_back) {
        if let (Some(end), true) = (end, is_back) {
            *end = (end.1, end.0);
        }
    }
    let layers = layers(nodes, &ends, &search.finished);
    Layering { layers, discovered: search.discovered, ends }
}

/// A depth-first search, which starts at nodes without incoming links.
struct DepthFirst {
    /// Nodes in the order of discovery.
    discovered: Vec<usize>,
    /// Nodes in reverse order of finishing: a topological order once back edges are reversed.
    finished: Vec<usize>,
    /// For each link whether it is a back edge, to a node on the current path.
    is_back: Vec<bool>,
}

/// The state of a node in the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    /// On the current path.
    Open,
    Finished,
}

impl DepthFirst {
    /// Searches the whole graph.
    fn over(nodes: usize, ends: &[Option<(usize, usize)>]) -> Self {
        let leaving = leaving(nodes, ends);
        let mut entered = vec![false; nodes];
        ends.iter().flatten().for_each(|&(_, to)| entered[to] = true);
        let starts = (0..nodes).filter(|&node| !entered[node]).chain(0..nodes);
        let mut search =
            Self { discovered: Vec::new(), finished: Vec::new(), is_back: vec![false; ends.len()] };
        let mut states = vec![Visit::New; nodes];
        for start in starts {
            if states[start] == Visit::New {
                search.visit_from(start, &leaving, ends, &mut states);
            }
        }
        search.finished.reverse();
        search
    }

    /// Visits all nodes that are reached from `start` and not visited yet, with an explicit stack.
    fn visit_from(
        &mut self,
        start: usize,
        leaving: &[Vec<usize>],
        ends: &[Option<(usize, usize)>],
        states: &mut [Visit],
    ) {
        // The nodes of the current path, each with the number of its links that were followed.
        let mut path = vec![(start, 0)];
        states[start] = Visit::Open;
        self.discovered.push(start);
        while let Some((node, followed)) = path.last_mut() {
            let Some(&link) = leaving[*node].get(*followed) else {
                states[*node] = Visit::Finished;
                self.finished.push(*node);
                path.pop();
                continue;
            };
            *followed += 1;
            let Some((_, to)) = ends[link] else { continue };
            match states[to] {
                Visit::Open => self.is_back[link] = true,
                Visit::Finished => {}
                Visit::New => {
                    states[to] = Visit::Open;
                    self.discovered.push(to);
                    path.push((to, 0));
                }
            }
        }
    }
}

/// The links that leave each node.
fn leaving(nodes: usize, ends: &[Option<(usize, usize)>]) -> Vec<Vec<usize>> {
    let mut leaving = vec![Vec::new(); nodes];
    for (link, ends) in ends.iter().enumerate() {
        if let Some((from, _)) = ends {
            leaving[*from].push(link);
        }
    }
    leaving
}

/// The layer of each node: first as high as possible, then, over a few rounds, nodes with more links downwards than upwards
/// move down and the others up, which shortens links.
fn layers(nodes: usize, ends: &[Option<(usize, usize)>], downwards: &[usize]) -> Vec<usize> {
    let (mut above, mut below) = (vec![Vec::new(); nodes], vec![Vec::new(); nodes]);
    for &(upper, lower) in ends.iter().flatten() {
        above[lower].push(upper);
        below[upper].push(lower);
    }
    let mut layers = vec![0usize; nodes];
    let highest = |layers: &[usize], node: usize| above[node].iter().map(|&up| layers[up] + 1).max();
    let lowest = |layers: &[usize], node: usize| below[node].iter().map(|&down| layers[down] - 1).min();
    for &node in downwards {
        layers[node] = highest(&layers, node).unwrap_or(0);
    }
    for _ in 0..ROUNDS {
        for &node in downwards.iter().rev().filter(|&&node| below[node].len() > above[node].len()) {
            layers[node] = lowest(&layers, node).unwrap_or(layers[node]);
        }
        for &node in downwards.iter().filter(|&&node| below[node].len() < above[node].len()) {
            layers[node] = highest(&layers, node).unwrap_or(layers[node]);
        }
    }
    without_gaps(layers)
}

/// Renumbers layers so that none is empty.
fn without_gaps(layers: Vec<usize>) -> Vec<usize> {
    let mut used = layers.clone();
    used.sort_unstable();
    used.dedup();
    layers.iter().map(|layer| used.partition_point(|each| each < layer)).collect()
}
