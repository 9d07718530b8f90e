//! Separates loops that share a header.
//!
//! ```text
//! for _ in 0..n { for x in &mut v { … } }     entry ──> body ──> next x ──┐
//!                                                        ^ ^              │ `p += 8`
//!                                                        │ └──────────────┘
//!                                                        └─ next pass <── end of v
//!                                                             `p = v`
//! ```
//!
//! Where an outer loop does nothing before its inner loop, compilers let both begin in the same block, and the graph shows
//! only one loop. A variable such as `p` distinguishes the two back edges: on that of the inner loop it has advanced by a
//! fixed amount, on that of the outer loop it was set anew. The outer loop gets an empty block of its own in front of the
//! common header.

use std::collections::{BTreeMap, BTreeSet};

use lotse_formats::history::StoredFlow;
use lotse_symbols::graph::NaturalLoop;

use super::relation::VariableRelation;
use super::{MOST_VARIABLES, MachineCode, OperationGraph, Variable, VariableTracker, relation};

/// At most this many headers are split in one function.
const MOST_SPLITS: usize = 64;

/// Gives each outer loop that shares its header with an inner loop a header of its own.
pub(super) fn split_shared_headers(code: &MachineCode<'_>, mut flow: StoredFlow) -> StoredFlow {
    for _ in 0..MOST_SPLITS {
        let Some((header, inner)) = find_shared_header(code, &flow) else { break };
        flow = with_header(flow, header, &inner);
    }
    flow
}

/// A header that two loops share: its number, and the latches of the inner loop.
fn find_shared_header(code: &MachineCode<'_>, flow: &StoredFlow) -> Option<(u32, BTreeSet<usize>)> {
    let (graph, loops) = code.graph(flow)?;
    // The entry block of a function has further predecessors: its callers.
    let inside = loops.iter().filter(|natural| flow.blocks[natural.header as usize].0 != flow.function);
    inside.into_iter().find_map(|natural| Some((natural.header, graph.inner_latches(natural)?)))
}

impl OperationGraph<'_> {
    /// The latches of the inner loop, if two loops have this header. They are the blocks at whose end some variable has advanced,
    /// while at all other latches it was set anew.
    fn inner_latches(&self, natural: &NaturalLoop) -> Option<BTreeSet<usize>> {
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
            let mut tracker = VariableTracker::new(&changed, self.is_recorder);
            let states = self.relations_at_latches(natural, variable, &mut tracker);
            let ended: BTreeMap<usize, VariableRelation> =
                states.iter().map(|(block, state)| (*block, relation(state, variable))).collect();
            let moves = |value: &VariableRelation| matches!(value, VariableRelation::Offset(amount) if *amount != Some(0));
            let is_decided = ended.values().all(|value| moves(value) || *value == VariableRelation::Unrelated);
            let inner: BTreeSet<usize> =
                ended.iter().filter(|(_, value)| moves(value)).map(|(block, _)| *block).collect();
            (is_decided && !inner.is_empty() && inner.len() < ended.len()).then_some(inner)
        })
    }
}

/// Inserts an empty block in front of a header. All edges to the header lead through it, except those from `inner`.
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
    fn a_variable_that_is_set_anew_distinguishes_two_loops() {
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
    fn two_back_edges_are_not_always_two_loops() {
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
