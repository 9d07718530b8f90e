//! Basic blocks and loops of machine code.

use std::collections::BTreeSet;

use crate::disassembly::Flow;
use crate::graph::natural_loops;
use crate::operation::Operation;

/// A loop of machine code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLoop {
    /// The address at which every iteration starts.
    pub header: u64,
    /// The indices of its operations, in the order of addresses.
    pub operations: Vec<usize>,
    /// For each of them whether it is executed in every iteration.
    pub always: Vec<bool>,
    /// The number of enclosing loops.
    pub depth: usize,
    /// Whether it contains no other loop.
    pub is_innermost: bool,
}

/// The basic blocks of a function and their successors.
struct BlockGraph {
    /// The index of the first operation of each block, and the number of operations.
    starts: Vec<usize>,
    successors: Vec<Vec<u32>>,
}

/// The loops of a function, given its operations in the order of addresses.
#[must_use]
pub fn loops(operations: &[Operation]) -> Vec<CodeLoop> {
    let blocks = BlockGraph::new(operations, &|_| Vec::new());
    if blocks.successors.is_empty() {
        return Vec::new();
    }
    let found = natural_loops(&blocks.successors, 0);
    let inside = |inner: usize, outer: usize| {
        inner != outer
            && found[outer].body[found[inner].header as usize]
            && found[inner].size < found[outer].size
    };
    let code_loop = |number: usize| {
        let natural = &found[number];
        let members = (0..natural.body.len()).filter(|&block| natural.body[block]);
        let (mut positions, mut always) = (Vec::new(), Vec::new());
        for block in members {
            let is_always = blocks.is_in_every_iteration(block, natural.header, &natural.body);
            for position in blocks.starts[block]..blocks.starts[block + 1] {
                positions.push(position);
                always.push(is_always);
            }
        }
        CodeLoop {
            header: operations[blocks.starts[natural.header as usize]].address,
            operations: positions,
            always,
            depth: (0..found.len()).filter(|&outer| inside(number, outer)).count(),
            is_innermost: !(0..found.len()).any(|inner| inside(inner, number)),
        }
    };
    (0..found.len()).map(code_loop).collect()
}

/// The basic blocks of a function, given its operations in the order of addresses: the start address and the successors of
/// each. `targets` returns the targets of the indirect jump at an address.
#[must_use]
pub fn blocks(operations: &[Operation], targets: &dyn Fn(u64) -> Vec<u64>) -> Vec<(u64, Vec<u32>)> {
    let BlockGraph { starts, successors } = BlockGraph::new(operations, targets);
    let first = |start: usize| operations.get(start).map(|it| it.address);
    starts.into_iter().zip(successors).filter_map(|(start, next)| Some((first(start)?, next))).collect()
}

impl BlockGraph {
    /// Divides the operations into blocks: a block starts at every jump target and after every instruction that does not
    /// simply continue.
    fn new(operations: &[Operation], targets: &dyn Fn(u64) -> Vec<u64>) -> Self {
        // `None` for a target outside of the function.
        let position = |address: u64| {
            let at = operations.partition_point(|it| it.address < address);
            operations.get(at).filter(|it| it.address == address).map(|_| at)
        };
        let jumps = |operation: &Operation| match operation.flow {
            Flow::Jump { target: Some(target), .. } => position(target).into_iter().collect(),
            Flow::Jump { target: None, .. } => {
                targets(operation.address).into_iter().filter_map(position).collect()
            }
            _ => Vec::new(),
        };
        let mut leaders: BTreeSet<usize> = BTreeSet::from([0]);
        for (at, operation) in operations.iter().enumerate() {
            leaders.extend(jumps(operation));
            if !matches!(operation.flow, Flow::Next | Flow::Call { .. }) {
                leaders.insert(at + 1);
            }
        }
        let mut starts: Vec<usize> = leaders.into_iter().filter(|&at| at < operations.len()).collect();
        let block_of = |at: usize| starts.binary_search(&at).ok().and_then(|block| u32::try_from(block).ok());
        let successors = (0..starts.len()).map(|block| {
            let end = starts.get(block + 1).copied().unwrap_or(operations.len());
            let Some(last) = end.checked_sub(1).and_then(|last| operations.get(last)) else {
                return Vec::new();
            };
            let falls_through =
                matches!(last.flow, Flow::Next | Flow::Call { .. } | Flow::Jump { conditional: true, .. });
            let mut next: Vec<u32> = jumps(last).into_iter().filter_map(block_of).collect();
            next.extend(falls_through.then(|| block_of(end)).flatten().filter(|it| !next.contains(it)));
            next
        });
        let successors: Vec<Vec<u32>> = successors.collect();
        starts.push(operations.len());
        Self { starts, successors }
    }

    /// Whether every path through the loop from the header back to it contains a block: without the block, the header is
    /// not reachable from itself.
    fn is_in_every_iteration(&self, block: usize, header: u32, body: &[bool]) -> bool {
        if block == header as usize {
            return true;
        }
        let mut seen = vec![false; body.len()];
        let mut waiting = vec![header];
        while let Some(at) = waiting.pop() {
            for &next in &self.successors[at as usize] {
                let inside = body[next as usize] && next as usize != block;
                if inside && next == header {
                    return false;
                }
                if inside && !std::mem::replace(&mut seen[next as usize], true) {
                    waiting.push(next);
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{blocks, loops};
    use crate::operation::decode;

    #[test]
    fn a_loop_with_a_condition_in_it() {
        // 0: xor eax,eax  2: test eax,ecx  4: je 8  6: inc edx  8: inc eax  a: cmp eax,ebx  c: jne 2  e: ret
        let code = [0x31, 0xc0, 0x85, 0xc8, 0x74, 0x02, 0xff, 0xc2, 0xff, 0xc0, 0x39, 0xd8, 0x75, 0xf4, 0xc3];
        let operations = decode(&code, 0);
        let found = loops(&operations);
        assert_eq!(found.len(), 1);
        let only = &found[0];
        assert_eq!((only.header, only.depth, only.is_innermost), (2, 0, true));
        assert_eq!(only.operations, [1, 2, 3, 4, 5, 6]);
        assert_eq!(
            only.always,
            [true, true, false, true, true, true],
            "the condition decides about `inc edx`"
        );
    }

    #[test]
    fn nested_loops() {
        // 0: inc eax  2: dec ecx  4: jne 2  6: dec edx  8: jne 0  a: ret
        let code = [0xff, 0xc0, 0xff, 0xc9, 0x75, 0xfc, 0xff, 0xca, 0x75, 0xf6, 0xc3];
        let found = loops(&decode(&code, 0));
        let shape: Vec<_> = found.iter().map(|it| (it.header, it.depth, it.is_innermost)).collect();
        assert_eq!(shape, [(0, 0, false), (2, 1, true)]);
        assert_eq!(loops(&decode(&[0xc3], 0)), []);
        assert_eq!(loops(&[]), []);
    }

    #[test]
    fn blocks_end_with_jumps_and_begin_where_jumps_go() {
        // The first loop above, then a jump to nowhere in the function.
        let code =
            [0x31, 0xc0, 0x85, 0xc8, 0x74, 0x02, 0xff, 0xc2, 0xff, 0xc0, 0x39, 0xd8, 0x75, 0xf4, 0xeb, 0x70];
        let found = blocks(&decode(&code, 0), &|_| Vec::new());
        let starts: Vec<u64> = found.iter().map(|(start, _)| *start).collect();
        assert_eq!(starts, [0, 2, 6, 8, 14]);
        let mut next: Vec<Vec<u32>> = found.into_iter().map(|(_, next)| next).collect();
        next.iter_mut().for_each(|next| next.sort_unstable());
        assert_eq!(next, [vec![1], vec![2, 3], vec![3], vec![1, 4], vec![]]);
        assert_eq!(blocks(&[], &|_| Vec::new()), []);
    }

    #[test]
    fn the_caller_provides_the_targets_of_an_indirect_jump() {
        // 0: jmp rax  2: inc eax  4: ret  5: jmp 0
        let code = decode(&[0xff, 0xe0, 0xff, 0xc0, 0xc3, 0xeb, 0xf9], 0);
        let found = blocks(&code, &|address| if address == 0 { vec![2, 5, 0x99] } else { Vec::new() });
        assert_eq!(found, [(0, vec![1, 2]), (2, vec![]), (5, vec![0])]);
        assert_eq!(blocks(&code, &|_| Vec::new())[0], (0, vec![]));
    }
}
