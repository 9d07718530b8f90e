//! gprof's way: the cost of a function (of a cycle as a whole) is spread over its callers by numbers of calls.
//!
//! Callees are done before callers; the pieces of an integer cost add up to it exactly.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::{Adjacency, Analysis};
use crate::events::default_event;

/// Inclusive costs, and with them the costs of calls, replaced by what the counts say.
pub(super) fn spread(analysis: &mut Analysis<'_>) -> Costs {
    let width = analysis.own.width();
    let signed = analysis.own.signed();
    let event = default_event(analysis.profile).unwrap_or(0);
    let calls = analysis.calls.to_mut();
    let weights = call_weights(&calls.count, &calls.costs, event);
    calls.costs = Costs::zeros(width, signed, calls.len());
    let mut inclusive = analysis.own.clone();
    if width == 0 {
        return inclusive;
    }
    let component = |function: FunctionId| analysis.cycles.component[function.index()];
    let into: Vec<FunctionId> = calls.callee.iter().map(|&callee| FunctionId(component(callee))).collect();
    let incoming = Adjacency::new(analysis.cycles.components as usize, &into);
    let members: Vec<FunctionId> =
        analysis.cycles.component.iter().map(|&component| FunctionId(component)).collect();
    let members = Adjacency::new(analysis.cycles.components as usize, &members);
    for number in 0..analysis.cycles.components {
        let whole = whole(&inclusive, members.of(FunctionId(number)));
        let entering = |row: &u32| component(calls.caller[*row as usize]) != number;
        let rows: Vec<u32> = incoming.of(FunctionId(number)).iter().copied().filter(entering).collect();
        for (row, cost) in pieces(&whole, &rows, &weights) {
            calls.costs.add(row, &cost);
            inclusive.add(calls.caller[row].index(), &cost);
        }
    }
    inclusive
}

/// Costs of calls where inclusive costs of functions are known: those of a function shared out among the calls that
/// enter its cycle from outside, by their numbers.
pub(super) fn share_out(analysis: &mut Analysis<'_>, inclusive: &Costs) {
    let mut costs = Costs::zeros(inclusive.width(), inclusive.signed(), analysis.calls.len());
    let incoming = analysis.incoming();
    for function in analysis.profile.functions.ids() {
        let entering = |row: &u32| !analysis.cycles.inside(analysis.calls.caller[*row as usize], function);
        let rows: Vec<u32> = incoming.of(function).iter().copied().filter(entering).collect();
        for (row, cost) in pieces(inclusive.row(function.index()), &rows, &analysis.calls.count) {
            costs.add(row, &cost);
        }
    }
    analysis.calls.to_mut().costs = costs;
}

/// Numbers of calls; where the format has none, what the calls cost.
fn call_weights(counts: &[u64], costs: &Costs, event: usize) -> Vec<u64> {
    if counts.iter().any(|&count| count > 0) || costs.rows() < counts.len() {
        return counts.to_vec();
    }
    (0..counts.len()).map(|row| costs.row(row)[event]).collect()
}

/// The cost of a component's members together.
fn whole(inclusive: &Costs, members: &[u32]) -> Vec<u64> {
    let mut sum = Costs::zeros(inclusive.width(), inclusive.signed(), 1);
    members.iter().for_each(|&member| sum.add(0, inclusive.row(member as usize)));
    sum.row(0).to_vec()
}

/// A cost cut in proportion to the weights of rows, the pieces adding up to it.
fn pieces(whole: &[u64], rows: &[u32], weights: &[u64]) -> Vec<(usize, Vec<u64>)> {
    let all: u128 = rows.iter().map(|&row| u128::from(weights[row as usize])).sum();
    if all == 0 {
        return Vec::new();
    }
    // 2^64 * 2^64 fits; a sum of weights beyond that keeps its proportions when cut down.
    let shrink = (all >> 64) as u64 + 1;
    let all = all / u128::from(shrink);
    let mut before = 0_u128;
    let piece = |(place, &row): (usize, &u32)| {
        let summed = before + u128::from(weights[row as usize] / shrink);
        // What cutting down lost goes to the last, so that nothing is missing.
        let after = if place + 1 == rows.len() { all } else { summed.min(all) };
        let cut = |cost: &u64| {
            let up_to = |weight: u128| u128::from(*cost) * weight / all;
            (up_to(after) - up_to(before)) as u64
        };
        let cost = whole.iter().map(cut).collect();
        before = after;
        (row as usize, cost)
    };
    rows.iter().enumerate().map(piece).collect()
}

#[cfg(test)]
mod tests {
    use super::pieces;

    #[test]
    fn pieces_add_up() {
        let cut = pieces(&[100, 7], &[0, 1, 2], &[1, 1, 1]);
        assert_eq!(cut, [(0, vec![33, 2]), (1, vec![33, 2]), (2, vec![34, 3])]);
        let cut = pieces(&[u64::MAX], &[1, 0], &[u64::MAX, u64::MAX]);
        assert_eq!(cut.iter().map(|(_, cost)| cost[0]).sum::<u64>(), u64::MAX);
        assert_eq!(pieces(&[5], &[0], &[0]), []);
    }
}
