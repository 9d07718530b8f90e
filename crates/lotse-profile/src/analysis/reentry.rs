//! Which groups of functions are never entered again from what they call.
//!
//! A stack then passes through such a group in one piece, so that its self costs and the calls that leave it make
//! up its inclusive cost exactly. The question is about functions: two groups may call each other without any
//! chain of calls that comes back.

use lotse_model::id::FunctionId;

use super::Analysis;

/// Groups that one walk over the call graph answers for: as many as a number has bits.
const AT_ONCE: usize = 64;
/// Calls followed at most, all walks together; groups that are left keep the doubt.
const MOST_CALLS: usize = 1 << 28;

/// Those of some groups that no chain of calls leaves and comes back to.
pub(super) fn never_entered_again(analysis: &Analysis<'_>, group: &[u32], groups: &[u32]) -> Vec<u32> {
    let a_walk = (analysis.calls.len() + analysis.profile.functions.len()).max(1);
    let order = callees_first(analysis);
    let mut once = Vec::new();
    for some in groups.chunks(AT_ONCE).take(MOST_CALLS / a_walk) {
        let again = Walk::new(analysis, group, some).entered_again(&order);
        once.extend(some.iter().zip(0..).filter(|(_, bit)| again >> bit & 1 == 0).map(|(group, _)| *group));
    }
    once
}

/// Functions so that those a function calls come before it, cycles aside.
fn callees_first(analysis: &Analysis<'_>) -> Vec<FunctionId> {
    let mut order: Vec<FunctionId> = analysis.profile.functions.ids().collect();
    order.sort_by_key(|function| analysis.cycles.component[function.index()]);
    order
}

/// A walk for up to 64 groups.
struct Walk<'a> {
    analysis: &'a Analysis<'a>,
    /// The bit of each function's group; 0 for other groups.
    bit: Vec<u64>,
}

impl<'a> Walk<'a> {
    fn new(analysis: &'a Analysis<'_>, group: &[u32], groups: &[u32]) -> Self {
        let most = group.iter().copied().max().map_or(0, |most| most as usize + 1);
        let mut bits = vec![0; most];
        groups.iter().zip(0..).for_each(|(group, bit)| bits[*group as usize] = 1_u64 << bit);
        Self { analysis, bit: group.iter().map(|group| bits[*group as usize]).collect() }
    }

    /// Bits of the groups that a call leaves from where they can be reached again.
    fn entered_again(&self, order: &[FunctionId]) -> u64 {
        let reached = self.reached(order);
        let (calls, component) = (&self.analysis.calls, &self.analysis.cycles.component);
        let leaving = calls.caller.iter().zip(&calls.callee);
        let again = leaving.map(|(caller, callee)| {
            let left = self.bit[caller.index()] & !self.bit[callee.index()];
            left & reached[component[callee.index()] as usize]
        });
        again.fold(0, |all, some| all | some)
    }

    /// For each component of the call graph the groups of its functions and of all that these call, at any
    /// distance.
    fn reached(&self, order: &[FunctionId]) -> Vec<u64> {
        let component = |function: FunctionId| self.analysis.cycles.component[function.index()] as usize;
        let mut reached = vec![0_u64; self.analysis.cycles.components as usize];
        for &function in order {
            let below = self
                .analysis
                .outgoing
                .of(function)
                .iter()
                .fold(0, |all, &row| all | reached[component(self.analysis.calls.callee[row as usize])]);
            reached[component(function)] |= below | self.bit[function.index()];
        }
        reached
    }
}

#[cfg(test)]
mod tests;
