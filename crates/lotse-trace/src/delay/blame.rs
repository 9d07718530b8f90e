//! Who is to blame for some of the waits: what [`delays`](super::delays) does for all, for the longest of a few.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::shares::{Row, Scratch, Shares};
use super::{DelayCost, WaitRef, is_charged};
use crate::store::Trace;
use crate::waits::{Wait, Waits};

/// Of more waits the longest are charged.
const LONGEST: usize = 256;

/// Waits that are followed back at most, so that a long chain does not take longer than the analysis of all.
const STEPS: usize = 10_000;

/// What made a location wait in some way.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Blame {
    /// By call path and location, the costliest first.
    pub costs: Vec<DelayCost>,
    /// The waits that were charged, together.
    pub charged: Ticks,
}

/// What still has to be charged: the last to end first.
type Pending = BTreeMap<(Reverse<Ticks>, WaitRef), Amount>;

#[derive(Debug, Clone, Copy, Default)]
struct Amount {
    own: f64,
    inherited: f64,
}

/// Charges the longest of the waits that are chosen.
pub fn blame(trace: &Trace, waits: &Waits, chosen: impl Fn(&Wait) -> bool) -> Blame {
    let longest = longest(waits, chosen);
    let charged = longest.iter().map(|&(ticks, _)| ticks).sum();
    let mut pending: Pending = longest
        .into_iter()
        .map(|(ticks, wait)| (key(waits, wait), Amount { own: ticks as f64, inherited: 0.0 }))
        .collect();
    let mut sums: BTreeMap<(LocationId, PathId), Amount> = BTreeMap::new();
    let mut scratch = Scratch::new(trace);
    for _ in 0..STEPS {
        let Some(((_, wait), amount)) = pending.pop_first() else { break };
        let mut shares = Shares::default();
        shares.divide(trace, waits, wait, &mut scratch);
        let cause = waits.by_location[wait.0 as usize][wait.1 as usize].cause;
        if let (Some(cause), Some(row)) = (cause, shares.rows().next()) {
            book(waits, (cause.location, row), amount, &mut sums, &mut pending);
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

fn longest(waits: &Waits, chosen: impl Fn(&Wait) -> bool) -> Vec<(Ticks, WaitRef)> {
    let mut found: Vec<(Ticks, WaitRef)> = Vec::new();
    let mut least = 0;
    for (location, of_one) in (0..).zip(&waits.by_location) {
        for (number, wait) in (0..).zip(of_one) {
            // Most are too short, which is cheaper to see than whether they are chosen.
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

fn key(waits: &Waits, wait: WaitRef) -> (Reverse<Ticks>, WaitRef) {
    (Reverse(waits.by_location[wait.0 as usize][wait.1 as usize].end), wait)
}

fn book(
    waits: &Waits,
    (location, row): (LocationId, Row<'_>),
    amount: Amount,
    sums: &mut BTreeMap<(LocationId, PathId), Amount>,
    pending: &mut Pending,
) {
    let part = |ticks: Ticks| ticks as f64 / row.total.max(1) as f64;
    for &(path, excess) in row.paths {
        let cost = sums.entry((location, path)).or_default();
        cost.own += amount.own * part(excess);
        cost.inherited += amount.inherited * part(excess);
    }
    for &(number, ticks) in row.waits {
        let passed = (amount.own + amount.inherited) * part(ticks);
        pending.entry(key(waits, (location.0, number))).or_default().inherited += passed;
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
