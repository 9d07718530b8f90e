//! Branches of trees that follow calls, shared out in proportion: an estimate.
//!
//! A cycle entered through one of its members becomes that member, with the others right below it, each with what
//! it costs itself and by calls that leave the cycle. So no function is below itself, and trees end.

use lotse_model::id::FunctionId;
use lotse_model::profile::Costs;

use super::Query;
use super::flow::Flow;
use super::grow::{Branch, Source};
use crate::analysis::{Adjacency, Analysis, Way};

/// One direction of the calls.
pub(super) struct Calls<'a> {
    analysis: &'a Analysis<'a>,
    costs: &'a Costs,
    rows: &'a Adjacency,
    /// The function at the other end of each row.
    other: &'a [FunctionId],
    /// What ends at a function: its self cost, or towards callers what nobody called.
    ending: &'a Costs,
    /// What passes a function: what ends there and what its rows cost.
    passing: &'a Costs,
    start: Start<'a>,
    /// Towards callees.
    downwards: bool,
    /// The event type by which calls are counted off.
    event: usize,
}

enum Start<'a> {
    /// All that has any of these costs.
    All(&'a Costs),
    /// One function with all that its cycle costs.
    One(FunctionId),
}

impl<'a> Calls<'a> {
    pub(super) fn down(analysis: &'a Analysis<'_>, flow: &'a Flow<'_>, query: &Query<'_>) -> Self {
        Self {
            analysis,
            costs: &flow.costs,
            rows: &analysis.outgoing,
            other: &analysis.calls.callee,
            ending: &analysis.own,
            passing: &flow.leaving,
            start: query.start.map_or(Start::All(&flow.rootless), Start::One),
            downwards: true,
            event: query.weight.event().unwrap_or(0),
        }
    }

    pub(super) fn up(analysis: &'a Analysis<'_>, flow: &'a Flow<'_>, query: &Query<'_>) -> Self {
        Self {
            analysis,
            costs: &flow.costs,
            rows: &flow.incoming,
            other: &analysis.calls.caller,
            ending: &flow.rootless,
            passing: &flow.entering,
            start: query.start.map_or(Start::All(&analysis.own), Start::One),
            downwards: false,
            event: query.weight.event().unwrap_or(0),
        }
    }

    /// Rows that leave the cycle of a function.
    fn leaving(&self, function: FunctionId) -> impl Iterator<Item = usize> + '_ {
        let rows = self.rows.of(function).iter().map(|&row| row as usize);
        rows.filter(move |&row| !self.analysis.cycles.inside(function, self.other[row]))
    }

    /// The other members of a cycle.
    fn companions(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        let cycle = self.analysis.cycles.cycle[function.index()];
        let members = cycle.map_or(&[][..], |cycle| &self.analysis.cycles.members[cycle as usize]);
        members.iter().copied().filter(move |&member| member != function)
    }

    /// What a function costs, or all of its cycle.
    fn whole(&self, function: FunctionId, cycle: bool) -> Vec<i128> {
        let value = |function: FunctionId, event| self.passing.value(function.index(), event);
        let mut whole: Vec<i128> = (0..self.passing.width()).map(|event| value(function, event)).collect();
        for member in self.companions(function).filter(|_| cycle) {
            whole.iter_mut().enumerate().for_each(|(event, sum)| *sum += value(member, event));
        }
        whole
    }

    /// Branches that leave the cycle of a function, each with its part of what the call costs, per event type.
    pub(super) fn leaving_branches(&self, function: FunctionId, parts: &[f64]) -> Vec<Branch<bool>> {
        let branch = |row: usize| {
            let costs = self.costs.row(row).iter().zip(parts);
            let cost: Vec<u64> = costs.map(|(&cost, part)| scaled(cost, *part)).collect();
            let calls = self.calls(row, &cost);
            Branch { function: self.other[row], cost, calls, state: true }
        };
        self.leaving(function).map(branch).collect()
    }

    /// The function at the other end of a row.
    pub(super) fn other(&self, row: usize) -> FunctionId {
        self.other[row]
    }

    /// How many rows a function has.
    pub(super) fn row_count(&self, function: FunctionId) -> usize {
        self.rows.of(function).len()
    }

    pub(super) fn calls(&self, row: usize, cost: &[u64]) -> Option<u64> {
        let count = self.analysis.counted.then(|| self.analysis.calls.count[row])?;
        let (told, cost) = (self.costs.row(row).get(self.event)?, cost.get(self.event)?);
        let share = if *told == 0 { 1.0 } else { *cost as f64 / *told as f64 };
        Some(if share >= 1.0 { count } else { ((count as f64 * share).round() as u64).max(count.min(1)) })
    }

    /// Whether a function costs more than itself and what leaves its cycle there, so that other members of the cycle
    /// are below it. Towards callers they always are, for they may be the only ones that call it.
    fn holds_cycle(&self, function: FunctionId, cost: &[u64]) -> bool {
        let passing = self.passing.row(function.index());
        !self.downwards || cost.iter().zip(passing).any(|(cost, passing)| cost > passing)
    }

    fn root(function: FunctionId, cost: Vec<u64>) -> Branch<bool> {
        Branch { function, cost, calls: None, state: true }
    }
}

impl Source for Calls<'_> {
    /// Whether the cycle of the function was entered here, so that its other members are below.
    type State = bool;

    fn roots(&self) -> Vec<Branch<bool>> {
        match self.start {
            // The function costs what every other list says.
            Start::One(function) if self.analysis.way != Way::Raw => {
                let cost = self.analysis.inclusive.row(function.index()).to_vec();
                vec![Branch { state: self.holds_cycle(function, &cost), ..Self::root(function, cost) }]
            }
            Start::One(function) => {
                let signed = self.passing.signed();
                let whole = self.whole(function, true);
                vec![Self::root(function, whole.into_iter().map(|cost| cell(cost, signed)).collect())]
            }
            Start::All(costs) => {
                let any = |id: &FunctionId| costs.row(id.index()).iter().any(|&cost| cost != 0);
                let ids = self.analysis.profile.functions.ids().filter(any);
                ids.map(|id| Self::root(id, costs.row(id.index()).to_vec())).collect()
            }
        }
    }

    fn below(&self, branch: &Branch<bool>) -> Vec<Branch<bool>> {
        let (function, entered, signed) = (branch.function, branch.state, self.passing.signed());
        let number = |&cost: &u64| if signed { i128::from(cost as i64) } else { i128::from(cost) };
        let cost: Vec<i128> = branch.cost.iter().map(number).collect();
        let mut whole = self.whole(function, entered);
        if !signed {
            // What a function is stated to cost beyond itself and its calls is its own, and not that of its calls.
            whole.iter_mut().zip(&cost).for_each(|(whole, &cost)| *whole = cost.max(*whole));
        }
        let mut pieces = Pieces::new(cost, whole);
        pieces.next(self.ending.row(function.index()), signed);
        let mut below: Vec<Branch<bool>> = Vec::new();
        for row in self.leaving(function) {
            let cost = pieces.next(self.costs.row(row), signed);
            let calls = self.calls(row, &cost);
            below.push(Branch { function: self.other[row], cost, calls, state: true });
        }
        for member in self.companions(function).filter(|_| entered) {
            let cost = pieces.next(self.passing.row(member.index()), signed);
            below.push(Branch { function: member, cost, calls: None, state: false });
        }
        below.retain(|branch| branch.cost.iter().any(|&cost| cost != 0));
        below
    }

    fn effort(&self, branch: &Branch<bool>) -> usize {
        let cycle = self.analysis.cycles.cycle[branch.function.index()].filter(|_| branch.state);
        let members = cycle.map_or(0, |cycle| self.analysis.cycles.members[cycle as usize].len());
        1 + self.rows.of(branch.function).len() + 2 * members
    }
}

/// Cuts costs into pieces in proportion to weights, whose sum is known; the pieces add up exactly.
pub(super) struct Pieces {
    cost: Vec<i128>,
    whole: Vec<i128>,
    passed: Vec<i128>,
    given: Vec<i128>,
}

impl Pieces {
    pub(super) fn new(cost: Vec<i128>, whole: Vec<i128>) -> Self {
        let nothing = vec![0; cost.len()];
        Self { cost, whole, passed: nothing.clone(), given: nothing }
    }

    /// The piece for the next weights.
    pub(super) fn next(&mut self, weights: &[u64], signed: bool) -> Vec<u64> {
        let piece = |(event, &weight): (usize, &u64)| {
            let weight = if signed { i128::from(weight as i64) } else { i128::from(weight) };
            self.passed[event] += weight;
            let up_to = part(self.cost[event], self.passed[event], self.whole[event]);
            // Floating-point numbers, used for the largest, could step back.
            let up_to = if signed { up_to } else { up_to.max(self.given[event]) };
            let piece = up_to - self.given[event];
            self.given[event] = up_to;
            cell(piece, signed)
        };
        weights.iter().enumerate().map(piece).collect()
    }
}

/// `cost * weight / whole`.
fn part(cost: i128, weight: i128, whole: i128) -> i128 {
    match cost.checked_mul(weight) {
        _ if whole == 0 => 0,
        _ if weight == whole => cost,
        Some(product) => product / whole,
        None => (cost as f64 * (weight as f64 / whole as f64)) as i128,
    }
}

/// A part of a cost, all of it where rounding alone makes the part less than 1.
fn scaled(cost: u64, part: f64) -> u64 {
    if part > 1.0 - 1e-9 { cost } else { (cost as f64 * part) as u64 }
}

/// The nearest cell of a table of costs.
fn cell(cost: i128, signed: bool) -> u64 {
    if signed {
        cost.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as u64
    } else {
        cost.clamp(0, i128::from(u64::MAX)) as u64
    }
}
