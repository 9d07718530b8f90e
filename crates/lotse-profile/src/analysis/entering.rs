//! Lower bounds of the inclusive costs of members of cycles, from the costs of calls.
//!
//! ```text
//!   main --100--> a <----> b        a and b are a cycle
//! ```
//!
//! There are three lower bounds for a member; the largest is taken:
//!
//! 1. The sum of the calls that enter the cycle at the member, here 100 for `a`. A caller outside the cycle cannot run
//!    below `a`, so these calls are never nested and can be added.
//! 2. Its self cost plus its calls that leave the cycle.
//! 3. The mean cost of its calls by another member, but at most the cost of the whole cycle. Calls inside the cycle may
//!    be nested, so their costs must not be added, but the costliest of `n` calls costs at least the mean. With `n` = 1
//!    that is exact: if `init` calls `os_init` once, for 1800, then `os_init` costs 1800.

use std::sync::Arc;

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;
use lotse_report::number::format_share;

use super::{Analysis, CycleMode, InclusiveOrigin};
use crate::events::default_event;

/// A note is added if a bound is below the cost of the whole cycle by more than this share of the total.
const NOTED_GAP: f64 = 0.01;
const WHY: &str = "calls do not tell what recursion costs";

/// Raises the inclusive costs of members of cycles from bound 2 (self costs and leaving calls) to the largest bound.
pub(super) fn raise(inclusive: &mut Costs, analysis: &mut Analysis<'_>) {
    if inclusive.signed() || inclusive.width() == 0 || analysis.cycles.members.is_empty() {
        return;
    }
    let cycle_costs = cycle_costs(inclusive, analysis);
    let entering = entering(analysis);
    let costliest = costliest_inside(analysis);
    for (members, whole) in analysis.cycles.members.iter().zip(&cycle_costs).checked() {
        for row in members.iter().map(|member| member.index()) {
            let inside = costliest.row(row).iter().zip(whole).map(|(cost, whole)| cost.min(whole));
            let bounds = inside.zip(entering.row(row)).map(|(inside, enters)| *inside.max(enters));
            let more: Vec<u64> =
                bounds.zip(inclusive.row(row)).map(|(bound, known)| bound.saturating_sub(*known)).collect();
            inclusive.add(row, &more);
        }
    }
    note(inclusive, &cycle_costs, analysis);
}

/// For each member, the greatest mean cost of its calls by one member of the cycle.
fn costliest_inside(analysis: &Analysis<'_>) -> Costs {
    let own = &analysis.own;
    let mut costliest = Costs::zeros(own.width(), own.signed(), analysis.profile.functions.len());
    let calls = &analysis.calls;
    for (row, (&caller, &callee)) in calls.caller.iter().zip(&calls.callee).enumerate().checked() {
        let count = calls.count[row];
        if count == 0
            || analysis.cycles.cycle[callee.index()].is_none()
            || !analysis.cycles.inside(caller, callee)
        {
            continue;
        }
        let means = calls.costs.row(row).iter().map(|cost| cost.div_ceil(count));
        let more: Vec<u64> = means
            .zip(costliest.row(callee.index()))
            .map(|(mean, known)| mean.saturating_sub(*known))
            .collect();
        costliest.add(callee.index(), &more);
    }
    costliest
}

/// For each member, the sum of the calls from outside its cycle.
fn entering(analysis: &Analysis<'_>) -> Costs {
    let own = &analysis.own;
    let mut entering = Costs::zeros(own.width(), own.signed(), analysis.profile.functions.len());
    let calls = &analysis.calls;
    for (row, (&caller, &callee)) in calls.caller.iter().zip(&calls.callee).enumerate().checked() {
        if analysis.cycles.cycle[callee.index()].is_some() && !analysis.cycles.inside(caller, callee) {
            entering.add(callee.index(), calls.costs.row(row));
        }
    }
    entering
}

/// The cost of each cycle as a whole: the sum of self costs and leaving calls of its members.
fn cycle_costs(leaving: &Costs, analysis: &Analysis<'_>) -> Vec<Vec<u64>> {
    let whole = |members: &Vec<FunctionId>| {
        let mut sum = Costs::zeros(leaving.width(), leaving.signed(), 1);
        members.iter().for_each(|member| sum.add(0, leaving.row(member.index())));
        sum.row(0).to_vec()
    };
    analysis.cycles.members.iter().map(whole).collect()
}

/// Adds a note with the number of functions that may cost considerably more than their bound.
fn note(inclusive: &Costs, cycle_costs: &[Vec<u64>], analysis: &mut Analysis<'_>) {
    let event = default_event(analysis.profile).unwrap_or(0);
    let least = analysis.totals.get(event).map_or(f64::INFINITY, |&total| total as f64 * NOTED_GAP);
    let called = called_by_rows(analysis);
    let count_unsure = |(members, whole): (&Vec<FunctionId>, &Vec<u64>)| {
        let gap = |member: &&FunctionId| {
            let missing = i128::from(whole[event]) - inclusive.value(member.index(), event);
            missing as f64 > least && called[member.index()] != 1
        };
        members.iter().filter(gap).count()
    };
    let count: usize = analysis.cycles.members.iter().zip(cycle_costs).map(count_unsure).sum();
    if count > 0 {
        let (functions, is) =
            if count == 1 { ("function", "is a lower bound") } else { ("functions", "are lower bounds") };
        let costs = if count == 1 { "cost" } else { "costs" };
        analysis.notes.push(format!(
            "the inclusive {costs} of {count} {functions} in cycles {is}: {WHY}; `top --group cycle` shows each cycle as \
             a whole"
        ));
    }
}

/// How often each function was called, by the rows of calls. The cost of a function that was called once is exact.
fn called_by_rows(analysis: &Analysis<'_>) -> Vec<u64> {
    let mut called = vec![0_u64; analysis.profile.functions.len()];
    for (callee, count) in analysis.calls.callee.iter().zip(&analysis.calls.count) {
        called[callee.index()] = called[callee.index()].saturating_add(*count);
    }
    called
}

/// The least share of the total that makes a cycle worth a note.
const LEAST_CYCLE: f64 = 0.01;

impl Analysis<'_> {
    /// Whether the inclusive cost of a function is only a lower bound: the function is a member of a cycle that costs
    /// more, and was called more than once; or it may be a caller that stacks lack.
    pub fn is_lower_bound(&self, function: FunctionId) -> bool {
        self.lower_bounds().get(function.index()).is_some_and(|&is_lower| is_lower)
    }

    /// For every function whether its inclusive cost is only a lower bound; empty if none is.
    pub(crate) fn lower_bounds(&self) -> Arc<Vec<bool>> {
        Arc::clone(self.lazy.lower_bounds.get_or_init(|| Arc::new(self.find_lower_bounds())))
    }

    /// With stacks, functions may be among missing callers; with calls, members of a cycle that cost less than all of it.
    fn find_lower_bounds(&self) -> Vec<bool> {
        if self.origin == InclusiveOrigin::Stacks {
            return super::missing::lower_bounds(self);
        }
        let estimated = matches!(self.origin, InclusiveOrigin::Calls | InclusiveOrigin::Counts)
            && self.cycle_mode != CycleMode::Raw;
        let known = estimated && !self.inclusive.signed() && self.inclusive.width() > 0;
        if !known || self.cycles.members.is_empty() {
            return Vec::new();
        }
        let event = default_event(self.profile).unwrap_or(0);
        let called = called_by_rows(self);
        let mut lower = vec![false; self.profile.functions.len()];
        for members in self.cycles.members.iter().checked() {
            let whole = self.cost_of_cycle(members, event);
            for row in members.iter().map(|member| member.index()) {
                lower[row] = self.inclusive.value(row, event) < whole && called[row] != 1;
            }
        }
        lower
    }

    /// What trees of calls cannot show of the costliest cycle, if it has at least a hundredth of the total: which member
    /// calls which on what path. `None` if there are stacks, which show it.
    pub fn cycle_note(&self) -> Option<String> {
        if self.samples.is_some() || self.cycle_mode == CycleMode::Raw || self.own.width() == 0 {
            return None;
        }
        let event = default_event(self.profile).unwrap_or(0);
        let cost = |members: &Vec<FunctionId>| (self.cost_of_cycle(members, event), members.len());
        let (cost, size) = self.cycles.members.iter().filter(|members| members.len() > 1).map(cost).max()?;
        let share = super::share(cost, *self.totals.get(event)?);
        (share >= LEAST_CYCLE).then(|| {
            format!(
                "{size} functions call each other in a cycle, with {} of the total in and below them; the file does not \
                 say on which paths, so each of them stands on the shortest paths from where the cycle is entered; what \
                 one of them costs with all that it calls is in the list of functions",
                format_share(share, 1)
            )
        })
    }

    /// The self costs of the members, and the calls that leave the cycle.
    fn cost_of_cycle(&self, members: &[FunctionId], event: usize) -> i128 {
        let own: i128 = members.iter().map(|member| self.own.value(member.index(), event)).sum();
        let rows = members.iter().flat_map(|member| self.outgoing.rows_of(*member)).map(|row| *row as usize);
        let leaving = rows.filter(|&row| !self.cycles.inside(self.calls.caller[row], self.calls.callee[row]));
        own + leaving.map(|row| self.calls.costs.value(row, event)).sum::<i128>()
    }

    /// A note that the inclusive cost of the function is a lower bound, if it is one.
    pub fn lower_bound_note(&self, function: FunctionId) -> Option<String> {
        let name = crate::answer::FunctionName::new(self.profile, function).display;
        self.is_lower_bound(function).then(|| match self.origin {
            InclusiveOrigin::Stacks => {
                format!(
                    "the inclusive cost of {name} is a lower bound: stacks on which it may be lack callers"
                )
            }
            _ => format!("the inclusive cost of {name}, which is in a cycle, is a lower bound: {WHY}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::analysis::tests::summed;
    use crate::analysis::{Analysis, CycleMode};

    #[test]
    fn what_trees_cannot_show_of_a_cycle_is_noted_if_it_is_costly() {
        let note = |own: u64| {
            let profile = summed(
                &[("main", 1000), ("a", own), ("b", 1), ("c", own)],
                &[("main", "a", 1, 2 * own + 1), ("a", "b", 1, 1), ("b", "a", 1, 1), ("b", "c", 1, own)],
            );
            Analysis::of_default_parts(&profile, CycleMode::Folded).cycle_note()
        };
        let text = note(1000).unwrap();
        assert!(
            text.starts_with("2 functions call each other in a cycle, with 66.7 % of the total"),
            "{text}"
        );
        assert_eq!(note(1), None);
    }
}
