//! Branches of trees from stacks: exact.

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;

use super::grow::{Branch, BranchSource};
use crate::analysis::Analysis;

/// The stacks of the chosen parts with their costs.
pub(super) struct StackTrie<'a> {
    profile: &'a Profile,
    function: Vec<FunctionId>,
    /// The cost of the samples of each stack.
    own: Costs,
    /// The same, with everything on top of it.
    subtree: Costs,
    /// The stacks with one frame more than stack `s` are `above[starts[s]..starts[s + 1]]`; the last slot has the roots.
    starts: Vec<u32>,
    above: Vec<u32>,
}

impl<'a> StackTrie<'a> {
    pub(super) fn new(analysis: &Analysis<'a>) -> Self {
        let profile = analysis.profile;
        let own = own(analysis);
        let mut subtree = own.clone();
        for node in (0..profile.stacks.len()).rev().checked() {
            if let Some(below) = profile.stacks.below[node] {
                let row = subtree.row(node).to_vec();
                subtree.add(below.index(), &row);
            }
        }
        let function = profile.stacks.frame.iter().map(|frame| profile.frames.function[frame.index()]);
        let (starts, above) = above(profile);
        Self { profile, function: function.collect(), own, subtree, starts, above }
    }

    fn above(&self, slot: usize) -> &[u32] {
        &self.above[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    fn below(&self, node: u32) -> Option<u32> {
        self.profile.stacks.below[node as usize].map(|below| below.0)
    }

    fn costs(&self) -> Costs {
        Costs::new(self.own.width(), self.own.signed())
    }

    /// Groups stacks by their innermost function.
    fn by_function(&self, nodes: impl Iterator<Item = u32>) -> Vec<Branch<Vec<u32>>> {
        let mut groups: HashMap<FunctionId, usize> = HashMap::new();
        let mut sums = self.costs();
        let mut found: Vec<(FunctionId, Vec<u32>)> = Vec::new();
        for node in nodes.filter(|&node| !is_nothing(self.subtree.row(node as usize))).checked() {
            let function = self.function[node as usize];
            let group = *groups.entry(function).or_insert(found.len());
            if group == found.len() {
                found.push((function, Vec::new()));
                sums.push(&[]);
            }
            found[group].1.push(node);
            sums.add(group, self.subtree.row(node as usize));
        }
        let branch = |(group, (function, state)): (usize, (FunctionId, Vec<u32>))| Branch {
            function,
            cost: sums.row(group).to_vec(),
            calls: None,
            state,
        };
        found.into_iter().enumerate().map(branch).collect()
    }
}

/// The cost of the samples of each stack.
fn own(analysis: &Analysis<'_>) -> Costs {
    let profile = analysis.profile;
    let mut own = Costs::zeros(profile.events.len(), profile.signed, profile.stacks.len());
    for part in analysis.parts.iter().map(|part| &profile.parts[part.index()]) {
        for (row, stack) in part.samples.stack.iter().enumerate().checked() {
            if let Some(stack) = stack {
                own.add(stack.index(), part.samples.costs.row(row));
            }
        }
    }
    own
}

/// Sorts stacks by the stack below them (counting sort).
fn above(profile: &Profile) -> (Vec<u32>, Vec<u32>) {
    let count = profile.stacks.len();
    let slot = |node: usize| profile.stacks.below[node].map_or(count, |below| below.index());
    let mut starts = vec![0_u32; count + 2];
    (0..count).for_each(|node| starts[slot(node) + 1] += 1);
    (1..starts.len()).for_each(|place| starts[place] += starts[place - 1]);
    let mut next = starts.clone();
    let mut above = vec![0_u32; count];
    for node in (0..count).checked() {
        let place = &mut next[slot(node)];
        above[*place as usize] = node as u32;
        *place += 1;
    }
    (starts, above)
}

fn is_nothing(costs: &[u64]) -> bool {
    costs.iter().all(|&cost| cost == 0)
}

/// Branches towards callees: from the outermost frames, or the outermost ones of a function, to those on top.
pub(super) struct StackCallees<'a> {
    pub(super) trie: &'a StackTrie<'a>,
    pub(super) start: Option<FunctionId>,
}

impl BranchSource for StackCallees<'_> {
    /// The stacks whose innermost frame is the node.
    type State = Vec<u32>;

    fn roots(&self) -> Vec<Branch<Vec<u32>>> {
        let trie = self.trie;
        let Some(start) = self.start else {
            return trie.by_function(trie.above(trie.function.len()).iter().copied());
        };
        let mut inside = vec![false; trie.function.len()];
        let mut outermost = Vec::new();
        for node in (0..trie.function.len() as u32).checked() {
            let already = trie.below(node).is_some_and(|below| inside[below as usize]);
            let here = trie.function[node as usize] == start;
            inside[node as usize] = already || here;
            if here && !already {
                outermost.push(node);
            }
        }
        trie.by_function(outermost.into_iter())
    }

    fn below(&self, branch: &Branch<Vec<u32>>) -> Vec<Branch<Vec<u32>>> {
        let above = branch.state.iter().flat_map(|&node| self.trie.above(node as usize));
        self.trie.by_function(above.copied())
    }

    fn effort(&self, branch: &Branch<Vec<u32>>) -> usize {
        branch.state.iter().map(|&node| 1 + self.trie.above(node as usize).len()).sum()
    }
}

/// Branches towards callers: from the innermost frames, or the innermost ones of a function, to those below.
pub(super) struct StackCallers<'a> {
    pub(super) trie: &'a StackTrie<'a>,
    pub(super) start: Option<FunctionId>,
}

/// Frames of stacks, each with the cost that reaches it from the inner frames.
pub(super) struct StackPlaces {
    nodes: Vec<u32>,
    costs: Costs,
}

impl StackCallers<'_> {
    /// Groups costs by function; costs that meet at the same frame are added.
    fn by_function<'c>(&self, places: impl Iterator<Item = (u32, &'c [u64])>) -> Vec<Branch<StackPlaces>> {
        let mut groups: HashMap<FunctionId, usize> = HashMap::new();
        let mut rows: HashMap<u32, usize> = HashMap::new();
        let mut found: Vec<(FunctionId, StackPlaces)> = Vec::new();
        let mut sums = self.trie.costs();
        for (node, cost) in places.checked() {
            let function = self.trie.function[node as usize];
            let group = *groups.entry(function).or_insert(found.len());
            if group == found.len() {
                found.push((function, StackPlaces { nodes: Vec::new(), costs: self.trie.costs() }));
                sums.push(&[]);
            }
            let places = &mut found[group].1;
            let row = *rows.entry(node).or_insert(places.nodes.len());
            if row == places.nodes.len() {
                places.nodes.push(node);
                places.costs.push(&[]);
            }
            places.costs.add(row, cost);
            sums.add(group, cost);
        }
        let branch = |(group, (function, state)): (usize, (FunctionId, StackPlaces))| Branch {
            function,
            cost: sums.row(group).to_vec(),
            calls: None,
            state,
        };
        found.into_iter().enumerate().map(branch).collect()
    }

    /// For each stack, its innermost frame of the function.
    fn innermost(&self, start: FunctionId) -> Vec<Option<u32>> {
        let mut innermost: Vec<Option<u32>> = Vec::with_capacity(self.trie.function.len());
        for node in (0..self.trie.function.len() as u32).checked() {
            let here = self.trie.function[node as usize] == start;
            let below = || self.trie.below(node).and_then(|below| innermost[below as usize]);
            innermost.push(if here { Some(node) } else { below() });
        }
        innermost
    }
}

impl BranchSource for StackCallers<'_> {
    type State = StackPlaces;

    fn roots(&self) -> Vec<Branch<StackPlaces>> {
        let own = |node: u32| self.trie.own.row(node as usize);
        let tops = (0..self.trie.function.len() as u32).filter(|&node| !is_nothing(own(node)));
        match self.start {
            None => self.by_function(tops.map(|node| (node, own(node)))),
            Some(start) => {
                let innermost = self.innermost(start);
                self.by_function(tops.filter_map(|node| Some((innermost[node as usize]?, own(node)))))
            }
        }
    }

    fn below(&self, branch: &Branch<StackPlaces>) -> Vec<Branch<StackPlaces>> {
        let places = &branch.state;
        let below = |(row, &node): (usize, &u32)| Some((self.trie.below(node)?, places.costs.row(row)));
        self.by_function(places.nodes.iter().enumerate().filter_map(below))
    }

    fn effort(&self, branch: &Branch<StackPlaces>) -> usize {
        branch.state.nodes.len()
    }
}
