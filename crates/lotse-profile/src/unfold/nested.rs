//! Call paths inside a cycle whose calls have stated costs, as in Python profiles: an estimate that respects these costs.
//!
//! A Python program with imports is one large cycle: `exec` runs a module, which imports another, which `exec` runs.
//! The *share* of a member is its self cost plus its calls that leave the cycle; the cycle costs the sum of all shares.
//! A branch carries the shares that are spent at or below it. A node takes the share of its own function; the rest is
//! divided among its calls inside the cycle. Here `exec` first takes only 10 of its 40, because its call of `a` costs 90:
//!
//! ```text
//! calls    main -100-> exec, exec -90-> a, a -30-> exec      shares: exec 40, a 60
//! tree     main > exec 100 > a 90 > exec 30                  taken:  exec 10, a 60, exec 30
//! ```
//!
//! - A child costs at most the stated cost of its call, and of its function.
//! - If the stated costs of calls exceed the available cost, because calls are nested, the costliest calls come first.
//! - A call is on a path at most as often as it was made, and a function is repeated only after another function took its
//!   share. So paths are finite.
//!
//! What no call can have without exceeding its stated cost is left out below the node, and counted.

use std::cell::RefCell;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use crate::analysis::{Adjacency, Analysis};

/// The number of rounds of iterative proportional fitting; the remaining error is too small to be visible.
const ROUNDS: usize = 12;
/// The number of calls that are followed to find out which members a call leads to.
const STEPS: usize = 12;
/// Smaller parts of a flow are not followed.
const LEAST_FLOW: f64 = 1e-4;
/// The cost that rounding shares to integers may lose.
const ROUNDING: u64 = 100;
/// Smaller shares are dropped.
const LEAST_SHARE: f64 = 0.1;

/// The shares of members of a cycle, per event type.
type Shares = Vec<(FunctionId, Vec<f64>)>;

/// A place on a call path inside a cycle. Without shares, it stands for costs whose call is unknown.
#[derive(Default)]
pub(super) struct CyclePlace {
    /// The functions of the path since the cycle was entered, and whether each took a share.
    path: Vec<(FunctionId, bool)>,
    /// The shares that are spent at or below this place.
    shares: Shares,
}

impl CyclePlace {
    /// The number of members that have a share.
    pub(super) fn size(&self) -> usize {
        self.shares.len()
    }
}

/// A call inside a cycle, with its cost and the place it leads to.
pub(super) struct InnerCall {
    pub(super) row: usize,
    pub(super) cost: Vec<f64>,
    pub(super) state: CyclePlace,
}

/// Divides the shares of a place among the calls of its function.
pub(super) struct CycleDivider<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    /// For each function, its self cost plus its calls that leave the cycle: its whole share.
    pub(super) leaving: &'a Costs,
    /// Rows of calls by callee.
    pub(super) incoming: std::sync::Arc<Adjacency>,
    /// The event type whose stated costs are limits.
    pub(super) event: usize,
    pub(super) remaining: RemainingCosts,
}

/// The stated costs of calls and functions that no place of the tree has yet. Places that have the same call or function
/// above them do not count, because their cost is included there.
pub(super) struct RemainingCosts {
    rows: RefCell<Vec<f64>>,
    functions: RefCell<Vec<f64>>,
}

impl RemainingCosts {
    pub(super) fn new(analysis: &Analysis<'_>, event: usize) -> Self {
        let column = |costs: &Costs| (0..costs.rows()).map(|row| costs.row(row)[event] as f64).collect();
        Self {
            rows: RefCell::new(column(&analysis.calls.costs)),
            functions: RefCell::new(column(&analysis.inclusive)),
        }
    }
}

/// A call inside the cycle that can get a part of the shares.
struct Candidate {
    row: usize,
    /// The greatest cost that the stated costs of the call and its callee allow here.
    stated: f64,
    /// The cost that it shall get here.
    target: f64,
    /// How much of a flow through the call passes each member.
    reach: HashMap<FunctionId, f64>,
}

impl CycleDivider<'_> {
    /// The place where a cycle is entered at a function, with a cost: every member gets its part of the cost as share.
    pub(super) fn enter(&self, function: FunctionId, cost: &[u64]) -> Option<CyclePlace> {
        let cycle = self.analysis.cycles.cycle[function.index()]?;
        let members = &self.analysis.cycles.members[cycle as usize];
        let width = self.leaving.width();
        let sum = |event| members.iter().map(|it| self.leaving.row(it.index())[event] as f64).sum::<f64>();
        let own = self.leaving.row(function.index());
        // The function gets the same fraction of its share as of its stated cost; the others divide the rest.
        let stated = self.analysis.inclusive.row(function.index());
        let rates: Vec<(f64, f64)> = (0..width)
            .map(|event| {
                let (cost, own, whole) = (cost[event] as f64, own[event] as f64, sum(event));
                let first = ratio(cost, stated[event] as f64).min(ratio(cost, own)).min(1.0);
                (first, ratio(cost - first * own, whole - own).min(1.0))
            })
            .collect();
        let share = |&member: &FunctionId| {
            let rate = |event: usize| if member == function { rates[event].0 } else { rates[event].1 };
            let costs = self.leaving.row(member.index()).iter().enumerate();
            (member, costs.map(|(event, &cost)| cost as f64 * rate(event)).collect())
        };
        Some(CyclePlace { path: Vec::new(), shares: members.iter().map(share).collect() })
    }

    /// The self cost of a function at a place; `rates` are the fractions of its share there.
    pub(super) fn own(&self, function: FunctionId, rates: &[f64]) -> Vec<u64> {
        let own = self.analysis.own.row(function.index()).iter().zip(rates);
        own.map(|(&own, rate)| (own as f64 * rate).ceil() as u64).collect()
    }

    /// Whether a remaining cost is more than rounding explains. Rounding stays with the function.
    pub(super) fn is_considerable(&self, rest: &[u64], function: FunctionId) -> bool {
        let rows = self.analysis.outgoing.rows_of(function).len() as u64;
        rest.iter().any(|&rest| rest > ROUNDING + rows)
    }

    /// Divides a place: the fraction of its function's whole share that is spent there, and the calls inside the cycle.
    pub(super) fn divide(
        &self,
        place: &CyclePlace,
        function: FunctionId,
        cost: &[u64],
    ) -> (Vec<f64>, Vec<InnerCall>) {
        let nothing = vec![0.0; self.leaving.width()];
        let share = place.shares.iter().find(|(member, _)| *member == function);
        let share = share.map_or(&nothing, |(_, costs)| costs);
        let mut path = place.path.clone();
        path.push((function, share[self.event] > 0.0));
        let others = place.shares.iter().filter(|(member, costs)| *member != function && any(costs));
        let mut left: Shares = others.cloned().collect();
        let mut candidates = self.candidates(&path, function, &left);
        let kept = self.kept_fraction(place, function, share[self.event], cost, &candidates);
        if kept < 1.0 {
            left.push((function, share.iter().map(|cost| cost * (1.0 - kept)).collect()));
        }
        let mass: f64 = left.iter().map(|(_, costs)| costs[self.event]).sum();
        set_targets(&mut candidates, ratio(cost[self.event] as f64, self.inclusive(function)), mass);
        candidates.retain(|candidate| candidate.target > 0.0);
        self.measure_reach(&mut candidates, &blocked(&path));
        let parts = fitted(&candidates, &left, self.event);
        let call =
            |(candidate, parts): (&Candidate, &Vec<f64>)| self.inner_call(candidate, parts, &left, &path);
        let whole = self.leaving.row(function.index()).iter();
        let rates =
            share.iter().zip(whole).map(|(share, &whole)| ratio(share * kept, whole as f64)).collect();
        (rates, candidates.iter().zip(&parts).map(call).collect())
    }

    /// The fraction of its share that a function takes at its first place on a path: all of it, unless the costliest call
    /// would then get less than its stated cost, and the function can be repeated below that call.
    fn kept_fraction(
        &self,
        place: &CyclePlace,
        function: FunctionId,
        share: f64,
        cost: &[u64],
        candidates: &[Candidate],
    ) -> f64 {
        let again = place.path.iter().any(|(other, _)| *other == function);
        let costliest = candidates.iter().map(|it| it.stated).fold(0.0, f64::max);
        let room = cost[self.event] as f64 - costliest;
        if again || !self.analysis.counted || share <= room || self.called_once(function) {
            return 1.0;
        }
        // Every function on a path takes at least a little.
        ratio(room, share).clamp(0.01, 1.0)
    }

    /// Computes which members candidates lead to, if there are several candidates.
    fn measure_reach(&self, candidates: &mut [Candidate], blocked: &[FunctionId]) {
        let choice = candidates.len() > 1;
        for candidate in candidates.iter_mut().filter(|_| choice) {
            candidate.reach = self.reach(self.analysis.calls.callee[candidate.row], blocked);
        }
    }

    fn called_once(&self, function: FunctionId) -> bool {
        let calls = &self.analysis.calls;
        let rows = calls.callee.iter().zip(&calls.count).filter(|(callee, _)| **callee == function);
        rows.map(|(_, &count)| count).fold(0_u64, u64::saturating_add) <= 1
    }

    fn inclusive(&self, function: FunctionId) -> f64 {
        self.analysis.inclusive.row(function.index())[self.event] as f64
    }

    /// The call of a candidate with its parts of all shares; subtracts its cost from the remaining costs.
    fn inner_call(
        &self,
        candidate: &Candidate,
        parts: &[f64],
        left: &Shares,
        path: &[(FunctionId, bool)],
    ) -> InnerCall {
        let part = |(share, &part): (&(FunctionId, Vec<f64>), &f64)| {
            (share.0, share.1.iter().map(|cost| cost * part).collect::<Vec<f64>>())
        };
        let counts = |share: &(FunctionId, Vec<f64>)| share.1.iter().any(|&cost| cost >= LEAST_SHARE);
        let shares: Shares = left.iter().zip(parts).map(part).filter(counts).collect();
        let mut cost = vec![0.0; self.leaving.width()];
        for (_, costs) in &shares {
            cost.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
        }
        self.subtract_remaining(candidate.row, cost[self.event], path);
        InnerCall { row: candidate.row, cost, state: CyclePlace { path: path.to_vec(), shares } }
    }

    /// The calls inside the cycle through which a member with a share can be reached without blocked functions.
    fn candidates(&self, path: &[(FunctionId, bool)], function: FunctionId, left: &Shares) -> Vec<Candidate> {
        let blocked = blocked(path);
        let leading = self.members_leading_to(left, &blocked);
        let calls = &self.analysis.calls;
        let mut found = Vec::new();
        for &row in self.analysis.outgoing.rows_of(function) {
            let (row, callee) = (row as usize, calls.callee[row as usize]);
            let made = path.windows(2).filter(|pair| pair[0].0 == function && pair[1].0 == callee).count();
            let exhausted = self.analysis.counted && calls.count[row] <= made as u64;
            if !self.analysis.cycles.inside(function, callee) || exhausted || blocked.contains(&callee) {
                continue;
            }
            let stated = self.allowed_cost(row, made > 0, path.iter().any(|(other, _)| *other == callee));
            if stated > 0.0 && leading.contains(&callee) {
                found.push(Candidate { row, stated, target: 0.0, reach: HashMap::new() });
            }
        }
        found
    }

    /// The greatest cost of a call, given whether the call and its callee are on the path already.
    fn allowed_cost(&self, row: usize, call_again: bool, callee_again: bool) -> f64 {
        let callee = self.analysis.calls.callee[row];
        let call = match call_again {
            true => self.analysis.calls.costs.row(row)[self.event] as f64,
            false => self.remaining.rows.borrow()[row],
        };
        let function = match callee_again {
            true => self.inclusive(callee),
            false => self.remaining.functions.borrow()[callee.index()],
        };
        call.min(function)
    }

    /// Subtracts the cost of a call at a place from the remaining costs.
    fn subtract_remaining(&self, row: usize, cost: f64, path: &[(FunctionId, bool)]) {
        let (caller, callee) = (self.analysis.calls.caller[row], self.analysis.calls.callee[row]);
        if !path.windows(2).any(|pair| pair[0].0 == caller && pair[1].0 == callee) {
            self.remaining.rows.borrow_mut()[row] -= cost;
        }
        if !path.iter().any(|(other, _)| *other == callee) {
            self.remaining.functions.borrow_mut()[callee.index()] -= cost;
        }
    }

    /// The members from which one with a share can be reached without blocked functions (backward search).
    fn members_leading_to(&self, left: &Shares, blocked: &[FunctionId]) -> HashSet<FunctionId> {
        let free = |member: &FunctionId| !blocked.contains(member);
        let mut pending: Vec<FunctionId> = left.iter().map(|(member, _)| *member).filter(free).collect();
        let mut leading: HashSet<FunctionId> = pending.iter().copied().collect();
        while let Some(function) = pending.pop() {
            for &row in self.incoming.rows_of(function) {
                let caller = self.analysis.calls.caller[row as usize];
                if self.analysis.cycles.inside(caller, function) && free(&caller) && leading.insert(caller) {
                    pending.push(caller);
                }
            }
        }
        leading
    }

    /// How much of a flow of 1 from a function passes each member of its cycle, if it follows calls in proportion to their
    /// costs and avoids blocked functions.
    fn reach(&self, from: FunctionId, blocked: &[FunctionId]) -> HashMap<FunctionId, f64> {
        let mut reach: HashMap<FunctionId, f64> = HashMap::from([(from, 1.0)]);
        let mut front = reach.clone();
        for _ in 0..STEPS {
            let mut next: HashMap<FunctionId, f64> = HashMap::new();
            for (&function, &amount) in front.iter().filter(|(_, amount)| **amount > LEAST_FLOW) {
                self.spread(function, amount, blocked, &mut next);
            }
            next.iter().for_each(|(&function, amount)| *reach.entry(function).or_default() += amount);
            front = next;
        }
        reach
    }

    /// Adds the flow of a function to the callees inside its cycle, in proportion to the costs of calls.
    fn spread(
        &self,
        function: FunctionId,
        amount: f64,
        blocked: &[FunctionId],
        next: &mut HashMap<FunctionId, f64>,
    ) {
        let calls = &self.analysis.calls;
        let rows = || self.analysis.outgoing.rows_of(function).iter().map(|&row| row as usize);
        let inside = |row: &usize| self.analysis.cycles.inside(function, calls.callee[*row]);
        let cost = |row: usize| calls.costs.row(row)[self.event] as f64;
        let own = self.leaving.row(function.index())[self.event] as f64;
        let whole = own + rows().filter(inside).map(cost).sum::<f64>();
        for row in rows().filter(inside).filter(|&row| !blocked.contains(&calls.callee[row])) {
            *next.entry(calls.callee[row]).or_default() += amount * ratio(cost(row), whole);
        }
    }
}

/// The functions of a path that must not be repeated: no function after them took a share.
fn blocked(path: &[(FunctionId, bool)]) -> Vec<FunctionId> {
    let last_taken = path.iter().rposition(|(_, took)| *took).unwrap_or(0);
    path[last_taken..].iter().map(|(function, _)| *function).collect()
}

/// Sets the targets of candidates, which together are at most `mass`: this part of each stated cost, or all of it if that
/// is not enough; the costliest first.
fn set_targets(candidates: &mut [Candidate], part: f64, mass: f64) {
    let stated: f64 = candidates.iter().map(|it| it.stated).sum();
    let part = if stated * part < mass { 1.0 } else { part };
    candidates.sort_by(|one, other| other.stated.total_cmp(&one.stated).then(one.row.cmp(&other.row)));
    let mut left = mass;
    for candidate in candidates {
        candidate.target = (candidate.stated * part).min(left);
        left -= candidate.target;
    }
}

/// For each candidate, its part of every share, so that it gets its target and no share is given twice. Starts with
/// proportions by reach, and fits columns and rows in turn (iterative proportional fitting).
fn fitted(candidates: &[Candidate], left: &Shares, event: usize) -> Vec<Vec<f64>> {
    let seed = |candidate: &Candidate| {
        let near = |(member, _): &(FunctionId, Vec<f64>)| {
            candidate.target
                * candidate.reach.get(member).copied().unwrap_or(0.0).max(LEAST_FLOW * LEAST_FLOW)
        };
        left.iter().map(near).collect::<Vec<f64>>()
    };
    let mut parts: Vec<Vec<f64>> = candidates.iter().map(seed).collect();
    for _ in 0..ROUNDS {
        for member in 0..left.len() {
            let sum: f64 = parts.iter().map(|row| row[member]).sum();
            parts.iter_mut().for_each(|row| row[member] = ratio(row[member], sum));
        }
        for (row, candidate) in parts.iter_mut().zip(candidates) {
            let sum: f64 = row.iter().zip(left).map(|(part, share)| part * share.1[event]).sum();
            let rate = ratio(candidate.target, sum);
            row.iter_mut().for_each(|part| *part *= rate);
        }
    }
    for member in 0..left.len() {
        let sum: f64 = parts.iter().map(|row| row[member]).sum();
        parts.iter_mut().filter(|_| sum > 1.0).for_each(|row| row[member] /= sum);
    }
    distribute_rest(&mut parts, candidates, left, event);
    parts
}

/// Divides what fitting left over among calls that may cost more.
fn distribute_rest(parts: &mut [Vec<f64>], candidates: &[Candidate], left: &Shares, event: usize) {
    let rest = |member: usize| (1.0 - parts.iter().map(|row| row[member]).sum::<f64>()).max(0.0);
    let rest: Vec<f64> = (0..left.len()).map(rest).collect();
    let cost = |parts: &[f64]| parts.iter().zip(left).map(|(part, share)| part * share.1[event]).sum::<f64>();
    let room = |(row, candidate): (&Vec<f64>, &Candidate)| (candidate.stated - cost(row)).max(0.0);
    let rooms: Vec<f64> = parts.iter().zip(candidates).map(room).collect();
    let most = cost(&rest).max(rooms.iter().sum());
    for (row, room) in parts.iter_mut().zip(rooms) {
        row.iter_mut().zip(&rest).for_each(|(part, rest)| *part += rest * ratio(room, most));
    }
}

fn any(costs: &[f64]) -> bool {
    costs.iter().any(|&cost| cost > 0.0)
}

/// `part / whole`, or 0 if the whole is 0; never negative.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).max(0.0) } else { 0.0 }
}
