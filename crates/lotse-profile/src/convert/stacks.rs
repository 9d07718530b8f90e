//! Stacks from calls: an estimate, because calls do not show the callers of their caller.
//!
//! The call tree is unfolded with costs divided in proportion, and every node becomes a stack. Self costs stay exact:
//! what the tree leaves out because it is too small is added to the costliest path that leads to its function. So every
//! function keeps its self cost, and the roots keep the total.

use lotse_model::id::{FunctionId, StackId};
use lotse_model::profile::{Costs, Frame};
use lotse_model::progress::Checked as _;
use lotse_model::{Profile, Unit};
use lotse_report::number::format_share;

use super::paths::CostliestPaths;
use super::rest::divided_rest;
use super::{Prepared, part_like};
use crate::analysis::Analysis;
use crate::events::{EventTypes, ranking};
use crate::unfold::{CallTree, Direction, Limits, UnfoldQuery, greatest_share, unfold_through};

/// Branches smaller than this share of the whole are not followed: the number of paths grows exponentially.
const LEAST_SHARE: f64 = 1e-5;

/// A profile of one part with a sample for every path to a function that has self cost. The inclusive costs of the
/// members of cycles in `through` are on stacks through them.
pub(super) fn from_calls(analysis: &Analysis<'_>, through: Vec<FunctionId>) -> Prepared {
    let mut profile = analysis.profile.without_costs();
    // The only possible error is a wrong definition, and there are none.
    let own = EventTypes::new(analysis.profile, &[]).map_or_else(|_refused| Vec::new(), |types| types.own());
    let Some(weight) = own.get(ranking(&own)) else {
        profile.parts = vec![part_like(analysis)];
        return Prepared { profile, notes: Vec::new() };
    };
    debug_assert!(weight.base != Unit::Number || weight.event().is_some());
    let limits = Limits { min_share: LEAST_SHARE, every_event: true, ..Limits::default() };
    let query = UnfoldQuery { start: None, direction: Direction::Callees, weight, limits };
    let tree = unfold_through(analysis, &query, through.clone());
    let mut builder =
        StackBuilder { profile, samples: Vec::new(), costs: Costs::new(tree.own.width(), tree.own.signed()) };
    let rest = builder.add_tree(&tree, Costs::clone(&analysis.own));
    let moved = match through.is_empty() || rest.signed() {
        true => builder.add_rest(&CostliestPaths::new(analysis, &tree), &rest),
        false => {
            let [inside, outside] = divided_rest(analysis, &tree, &through, rest);
            let mut moved = builder.add_rest(&inside.0, &inside.1);
            moved.add(0, builder.add_rest(&outside.0, &outside.1).row(0));
            moved
        }
    };
    let moved_share = greatest_share(moved.row(0), moved.signed(), &analysis.totals);
    let mut part = part_like(analysis);
    part.samples.stack = builder.samples.into_iter().map(Some).collect();
    part.samples.costs = builder.costs;
    builder.profile.parts = vec![part];
    Prepared {
        profile: builder.profile,
        notes: [note(moved_share)].into_iter().chain(analysis.cycle_note()).collect(),
    }
}

fn note(moved_share: f64) -> String {
    let rest = match moved_share {
        rest if rest < 1e-4 => String::new(),
        rest => format!("; {} on ways too small to follow is on the costliest one", format_share(rest, 2)),
    };
    format!(
        "the file tells calls and not stacks: self costs are exact, the stacks are an estimate, costs shared out among \
         ways in proportion{rest}"
    )
}

/// Limits a cost to `most`: shares are rounded one by one, so their sum may be slightly too large.
fn within(cost: &[u64], most: &[u64], signed: bool) -> Vec<u64> {
    let least = |(&cost, &most): (&u64, &u64)| if signed { cost } else { cost.min(most) };
    cost.iter().zip(most).map(least).collect()
}

/// Collects stacks and their samples.
struct StackBuilder {
    profile: Profile,
    samples: Vec<StackId>,
    costs: Costs,
}

impl StackBuilder {
    /// Adds a stack for every node, with no more than is `left` of its function's self cost. Returns what is left.
    fn add_tree(&mut self, tree: &CallTree, mut left: Costs) -> Costs {
        for (row, node) in tree.nodes.iter().enumerate().checked() {
            // Every node has pushed one stack, so the number of a node is that of its stack.
            let stack = self.push_stack(node.parent.map(StackId), node.function);
            let function = node.function.index();
            let own = within(tree.own.row(row), left.row(function), left.signed());
            left.subtract(function, &own);
            self.push_sample(stack, &own);
        }
        left
    }

    fn push_stack(&mut self, below: Option<StackId>, function: FunctionId) -> StackId {
        let file = self.profile.functions.file[function.index()];
        let frame = self.profile.frames.push(Frame { function, file, line: 0, address: 0, inlined: false });
        self.profile.stacks.below.push(below);
        self.profile.stacks.frame.push(frame);
        StackId::from(self.profile.stacks.len() - 1)
    }

    fn push_sample(&mut self, stack: StackId, costs: &[u64]) {
        if costs.iter().any(|&cost| cost != 0) {
            self.samples.push(stack);
            self.costs.push(costs);
        }
    }

    /// Adds self costs that no node has to the costliest paths. Returns their sum.
    fn add_rest(&mut self, paths: &CostliestPaths, rest: &Costs) -> Costs {
        let mut stacks: Vec<Option<StackId>> = paths.nodes.iter().map(|node| node.map(StackId)).collect();
        let mut moved = Costs::zeros(rest.width(), rest.signed(), 1);
        for row in (0..rest.rows()).checked() {
            if rest.row(row).iter().all(|&cost| cost == 0) {
                continue;
            }
            let stack = self.stack_of(FunctionId::from(row), paths, &mut stacks);
            self.push_sample(stack, rest.row(row));
            moved.add(0, rest.row(row));
        }
        moved
    }

    /// The stack of the costliest path to a function: goes up callers to one that has a stack, then pushes the stacks
    /// that are missing.
    fn stack_of(
        &mut self,
        function: FunctionId,
        paths: &CostliestPaths,
        stacks: &mut [Option<StackId>],
    ) -> StackId {
        let mut missing = vec![function];
        while let Some(&last) = missing.last() {
            match paths.callers[last.index()] {
                Some(caller) if stacks[last.index()].is_none() => missing.push(caller),
                _ => break,
            }
        }
        let mut stack = None;
        for function in missing.into_iter().rev() {
            let known = stacks[function.index()];
            stack = Some(known.unwrap_or_else(|| self.push_stack(stack, function)));
            stacks[function.index()] = stack;
        }
        // `missing` has at least the function itself, so there is a stack.
        stack.unwrap_or(StackId(0))
    }
}
