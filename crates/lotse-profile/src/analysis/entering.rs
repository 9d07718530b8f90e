//! Inclusive costs of functions that call each other in circles, from calls: what is known of them at least.
//!
//! `main` calls `a` for 100, `a` calls `b`, `b` calls `a` again. A caller outside the cycle cannot run below `a`, so
//! calls that enter the cycle at `a` never lie inside each other: `a` costs at least what they cost together, 100.
//! It also costs at least what it costs itself and by calls that leave the cycle. Calls inside the cycle may lie inside
//! each other, so their costs must not be added; but the costliest of `n` calls costs at least the mean of them, and
//! exactly that where `n` is 1: `init`, which is called again and again but works only once, calls `os_init` once, for
//! 1800, and `os_init` costs 1800. The largest of the three bounds is taken, and no more than the whole cycle costs.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::{Analysis, Origin, Way};
use crate::events::default_event;

/// A bound that is further from the cost of the whole cycle than this share of the total is worth a note.
const NOTED: f64 = 0.01;
const WHY: &str = "calls do not tell what recursion costs";

/// Raises the inclusive costs of members of cycles from self costs and calls that leave to what enters there.
pub(super) fn raise(inclusive: &mut Costs, analysis: &mut Analysis<'_>) {
    if inclusive.signed() || inclusive.width() == 0 || analysis.cycles.members.is_empty() {
        return;
    }
    let wholes = wholes(inclusive, analysis);
    let entering = entering(analysis);
    let costliest = costliest_inside(analysis);
    for (members, whole) in analysis.cycles.members.iter().zip(&wholes) {
        for row in members.iter().map(|member| member.index()) {
            let inside = costliest.row(row).iter().zip(whole).map(|(cost, whole)| cost.min(whole));
            let bounds = inside.zip(entering.row(row)).map(|(inside, enters)| *inside.max(enters));
            let more: Vec<u64> =
                bounds.zip(inclusive.row(row)).map(|(bound, known)| bound.saturating_sub(*known)).collect();
            inclusive.add(row, &more);
        }
    }
    note(inclusive, &wholes, analysis);
}

/// What the costliest call inside the cycle costs at least, for each member.
fn costliest_inside(analysis: &Analysis<'_>) -> Costs {
    let own = &analysis.own;
    let mut costliest = Costs::zeros(own.width(), own.signed(), analysis.profile.functions.len());
    let calls = &analysis.calls;
    for (row, (&caller, &callee)) in calls.caller.iter().zip(&calls.callee).enumerate() {
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

/// What calls from outside of each member's cycle cost.
fn entering(analysis: &Analysis<'_>) -> Costs {
    let own = &analysis.own;
    let mut entering = Costs::zeros(own.width(), own.signed(), analysis.profile.functions.len());
    let calls = &analysis.calls;
    for (row, (&caller, &callee)) in calls.caller.iter().zip(&calls.callee).enumerate() {
        if analysis.cycles.cycle[callee.index()].is_some() && !analysis.cycles.inside(caller, callee) {
            entering.add(callee.index(), calls.costs.row(row));
        }
    }
    entering
}

/// What each cycle costs as a whole.
fn wholes(leaving: &Costs, analysis: &Analysis<'_>) -> Vec<Vec<u64>> {
    let whole = |members: &Vec<FunctionId>| {
        let mut sum = Costs::zeros(leaving.width(), leaving.signed(), 1);
        members.iter().for_each(|member| sum.add(0, leaving.row(member.index())));
        sum.row(0).to_vec()
    };
    analysis.cycles.members.iter().map(whole).collect()
}

/// Says that costs are bounds where the function may cost considerably more.
fn note(inclusive: &Costs, wholes: &[Vec<u64>], analysis: &mut Analysis<'_>) {
    let event = default_event(analysis.profile).unwrap_or(0);
    let least = analysis.totals.get(event).map_or(f64::INFINITY, |&total| total as f64 * NOTED);
    let called = called_by_rows(analysis);
    let unsure = |(members, whole): (&Vec<FunctionId>, &Vec<u64>)| {
        let gap = |member: &&FunctionId| {
            let missing = i128::from(whole[event]) - inclusive.value(member.index(), event);
            missing as f64 > least && called[member.index()] != 1
        };
        members.iter().filter(gap).count()
    };
    let count: usize = analysis.cycles.members.iter().zip(wholes).map(unsure).sum();
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

/// How often calls of the file lead to each function. One that is called once costs what that call costs.
fn called_by_rows(analysis: &Analysis<'_>) -> Vec<u64> {
    let mut called = vec![0_u64; analysis.profile.functions.len()];
    for (callee, count) in analysis.calls.callee.iter().zip(&analysis.calls.count) {
        called[callee.index()] = called[callee.index()].saturating_add(*count);
    }
    called
}

impl Analysis<'_> {
    /// Whether the inclusive cost of a function is only known to be at least what is stated: it is a member of a
    /// cycle that costs more, and was called more than once.
    pub fn is_lower_bound(&self, function: FunctionId) -> bool {
        let Some(cycle) = self.cycles.cycle[function.index()] else { return false };
        let estimated = matches!(self.origin, Origin::Calls | Origin::Counts) && self.way != Way::Raw;
        if !estimated || self.inclusive.signed() || self.inclusive.width() == 0 {
            return false;
        }
        let event = default_event(self.profile).unwrap_or(0);
        let members = &self.cycles.members[cycle as usize];
        let own: i128 = members.iter().map(|member| self.own.value(member.index(), event)).sum();
        let rows = members.iter().flat_map(|member| self.outgoing.of(*member)).map(|row| *row as usize);
        let leaving = rows.filter(|&row| !self.cycles.inside(self.calls.caller[row], self.calls.callee[row]));
        let whole = own + leaving.map(|row| self.calls.costs.value(row, event)).sum::<i128>();
        self.inclusive.value(function.index(), event) < whole && called_by_rows(self)[function.index()] != 1
    }

    /// Says that the inclusive cost of the function asked about is a lower bound, where it is one.
    pub fn lower_bound_note(&self, function: FunctionId) -> Option<String> {
        let name = crate::answer::FunctionName::of(self.profile, function).display;
        self.is_lower_bound(function)
            .then(|| format!("the inclusive cost of {name}, which is in a cycle, is a lower bound: {WHY}"))
    }
}
