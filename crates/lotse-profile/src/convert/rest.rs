//! Divides the costs that a tree leaves out among stacks through some members of cycles and others, so that as much is on
//! stacks through these members as the tree has below them.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;
use lotse_model::progress::Checked as _;

use super::paths::CostliestPaths;
use crate::analysis::Analysis;
use crate::unfold::CallTree;

/// The costliest paths to functions, and the costs of functions that shall be on them.
type RestOnPaths = (CostliestPaths, Costs);

/// The rest on paths through the members, and the rest on other paths. Costs are not negative.
pub(super) fn divided_rest(
    analysis: &Analysis<'_>,
    tree: &CallTree,
    through: &[FunctionId],
    rest: Costs,
) -> [RestOnPaths; 2] {
    let is_below = nodes_below(tree, through);
    let inside = CostliestPaths::among(analysis, tree, |node| is_below[node as usize], &[]);
    let outside = CostliestPaths::among(analysis, tree, |node| !is_below[node as usize], through);
    let place = |row: usize| {
        let function = FunctionId::from(row);
        (inside.lead_to(function), outside.lead_to(function))
    };
    let mut missing = missing_below(tree, &is_below);
    let mut either = vec![0_i128; rest.width()];
    for row in (0..rest.rows()).checked() {
        let sum = match place(row) {
            (true, true) => &mut either,
            (true, false) => &mut missing,
            (false, _) => continue,
        };
        let sign = if place(row) == (true, true) { 1 } else { -1 };
        sum.iter_mut().enumerate().for_each(|(event, sum)| *sum += sign * rest.value(row, event));
    }
    let mut costs =
        [Costs::zeros(rest.width(), false, rest.rows()), Costs::zeros(rest.width(), false, rest.rows())];
    for row in (0..rest.rows()).checked() {
        let part = |(event, &cost): (usize, &u64)| match place(row) {
            (true, true) => {
                let part = missing[event].max(0) as f64 / either[event].max(1) as f64;
                ((cost as f64 * part.min(1.0)).round() as u64).min(cost)
            }
            (true, false) => cost,
            (false, _) => 0,
        };
        let below: Vec<u64> = rest.row(row).iter().enumerate().map(part).collect();
        let other: Vec<u64> = rest.row(row).iter().zip(&below).map(|(all, below)| all - below).collect();
        costs[0].add(row, &below);
        costs[1].add(row, &other);
    }
    let [below, other] = costs;
    [(inside, below), (outside, other)]
}

/// For each node whether it is, or is below, a node of one of the functions.
fn nodes_below(tree: &CallTree, functions: &[FunctionId]) -> Vec<bool> {
    let mut below: Vec<bool> = Vec::with_capacity(tree.nodes.len());
    for node in tree.nodes.iter().checked() {
        let inherited = node.parent.is_some_and(|parent| below[parent as usize]);
        below.push(inherited || functions.contains(&node.function));
    }
    below
}

/// The cost of what was left out below the nodes.
fn missing_below(tree: &CallTree, is_below: &[bool]) -> Vec<i128> {
    let mut missing = vec![0; tree.own.width()];
    for (row, node) in tree.nodes.iter().enumerate().filter(|(row, _)| is_below[*row]).checked() {
        let is_outermost = node.parent.is_none_or(|parent| !is_below[parent as usize]);
        for (event, missing) in missing.iter_mut().enumerate() {
            let whole = if is_outermost { tree.inclusive.value(row, event) } else { 0 };
            *missing += whole - tree.own.value(row, event);
        }
    }
    missing
}
