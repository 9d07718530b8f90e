//! The layer of each node: above everything it links to, once cycles are broken.

use super::Link;

/// Layers, and what led to them.
pub(super) struct Layering {
    /// The layer of each node, 0 at the top.
    pub(super) layers: Vec<usize>,
    /// Nodes in the order in which a walk along the links met them.
    pub(super) walk: Vec<usize>,
    /// The upper and the lower end of each link; nothing for loops and for links to nowhere.
    pub(super) ends: Vec<Option<(usize, usize)>>,
}

/// More rounds than this change nothing that could be seen.
const ROUNDS: usize = 4;

pub(super) fn rank(nodes: usize, links: &[Link]) -> Layering {
    let ends = links.iter().map(|link| {
        (link.from != link.to && link.from < nodes && link.to < nodes).then_some((link.from, link.to))
    });
    let mut ends: Vec<Option<(usize, usize)>> = ends.collect();
    let walk = DepthFirst::over(nodes, &ends);
    for (end, is_back) in ends.iter_mut().zip(&walk.is_back) {
        if let (Some(end), true) = (end, is_back) {
            *end = (end.1, end.0);
        }
    }
    let layers = layers(nodes, &ends, &walk.finished);
    Layering { layers, walk: walk.met, ends }
}

/// A walk into the depth, from what nothing links to.
struct DepthFirst {
    /// Nodes as they were met.
    met: Vec<usize>,
    /// Nodes as they were left for good, last first: each before all that it leads to.
    finished: Vec<usize>,
    /// Links that lead back to where the walk came from.
    is_back: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    Open,
    Left,
}

impl DepthFirst {
    fn over(nodes: usize, ends: &[Option<(usize, usize)>]) -> Self {
        let leaving = leaving(nodes, ends);
        let mut entered = vec![false; nodes];
        ends.iter().flatten().for_each(|&(_, to)| entered[to] = true);
        let starts = (0..nodes).filter(|&node| !entered[node]).chain(0..nodes);
        let mut walk = Self { met: Vec::new(), finished: Vec::new(), is_back: vec![false; ends.len()] };
        let mut states = vec![Visit::New; nodes];
        for start in starts {
            if states[start] == Visit::New {
                walk.from(start, &leaving, ends, &mut states);
            }
        }
        walk.finished.reverse();
        walk
    }

    fn from(
        &mut self,
        start: usize,
        leaving: &[Vec<usize>],
        ends: &[Option<(usize, usize)>],
        states: &mut [Visit],
    ) {
        // Nodes on the way, each with how many of its links were taken.
        let mut way = vec![(start, 0)];
        states[start] = Visit::Open;
        self.met.push(start);
        while let Some((node, taken)) = way.last_mut() {
            let Some(&link) = leaving[*node].get(*taken) else {
                states[*node] = Visit::Left;
                self.finished.push(*node);
                way.pop();
                continue;
            };
            *taken += 1;
            let Some((_, to)) = ends[link] else { continue };
            match states[to] {
                Visit::Open => self.is_back[link] = true,
                Visit::Left => {}
                Visit::New => {
                    states[to] = Visit::Open;
                    self.met.push(to);
                    way.push((to, 0));
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

/// As high as possible first, then nearer to where most links are.
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

fn without_gaps(layers: Vec<usize>) -> Vec<usize> {
    let mut used = layers.clone();
    used.sort_unstable();
    used.dedup();
    layers.iter().map(|layer| used.partition_point(|each| each < layer)).collect()
}
