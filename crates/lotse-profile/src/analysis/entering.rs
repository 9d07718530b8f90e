//! Inclusive costs of functions that call each other in circles, from calls: what is known of them at least.
//!
//! `main` calls `a` for 100, `a` calls `b`, `b` calls `a` again. A caller outside the cycle cannot run below `a`, so
//! calls that enter the cycle at `a` never lie inside each other: `a` costs at least what they cost together, 100.
//! It also costs at least what it costs itself and by calls that leave the cycle. The larger of the two is taken.
//! Nothing more is known: what calls inside a cycle cost is counted once for every level of recursion.

use lotse_model::profile::Costs;

use super::Analysis;
use crate::events::default_event;

/// A bound that is further from the cost of the whole cycle than this share of the total is worth a note.
const NOTED: f64 = 0.01;

/// Raises the inclusive costs of members of cycles from self costs and calls that leave to what enters there.
pub(super) fn raise(inclusive: &mut Costs, analysis: &mut Analysis<'_>) {
    if inclusive.signed() || inclusive.width() == 0 || analysis.cycles.members.is_empty() {
        return;
    }
    let wholes = wholes(inclusive, analysis);
    let entering = entering(analysis);
    for &member in analysis.cycles.members.iter().flatten() {
        let (row, enters) = (member.index(), entering.row(member.index()));
        let more: Vec<u64> = enters
            .iter()
            .zip(inclusive.row(row))
            .map(|(enters, known)| enters.saturating_sub(*known))
            .collect();
        inclusive.add(row, &more);
    }
    note(inclusive, &wholes, analysis);
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

/// What each cycle costs as a whole, by the default event type.
fn wholes(leaving: &Costs, analysis: &Analysis<'_>) -> Vec<i128> {
    let event = default_event(analysis.profile).unwrap_or(0);
    let members = analysis.cycles.members.iter();
    members.map(|members| members.iter().map(|member| leaving.value(member.index(), event)).sum()).collect()
}

/// Says that costs are bounds where the function may cost considerably more.
fn note(inclusive: &Costs, wholes: &[i128], analysis: &mut Analysis<'_>) {
    let event = default_event(analysis.profile).unwrap_or(0);
    let least = analysis.totals.get(event).map_or(f64::INFINITY, |&total| total as f64 * NOTED);
    let unsure = |(members, whole): (&Vec<_>, &i128)| {
        let gap = |member: &&lotse_model::id::FunctionId| {
            (whole - inclusive.value(member.index(), event)) as f64 > least
        };
        members.iter().filter(gap).count()
    };
    let count: usize = analysis.cycles.members.iter().zip(wholes).map(unsure).sum();
    if count > 0 {
        let (functions, is) =
            if count == 1 { ("function", "is a lower bound") } else { ("functions", "are lower bounds") };
        let costs = if count == 1 { "cost" } else { "costs" };
        analysis.notes.push(format!(
            "the inclusive {costs} of {count} {functions} in cycles {is}: calls do not tell what recursion costs; \
             `top --group cycle` shows each cycle as a whole"
        ));
    }
}
