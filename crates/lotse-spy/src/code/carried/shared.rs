//! Loops that share a header.
//!
//! ```text
//! for _ in 0..n { for x in &mut v { … } }     entry ──> body ──> next x ──┐
//!                                                        ^ ^              │ `p += 8`
//!                                                        │ └──────────────┘
//!                                                        └─ next pass <── end of v
//!                                                             `p = v`
//! ```
//!
//! Where a loop does nothing before the one in it, compilers let both begin in the same block, and the graph has one loop. A
//! variable tells them apart: it moves by a fixed amount where the inner one goes on, and is set anew where the outer one does. The outer
//! one gets a block of its own in front of the common header, without operations.

use std::collections::{BTreeMap, BTreeSet};

use lotse_formats::history::StoredFlow;
use lotse_symbols::graph::NaturalLoop;

use super::relation::Relation;
use super::{Follower, Graph, MOST_VARIABLES, MachineCode, Variable, relation};

/// Headers that are taken apart in one function.
const MOST: usize = 64;

/// Gives each loop that shares its header a header of its own.
pub(super) fn apart(code: &MachineCode<'_>, mut flow: StoredFlow) -> StoredFlow {
    for _ in 0..MOST {
        let Some((header, outer)) = shared(code, &flow) else { break };
        flow = with_header(flow, header, &outer);
    }
    flow
}

/// A header that two loops share: its number, and the blocks from which the inner loop goes on.
fn shared(code: &MachineCode<'_>, flow: &StoredFlow) -> Option<(u32, BTreeSet<usize>)> {
    let (graph, loops) = code.graph(flow)?;
    // The first block of a function is entered from without.
    let inside = loops.iter().filter(|natural| flow.blocks[natural.header as usize].0 != flow.function);
    inside.into_iter().find_map(|natural| Some((natural.header, graph.inner(natural)?)))
}

impl Graph<'_> {
    /// The blocks from which the inner one of two loops with the same header goes on.
    fn inner(&self, natural: &NaturalLoop) -> Option<BTreeSet<usize>> {
        let back = |block: &usize| self.successors[*block].contains(&natural.header);
        if self.members(natural).filter(back).count() < 2 {
            return None;
        }
        let changed = self.changed(natural)?;
        let open = self.read_before_written(natural);
        let candidates: Vec<Variable> = changed.intersection(&open).copied().collect();
        if candidates.len() > MOST_VARIABLES {
            return None;
        }
        candidates.into_iter().find_map(|variable| {
            let mut follower = Follower::new(&changed, self.is_recorder);
            let states = self.ended(natural, variable, &mut follower);
            let ended: BTreeMap<usize, Relation> =
                states.iter().map(|(block, state)| (*block, relation(state, variable))).collect();
            let moves = |value: &Relation| matches!(value, Relation::Moved(amount) if *amount != Some(0));
            let is_told = ended.values().all(|value| moves(value) || *value == Relation::Free);
            let inner: BTreeSet<usize> =
                ended.iter().filter(|(_, value)| moves(value)).map(|(block, _)| *block).collect();
            (is_told && !inner.is_empty() && inner.len() < ended.len()).then_some(inner)
        })
    }
}

/// Puts a block in front of a header, through which all ways go but those of some blocks.
fn with_header(flow: StoredFlow, header: u32, inner: &BTreeSet<usize>) -> StoredFlow {
    let later = |number: u32| if number >= header { number + 1 } else { number };
    let mut blocks = Vec::with_capacity(flow.blocks.len() + 1);
    for (number, (start, next)) in flow.blocks.into_iter().enumerate() {
        if number == header as usize {
            blocks.push((start, vec![header + 1]));
        }
        let goes_on = inner.contains(&number);
        let next = next.into_iter().map(|it| if it == header && !goes_on { header } else { later(it) });
        blocks.push((start, next.collect()));
    }
    StoredFlow { blocks, ..flow }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use lotse_formats::history::StoredFlow;
    use lotse_symbols::graph::natural_loops;
    use lotse_symbols::operation::decode;

    use super::with_header;
    use crate::code::carried::MachineCode;

    fn flow(code: &[u8]) -> StoredFlow {
        let operations = decode(code, 0);
        let blocks = lotse_symbols::blocks(&operations, &|_| Vec::new());
        let flow = StoredFlow { function: 0, blocks, ..StoredFlow::default() };
        MachineCode { operations: &operations, is_recorder: &|_| false }.with_carried(flow)
    }

    fn loops(flow: &StoredFlow) -> Vec<(u32, usize)> {
        let successors: Vec<Vec<u32>> = flow.blocks.iter().map(|(_, next)| next.clone()).collect();
        natural_loops(&successors, 0).iter().map(|natural| (natural.header, natural.size)).collect()
    }

    #[test]
    fn a_variable_that_is_set_anew_tells_two_loops_apart() {
        // 0: mov rax, rdi  3: inc [rax]  5: add rax, 8  9: cmp rax, rsi  c: jne 3
        // e: mov rax, rdi  11: dec ecx  13: jne 3  15: ret
        let nested = [
            0x48, 0x89, 0xf8, 0xff, 0x00, 0x48, 0x83, 0xc0, 0x08, 0x48, 0x39, 0xf0, 0x75, 0xf5, 0x48, 0x89,
            0xf8, 0xff, 0xc9, 0x75, 0xee, 0xc3,
        ];
        let found = flow(&nested);
        assert_eq!(found.blocks.iter().map(|(start, _)| *start).collect::<Vec<_>>(), [0, 3, 3, 0xe, 0x15]);
        assert_eq!(loops(&found), [(1, 3), (2, 1)], "the outer one, and the block of the inner one");
        assert_eq!(found.carried.len(), 2);
    }

    #[test]
    fn two_ways_to_go_on_are_no_two_loops() {
        // 0: nop  1: inc [rax]  3: add rax, 8  7: test [rax], ecx  9: jne 1  b: cmp rax, rsi  e: jne 1  10: ret
        let continued = [
            0x90, 0xff, 0x00, 0x48, 0x83, 0xc0, 0x08, 0x85, 0x08, 0x75, 0xf6, 0x48, 0x39, 0xf0, 0x75, 0xf1,
            0xc3,
        ];
        assert_eq!(loops(&flow(&continued)), [(1, 2)]);
    }

    #[test]
    fn a_header_of_its_own() {
        let blocks = vec![(0, vec![1]), (4, vec![1, 2]), (8, vec![1, 3]), (12, vec![])];
        let flow = StoredFlow { function: 0, blocks, ..StoredFlow::default() };
        let apart = with_header(flow, 1, &BTreeSet::from([1]));
        let expected = [(0, vec![1]), (4, vec![2]), (4, vec![2, 3]), (8, vec![1, 4]), (12, vec![])];
        assert_eq!(apart.blocks, expected);
    }
}
