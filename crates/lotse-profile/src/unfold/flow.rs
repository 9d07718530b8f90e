//! What flows through the calls between cycles, made consistent: no function is called for more than it costs.
//!
//! Files whose calls do not add up would make a tree that costs more than the profile. Callees are done before
//! callers: where the calls of a function cost more than the function, they are cut in proportion.

use std::borrow::Cow;

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::calls::Pieces;
use crate::analysis::{Adjacency, Analysis, Origin};
use crate::events::default_event;

/// Costs of calls that add up.
pub(super) struct Flow<'a> {
    /// Of each row of calls; those inside a cycle do not count.
    pub(super) costs: Cow<'a, Costs>,
    /// Rows of calls by callee.
    pub(super) incoming: Adjacency,
    /// What each function costs itself and by calls that leave its cycle.
    pub(super) leaving: Costs,
    /// What reaches each function from outside its cycle, by calls or as a root.
    pub(super) entering: Costs,
    /// What of this no call explains.
    pub(super) rootless: Costs,
}

impl<'a> Flow<'a> {
    pub(super) fn new(analysis: &'a Analysis<'_>) -> Self {
        let nothing =
            || Costs::zeros(analysis.own.width(), analysis.own.signed(), analysis.profile.functions.len());
        let mut flow = Self {
            costs: Cow::Borrowed(&analysis.calls.costs),
            incoming: analysis.incoming(),
            leaving: analysis.own.clone(),
            entering: nothing(),
            rootless: nothing(),
        };
        let components: Vec<FunctionId> =
            analysis.cycles.component.iter().map(|&component| FunctionId(component)).collect();
        let members = Adjacency::new(analysis.cycles.components as usize, &components);
        for component in 0..analysis.cycles.components {
            flow.settle(analysis, members.of(FunctionId(component)));
        }
        flow
    }

    /// Cuts what enters a component, whose callees have been settled, and passes it on to its callers.
    fn settle(&mut self, analysis: &Analysis<'_>, members: &[u32]) {
        let member = |&index: &u32| FunctionId(index);
        let rows: Vec<usize> = members
            .iter()
            .flat_map(|index| self.incoming.of(member(index)))
            .map(|&row| row as usize)
            .filter(|&row| !analysis.cycles.inside(analysis.calls.caller[row], analysis.calls.callee[row]))
            .collect();
        let mut whole = Costs::zeros(self.leaving.width(), self.leaving.signed(), 1);
        members.iter().for_each(|&index| whole.add(0, self.leaving.row(index as usize)));
        let rest = self.cut(&rows, whole.row(0));
        for row in rows {
            let cost = self.costs.row(row).to_vec();
            self.leaving.add(analysis.calls.caller[row].index(), &cost);
            self.entering.add(analysis.calls.callee[row].index(), &cost);
        }
        if let Some(root) = self.root(analysis, members) {
            self.rootless.add(root, &rest);
            self.entering.add(root, &rest);
        }
    }

    /// Makes rows cost no more than the whole; gives what they leave of it.
    fn cut(&mut self, rows: &[usize], whole: &[u64]) -> Vec<u64> {
        let mut told = vec![0_i128; whole.len()];
        for &row in rows {
            told.iter_mut().enumerate().for_each(|(event, sum)| *sum += self.costs.value(row, event));
        }
        let signed = self.leaving.signed();
        let too_much = told.iter().zip(whole).any(|(&told, &whole)| !signed && told > i128::from(whole));
        if too_much {
            let within = |(event, &told): (usize, &i128)| told.min(i128::from(whole[event]));
            let target: Vec<i128> = told.iter().enumerate().map(within).collect();
            let mut pieces = Pieces::new(target, told);
            for &row in rows {
                let old = self.costs.row(row).to_vec();
                let kept = pieces.next(&old, signed);
                let less: Vec<u64> = old.iter().zip(&kept).map(|(old, kept)| old - kept.min(old)).collect();
                self.costs.to_mut().subtract(row, &less);
            }
        }
        let mut rest = Costs::new(whole.len(), signed);
        rest.push(whole);
        rows.iter().for_each(|&row| rest.subtract(0, self.costs.row(row)));
        rest.row(0).to_vec()
    }

    /// Where a component begins that nobody is known to call: at the member that is stated to cost most, among equals
    /// at the one whose callers explain least of it. Where no cost is stated, at the member that costs most itself
    /// and by calls that leave the component.
    fn root(&self, analysis: &Analysis<'_>, members: &[u32]) -> Option<usize> {
        let event = default_event(analysis.profile).unwrap_or(0);
        let stated = |index: usize| match analysis.origin {
            Origin::File if self.leaving.width() > 0 => {
                let inclusive = analysis.inclusive.value(index, event);
                (inclusive, inclusive - self.costliest_call(analysis, index, event))
            }
            _ => (0, 0),
        };
        let cost = |index: usize| self.leaving.row(index).get(event).copied().unwrap_or(0);
        let rank = |&index: &usize| (stated(index), cost(index), std::cmp::Reverse(index));
        members.iter().map(|&index| index as usize).max_by_key(rank)
    }

    /// What the costliest call of a function by another costs.
    fn costliest_call(&self, analysis: &Analysis<'_>, index: usize, event: usize) -> i128 {
        let rows = self.incoming.of(FunctionId::from(index)).iter().map(|&row| row as usize);
        let others = rows.filter(|&row| analysis.calls.caller[row].index() != index);
        others.map(|row| analysis.calls.costs.value(row, event)).max().unwrap_or(0)
    }
}
