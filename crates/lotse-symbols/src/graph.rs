//! Natural loops of a control-flow graph.
//!
//! A back edge leads from a block (the latch) to one that dominates it (the header). The natural loop of a header contains
//! all blocks from which one of its latches is reached without passing the header.
//!
//! ```text
//!  0 ──▸ 1 ──▸ 2 ──▸ 3        2 ──▸ 1 is a back edge, since 1 dominates 2
//!        ▴─────┘              loop: header 1, body {1, 2}
//! ```

/// A natural loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaturalLoop {
    /// The block through which every path enters the loop.
    pub header: u32,
    /// For each block whether it belongs to the loop.
    pub body: Vec<bool>,
    /// The number of blocks of the loop.
    pub size: usize,
}

/// The blocks that are reached from the entry in reverse postorder: each before its successors, except for back edges.
fn reverse_postorder(successors: &[Vec<u32>], entry: u32) -> Vec<u32> {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::new();
    let mut stack = vec![(entry, 0)];
    seen[entry as usize] = true;
    while let Some((block, at)) = stack.last_mut() {
        match successors[*block as usize].get(*at) {
            Some(&next) => {
                *at += 1;
                if !std::mem::replace(&mut seen[next as usize], true) {
                    stack.push((next, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

const NONE: usize = usize::MAX;

/// The immediate dominator of each block (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm). Blocks are given by
/// their positions in `order`, a reverse postorder; the sets are iterated until nothing changes.
fn immediate_dominators(successors: &[Vec<u32>], order: &[u32]) -> Vec<usize> {
    let positions = positions(successors.len(), order);
    let mut predecessors = vec![Vec::new(); order.len()];
    for (at, &block) in order.iter().enumerate() {
        for &next in &successors[block as usize] {
            predecessors[positions[next as usize]].push(at);
        }
    }
    let mut dominators = vec![NONE; order.len()];
    dominators[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for at in 1..order.len() {
            let known = predecessors[at].iter().copied().filter(|&before| dominators[before] != NONE);
            let common = known.reduce(|a, b| intersection(&dominators, a, b)).unwrap_or(NONE);
            changed |= dominators[at] != common;
            dominators[at] = common;
        }
    }
    dominators
}

/// The nearest common dominator of two blocks.
fn intersection(dominators: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = dominators[a];
        } else {
            b = dominators[b];
        }
    }
    a
}

fn positions(count: usize, order: &[u32]) -> Vec<usize> {
    let mut positions = vec![NONE; count];
    order.iter().enumerate().for_each(|(at, &block)| positions[block as usize] = at);
    positions
}

/// The natural loops of a graph, outer loops before inner ones. Cycles with several entries (irreducible) are not loops.
#[must_use]
pub fn natural_loops(successors: &[Vec<u32>], entry: u32) -> Vec<NaturalLoop> {
    let order = reverse_postorder(successors, entry);
    let dominators = immediate_dominators(successors, &order);
    loops_in(successors, &order, &dominators)
}

/// The loops of all headers: a block is a header if it dominates one of its predecessors (a latch).
fn loops_in(successors: &[Vec<u32>], order: &[u32], dominators: &[usize]) -> Vec<NaturalLoop> {
    let positions = positions(successors.len(), order);
    let mut predecessors = vec![Vec::new(); successors.len()];
    for &block in order {
        successors[block as usize].iter().for_each(|&next| predecessors[next as usize].push(block));
    }
    let dominates = |above: usize, mut at: usize| {
        while at > above {
            at = dominators[at];
        }
        at == above
    };
    let mut loops = Vec::new();
    for (position, &header) in order.iter().enumerate() {
        let back = predecessors[header as usize].iter().copied();
        let latches: Vec<u32> =
            back.filter(|&latch| dominates(position, positions[latch as usize])).collect();
        if !latches.is_empty() {
            loops.push(natural_loop(header, latches, &predecessors));
        }
    }
    loops
}

/// The loop of a header: all blocks found backwards from its latches.
fn natural_loop(header: u32, mut waiting: Vec<u32>, predecessors: &[Vec<u32>]) -> NaturalLoop {
    let mut body = vec![false; predecessors.len()];
    body[header as usize] = true;
    while let Some(block) = waiting.pop() {
        if !std::mem::replace(&mut body[block as usize], true) {
            waiting.extend(&predecessors[block as usize]);
        }
    }
    let size = body.iter().filter(|inside| **inside).count();
    NaturalLoop { header, body, size }
}

#[cfg(test)]
mod tests {
    use super::natural_loops;

    fn loops(successors: &[&[u32]]) -> Vec<(u32, Vec<usize>)> {
        let successors: Vec<Vec<u32>> = successors.iter().map(|next| next.to_vec()).collect();
        let blocks = |body: &[bool]| (0..body.len()).filter(|&block| body[block]).collect();
        natural_loops(&successors, 0).iter().map(|it| (it.header, blocks(&it.body))).collect()
    }

    #[test]
    fn loops_have_a_header_and_all_that_leads_back_to_it() {
        assert_eq!(loops(&[&[1], &[2, 3], &[1], &[]]), [(1, vec![1, 2])]);
        let nested = loops(&[&[1], &[2], &[2, 3], &[1, 4], &[]]);
        assert_eq!(nested, [(1, vec![1, 2, 3]), (2, vec![2])], "outer loops come first");
        assert_eq!(loops(&[&[1, 2], &[2], &[1]]), [], "two entries");
        assert_eq!(loops(&[&[]]), []);
    }
}
