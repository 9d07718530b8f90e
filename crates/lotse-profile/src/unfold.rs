//! Unfolds the call graph into a call tree: a node for every call path to a function.
//!
//! ```text
//! calls           main -60-> a, main -40-> b, a -20-> c, b -20-> c
//! call tree       main 100
//!                 |- a 60
//!                 |  `- c 20
//!                 `- b 40
//!                    `- c 20
//! ```
//!
//! With stacks, the tree is exact: frames of the same function on the same path are one node, and recursion is as deep as
//! on the stacks. With calls only, it is an estimate: the cost of a function is divided among the paths to it in
//! proportion to the costs of their calls.
//!
//! Guarantees: the self cost of a node, its children and what was left out below it add up exactly to its inclusive cost,
//! even in estimates; the roots and what was left out of them add up to the whole. The costliest nodes come first, so
//! that limits cut the cheapest. No step recurses on the depth of a tree.

use std::sync::Arc;

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::events::{Column, Cost, CostRow};

mod calls;
mod cycle;
mod flow;
mod grow;
mod label;
mod nested;
mod picture;
mod preorder;
mod stacks;
mod stated;

pub(crate) use flow::CallFlow;
pub(crate) use label::label;
pub use picture::NotAdditive;
pub(crate) use picture::{ColourKeys, Picture, adds_up, threshold, whole_note};

/// The direction in which a tree unfolds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the entry points of the program, or from one function, to callees.
    #[default]
    Callees,
    /// From the self cost of every function, or from the inclusive cost of one, to callers.
    Callers,
}

/// The limits of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The least share of the whole tree that a node must have.
    pub min_share: f64,
    /// The greatest number of calls from a root; `None` for any.
    pub depth: Option<u32>,
    /// The greatest number of nodes.
    pub nodes: usize,
    /// Whether a branch is kept if it has the least share of any event type, not only of the weight.
    pub every_event: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { min_share: 0.001, depth: None, nodes: 200_000, every_event: false }
    }
}

/// What to unfold.
#[derive(Debug, Clone, Copy)]
pub struct UnfoldQuery<'a> {
    /// The root; `None` for all roots.
    pub start: Option<FunctionId>,
    pub direction: Direction,
    /// The cost by which branches are sorted and left out.
    pub weight: &'a Column,
    pub limits: Limits,
}

/// A function on one call path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallTreeNode {
    /// The node it was reached from; `None` for a root.
    pub parent: Option<u32>,
    /// The number of calls from its root.
    pub depth: u32,
    pub function: FunctionId,
    /// The number of calls on this path; `None` if unknown.
    pub calls: Option<u64>,
    /// The number of its children that were left out.
    pub left_out: u32,
}

/// A call tree in depth-first order, siblings by cost.
#[derive(Debug, Clone, PartialEq)]
pub struct CallTree {
    pub nodes: Vec<CallTreeNode>,
    /// The self cost of each node; towards callers, the cost that has no further caller.
    pub own: Costs,
    /// The cost of each node with everything below it.
    pub inclusive: Costs,
    /// The sum over all roots, including those left out.
    pub totals: Vec<i128>,
    /// Whether costs were divided among paths in proportion, because the file has calls and no stacks.
    pub estimated: bool,
    pub omitted: Omitted,
}

/// Branches left out of a tree; a branch counts once, however large it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Below the least share.
    pub small: usize,
    /// Beyond the requested depth.
    pub deep: usize,
    /// Beyond the number of nodes.
    pub many: usize,
    /// Below members of cycles, by unknown calls.
    pub unplaced: usize,
    /// The sum of their costs.
    pub costs: Vec<i128>,
}

impl Omitted {
    /// The number of branches.
    pub fn count(&self) -> usize {
        self.small + self.deep + self.many + self.unplaced
    }
}

/// Unfolds a profile, from stacks if it has any, else from calls.
pub fn unfold(analysis: &Analysis<'_>, query: &UnfoldQuery<'_>) -> CallTree {
    unfold_through(analysis, query, Vec::new())
}

/// The same, with the inclusive costs of some members of cycles below them, one of each cycle. Nothing changes if the
/// file has stacks or states costs inside cycles.
pub(crate) fn unfold_through(
    analysis: &Analysis<'_>,
    query: &UnfoldQuery<'_>,
    through: Vec<FunctionId>,
) -> CallTree {
    if analysis.samples.is_some() {
        let trie = stacks::StackTrie::new(analysis);
        return match query.direction {
            Direction::Callees => {
                grow::grow(&stacks::StackCallees { trie: &trie, start: query.start }, analysis, query)
            }
            Direction::Callers => {
                grow::grow(&stacks::StackCallers { trie: &trie, start: query.start }, analysis, query)
            }
        };
    }
    let flow = call_flow(analysis);
    let tree = match query.direction {
        Direction::Callees => match stated::StatedBranches::new(analysis, flow, query) {
            Some(stated) => grow::grow(&stated, analysis, query),
            None => {
                let branches = calls::CallBranches::down(analysis, flow, query).leading_through(through);
                grow::grow(&branches, analysis, query)
            }
        },
        Direction::Callers => grow::grow(&calls::CallBranches::up(analysis, flow, query), analysis, query),
    };
    CallTree { estimated: true, ..tree }
}

/// The costs of calls that trees are unfolded from, kept with the analysis.
pub(crate) fn call_flow<'a>(analysis: &'a Analysis<'_>) -> &'a CallFlow {
    analysis.lazy.flow.get_or_init(|| Arc::new(CallFlow::new(analysis)))
}

impl CallTree {
    /// For each node, the cost of its children that were left out.
    pub fn left_out_costs(&self) -> Costs {
        let mut rest = self.inclusive.clone();
        for (node, place) in self.nodes.iter().zip(0..) {
            rest.subtract(place, self.own.row(place));
            if let Some(parent) = node.parent {
                rest.subtract(parent as usize, self.inclusive.row(place));
            }
        }
        rest
    }
}

/// The greatest share of the total that a row of costs has, over all event types.
pub(crate) fn greatest_share(costs: &[u64], signed: bool, totals: &[i128]) -> f64 {
    let number = |cell: u64| if signed { i128::from(cell as i64) } else { i128::from(cell) };
    let shares =
        costs.iter().zip(totals).map(|(&cost, &total)| crate::analysis::share(number(cost), total).abs());
    shares.fold(0.0, f64::max)
}

/// The value of a column in a row of a tree.
pub(crate) fn value(analysis: &Analysis<'_>, column: &Column, costs: &[u64], calls: Option<u64>) -> Cost {
    column.value(&CostRow { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls })
}

#[cfg(test)]
mod tests;
