//! The call graph unfolded into a tree: a node for every way in which a function was reached.
//!
//! Of profiles with stacks the tree is exact: frames of one function on the same way are one node, and recursion is
//! as deep as on the stacks. Of profiles that tell calls only it is an estimate: what a function costs is shared out
//! among the ways to it in proportion to what their calls cost.
//!
//! Promises: what a node costs itself, its children and what was left out below it add up to its cost exactly, also
//! in estimates; the roots and what was left out of them add up to the whole. The costliest nodes come first, so
//! that the limits cut what matters least. Nothing recurses on the depth of a tree.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Analysis;
use crate::events::{Column, Cost, Row};

mod calls;
mod flow;
mod grow;
mod label;
mod nested;
mod picture;
mod preorder;
mod stacks;
mod stated;

pub(crate) use label::label;
pub use picture::NotAdditive;
pub(crate) use picture::{Picture, adds_up, threshold, whole_note};

/// Which way a tree unfolds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// From the start of the program, or from one function, to what is called.
    #[default]
    Callees,
    /// From the self cost of every function, or from all that one function costs, to who is responsible for it.
    Callers,
}

/// Where a tree ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The least share of the whole tree that a node must have.
    pub min_share: f64,
    /// At most so many calls from a root; `None` for any number.
    pub depth: Option<u32>,
    /// At most so many nodes.
    pub nodes: usize,
    /// Whether a branch stays that has the least share of any event type, not only of the weight.
    pub every_event: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { min_share: 0.001, depth: None, nodes: 200_000, every_event: false }
    }
}

/// What to unfold.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The root; `None` for all there are.
    pub start: Option<FunctionId>,
    /// Towards callees or callers.
    pub direction: Direction,
    /// The cost that decides about the order and about what is left out.
    pub weight: &'a Column,
    /// Where it ends.
    pub limits: Limits,
}

/// A function reached in one way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The node it was reached from; `None` for a root.
    pub parent: Option<u32>,
    /// Calls from its root.
    pub depth: u32,
    /// The function.
    pub function: FunctionId,
    /// Calls on this way; `None` where nothing tells.
    pub calls: Option<u64>,
    /// How many of its children were left out.
    pub left_out: u32,
}

/// A call tree: parents before their children, all below a node right after it, the costliest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// What each costs itself; towards callers, what begins there and has no caller.
    pub own: Costs,
    /// What each costs with everything below it.
    pub inclusive: Costs,
    /// The sum over all roots, also those left out.
    pub totals: Vec<i128>,
    /// Whether costs were shared out among ways in proportion, because the file tells calls and not stacks.
    pub estimated: bool,
    /// What is not in it.
    pub omitted: Omitted,
}

/// Branches left out of a tree, each counted once, whatever hangs on it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// Below the least share.
    pub small: usize,
    /// Further from a root than asked for.
    pub deep: usize,
    /// Beyond the number of nodes.
    pub many: usize,
    /// Below members of cycles, by calls that the file does not tell.
    pub unplaced: usize,
    /// What they cost together.
    pub costs: Vec<i128>,
}

impl Omitted {
    /// How many branches.
    pub fn count(&self) -> usize {
        self.small + self.deep + self.many + self.unplaced
    }
}

/// Unfolds a profile.
pub fn unfold(analysis: &Analysis<'_>, query: &Query<'_>) -> Tree {
    if analysis.samples.is_some() {
        let trie = stacks::Trie::new(analysis);
        return match query.direction {
            Direction::Callees => {
                grow::grow(&stacks::Down { trie: &trie, start: query.start }, analysis, query)
            }
            Direction::Callers => {
                grow::grow(&stacks::Up { trie: &trie, start: query.start }, analysis, query)
            }
        };
    }
    let flow = flow::Flow::new(analysis);
    let tree = match query.direction {
        Direction::Callees => match stated::Stated::new(analysis, &flow, query) {
            Some(stated) => grow::grow(&stated, analysis, query),
            None => grow::grow(&calls::Calls::down(analysis, &flow, query), analysis, query),
        },
        Direction::Callers => grow::grow(&calls::Calls::up(analysis, &flow, query), analysis, query),
    };
    Tree { estimated: true, ..tree }
}

impl Tree {
    /// A node's part of what was left out.
    pub fn left_out(&self) -> Costs {
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

/// The greatest share that costs have of the total of an event type.
pub(crate) fn greatest_share(costs: &[u64], signed: bool, totals: &[i128]) -> f64 {
    let number = |cell: u64| if signed { i128::from(cell as i64) } else { i128::from(cell) };
    let shares =
        costs.iter().zip(totals).map(|(&cost, &total)| crate::analysis::share(number(cost), total).abs());
    shares.fold(0.0, f64::max)
}

/// The value of a column in a row of a tree.
pub(crate) fn value(analysis: &Analysis<'_>, column: &Column, costs: &[u64], calls: Option<u64>) -> Cost {
    column.value(&Row { costs, signed: analysis.profile.signed, totals: &analysis.totals, calls })
}

#[cfg(test)]
mod tests;
