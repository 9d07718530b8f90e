//! The part of a graph around one element: its direct and indirect callers and callees.

use std::collections::VecDeque;

use super::Edge;

/// Whether an element is a direct or indirect caller (above) or callee (below) of the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    above: bool,
    below: bool,
}

/// The elements above or below the start, through the given edges and kept elements, within `depth` calls.
pub(super) fn reached(
    edges: &[&Edge],
    count: usize,
    start: usize,
    depth: Option<u32>,
    kept: &[usize],
) -> Vec<Option<Reach>> {
    let mut is_kept = vec![false; count];
    kept.iter().for_each(|&element| is_kept[element] = true);
    let kept = |edge: &&&Edge| is_kept[edge.from] && is_kept[edge.to];
    let ends: Vec<(usize, usize)> = edges.iter().filter(kept).map(|edge| (edge.from, edge.to)).collect();
    let reversed: Vec<(usize, usize)> = ends.iter().map(|&(from, to)| (to, from)).collect();
    let (below, above) = (search(&ends, count, start, depth), search(&reversed, count, start, depth));
    let near =
        |(above, below): (&bool, &bool)| (*above || *below).then_some(Reach { above: *above, below: *below });
    above.iter().zip(&below).map(near).collect()
}

/// Whether an edge leads towards the start or away from it.
pub(super) fn belongs(near: &[Option<Reach>], edge: &Edge) -> bool {
    match (near[edge.from], near[edge.to]) {
        (Some(from), Some(to)) => from.above && to.above || from.below && to.below,
        _ => false,
    }
}

/// Breadth-first search along edges.
fn search(edges: &[(usize, usize)], count: usize, start: usize, depth: Option<u32>) -> Vec<bool> {
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    edges.iter().for_each(|&(from, to)| next[from].push(to));
    let mut seen = vec![false; count];
    seen[start] = true;
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((element, far)) = queue.pop_front() {
        if depth.is_some_and(|most| far >= most) {
            continue;
        }
        for &other in &next[element] {
            if !std::mem::replace(&mut seen[other], true) {
                queue.push_back((other, far + 1));
            }
        }
    }
    seen
}
