//! Grows a tree from its roots, the costliest branch first, until no branch is left or a limit is reached.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::checkpoint;

use super::preorder::in_preorder;
use super::{CallTree, CallTreeNode, Omitted, UnfoldQuery, greatest_share, value};
use crate::analysis::Analysis;

/// The greatest number of stacks or calls that are visited; more would take too long.
const MOST_EFFORT: usize = 40_000_000;

/// A call path to a function that may become a node.
pub(super) struct Branch<S> {
    pub(super) function: FunctionId,
    pub(super) cost: Vec<u64>,
    pub(super) calls: Option<u64>,
    /// What the source needs to find the branches below.
    pub(super) state: S,
}

/// Yields the branches of a tree.
pub(super) trait BranchSource {
    type State;

    /// All roots.
    fn roots(&self) -> Vec<Branch<Self::State>>;

    /// All branches below a branch; the cost that they do not have is its self cost.
    fn below(&self, branch: &Branch<Self::State>) -> Vec<Branch<Self::State>>;

    /// Whether a branch only stands for costs whose call is unknown.
    fn is_unplaced(&self, _branch: &Branch<Self::State>) -> bool {
        false
    }

    /// The number of stacks or calls that are visited to find the branches below.
    fn effort(&self, branch: &Branch<Self::State>) -> usize;
}

/// Turns the costliest pending branch into a node, and adds the branches below it to the queue, until a limit is reached.
pub(super) fn grow<S: BranchSource>(
    source: &S,
    analysis: &Analysis<'_>,
    query: &UnfoldQuery<'_>,
) -> CallTree {
    let mut growth = TreeGrowth::new(analysis, query);
    let roots = source.roots();
    growth.whole = growth.weight(&growth.sum(&roots));
    let totals = roots.iter().fold(vec![0; growth.own.width()], |sum, root| growth.added(sum, &root.cost));
    growth.queue(roots, None);
    let mut effort = 0;
    while growth.nodes.len() < query.limits.nodes && effort < MOST_EFFORT {
        checkpoint();
        let Some(next) = growth.pending.pop() else { break };
        effort += source.effort(&next.branch);
        let (unplaced, below) =
            source.below(&next.branch).into_iter().partition(|branch| source.is_unplaced(branch));
        growth.add_node(next, below, unplaced);
    }
    growth.finish(totals)
}

/// A branch in the priority queue.
struct Pending<S> {
    /// Its weight, then the order of insertion.
    rank: (u64, Reverse<usize>),
    parent: Option<u32>,
    branch: Branch<S>,
}

struct TreeGrowth<'a, S> {
    analysis: &'a Analysis<'a>,
    query: &'a UnfoldQuery<'a>,
    whole: f64,
    pending: BinaryHeap<Pending<S>>,
    seen: usize,
    nodes: Vec<CallTreeNode>,
    own: Costs,
    inclusive: Costs,
    omitted: Omitted,
}

impl<'a, S> TreeGrowth<'a, S> {
    fn new(analysis: &'a Analysis<'_>, query: &'a UnfoldQuery<'_>) -> Self {
        let costs = Costs::new(analysis.own.width(), analysis.own.signed());
        let omitted = Omitted { costs: vec![0; costs.width()], ..Omitted::default() };
        Self {
            analysis,
            query,
            whole: 0.0,
            pending: BinaryHeap::new(),
            seen: 0,
            nodes: Vec::new(),
            own: costs.clone(),
            inclusive: costs,
            omitted,
        }
    }

    /// The sum of the costs of branches.
    fn sum(&self, branches: &[Branch<S>]) -> Vec<u64> {
        let mut sum = Costs::zeros(self.own.width(), self.own.signed(), 1);
        branches.iter().for_each(|branch| sum.add(0, &branch.cost));
        sum.row(0).to_vec()
    }

    /// The weight of a cost, which is never negative.
    fn weight(&self, cost: &[u64]) -> f64 {
        if self.query.limits.every_event {
            return greatest_share(cost, self.own.signed(), &self.analysis.totals);
        }
        let weight = value(self.analysis, self.query.weight, cost, None).as_f64().abs();
        if weight.is_nan() { 0.0 } else { weight }
    }

    fn added(&self, mut sum: Vec<i128>, cost: &[u64]) -> Vec<i128> {
        let signed = self.own.signed();
        let number = |cell: u64| if signed { i128::from(cell as i64) } else { i128::from(cell) };
        sum.iter_mut().zip(cost).for_each(|(sum, &cell)| *sum += number(cell));
        sum
    }

    /// Makes a node of a branch, and queues the branches below it.
    fn add_node(&mut self, pending: Pending<S>, below: Vec<Branch<S>>, unplaced: Vec<Branch<S>>) {
        let place = self.nodes.len();
        let Branch { function, cost, calls, .. } = pending.branch;
        let depth = pending.parent.map_or(0, |parent| self.nodes[parent as usize].depth + 1);
        self.nodes.push(CallTreeNode { parent: pending.parent, depth, function, calls, left_out: 0 });
        self.inclusive.push(&cost);
        self.own.push(&cost);
        below.iter().chain(&unplaced).for_each(|branch| self.own.subtract(place, &branch.cost));
        for branch in unplaced {
            self.omitted.unplaced += 1;
            self.leave_out(&branch, Some(place as u32));
        }
        self.queue(below, Some(place as u32));
    }

    /// Queues branches, unless they are too small or too deep.
    fn queue(&mut self, branches: Vec<Branch<S>>, parent: Option<u32>) {
        let depth = parent.map_or(0, |parent| self.nodes[parent as usize].depth + 1);
        let too_deep = self.query.limits.depth.is_some_and(|most| depth > most);
        let least = self.query.limits.min_share * self.whole;
        for branch in branches {
            let weight = self.weight(&branch.cost);
            if weight < least {
                self.omitted.small += 1;
                self.leave_out(&branch, parent);
            } else if too_deep {
                self.omitted.deep += 1;
                self.leave_out(&branch, parent);
            } else {
                // Weights are never negative, and non-negative floating-point numbers sort like their bits.
                let rank = (weight.to_bits(), Reverse(self.seen));
                self.seen += 1;
                self.pending.push(Pending { rank, parent, branch });
            }
        }
    }

    fn leave_out(&mut self, branch: &Branch<S>, parent: Option<u32>) {
        let sum = std::mem::take(&mut self.omitted.costs);
        self.omitted.costs = self.added(sum, &branch.cost);
        if let Some(parent) = parent {
            self.nodes[parent as usize].left_out += 1;
        }
    }

    fn finish(mut self, totals: Vec<i128>) -> CallTree {
        for pending in std::mem::take(&mut self.pending) {
            self.omitted.many += 1;
            self.leave_out(&pending.branch, pending.parent);
        }
        let tree = CallTree {
            nodes: self.nodes,
            own: self.own,
            inclusive: self.inclusive,
            totals,
            estimated: false,
            omitted: self.omitted,
        };
        in_preorder(tree)
    }
}

impl<S> PartialEq for Pending<S> {
    fn eq(&self, other: &Self) -> bool {
        self.rank == other.rank
    }
}

impl<S> Eq for Pending<S> {}

impl<S> PartialOrd for Pending<S> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<S> Ord for Pending<S> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}
