//! Branches towards callees if the file states the costs of calls, including those inside cycles.
//!
//! Outside of cycles they are those of [`CallBranches`]; inside, [`CycleDivider`] divides costs among calls.

use super::UnfoldQuery;
use super::calls::{CallBranches, Place};
use super::flow::CallFlow;
use super::grow::{Branch, BranchSource};
use super::nested::{CycleDivider, CyclePlace, RemainingCosts};
use crate::analysis::{Analysis, InclusiveOrigin};

/// Branches from calls with stated costs.
pub(super) struct StatedBranches<'a> {
    calls: CallBranches<'a>,
    divider: CycleDivider<'a>,
}

impl<'a> StatedBranches<'a> {
    /// `None` if the file does not state costs of functions and of calls inside cycles.
    pub(super) fn new(
        analysis: &'a Analysis<'_>,
        flow: &'a CallFlow,
        query: &UnfoldQuery<'_>,
    ) -> Option<Self> {
        let event = query.weight.event().unwrap_or(0);
        let calls = &analysis.calls;
        let is_stated_in_cycle = |row: usize| {
            analysis.cycles.inside(calls.caller[row], calls.callee[row])
                && calls.costs.row(row).get(event).is_some_and(|&cost| cost > 0)
        };
        let usable = analysis.origin == InclusiveOrigin::File && !analysis.own.signed();
        (usable && (0..calls.costs.rows()).any(is_stated_in_cycle)).then(|| Self {
            calls: CallBranches::down(analysis, flow, query),
            divider: CycleDivider {
                analysis,
                leaving: &flow.leaving,
                incoming: analysis.incoming(),
                event,
                remaining: RemainingCosts::new(analysis, event),
            },
        })
    }

    fn with_state(&self, branch: Branch<Place>) -> Branch<Option<CyclePlace>> {
        let state = self.divider.enter(branch.function, &branch.cost);
        Branch { function: branch.function, cost: branch.cost, calls: branch.calls, state }
    }

    /// Calls of a member of a cycle: those that leave the cycle, and those that stay inside.
    fn below_member(
        &self,
        branch: &Branch<Option<CyclePlace>>,
        place: &CyclePlace,
    ) -> Vec<Branch<Option<CyclePlace>>> {
        let (rates, inside) = self.divider.divide(place, branch.function, &branch.cost);
        let leaving = self.calls.leaving_branches(branch.function, &rates);
        let mut below: Vec<_> = leaving.into_iter().map(|branch| self.with_state(branch)).collect();
        for inner in inside {
            let cost: Vec<u64> = inner.cost.iter().map(|&cost| cost as u64).collect();
            let calls = self.calls.call_count(inner.row, &cost);
            let function = self.calls.other(inner.row);
            below.push(Branch { function, cost, calls, state: Some(inner.state) });
        }
        below.retain(|branch| branch.cost.iter().any(|&cost| cost != 0));
        let own = self.divider.own(branch.function, &rates);
        let rest = limit(&mut below, &branch.cost, &own);
        if self.divider.is_considerable(&rest, branch.function) {
            below.push(Branch {
                function: branch.function,
                cost: rest,
                calls: None,
                state: Some(CyclePlace::default()),
            });
        }
        below
    }
}

/// Limits branches so that they cost no more than the cost without the self cost, which rounding could make them do.
/// Returns what is left.
fn limit(branches: &mut [Branch<Option<CyclePlace>>], cost: &[u64], own: &[u64]) -> Vec<u64> {
    let mut left: Vec<u64> = cost.iter().zip(own).map(|(cost, own)| cost.saturating_sub(*own)).collect();
    for branch in branches {
        for (cost, left) in branch.cost.iter_mut().zip(&mut left) {
            *cost = (*cost).min(*left);
            *left -= *cost;
        }
    }
    left
}

impl BranchSource for StatedBranches<'_> {
    /// The place inside a cycle; `None` for functions in none.
    type State = Option<CyclePlace>;

    fn roots(&self) -> Vec<Branch<Self::State>> {
        self.calls.roots().into_iter().map(|root| self.with_state(root)).collect()
    }

    fn below(&self, branch: &Branch<Self::State>) -> Vec<Branch<Self::State>> {
        if let Some(place) = &branch.state {
            return self.below_member(branch, place);
        }
        let plain = Branch {
            function: branch.function,
            cost: branch.cost.clone(),
            calls: None,
            state: Place::Outside,
        };
        self.calls.below(&plain).into_iter().map(|branch| self.with_state(branch)).collect()
    }

    fn is_unplaced(&self, branch: &Branch<Self::State>) -> bool {
        branch.state.as_ref().is_some_and(|place| place.size() == 0)
    }

    fn effort(&self, branch: &Branch<Self::State>) -> usize {
        let inside = branch.state.as_ref().map_or(0, CyclePlace::size);
        1 + self.calls.row_count(branch.function) + 32 * inside
    }
}
