//! Ways inside a cycle whose calls have stated costs, as in Python profiles: an estimate that keeps what is stated.
//!
//! A Python program with imports is one large cycle: `exec` runs a module, which imports another, which `exec` runs.
//! What a cycle costs is the sum over its members of what each costs itself and by calls that leave the cycle (its
//! share). A branch carries the shares that lie at or below it. A node takes the share of its own function; the rest
//! is divided among the calls that stay inside the cycle:
//!
//! - A child costs at most what its call, and its function, is stated to cost.
//! - Where calls are stated to cost more together than there is, because one runs inside another, the costliest get
//!   what they are stated to cost.
//! - A call is on a way at most as often as it was made, and a function comes again only after another took its share.
//!   So ways end.
//!
//! What no call can have without costing more than stated is left out below the node, and counted.

use std::cell::RefCell;

use hashbrown::{HashMap, HashSet};
use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use crate::analysis::{Adjacency, Analysis};

/// How often rows and columns are fitted in turn; shares then differ by less than is shown.
const ROUNDS: usize = 12;
/// How many calls are followed to find out where a call leads.
const STEPS: usize = 12;
/// Less than this part of what starts somewhere is not followed.
const FAINT: f64 = 1e-4;

/// Costs of members of a cycle, per event type.
type Shares = Vec<(FunctionId, Vec<f64>)>;

/// So many units may get lost where shares are cut to whole units.
const ROUNDING: u64 = 100;
/// Less than this of a unit shows nowhere.
const LEAST: f64 = 0.1;

/// A place on a way inside a cycle; without shares it has costs that belong to no call.
#[derive(Default)]
pub(super) struct Nested {
    /// Functions of the cycle from where it was entered to here, and whether each took a share.
    path: Vec<(FunctionId, bool)>,
    /// Costs of each member at or below this place, per event type.
    shares: Shares,
}

impl Nested {
    /// How many members have a share.
    pub(super) fn size(&self) -> usize {
        self.shares.len()
    }
}

/// A call inside a cycle with the shares that it gets.
pub(super) struct Inner {
    pub(super) row: usize,
    pub(super) cost: Vec<f64>,
    pub(super) state: Nested,
}

/// Divides shares among calls.
pub(super) struct Divider<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    /// What each function costs itself and by calls that leave its cycle.
    pub(super) leaving: &'a Costs,
    /// Rows of calls by callee.
    pub(super) incoming: &'a Adjacency,
    /// The event type whose stated costs decide.
    pub(super) event: usize,
    /// What calls and functions may still cost at places that have none of the same above them.
    pub(super) room: Room,
}

/// Stated costs that no place has yet. Branches grow one after the other, the costliest first.
pub(super) struct Room {
    rows: RefCell<Vec<f64>>,
    functions: RefCell<Vec<f64>>,
}

impl Room {
    pub(super) fn new(analysis: &Analysis<'_>, event: usize) -> Self {
        let column = |costs: &Costs| (0..costs.rows()).map(|row| costs.row(row)[event] as f64).collect();
        Self {
            rows: RefCell::new(column(&analysis.calls.costs)),
            functions: RefCell::new(column(&analysis.inclusive)),
        }
    }
}

/// A call that can lead on, with what it leads to.
struct Candidate {
    row: usize,
    /// What the call, and its callee, is stated to cost.
    stated: f64,
    /// What it is to get here.
    target: f64,
    reach: HashMap<FunctionId, f64>,
}

impl Divider<'_> {
    /// A cycle entered at a function for a cost: every member has its part of it.
    pub(super) fn enter(&self, function: FunctionId, cost: &[u64]) -> Option<Nested> {
        let cycle = self.analysis.cycles.cycle[function.index()]?;
        let members = &self.analysis.cycles.members[cycle as usize];
        let width = self.leaving.width();
        let sum = |event| members.iter().map(|it| self.leaving.row(it.index())[event] as f64).sum::<f64>();
        let own = self.leaving.row(function.index());
        // The function has as much of its own share as of what it is stated to cost, the others have the rest.
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
        Some(Nested { path: Vec::new(), shares: members.iter().map(share).collect() })
    }

    /// What a function costs itself at a place.
    pub(super) fn own(&self, function: FunctionId, rates: &[f64]) -> Vec<u64> {
        let own = self.analysis.own.row(function.index()).iter().zip(rates);
        own.map(|(&own, rate)| (own as f64 * rate).ceil() as u64).collect()
    }

    /// Whether what is left is more than rounding, which stays with the function.
    pub(super) fn is_considerable(&self, rest: &[u64], function: FunctionId) -> bool {
        let rows = self.analysis.outgoing.of(function).len() as u64;
        rest.iter().any(|&rest| rest > ROUNDING + rows)
    }

    /// What a place has of the cost of its function itself, and the calls that go on inside the cycle.
    pub(super) fn divide(
        &self,
        nested: &Nested,
        function: FunctionId,
        cost: &[u64],
    ) -> (Vec<f64>, Vec<Inner>) {
        let nothing = vec![0.0; self.leaving.width()];
        let share = nested.shares.iter().find(|(member, _)| *member == function);
        let share = share.map_or(&nothing, |(_, costs)| costs);
        let mut path = nested.path.clone();
        path.push((function, share[self.event] > 0.0));
        let others = nested.shares.iter().filter(|(member, costs)| *member != function && any(costs));
        let mut left: Shares = others.cloned().collect();
        let mut candidates = self.candidates(&path, function, &left);
        let kept = self.kept(nested, function, share[self.event], cost, &candidates);
        if kept < 1.0 {
            left.push((function, share.iter().map(|cost| cost * (1.0 - kept)).collect()));
        }
        let mass: f64 = left.iter().map(|(_, costs)| costs[self.event]).sum();
        fill(&mut candidates, ratio(cost[self.event] as f64, self.inclusive(function)), mass);
        candidates.retain(|candidate| candidate.target > 0.0);
        self.measure(&mut candidates, &blocked(&path));
        let parts = fitted(&candidates, &left, self.event);
        let inner = |(candidate, parts): (&Candidate, &Vec<f64>)| self.one(candidate, parts, &left, &path);
        let whole = self.leaving.row(function.index()).iter();
        let rates =
            share.iter().zip(whole).map(|(share, &whole)| ratio(share * kept, whole as f64)).collect();
        (rates, candidates.iter().zip(&parts).map(inner).collect())
    }

    /// The part of its share that a function takes where it comes first on a way: all of it, unless the costliest
    /// call would then have less than it is stated to cost, and the function comes again below that call.
    fn kept(
        &self,
        nested: &Nested,
        function: FunctionId,
        share: f64,
        cost: &[u64],
        candidates: &[Candidate],
    ) -> f64 {
        let again = nested.path.iter().any(|(other, _)| *other == function);
        let costliest = candidates.iter().map(|it| it.stated).fold(0.0, f64::max);
        let room = cost[self.event] as f64 - costliest;
        if again || !self.analysis.counted || share <= room || self.called_once(function) {
            return 1.0;
        }
        // A little is always taken, so that every function on a way takes something.
        ratio(room, share).clamp(0.01, 1.0)
    }

    /// Finds out where candidates lead, where there is a choice.
    fn measure(&self, candidates: &mut [Candidate], blocked: &[FunctionId]) {
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

    fn one(&self, candidate: &Candidate, parts: &[f64], left: &Shares, path: &[(FunctionId, bool)]) -> Inner {
        let part = |(share, &part): (&(FunctionId, Vec<f64>), &f64)| {
            (share.0, share.1.iter().map(|cost| cost * part).collect::<Vec<f64>>())
        };
        let counts = |share: &(FunctionId, Vec<f64>)| share.1.iter().any(|&cost| cost >= LEAST);
        let shares: Shares = left.iter().zip(parts).map(part).filter(counts).collect();
        let mut cost = vec![0.0; self.leaving.width()];
        for (_, costs) in &shares {
            cost.iter_mut().zip(costs).for_each(|(sum, cost)| *sum += cost);
        }
        self.take(candidate.row, cost[self.event], path);
        Inner { row: candidate.row, cost, state: Nested { path: path.to_vec(), shares } }
    }

    /// Calls inside the cycle through which a member with a share can be reached without going in a circle.
    fn candidates(&self, path: &[(FunctionId, bool)], function: FunctionId, left: &Shares) -> Vec<Candidate> {
        let blocked = blocked(path);
        let leading = self.leading(left, &blocked);
        let calls = &self.analysis.calls;
        let mut found = Vec::new();
        for &row in self.analysis.outgoing.of(function) {
            let (row, callee) = (row as usize, calls.callee[row as usize]);
            let made = path.windows(2).filter(|pair| pair[0].0 == function && pair[1].0 == callee).count();
            let exhausted = self.analysis.counted && calls.count[row] <= made as u64;
            if !self.analysis.cycles.inside(function, callee) || exhausted || blocked.contains(&callee) {
                continue;
            }
            let stated = self.room(row, made > 0, path.iter().any(|(other, _)| *other == callee));
            if stated > 0.0 && leading.contains(&callee) {
                found.push(Candidate { row, stated, target: 0.0, reach: HashMap::new() });
            }
        }
        found
    }

    /// What a call may cost, given whether it and its callee are on the way already.
    fn room(&self, row: usize, call_again: bool, callee_again: bool) -> f64 {
        let callee = self.analysis.calls.callee[row];
        let call = match call_again {
            true => self.analysis.calls.costs.row(row)[self.event] as f64,
            false => self.room.rows.borrow()[row],
        };
        let function = match callee_again {
            true => self.inclusive(callee),
            false => self.room.functions.borrow()[callee.index()],
        };
        call.min(function)
    }

    /// Notes that a call has a cost at a place.
    fn take(&self, row: usize, cost: f64, path: &[(FunctionId, bool)]) {
        let (caller, callee) = (self.analysis.calls.caller[row], self.analysis.calls.callee[row]);
        if !path.windows(2).any(|pair| pair[0].0 == caller && pair[1].0 == callee) {
            self.room.rows.borrow_mut()[row] -= cost;
        }
        if !path.iter().any(|(other, _)| *other == callee) {
            self.room.functions.borrow_mut()[callee.index()] -= cost;
        }
    }

    /// Members from which one with a share can be reached, around those that are blocked.
    fn leading(&self, left: &Shares, blocked: &[FunctionId]) -> HashSet<FunctionId> {
        let free = |member: &FunctionId| !blocked.contains(member);
        let mut pending: Vec<FunctionId> = left.iter().map(|(member, _)| *member).filter(free).collect();
        let mut leading: HashSet<FunctionId> = pending.iter().copied().collect();
        while let Some(function) = pending.pop() {
            for &row in self.incoming.of(function) {
                let caller = self.analysis.calls.caller[row as usize];
                if self.analysis.cycles.inside(caller, function) && free(&caller) && leading.insert(caller) {
                    pending.push(caller);
                }
            }
        }
        leading
    }

    /// How much of what starts at a function comes by each member of its cycle, around those that are blocked, when
    /// it follows calls in proportion to their costs.
    fn reach(&self, from: FunctionId, blocked: &[FunctionId]) -> HashMap<FunctionId, f64> {
        let mut reach: HashMap<FunctionId, f64> = HashMap::from([(from, 1.0)]);
        let mut front = reach.clone();
        for _ in 0..STEPS {
            let mut next: HashMap<FunctionId, f64> = HashMap::new();
            for (&function, &amount) in front.iter().filter(|(_, amount)| **amount > FAINT) {
                self.step(function, amount, blocked, &mut next);
            }
            next.iter().for_each(|(&function, amount)| *reach.entry(function).or_default() += amount);
            front = next;
        }
        reach
    }

    fn step(
        &self,
        function: FunctionId,
        amount: f64,
        blocked: &[FunctionId],
        next: &mut HashMap<FunctionId, f64>,
    ) {
        let calls = &self.analysis.calls;
        let rows = || self.analysis.outgoing.of(function).iter().map(|&row| row as usize);
        let inside = |row: &usize| self.analysis.cycles.inside(function, calls.callee[*row]);
        let cost = |row: usize| calls.costs.row(row)[self.event] as f64;
        let own = self.leaving.row(function.index())[self.event] as f64;
        let whole = own + rows().filter(inside).map(cost).sum::<f64>();
        for row in rows().filter(inside).filter(|&row| !blocked.contains(&calls.callee[row])) {
            *next.entry(calls.callee[row]).or_default() += amount * ratio(cost(row), whole);
        }
    }
}

/// Functions of a way after which none has taken a share.
fn blocked(path: &[(FunctionId, bool)]) -> Vec<FunctionId> {
    let last_taken = path.iter().rposition(|(_, took)| *took).unwrap_or(0);
    path[last_taken..].iter().map(|(function, _)| *function).collect()
}

/// Sets targets from stated costs: this part of each where that is enough, else up to all of it; the costliest
/// first where they are too much together.
fn fill(candidates: &mut [Candidate], part: f64, mass: f64) {
    let stated: f64 = candidates.iter().map(|it| it.stated).sum();
    let part = if stated * part < mass { 1.0 } else { part };
    candidates.sort_by(|one, other| other.stated.total_cmp(&one.stated).then(one.row.cmp(&other.row)));
    let mut left = mass;
    for candidate in candidates {
        candidate.target = (candidate.stated * part).min(left);
        left -= candidate.target;
    }
}

/// For each candidate its part of every share, so that it gets its target and no share is given twice: proportions by
/// reach, fitted to rows and columns in turn.
fn fitted(candidates: &[Candidate], left: &Shares, event: usize) -> Vec<Vec<f64>> {
    let seed = |candidate: &Candidate| {
        let near = |(member, _): &(FunctionId, Vec<f64>)| {
            candidate.target * candidate.reach.get(member).copied().unwrap_or(0.0).max(FAINT * FAINT)
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
    give_rest(&mut parts, candidates, left, event);
    parts
}

/// What fitting left over, to calls that may cost more.
fn give_rest(parts: &mut [Vec<f64>], candidates: &[Candidate], left: &Shares, event: usize) {
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

/// A part of a whole, 0 where the whole is, and at most 1 when the part is within the whole.
fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).max(0.0) } else { 0.0 }
}
