//! The causes of selected waits: the same as [`delays`](super::delays), for the longest of some waits only.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::shares::{Scratch, Shares, WaitShares};
use super::{DelayCost, WaitRef, is_charged};
use crate::store::Trace;
use crate::waits::{Wait, Waits};

/// Maximum number of selected waits; of more than that, the longest are charged.
const LONGEST: usize = 256;

/// Maximum number of waits that are divided, so that a long chain does not take longer than the analysis of all waits.
const STEPS: usize = 10_000;

/// The causes of selected waits.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blame {
    /// By call path and location, the most expensive first.
    pub costs: Vec<DelayCost>,
    /// The sum of the waits that were charged.
    pub charged: Ticks,
}

/// Amounts that are still to be divided, the wait that ends last first.
type Pending = BTreeMap<(Reverse<Ticks>, WaitRef), Amount>;

#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    own: f64,
    inherited: f64,
}

/// Charges the longest of the waits that `chosen` selects, and the waits that caused them.
pub fn blame(trace: &Trace, waits: &Waits, chosen: impl Fn(&Wait) -> bool) -> Blame {
    let longest = longest(waits, chosen);
    let charged = longest.iter().map(|&(ticks, _)| ticks).sum();
    let mut pending: Pending = longest
        .into_iter()
        .map(|(ticks, wait)| (pending_key(waits, wait), Amount { own: ticks as f64, inherited: 0.0 }))
        .collect();
    let mut sums: BTreeMap<(LocationId, PathId), Amount> = BTreeMap::new();
    let mut scratch = Scratch::new(trace);
    for _ in 0..STEPS {
        let Some(((_, wait), amount)) = pending.pop_first() else { break };
        let mut shares = Shares::default();
        shares.divide(trace, waits, wait, &mut scratch);
        let cause = waits.by_location[wait.0 as usize][wait.1 as usize].cause;
        if let (Some(cause), Some(shares)) = (cause, shares.by_wait().next()) {
            add_wait(waits, (cause.location, shares), amount, &mut sums, &mut pending);
        }
    }
    let cost = |((location, path), amount): ((LocationId, PathId), Amount)| DelayCost {
        path,
        location,
        short: amount.own,
        long: amount.inherited,
    };
    let mut costs: Vec<DelayCost> = sums.into_iter().map(cost).collect();
    costs.sort_by(|a, b| (b.short + b.long).total_cmp(&(a.short + a.long)).then(a.location.cmp(&b.location)));
    Blame { costs, charged }
}

/// The [`LONGEST`] longest chosen waits. Up to twice as many are collected before the list is cut.
fn longest(waits: &Waits, chosen: impl Fn(&Wait) -> bool) -> Vec<(Ticks, WaitRef)> {
    let mut found: Vec<(Ticks, WaitRef)> = Vec::new();
    let mut least = 0;
    for (location, location_waits) in (0..).zip(&waits.by_location) {
        for (number, wait) in (0..).zip(location_waits) {
            // Most waits are too short. This check is cheaper than the choice.
            if wait.ticks() < least || !is_charged(wait) || !chosen(wait) {
                continue;
            }
            found.push((wait.ticks(), (location, number)));
            if found.len() == 2 * LONGEST {
                keep_longest(&mut found);
                least = found[LONGEST - 1].0;
            }
        }
    }
    keep_longest(&mut found);
    found
}

fn keep_longest(found: &mut Vec<(Ticks, WaitRef)>) {
    found.sort_unstable_by_key(|&(ticks, wait)| (Reverse(ticks), wait));
    found.truncate(LONGEST);
}

/// The key of a wait in [`Pending`].
fn pending_key(waits: &Waits, wait: WaitRef) -> (Reverse<Ticks>, WaitRef) {
    (Reverse(waits.by_location[wait.0 as usize][wait.1 as usize].end), wait)
}

/// Adds the shares of one wait to the costs, and passes the shares of earlier waits on to these.
fn add_wait(
    waits: &Waits,
    (location, shares): (LocationId, WaitShares<'_>),
    amount: Amount,
    sums: &mut BTreeMap<(LocationId, PathId), Amount>,
    pending: &mut Pending,
) {
    let fraction = |ticks: Ticks| ticks as f64 / shares.total.max(1) as f64;
    for &(path, excess) in shares.paths {
        let cost = sums.entry((location, path)).or_default();
        cost.own += amount.own * fraction(excess);
        cost.inherited += amount.inherited * fraction(excess);
    }
    for &(number, ticks) in shares.waits {
        let passed = (amount.own + amount.inherited) * fraction(ticks);
        pending.entry(pending_key(waits, (location.0, number))).or_default().inherited += passed;
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::rule::Thresholds;
    use lotse_model::work::Sequential;

    use super::blame;
    use crate::fixture::Script;

    /// Rank 0 computes too long, rank 1 waits for it and then makes rank 2 wait.
    #[test]
    fn a_wait_is_followed_back_to_where_it_began() {
        let mut script = Script::processes(3);
        script
            .enter(0, 0, "main")
            .call(0, 0, 1000, "compute")
            .send(0, 1000, 1000, 1, 0)
            .leave(0, 3000, "main");
        script.enter(1, 0, "main").call(1, 0, 500, "compute").recv(1, 500, 1000, 0, 0);
        script.call(1, 1000, 1200, "more").send(1, 1200, 1200, 2, 0).leave(1, 3000, "main");
        script.enter(2, 0, "main").call(2, 0, 500, "compute").recv(2, 500, 1200, 1, 0).leave(2, 3000, "main");
        let trace = script.trace();
        let waits = crate::waits::search(&trace, &Thresholds::default(), &Sequential);
        let found = blame(&trace, &waits, |wait| wait.call.location.0 == 2);
        let costs: Vec<(u32, String, f64, f64)> = found
            .costs
            .iter()
            .map(|cost| (cost.location.0, trace.path_name(cost.path), cost.short, cost.long))
            .collect();
        assert_eq!(found.charged, 700);
        let expected = [(0, "main/compute".to_owned(), 0.0, 500.0), (1, "main/more".to_owned(), 200.0, 0.0)];
        assert_eq!(costs, expected);
    }
}
