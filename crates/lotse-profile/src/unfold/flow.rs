//! Makes the costs of calls between cycles consistent: the calls of a function never cost more than the function.
//!
//! Without this, files whose calls do not add up would make a tree that costs more than the profile. Callees are
//! processed before callers; if the calls of a function cost more than the function, they are cut in proportion.

use std::sync::Arc;

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::calls::ProportionalShares;
use crate::analysis::{Adjacency, Analysis, InclusiveOrigin};
use crate::events::default_event;

/// Consistent costs of calls.
#[derive(Debug)]
pub(crate) struct CallFlow {
    /// The costs of calls, if any of them had to be cut; rows inside a cycle are not used.
    cut: Option<Costs>,
    /// Rows of calls by callee.
    pub(super) incoming: Arc<Adjacency>,
    /// For each function, its self cost plus its calls that leave the cycle.
    pub(super) leaving: Costs,
    /// For each function, the cost that enters it from outside its cycle, by calls or as a root.
    pub(super) entering: Costs,
    /// The part of `entering` that no call explains: the function is a root.
    pub(super) uncalled: Costs,
}

/// Buffers that all components use.
#[derive(Default)]
struct Scratch {
    /// The calls that enter the component.
    rows: Vec<usize>,
    /// The cost of the component.
    whole: Vec<u64>,
    /// The sums of the calls.
    sums: Vec<i128>,
}

impl CallFlow {
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let nothing =
            || Costs::zeros(analysis.own.width(), analysis.own.signed(), analysis.profile.functions.len());
        let mut flow = Self {
            cut: None,
            incoming: analysis.incoming(),
            leaving: analysis.own.clone(),
            entering: nothing(),
            uncalled: nothing(),
        };
        let components: Vec<FunctionId> =
            analysis.cycles.component.iter().map(|&component| FunctionId(component)).collect();
        let members = Adjacency::new(analysis.cycles.components as usize, &components);
        let mut scratch = Scratch::default();
        for component in 0..analysis.cycles.components {
            flow.process_component(analysis, members.rows_of(FunctionId(component)), &mut scratch);
        }
        flow
    }

    /// The cost of each row of calls.
    pub(super) fn costs<'a>(&'a self, analysis: &'a Analysis<'_>) -> &'a Costs {
        self.cut.as_ref().unwrap_or(&analysis.calls.costs)
    }

    /// Cuts the calls that enter a component, whose callees have been processed, and adds them to their callers.
    fn process_component(&mut self, analysis: &Analysis<'_>, members: &[u32], scratch: &mut Scratch) {
        let incoming = Arc::clone(&self.incoming);
        let rows = members.iter().flat_map(|&index| incoming.rows_of(FunctionId(index)));
        let rows = rows.map(|&row| row as usize);
        scratch.rows.clear();
        scratch.rows.extend(
            rows.filter(|&row| {
                !analysis.cycles.inside(analysis.calls.caller[row], analysis.calls.callee[row])
            }),
        );
        self.sum_members(members, &mut scratch.whole);
        self.limit_rows(analysis, scratch);
        let costs = self.cut.as_ref().unwrap_or(&analysis.calls.costs);
        for &row in &scratch.rows {
            self.leaving.add(analysis.calls.caller[row].index(), costs.row(row));
            self.entering.add(analysis.calls.callee[row].index(), costs.row(row));
        }
        if let Some(root) = self.root(analysis, members) {
            self.uncalled.add(root, &scratch.whole);
            self.entering.add(root, &scratch.whole);
        }
    }

    /// The cost of a component: that of one member, or the sum over several.
    fn sum_members(&self, members: &[u32], whole: &mut Vec<u64>) {
        whole.clear();
        match members {
            [one] => whole.extend_from_slice(self.leaving.row(*one as usize)),
            _ => {
                let mut sum = Costs::zeros(self.leaving.width(), self.leaving.signed(), 1);
                members.iter().for_each(|&index| sum.add(0, self.leaving.row(index as usize)));
                whole.extend_from_slice(sum.row(0));
            }
        }
    }

    /// Cuts rows so that they cost no more than the whole, of which the part that no row has is left.
    fn limit_rows(&mut self, analysis: &Analysis<'_>, scratch: &mut Scratch) {
        let Scratch { rows, whole, sums } = scratch;
        let signed = self.leaving.signed();
        let costs = self.cut.as_ref().unwrap_or(&analysis.calls.costs);
        sums.clear();
        sums.resize(whole.len(), 0);
        for &row in rows.iter() {
            sums.iter_mut().enumerate().for_each(|(event, sum)| *sum += costs.value(row, event));
        }
        let too_much = sums.iter().zip(&*whole).any(|(&sum, &whole)| !signed && sum > i128::from(whole));
        if too_much {
            let within = |(event, &sum): (usize, &i128)| sum.min(i128::from(whole[event]));
            let target: Vec<i128> = sums.iter().enumerate().map(within).collect();
            let mut shares = ProportionalShares::new(target, sums.clone());
            let costs = self.cut.get_or_insert_with(|| analysis.calls.costs.clone());
            for &row in rows.iter() {
                let old = costs.row(row).to_vec();
                let kept = shares.next(&old, signed);
                let less: Vec<u64> = old.iter().zip(&kept).map(|(old, kept)| old - kept.min(old)).collect();
                costs.subtract(row, &less);
            }
        }
        let costs = self.cut.as_ref().unwrap_or(&analysis.calls.costs);
        let mut rest = Costs::new(whole.len(), signed);
        rest.push(whole);
        rows.iter().for_each(|&row| rest.subtract(0, costs.row(row)));
        whole.copy_from_slice(rest.row(0));
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
