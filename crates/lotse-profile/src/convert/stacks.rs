//! Stacks from calls: an estimate, for calls do not tell who was below the caller.
//!
//! Self costs are exact: what the tree of ways leaves out, being too small, is put on the costliest way that leads to
//! its function. So every function keeps its self cost, and the roots keep the total.

use lotse_model::id::{FunctionId, StackId};
use lotse_model::profile::{Costs, Details, Frame};
use lotse_model::{Profile, Unit};
use lotse_report::number::format_share;

use super::ways::Ways;
use super::{Prepared, part_like};
use crate::analysis::Analysis;
use crate::events::{EventTypes, ranking};
use crate::unfold::{Direction, Limits, Query, Tree, greatest_share, unfold};

/// Branches smaller than this share of the whole are not followed: the number of ways grows without end.
const LEAST_SHARE: f64 = 1e-5;

/// One part with a sample for every way to a function that has self cost.
pub(super) fn from_calls(analysis: &Analysis<'_>) -> Prepared {
    let mut profile = analysis.profile.clone();
    profile.details = Details::default();
    (profile.frames, profile.stacks) = Default::default();
    // Only definitions can be refused, and there are none.
    let own = EventTypes::new(analysis.profile, &[]).map_or_else(|_refused| Vec::new(), |types| types.own());
    let Some(weight) = own.get(ranking(&own)) else {
        profile.parts = vec![part_like(analysis)];
        return Prepared { profile, notes: Vec::new() };
    };
    debug_assert!(weight.base != Unit::Number || weight.event().is_some());
    let limits = Limits { min_share: LEAST_SHARE, every_event: true, ..Limits::default() };
    let tree = unfold(analysis, &Query { start: None, direction: Direction::Callees, weight, limits });
    let mut made =
        Made { profile, samples: Vec::new(), costs: Costs::new(tree.own.width(), tree.own.signed()) };
    let rest = made.tree(&tree, analysis.own.clone());
    let put = made.rest(analysis, &tree, &rest);
    let mut part = part_like(analysis);
    part.samples.stack = made.samples.into_iter().map(Some).collect();
    part.samples.costs = made.costs;
    made.profile.parts = vec![part];
    Prepared { profile: made.profile, notes: vec![note(put)] }
}

fn note(put: f64) -> String {
    let rest = match put {
        rest if rest < 1e-4 => String::new(),
        rest => format!("; {} on ways too small to follow is on the costliest one", format_share(rest, 2)),
    };
    format!(
        "the file tells calls and not stacks: self costs are exact, the stacks are an estimate, costs shared out among \
         ways in proportion{rest}"
    )
}

/// Shares are rounded one by one, so that their sum may be a little too much.
fn within(cost: &[u64], most: &[u64], signed: bool) -> Vec<u64> {
    let least = |(&cost, &most): (&u64, &u64)| if signed { cost } else { cost.min(most) };
    cost.iter().zip(most).map(least).collect()
}

/// Samples in the making.
struct Made {
    profile: Profile,
    samples: Vec<StackId>,
    costs: Costs,
}

impl Made {
    /// A stack for every node, with no more than is left of its function's self cost; gives what is left then.
    fn tree(&mut self, tree: &Tree, mut left: Costs) -> Costs {
        for (row, node) in tree.nodes.iter().enumerate() {
            // Nodes come in the order of their stacks.
            let stack = self.stack(node.parent.map(StackId), node.function);
            let function = node.function.index();
            let own = within(tree.own.row(row), left.row(function), left.signed());
            left.subtract(function, &own);
            self.sample(stack, &own);
        }
        left
    }

    fn stack(&mut self, below: Option<StackId>, function: FunctionId) -> StackId {
        let file = self.profile.functions.file[function.index()];
        let frame = self.profile.frames.push(Frame { function, file, line: 0, address: 0, inlined: false });
        self.profile.stacks.below.push(below);
        self.profile.stacks.frame.push(frame);
        StackId::from(self.profile.stacks.len() - 1)
    }

    fn sample(&mut self, stack: StackId, costs: &[u64]) {
        if costs.iter().any(|&cost| cost != 0) {
            self.samples.push(stack);
            self.costs.push(costs);
        }
    }

    /// Self costs that no node has; gives the greatest share of an event type that they are.
    fn rest(&mut self, analysis: &Analysis<'_>, tree: &Tree, rest: &Costs) -> f64 {
        let ways = Ways::new(analysis, tree);
        let mut stacks: Vec<Option<StackId>> = ways.nodes.iter().map(|node| node.map(StackId)).collect();
        let mut put = Costs::zeros(rest.width(), rest.signed(), 1);
        for function in analysis.profile.functions.ids() {
            if rest.row(function.index()).iter().all(|&cost| cost == 0) {
                continue;
            }
            let stack = self.way(function, &ways, &mut stacks);
            self.sample(stack, rest.row(function.index()));
            put.add(0, rest.row(function.index()));
        }
        greatest_share(put.row(0), put.signed(), &analysis.totals)
    }

    /// The stack of the costliest way to a function.
    fn way(&mut self, function: FunctionId, ways: &Ways, stacks: &mut [Option<StackId>]) -> StackId {
        let mut missing = vec![function];
        while let Some(&last) = missing.last() {
            match ways.callers[last.index()] {
                Some(caller) if stacks[last.index()].is_none() => missing.push(caller),
                _ => break,
            }
        }
        let mut stack = None;
        for function in missing.into_iter().rev() {
            let known = stacks[function.index()];
            stack = Some(known.unwrap_or_else(|| self.stack(stack, function)));
            stacks[function.index()] = stack;
        }
        // There is at least the function itself.
        stack.unwrap_or(StackId(0))
    }
}
