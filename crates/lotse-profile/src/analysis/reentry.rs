//! Finds groups of functions that are never entered again from what they call.
//!
//! On every stack the frames of such a group are adjacent, so that its inclusive cost is exactly its self cost plus the
//! calls that leave it. The calls between groups do not decide this, but those between functions: two groups may call
//! each other, although no chain of calls comes back to either.
//!
//! ```text
//! group A: a1, a2    group B: b1, b2
//! a1 -> b1, b2 -> a2              A and B call each other, but neither is entered again
//! a1 -> b1 -> a2                  A is entered again
//! ```

use lotse_model::id::FunctionId;
use lotse_model::progress::Checked as _;

use super::Analysis;

/// Groups that one walk over the call graph decides: one per bit of a 64-bit number.
const AT_ONCE: usize = 64;
/// The greatest number of calls followed in all walks together; the remaining groups count as entered again.
const MOST_CALLS: usize = 1 << 28;

/// Those of `groups` that no chain of calls leaves and comes back to.
pub(super) fn never_entered_again(analysis: &Analysis<'_>, group: &[u32], groups: &[u32]) -> Vec<u32> {
    let calls_per_walk = (analysis.calls.len() + analysis.profile.functions.len()).max(1);
    let order = callees_first(analysis);
    let mut once = Vec::new();
    for chunk in groups.chunks(AT_ONCE).take(MOST_CALLS / calls_per_walk) {
        let again = ReentryWalk::new(analysis, group, chunk).entered_again(&order);
        once.extend(chunk.iter().zip(0..).filter(|(_, bit)| again >> bit & 1 == 0).map(|(group, _)| *group));
    }
    once
}

/// All functions, callees before callers, except inside cycles.
fn callees_first(analysis: &Analysis<'_>) -> Vec<FunctionId> {
    let mut order: Vec<FunctionId> = analysis.profile.functions.ids().collect();
    order.sort_by_key(|function| analysis.cycles.component[function.index()]);
    order
}

/// A walk over the call graph for up to 64 groups.
struct ReentryWalk<'a> {
    analysis: &'a Analysis<'a>,
    /// The bit of each function's group; 0 for other groups.
    bit: Vec<u64>,
}

impl<'a> ReentryWalk<'a> {
    fn new(analysis: &'a Analysis<'_>, group: &[u32], groups: &[u32]) -> Self {
        let most = group.iter().copied().max().map_or(0, |most| most as usize + 1);
        let mut bits = vec![0; most];
        groups.iter().zip(0..).for_each(|(group, bit)| bits[*group as usize] = 1_u64 << bit);
        Self { analysis, bit: group.iter().map(|group| bits[*group as usize]).collect() }
    }

    /// The bits of groups that have a leaving call whose callee reaches the group again.
    fn entered_again(&self, order: &[FunctionId]) -> u64 {
        let reached = self.reached(order);
        let (calls, component) = (&self.analysis.calls, &self.analysis.cycles.component);
        let leaving = calls.caller.iter().zip(&calls.callee).checked();
        let again = leaving.map(|(caller, callee)| {
            let left = self.bit[caller.index()] & !self.bit[callee.index()];
            left & reached[component[callee.index()] as usize]
        });
        again.fold(0, |all, some| all | some)
    }

    /// For each component of the call graph, the groups of its functions and of all functions that they call at any
    /// distance.
    fn reached(&self, order: &[FunctionId]) -> Vec<u64> {
        let component = |function: FunctionId| self.analysis.cycles.component[function.index()] as usize;
        let mut reached = vec![0_u64; self.analysis.cycles.components as usize];
        for &function in order.iter().checked() {
            let below = self
                .analysis
                .outgoing
                .rows_of(function)
                .iter()
                .fold(0, |all, &row| all | reached[component(self.analysis.calls.callee[row as usize])]);
            reached[component(function)] |= below | self.bit[function.index()];
        }
        reached
    }
}

#[cfg(test)]
mod tests;
