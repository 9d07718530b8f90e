//! gprof's propagation: the cost of a function (or of a cycle as a whole) is spread over its callers in proportion to
//! their numbers of calls.
//!
//! Callees are processed before their callers. The shares of an integer cost add up to it exactly:
//!
//! ```text
//! cost 10, calls 1 1 1    running sums of calls 0 1 2 3 -> of cost 0 3 6 10 -> shares 3 3 4
//! ```

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;

use super::{Adjacency, Analysis};
use crate::events::default_event;

/// Computes inclusive costs, and replaces the costs of calls, from self costs and numbers of calls.
pub(super) fn spread(analysis: &mut Analysis<'_>) -> Costs {
    let width = analysis.own.width();
    let signed = analysis.own.signed();
    let event = default_event(analysis.profile).unwrap_or(0);
    let calls = analysis.calls.to_mut();
    let weights = call_weights(&calls.count, &calls.costs, event);
    calls.costs = Costs::zeros(width, signed, calls.len());
    let mut inclusive = Costs::clone(&analysis.own);
    if width == 0 {
        return inclusive;
    }
    let component = |function: FunctionId| analysis.cycles.component[function.index()];
    let into: Vec<FunctionId> = calls.callee.iter().map(|&callee| FunctionId(component(callee))).collect();
    let incoming = Adjacency::new(analysis.cycles.components as usize, &into);
    let members: Vec<FunctionId> =
        analysis.cycles.component.iter().map(|&component| FunctionId(component)).collect();
    let members = Adjacency::new(analysis.cycles.components as usize, &members);
    for number in (0..analysis.cycles.components).checked() {
        let whole = component_cost(&inclusive, members.rows_of(FunctionId(number)));
        let entering = |row: &u32| component(calls.caller[*row as usize]) != number;
        let rows: Vec<u32> = incoming.rows_of(FunctionId(number)).iter().copied().filter(entering).collect();
        for (row, cost) in shares(&whole, &rows, &weights) {
            calls.costs.add(row, &cost);
            inclusive.add(calls.caller[row].index(), &cost);
        }
    }
    inclusive
}

/// Computes costs of calls from known inclusive costs of functions: the cost of a function is divided among the calls
/// that enter it from outside its cycle, in proportion to their numbers.
pub(super) fn divide_among_calls(analysis: &mut Analysis<'_>, inclusive: &Costs) {
    let mut costs = Costs::zeros(inclusive.width(), inclusive.signed(), analysis.calls.len());
    // The analysis is not complete yet, so that nothing of it may be kept.
    let incoming = Adjacency::new(analysis.profile.functions.len(), &analysis.calls.callee);
    for function in analysis.profile.functions.ids().checked() {
        let entering = |row: &u32| !analysis.cycles.inside(analysis.calls.caller[*row as usize], function);
        let rows: Vec<u32> = incoming.rows_of(function).iter().copied().filter(entering).collect();
        for (row, cost) in shares(inclusive.row(function.index()), &rows, &analysis.calls.count) {
            costs.add(row, &cost);
        }
    }
    analysis.calls.to_mut().costs = costs;
}

/// The weights of calls: their numbers, or their costs if the format has no numbers.
fn call_weights(counts: &[u64], costs: &Costs, event: usize) -> Vec<u64> {
    if counts.iter().any(|&count| count > 0) || costs.rows() < counts.len() {
        return counts.to_vec();
    }
    (0..counts.len()).map(|row| costs.row(row)[event]).collect()
}

/// The sum of the costs of a component's members.
fn component_cost(inclusive: &Costs, members: &[u32]) -> Vec<u64> {
    let mut sum = Costs::zeros(inclusive.width(), inclusive.signed(), 1);
    members.iter().for_each(|&member| sum.add(0, inclusive.row(member as usize)));
    sum.row(0).to_vec()
}

/// Divides a cost among rows in proportion to their weights; the shares add up to the cost.
fn shares(whole: &[u64], rows: &[u32], weights: &[u64]) -> Vec<(usize, Vec<u64>)> {
    let all: u128 = rows.iter().map(|&row| u128::from(weights[row as usize])).sum();
    if all == 0 {
        return Vec::new();
    }
    // A product of two 64-bit numbers fits into 128 bits; a greater sum of weights is scaled down first.
    let shrink = (all >> 64) as u64 + 1;
    let all = all / u128::from(shrink);
    let mut before = 0_u128;
    let share = |(place, &row): (usize, &u32)| {
        let summed = before + u128::from(weights[row as usize] / shrink);
        // The last row gets what scaling lost, so that nothing is missing.
        let after = if place + 1 == rows.len() { all } else { summed.min(all) };
        let cut = |cost: &u64| {
            let up_to = |weight: u128| u128::from(*cost) * weight / all;
            (up_to(after) - up_to(before)) as u64
        };
        let cost = whole.iter().map(cut).collect();
        before = after;
        (row as usize, cost)
    };
    rows.iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::shares;

    #[test]
    fn shares_add_up() {
        let cut = shares(&[100, 7], &[0, 1, 2], &[1, 1, 1]);
        assert_eq!(cut, [(0, vec![33, 2]), (1, vec![33, 2]), (2, vec![34, 3])]);
        let cut = shares(&[u64::MAX], &[1, 0], &[u64::MAX, u64::MAX]);
        assert_eq!(cut.iter().map(|(_, cost)| cost[0]).sum::<u64>(), u64::MAX);
        assert_eq!(shares(&[5], &[0], &[0]), []);
    }
}
