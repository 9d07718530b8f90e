//! The part of a graph around one element: its direct and indirect callers and callees.

use std::collections::VecDeque;

/// Whether an element is a direct or indirect caller (above) or callee (below) of the start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    above: bool,
    below: bool,
}

/// The elements above or below the start, through the given pairs of caller and callee, within `depth` calls.
pub(super) fn reached(
    ends: &[(usize, usize)],
    count: usize,
    start: usize,
    depth: Option<u32>,
) -> Vec<Option<Reach>> {
    let reversed: Vec<(usize, usize)> = ends.iter().map(|&(from, to)| (to, from)).collect();
    let (below, above) = (search(ends, count, start, depth), search(&reversed, count, start, depth));
    let near =
        |(above, below): (&bool, &bool)| (*above || *below).then_some(Reach { above: *above, below: *below });
    above.iter().zip(&below).map(near).collect()
}

/// Whether an edge leads towards the start or away from it.
pub(super) fn belongs(near: &[Option<Reach>], (from, to): (usize, usize)) -> bool {
    match (near[from], near[to]) {
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
