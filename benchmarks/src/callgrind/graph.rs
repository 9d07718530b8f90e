//! The call graph.
//!
//! Functions are numbered; 0 is the root. Every call goes to a higher number, except within a group: a ring of consecutive numbers,
//! or one function that calls itself. So the groups are exactly the strongly connected components, and descending order visits
//! every callee before its callers.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Size;
use crate::dice::Dice;

/// All calls, by caller.
#[derive(Debug)]
pub(super) struct Graph {
    /// First function of the group of each function; most groups have one member.
    group: Vec<u32>,
    /// Index of the first call of each function, and the number of all calls at the end.
    starts: Vec<u32>,
    calls: Vec<Call>,
    /// Number of calls into a group from outside, indexed by its first function.
    entries: Vec<u32>,
    /// Number of calls of each function.
    called: Vec<u64>,
}

/// All calls of one pair of functions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) callee: u32,
    pub(super) count: u32,
    /// Number of this call among the entries of the callee's group; `None` within a group.
    pub(super) rank: Option<u32>,
}

impl Graph {
    pub(super) fn new(size: Size) -> Self {
        let group = groups(size);
        let pairs = pairs(size, &group);
        let functions = group.len();
        let mut graph = Self {
            group,
            starts: starts(functions, &pairs),
            calls: Vec::with_capacity(pairs.len()),
            entries: vec![0; functions],
            called: vec![0; functions],
        };
        let mut dice = Dice::new(size.seed, "call counts", 0);
        for (caller, callee) in pairs {
            graph.add(caller, callee, 1 + dice.skewed(12) as u32);
        }
        graph
    }

    fn add(&mut self, caller: u32, callee: u32, count: u32) {
        let (from, to) = (self.group[caller as usize], self.group[callee as usize]);
        let rank = (from != to).then(|| {
            let entries = &mut self.entries[to as usize];
            *entries += 1;
            *entries - 1
        });
        self.called[callee as usize] += u64::from(count);
        self.calls.push(Call { callee, count, rank });
    }

    /// The number of pairs of caller and callee.
    pub(super) fn len(&self) -> usize {
        self.calls.len()
    }

    /// The calls a function makes.
    pub(super) fn calls(&self, function: u32) -> &[Call] {
        let at = |function: u32| self.starts[function as usize] as usize;
        &self.calls[at(function)..at(function + 1)]
    }

    /// The first function of a function's group.
    pub(super) fn group(&self, function: u32) -> u32 {
        self.group[function as usize]
    }

    /// Whether a function's group has several members.
    pub(super) fn is_ring(&self, function: u32) -> bool {
        let first = self.group(function);
        function != first || self.group.get(first as usize + 1) == Some(&first)
    }

    /// Calls into a function's group from outside it.
    pub(super) fn entries(&self, function: u32) -> u32 {
        self.entries[self.group(function) as usize]
    }

    /// The number of calls of a function.
    pub(super) fn called(&self, function: u32) -> u64 {
        self.called[function as usize]
    }
}

/// The group of each function. The root is alone.
fn groups(size: Size) -> Vec<u32> {
    let mut group: Vec<u32> = (0..size.functions).collect();
    let mut dice = Dice::new(size.seed, "cycles", 0);
    for _ in 0..size.cycles {
        let length = 2 + dice.below(4) as u32;
        let room = u64::from(size.functions.saturating_sub(length + 1));
        let start = 1 + dice.rather_small(room) as u32;
        let members = start as usize..(start + length) as usize;
        let is_free =
            group.get(members.clone()).is_some_and(|it| it.iter().copied().eq(start..start + length));
        let next_is_free = group.get(members.end).is_none_or(|it| *it as usize == members.end);
        if is_free && next_is_free {
            group[members].fill(start);
        }
    }
    group
}

/// The numbers of a function's group.
fn members(group: &[u32], function: u32) -> Range<u32> {
    let start = group[function as usize];
    let others = group[start as usize..].iter().take_while(|it| **it == start);
    start..start + others.count() as u32
}

/// All pairs of caller and callee, sorted.
fn pairs(size: Size, group: &[u32]) -> Vec<(u32, u32)> {
    const MOST_ROUNDS: u32 = 100;
    let mut pairs = within_groups(size, group);
    let mut dice = Dice::new(size.seed, "calls", 0);
    // Every function has a caller, so that the root's inclusive cost is the total.
    pairs.extend((1..size.functions).map(|callee| {
        let before = members(group, callee).start;
        (dice.below(u64::from(before)) as u32, callee)
    }));
    for _ in 0..MOST_ROUNDS {
        pairs.sort_unstable();
        pairs.dedup();
        let missing = (size.edges as usize).saturating_sub(pairs.len());
        if missing == 0 {
            break;
        }
        pairs.extend((0..missing).filter_map(|_| any_call(&mut dice, group)));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// The rings and the functions that call themselves.
fn within_groups(size: Size, group: &[u32]) -> Vec<(u32, u32)> {
    let ring = |function: u32| {
        let members = members(group, function);
        let next = if function + 1 == members.end { members.start } else { function + 1 };
        (members.len() > 1).then_some((function, next))
    };
    let mut dice = Dice::new(size.seed, "recursion", 0);
    let selves: BTreeSet<u32> =
        (0..size.recursive).map(|_| dice.rather_small(u64::from(size.functions)) as u32).collect();
    (0..size.functions).filter_map(ring).chain(selves.into_iter().map(|it| (it, it))).collect()
}

/// A random call: to a neighbour, to any function, or to one of the few that are called from everywhere.
fn any_call(dice: &mut Dice, group: &[u32]) -> Option<(u32, u32)> {
    const NEIGHBOURS: u64 = 5000;
    let functions = group.len() as u64;
    let caller = dice.rather_small(functions) as u32;
    let first = u64::from(members(group, caller).end);
    let beyond = functions - first;
    let distance = match dice.below(10) {
        0..5 => dice.below(beyond.min(NEIGHBOURS)),
        5..8 => dice.below(beyond),
        _ => beyond.saturating_sub(1 + dice.rather_small(beyond.min(functions / 100))),
    };
    (beyond > 0).then_some((caller, (first + distance) as u32))
}

fn starts(functions: usize, sorted: &[(u32, u32)]) -> Vec<u32> {
    let mut starts = vec![0; functions + 1];
    for (caller, _) in sorted {
        starts[*caller as usize + 1] += 1;
    }
    for at in 0..functions {
        starts[at + 1] += starts[at];
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::{Graph, Size};

    const SIZE: Size = Size { functions: 300, edges: 2000, cost_lines: 0, cycles: 9, recursive: 12, seed: 3 };

    #[test]
    fn calls_go_up_or_stay_within_their_group() {
        let graph = Graph::new(SIZE);
        for caller in 0..SIZE.functions {
            for call in graph.calls(caller) {
                let same = graph.group(caller) == graph.group(call.callee);
                assert_eq!(call.rank.is_none(), same);
                assert!(same || call.callee > caller && graph.group(call.callee) > graph.group(caller));
            }
        }
        assert_eq!(graph.len(), 2000);
    }

    #[test]
    fn all_but_the_root_are_entered() {
        let graph = Graph::new(SIZE);
        assert_eq!(graph.entries(0), 0);
        assert!(
            (1..SIZE.functions).all(|function| graph.entries(function) > 0 && graph.called(function) > 0)
        );
    }

    #[test]
    fn there_are_rings_and_functions_that_call_themselves() {
        let graph = Graph::new(SIZE);
        let all = || 0..SIZE.functions;
        assert!(all().any(|it| graph.group(it) != it));
        assert!(all().any(|it| graph.group(it) == it && graph.calls(it).iter().any(|to| to.callee == it)));
    }

    #[test]
    fn too_many_calls_for_so_few_functions_are_not_waited_for() {
        let graph = Graph::new(Size { functions: 5, edges: 1000, ..SIZE });
        assert!((4..=20).contains(&graph.len()), "{}", graph.len());
    }
}
