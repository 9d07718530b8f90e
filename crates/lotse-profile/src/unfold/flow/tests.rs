//! The flow of random profiles, against a computation that visits all calls in the order of the components.

use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Builder, Costs, EventType, Part};
use proptest::prelude::*;

use super::CallFlow;
use crate::analysis::{Analysis, CycleMode};
use crate::unfold::calls::ProportionalShares;

/// Caller, callee and two costs.
type Call = (u32, u32, [u64; 2]);

/// A profile of two event types. Of several calls between two functions, the last one counts.
fn profile(own: &[[u64; 2]], calls: &[Call]) -> Profile {
    let mut builder = Builder::new();
    builder.profile.events = vec![EventType::count("Ir"), EventType::count("Dr")];
    let mut part = Part::new("1", 2, false);
    for (function, costs) in own.iter().enumerate() {
        part.own.function.push(builder.bare_function(&format!("f{function}")));
        part.own.costs.push(costs);
    }
    let pairs: std::collections::BTreeMap<(u32, u32), [u64; 2]> =
        calls.iter().map(|&(caller, callee, costs)| ((caller, callee), costs)).collect();
    for ((caller, callee), costs) in pairs {
        part.calls.caller.push(FunctionId(caller));
        part.calls.callee.push(FunctionId(callee));
        part.calls.count.push(1);
        part.calls.costs.push(&costs);
    }
    builder.profile.parts = vec![part];
    builder.finish()
}

/// Costs of calls, and of functions: leaving, entering, uncalled.
struct Reference {
    calls: Costs,
    leaving: Costs,
    entering: Costs,
    uncalled: Costs,
}

/// Cuts the calls that enter each component, and adds them to their callers and callees afterwards.
fn reference(analysis: &Analysis<'_>) -> Reference {
    let nothing = Costs::zeros(2, false, analysis.profile.functions.len());
    let mut calls = analysis.calls.costs.clone();
    let (mut leaving, mut entering, mut uncalled) = (Costs::clone(&analysis.own), nothing.clone(), nothing);
    for component in 0..analysis.cycles.components {
        let is_member = |function: usize| analysis.cycles.component[function] == component;
        let members: Vec<usize> = (0..leaving.rows()).filter(|&function| is_member(function)).collect();
        let mut whole = [0_u64; 2];
        members.iter().for_each(|&it| (0..2).for_each(|event| whole[event] += leaving.row(it)[event]));
        // Calls are cut in the order of their callees.
        let rows = members.iter().flat_map(|&member| {
            let ends = analysis.calls.caller.iter().zip(&analysis.calls.callee).enumerate();
            let enters = ends.filter(move |(_, (_, callee))| callee.index() == member);
            enters.filter(|(_, (caller, _))| !is_member(caller.index())).map(|(row, _)| row)
        });
        let rows: Vec<usize> = rows.collect();
        let sum = |event: usize| rows.iter().map(|&row| calls.value(row, event)).sum::<i128>();
        let sums: Vec<i128> = (0..2).map(sum).collect();
        let target = sums.iter().zip(whole).map(|(&sum, whole)| sum.min(i128::from(whole))).collect();
        let mut shares = ProportionalShares::new(target, sums);
        for &row in &rows {
            let old = calls.row(row).to_vec();
            calls.subtract(row, &old);
            calls.add(row, &shares.next(&old, false));
            leaving.add(analysis.calls.caller[row].index(), calls.row(row));
            entering.add(analysis.calls.callee[row].index(), calls.row(row));
            whole.iter_mut().zip(calls.row(row)).for_each(|(whole, cost)| *whole -= cost);
        }
        let rank = |&it: &usize| (leaving.row(it)[0], std::cmp::Reverse(it));
        let root = members.into_iter().max_by_key(rank).unwrap();
        uncalled.add(root, &whole);
        entering.add(root, &whole);
    }
    Reference { calls, leaving, entering, uncalled }
}

proptest! {
    #[test]
    fn equals_the_flow_call_by_call(
        own in prop::collection::vec([0_u64..50, 0_u64..50], 8),
        calls in prop::collection::vec((0_u32..8, 0_u32..8, [0_u64..90, 0_u64..90]), 0..20),
    ) {
        let profile = profile(&own, &calls);
        let analysis = Analysis::of_default_parts(&profile, CycleMode::Folded);
        let (flow, expected) = (CallFlow::new(&analysis), reference(&analysis));
        prop_assert_eq!(flow.leaving.cells(), expected.leaving.cells());
        for function in profile.functions.ids() {
            prop_assert_eq!(flow.entering().row(function), expected.entering.row(function.index()));
            let uncalled = flow.uncalled().row(function);
            let uncalled = if uncalled.is_empty() { &[0, 0] } else { uncalled };
            prop_assert_eq!(uncalled, expected.uncalled.row(function.index()));
        }
        for row in 0..analysis.calls.len() {
            if !analysis.cycles.inside(analysis.calls.caller[row], analysis.calls.callee[row]) {
                prop_assert_eq!(flow.costs(&analysis).row(row), expected.calls.row(row));
            }
        }
    }
}
