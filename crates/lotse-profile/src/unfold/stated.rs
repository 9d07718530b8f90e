//! Branches towards callees where the file states what calls cost, also those inside cycles.
//!
//! Outside of cycles they are those of [`Calls`]; inside, [`Divider`] says which calls go on.

use super::Query;
use super::calls::Calls;
use super::flow::Flow;
use super::grow::{Branch, Source};
use super::nested::{Divider, Nested, Room};
use crate::analysis::{Analysis, Origin};

/// Calls with stated costs.
pub(super) struct Stated<'a> {
    calls: Calls<'a>,
    divider: Divider<'a>,
}

impl<'a> Stated<'a> {
    /// `None` where the file does not state costs of functions and of calls inside cycles.
    pub(super) fn new(analysis: &'a Analysis<'_>, flow: &'a Flow<'_>, query: &Query<'_>) -> Option<Self> {
        let event = query.weight.event().unwrap_or(0);
        let calls = &analysis.calls;
        let told = |row: usize| {
            analysis.cycles.inside(calls.caller[row], calls.callee[row])
                && calls.costs.row(row).get(event).is_some_and(|&cost| cost > 0)
        };
        let usable = analysis.origin == Origin::File && !analysis.own.signed();
        (usable && (0..calls.costs.rows()).any(told)).then(|| Self {
            calls: Calls::down(analysis, flow, query),
            divider: Divider {
                analysis,
                leaving: &flow.leaving,
                incoming: &flow.incoming,
                event,
                room: Room::new(analysis, event),
            },
        })
    }

    fn with_state(&self, branch: Branch<bool>) -> Branch<Option<Nested>> {
        let state = self.divider.enter(branch.function, &branch.cost);
        Branch { function: branch.function, cost: branch.cost, calls: branch.calls, state }
    }

    /// Calls of a member of a cycle: those that leave the cycle, and those that stay inside.
    fn below_member(&self, branch: &Branch<Option<Nested>>, nested: &Nested) -> Vec<Branch<Option<Nested>>> {
        let (rates, inside) = self.divider.divide(nested, branch.function, &branch.cost);
        let leaving = self.calls.leaving_branches(branch.function, &rates);
        let mut below: Vec<_> = leaving.into_iter().map(|branch| self.with_state(branch)).collect();
        for inner in inside {
            let cost: Vec<u64> = inner.cost.iter().map(|&cost| cost as u64).collect();
            let calls = self.calls.calls(inner.row, &cost);
            let function = self.calls.other(inner.row);
            below.push(Branch { function, cost, calls, state: Some(inner.state) });
        }
        below.retain(|branch| branch.cost.iter().any(|&cost| cost != 0));
        let own = self.divider.own(branch.function, &rates);
        let rest = within(&mut below, &branch.cost, &own);
        if self.divider.is_considerable(&rest, branch.function) {
            below.push(Branch {
                function: branch.function,
                cost: rest,
                calls: None,
                state: Some(Nested::default()),
            });
        }
        below
    }
}

/// Makes branches cost no more together than there is beside the self cost, where rounding made them cost more;
/// gives what is left.
fn within(branches: &mut [Branch<Option<Nested>>], cost: &[u64], own: &[u64]) -> Vec<u64> {
    let mut left: Vec<u64> = cost.iter().zip(own).map(|(cost, own)| cost.saturating_sub(*own)).collect();
    for branch in branches {
        for (cost, left) in branch.cost.iter_mut().zip(&mut left) {
            *cost = (*cost).min(*left);
            *left -= *cost;
        }
    }
    left
}

impl Source for Stated<'_> {
    /// The place inside a cycle; `None` for functions in none.
    type State = Option<Nested>;

    fn roots(&self) -> Vec<Branch<Self::State>> {
        self.calls.roots().into_iter().map(|root| self.with_state(root)).collect()
    }

    fn below(&self, branch: &Branch<Self::State>) -> Vec<Branch<Self::State>> {
        if let Some(nested) = &branch.state {
            return self.below_member(branch, nested);
        }
        let plain =
            Branch { function: branch.function, cost: branch.cost.clone(), calls: None, state: false };
        self.calls.below(&plain).into_iter().map(|branch| self.with_state(branch)).collect()
    }

    fn is_unplaced(&self, branch: &Branch<Self::State>) -> bool {
        branch.state.as_ref().is_some_and(|nested| nested.size() == 0)
    }

    fn effort(&self, branch: &Branch<Self::State>) -> usize {
        let inside = branch.state.as_ref().map_or(0, Nested::size);
        1 + self.calls.row_count(branch.function) + 32 * inside
    }
}
