//! Makes the costs of calls between cycles consistent: the calls of a function never cost more than the function.
//!
//! Without this, files whose calls do not add up would make a tree that costs more than the profile. Callees are
//! processed before callers; if the calls of a function cost more than the function, they are cut in proportion.

use std::borrow::Cow;

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::calls::ProportionalShares;
use crate::analysis::{Adjacency, Analysis, InclusiveOrigin};
use crate::events::default_event;

/// Consistent costs of calls.
pub(super) struct CallFlow<'a> {
    /// The cost of each row of calls; rows inside a cycle are not used.
    pub(super) costs: Cow<'a, Costs>,
    /// Rows of calls by callee.
    pub(super) incoming: Adjacency,
    /// For each function, its self cost plus its calls that leave the cycle.
    pub(super) leaving: Costs,
    /// For each function, the cost that enters it from outside its cycle, by calls or as a root.
    pub(super) entering: Costs,
    /// The part of `entering` that no call explains: the function is a root.
    pub(super) uncalled: Costs,
}

impl<'a> CallFlow<'a> {
    pub(super) fn new(analysis: &'a Analysis<'_>) -> Self {
        let nothing =
            || Costs::zeros(analysis.own.width(), analysis.own.signed(), analysis.profile.functions.len());
        let mut flow = Self {
            costs: Cow::Borrowed(&analysis.calls.costs),
            incoming: analysis.incoming(),
            leaving: analysis.own.clone(),
            entering: nothing(),
            uncalled: nothing(),
        };
        let components: Vec<FunctionId> =
            analysis.cycles.component.iter().map(|&component| FunctionId(component)).collect();
        let members = Adjacency::new(analysis.cycles.components as usize, &components);
        for component in 0..analysis.cycles.components {
            flow.process_component(analysis, members.rows_of(FunctionId(component)));
        }
        flow
    }

    /// Cuts the calls that enter a component, whose callees have been processed, and adds them to their callers.
    fn process_component(&mut self, analysis: &Analysis<'_>, members: &[u32]) {
        let member = |&index: &u32| FunctionId(index);
        let rows: Vec<usize> = members
            .iter()
            .flat_map(|index| self.incoming.rows_of(member(index)))
            .map(|&row| row as usize)
            .filter(|&row| !analysis.cycles.inside(analysis.calls.caller[row], analysis.calls.callee[row]))
            .collect();
        let mut whole = Costs::zeros(self.leaving.width(), self.leaving.signed(), 1);
        members.iter().for_each(|&index| whole.add(0, self.leaving.row(index as usize)));
        let rest = self.limit_rows(&rows, whole.row(0));
        for row in rows {
            let cost = self.costs.row(row).to_vec();
            self.leaving.add(analysis.calls.caller[row].index(), &cost);
            self.entering.add(analysis.calls.callee[row].index(), &cost);
        }
        if let Some(root) = self.root(analysis, members) {
            self.uncalled.add(root, &rest);
            self.entering.add(root, &rest);
        }
    }

    /// Cuts rows so that they cost no more than the whole; returns the part of the whole that no row has.
    fn limit_rows(&mut self, rows: &[usize], whole: &[u64]) -> Vec<u64> {
        let mut sums = vec![0_i128; whole.len()];
        for &row in rows {
            sums.iter_mut().enumerate().for_each(|(event, sum)| *sum += self.costs.value(row, event));
        }
        let signed = self.leaving.signed();
        let too_much = sums.iter().zip(whole).any(|(&sum, &whole)| !signed && sum > i128::from(whole));
        if too_much {
            let within = |(event, &sum): (usize, &i128)| sum.min(i128::from(whole[event]));
            let target: Vec<i128> = sums.iter().enumerate().map(within).collect();
            let mut shares = ProportionalShares::new(target, sums);
            for &row in rows {
                let old = self.costs.row(row).to_vec();
                let kept = shares.next(&old, signed);
                let less: Vec<u64> = old.iter().zip(&kept).map(|(old, kept)| old - kept.min(old)).collect();
                self.costs.to_mut().subtract(row, &less);
            }
        }
        let mut rest = Costs::new(whole.len(), signed);
        rest.push(whole);
        rows.iter().for_each(|&row| rest.subtract(0, self.costs.row(row)));
        rest.row(0).to_vec()
    }

    /// The member that gets the cost of a component that no call explains: the one with the greatest stated inclusive
    /// cost, among equals the one whose costliest caller explains least of it. If no costs are stated, it is the member
    /// with the greatest self cost plus calls that leave the component.
    fn root(&self, analysis: &Analysis<'_>, members: &[u32]) -> Option<usize> {
        let event = default_event(analysis.profile).unwrap_or(0);
        let stated = |index: usize| match analysis.origin {
            InclusiveOrigin::File if self.leaving.width() > 0 => {
                let inclusive = analysis.inclusive.value(index, event);
                (inclusive, inclusive - self.costliest_call(analysis, index, event))
            }
            _ => (0, 0),
        };
        let cost = |index: usize| self.leaving.row(index).get(event).copied().unwrap_or(0);
        let rank = |&index: &usize| (stated(index), cost(index), std::cmp::Reverse(index));
        members.iter().map(|&index| index as usize).max_by_key(rank)
    }

    /// The cost of the costliest call of a function by another.
    fn costliest_call(&self, analysis: &Analysis<'_>, index: usize, event: usize) -> i128 {
        let rows = self.incoming.rows_of(FunctionId::from(index)).iter().map(|&row| row as usize);
        let others = rows.filter(|&row| analysis.calls.caller[row].index() != index);
        others.map(|row| analysis.calls.costs.value(row, event)).max().unwrap_or(0)
    }
}
