//! Makes the costs of calls between cycles consistent: the calls of a function never cost more than the function.
//!
//! Without this, files whose calls do not add up would make a tree that costs more than the profile. All calls are added
//! first. Then callees are processed before callers; if the calls of a function cost more than the function, they are
//! cut in proportion, and what they lose is taken from the sums again. So only the calls that are cut are visited twice.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;

use super::calls::ProportionalShares;
use crate::analysis::{Adjacency, Analysis, InclusiveOrigin};
use crate::events::default_event;

mod sparse;

pub(super) use sparse::{CallCosts, FunctionCosts};
use sparse::{CutRows, SparseCosts};

/// Consistent costs of calls.
#[derive(Debug)]
pub(crate) struct CallFlow {
    /// The calls that had to be cut.
    cut: Option<CutRows>,
    /// For each function, its self cost plus its calls that leave the cycle.
    pub(super) leaving: Costs,
    /// For each function, the cost that enters it from outside its cycle, by calls or as a root, where it differs from
    /// `leaving`: in cycles.
    entering: SparseCosts,
    /// The part of the entering cost that no call explains: the function is a root.
    uncalled: SparseCosts,
}

impl CallFlow {
    pub(super) fn new(analysis: &Analysis<'_>) -> Self {
        let mut sums = FlowSums::new(analysis);
        let components: Vec<FunctionId> =
            analysis.cycles.component.iter().map(|&component| FunctionId(component)).collect();
        let members = Adjacency::new(analysis.cycles.components as usize, &components);
        for component in (0..analysis.cycles.components).checked() {
            sums.process_component(members.rows_of(FunctionId(component)));
        }
        let FlowSums { cut, leaving, entering, roots, .. } = sums;
        let entering = SparseCosts::differences(&entering, &leaving);
        Self { cut, leaving, entering, uncalled: SparseCosts::new(roots) }
    }

    /// The cost of each row of calls; rows inside a cycle are not used.
    pub(super) fn costs<'a>(&'a self, analysis: &'a Analysis<'_>) -> CallCosts<'a> {
        CallCosts { stated: &analysis.calls.costs, cut: self.cut.as_ref() }
    }

    /// For each function, the cost that enters it from outside its cycle, by calls or as a root.
    pub(super) fn entering(&self) -> FunctionCosts<'_> {
        FunctionCosts { dense: Some(&self.leaving), sparse: Some(&self.entering) }
    }

    /// The part of the entering cost that no call explains.
    pub(super) fn uncalled(&self) -> FunctionCosts<'_> {
        FunctionCosts { dense: None, sparse: Some(&self.uncalled) }
    }
}

/// The sums while components are processed.
struct FlowSums<'a> {
    analysis: &'a Analysis<'a>,
    cut: Option<CutRows>,
    leaving: Costs,
    entering: Costs,
    /// Functions with a cost that no call explains.
    roots: Vec<(FunctionId, Vec<u64>)>,
}

impl<'a> FlowSums<'a> {
    /// Adds all calls between components.
    fn new(analysis: &'a Analysis<'_>) -> Self {
        let own = &analysis.own;
        let mut leaving = Costs::clone(own);
        let mut entering = Costs::zeros(own.width(), own.signed(), analysis.profile.functions.len());
        let calls = &analysis.calls;
        for (row, (&caller, &callee)) in calls.caller.iter().zip(&calls.callee).enumerate().checked() {
            if !analysis.cycles.inside(caller, callee) {
                leaving.add(caller.index(), calls.costs.row(row));
                entering.add(callee.index(), calls.costs.row(row));
            }
        }
        Self { analysis, cut: None, leaving, entering, roots: Vec::new() }
    }

    /// Cuts the calls that enter a component, whose callees have been processed, and finds what no call explains.
    fn process_component(&mut self, members: &[u32]) {
        if let [only] = members
            && self.entering.row(*only as usize) == self.leaving.row(*only as usize)
        {
            return;
        }
        let whole = sum(&self.leaving, members);
        let calls = exact_sums(&self.entering, members);
        let exceeds = |(&sum, &whole): (&i128, &u64)| !self.leaving.signed() && sum > i128::from(whole);
        if calls.iter().zip(whole.row(0)).any(exceeds) {
            self.cut_calls(members, &calls, whole.row(0));
        }
        let mut rest = whole;
        members.iter().for_each(|&member| rest.subtract(0, self.entering.row(member as usize)));
        if rest.row(0).iter().all(|&cost| cost == 0) {
            return;
        }
        if let Some(root) = self.root(members) {
            self.entering.add(root, rest.row(0));
            self.roots.push((FunctionId::from(root), rest.row(0).to_vec()));
        }
    }

    /// Cuts the calls that enter a component so that they cost no more than the whole.
    fn cut_calls(&mut self, members: &[u32], sums: &[i128], whole: &[u64]) {
        let (analysis, signed) = (self.analysis, self.leaving.signed());
        let incoming = analysis.incoming();
        let target = sums.iter().zip(whole).map(|(&sum, &whole)| sum.min(i128::from(whole))).collect();
        let mut shares = ProportionalShares::new(target, sums.to_vec());
        let calls = &analysis.calls;
        let cut = self.cut.get_or_insert_with(|| CutRows::new(&calls.costs, calls.len()));
        for &row in members.iter().flat_map(|&index| incoming.rows_of(FunctionId(index))) {
            let row = row as usize;
            let (caller, callee) = (calls.caller[row], calls.callee[row]);
            if analysis.cycles.inside(caller, callee) {
                continue;
            }
            let old = calls.costs.row(row);
            let kept = shares.next(old, signed);
            let less: Vec<u64> = old.iter().zip(&kept).map(|(old, kept)| old - kept.min(old)).collect();
            let kept: Vec<u64> = old.iter().zip(&less).map(|(old, less)| old - less).collect();
            cut.set(row, &kept);
            self.leaving.subtract(caller.index(), &less);
            self.entering.subtract(callee.index(), &less);
        }
    }

    /// The member that gets the cost of a component that no call explains: the one with the greatest stated inclusive
    /// cost, among equals the one whose costliest caller explains least of it. If no costs are stated, it is the member
    /// with the greatest self cost plus calls that leave the component.
    fn root(&self, members: &[u32]) -> Option<usize> {
        let analysis = self.analysis;
        let event = default_event(analysis.profile).unwrap_or(0);
        let stated = |index: usize| match analysis.origin {
            InclusiveOrigin::File if self.leaving.width() > 0 => {
                let inclusive = analysis.inclusive.value(index, event);
                (inclusive, inclusive - self.costliest_call(index, event))
            }
            _ => (0, 0),
        };
        let cost = |index: usize| self.leaving.row(index).get(event).copied().unwrap_or(0);
        let rank = |&index: &usize| (stated(index), cost(index), std::cmp::Reverse(index));
        match members {
            [only] => Some(*only as usize),
            _ => members.iter().map(|&index| index as usize).max_by_key(rank),
        }
    }

    /// The cost of the costliest call of a function by another.
    fn costliest_call(&self, index: usize, event: usize) -> i128 {
        let (calls, incoming) = (&self.analysis.calls, self.analysis.incoming());
        let rows = incoming.rows_of(FunctionId::from(index)).iter().map(|&row| row as usize);
        let others = rows.filter(|&row| calls.caller[row].index() != index);
        others.map(|row| calls.costs.value(row, event)).max().unwrap_or(0)
    }
}

/// The sum of the costs of some functions, as a table of one row.
fn sum(costs: &Costs, functions: &[u32]) -> Costs {
    let mut sum = Costs::zeros(costs.width(), costs.signed(), 1);
    functions.iter().for_each(|&function| sum.add(0, costs.row(function as usize)));
    sum
}

/// The same sum, even if it does not fit into a cell.
fn exact_sums(costs: &Costs, functions: &[u32]) -> Vec<i128> {
    let value = |event: usize| functions.iter().map(|&function| costs.value(function as usize, event)).sum();
    (0..costs.width()).map(value).collect()
}

#[cfg(test)]
mod tests;
