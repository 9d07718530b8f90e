//! Branches of trees from calls, with costs divided in proportion: an estimate.
//!
//! A cycle that is entered at one of its members becomes a node of that member, with the other members as its children,
//! each with its self cost and its calls that leave the cycle. So no function is below itself, and trees are finite.
//!
//! ```text
//! main -> a, a <-> b, b -> c        becomes        main > a > b > c
//! ```

use std::sync::Arc;

use lotse_model::id::FunctionId;

use super::UnfoldQuery;
use super::flow::{CallCosts, CallFlow, FunctionCosts};
use super::grow::{Branch, BranchSource};
use crate::analysis::{Adjacency, Analysis, CycleMode};

/// The calls in one direction, towards callees or callers.
pub(super) struct CallBranches<'a> {
    analysis: &'a Analysis<'a>,
    costs: CallCosts<'a>,
    rows: Rows<'a>,
    /// The function at the other end of each row of calls.
    other: &'a [FunctionId],
    /// The cost that ends at each function: its self cost, or towards callers the cost without a caller.
    ending: FunctionCosts<'a>,
    /// The cost that passes each function: the cost that ends there plus the costs of its rows.
    passing: FunctionCosts<'a>,
    start: Start<'a>,
    /// Whether the direction is towards callees.
    downwards: bool,
    /// The event type by which numbers of calls are divided.
    event: usize,
}

enum Start<'a> {
    /// All functions that have any of these costs.
    All(FunctionCosts<'a>),
    /// One function with the cost of its whole cycle.
    One(FunctionId),
}

/// Rows of calls by caller or by callee.
enum Rows<'a> {
    Outgoing(&'a Adjacency),
    Incoming(Arc<Adjacency>),
}

impl Rows<'_> {
    fn rows_of(&self, function: FunctionId) -> &[u32] {
        match self {
            Self::Outgoing(rows) => rows.rows_of(function),
            Self::Incoming(rows) => rows.rows_of(function),
        }
    }
}

impl<'a> CallBranches<'a> {
    pub(super) fn down(analysis: &'a Analysis<'_>, flow: &'a CallFlow, query: &UnfoldQuery<'_>) -> Self {
        Self {
            analysis,
            costs: flow.costs(analysis),
            rows: Rows::Outgoing(&analysis.outgoing),
            other: &analysis.calls.callee,
            ending: FunctionCosts::dense(&analysis.own),
            passing: FunctionCosts::dense(&flow.leaving),
            start: query.start.map_or(Start::All(flow.uncalled()), Start::One),
            downwards: true,
            event: query.weight.event().unwrap_or(0),
        }
    }

    pub(super) fn up(analysis: &'a Analysis<'_>, flow: &'a CallFlow, query: &UnfoldQuery<'_>) -> Self {
        Self {
            analysis,
            costs: flow.costs(analysis),
            rows: Rows::Incoming(analysis.incoming()),
            other: &analysis.calls.caller,
            ending: flow.uncalled(),
            passing: flow.entering(),
            start: query.start.map_or(Start::All(FunctionCosts::dense(&analysis.own)), Start::One),
            downwards: false,
            event: query.weight.event().unwrap_or(0),
        }
    }

    /// The rows of a function that leave its cycle.
    fn leaving(&self, function: FunctionId) -> impl Iterator<Item = usize> + '_ {
        let rows = self.rows.rows_of(function).iter().map(|&row| row as usize);
        rows.filter(move |&row| !self.analysis.cycles.inside(function, self.other[row]))
    }

    /// The other members of the cycle of a function.
    fn other_members(&self, function: FunctionId) -> impl Iterator<Item = FunctionId> + '_ {
        let cycle = self.analysis.cycles.cycle[function.index()];
        let members = cycle.map_or(&[][..], |cycle| &self.analysis.cycles.members[cycle as usize]);
        members.iter().copied().filter(move |&member| member != function)
    }

    /// The cost that passes a function, or its whole cycle.
    fn passing_cost(&self, function: FunctionId, cycle: bool) -> Vec<i128> {
        let number = |&cost: &u64| number(cost, self.signed());
        let mut whole: Vec<i128> = self.passing.row(function).iter().map(number).collect();
        for member in self.other_members(function).filter(|_| cycle) {
            whole.iter_mut().zip(self.passing.row(member)).for_each(|(sum, cost)| *sum += number(cost));
        }
        whole
    }

    /// Branches that leave the cycle of a function, each with its part of the cost of the call, per event type.
    pub(super) fn leaving_branches(&self, function: FunctionId, parts: &[f64]) -> Vec<Branch<bool>> {
        let branch = |row: usize| {
            let costs = self.costs.row(row).iter().zip(parts);
            let cost: Vec<u64> = costs.map(|(&cost, part)| scaled(cost, *part)).collect();
            let calls = self.call_count(row, &cost);
            Branch { function: self.other[row], cost, calls, state: true }
        };
        self.leaving(function).map(branch).collect()
    }

    /// The function at the other end of a row.
    pub(super) fn other(&self, row: usize) -> FunctionId {
        self.other[row]
    }

    /// The number of rows of a function.
    pub(super) fn row_count(&self, function: FunctionId) -> usize {
        self.rows.rows_of(function).len()
    }

    /// The number of calls of a row that belong to a part of its cost; at least 1 if there are any.
    pub(super) fn call_count(&self, row: usize, cost: &[u64]) -> Option<u64> {
        let count = self.analysis.counted.then(|| self.analysis.calls.count[row])?;
        let (whole, cost) = (self.costs.row(row).get(self.event)?, cost.get(self.event)?);
        let share = if *whole == 0 { 1.0 } else { *cost as f64 / *whole as f64 };
        Some(if share >= 1.0 { count } else { ((count as f64 * share).round() as u64).max(count.min(1)) })
    }

    /// Whether a function costs more than its self cost and its calls that leave the cycle, so that other members of the
    /// cycle are below it. Towards callers they always are, because they may be its only callers.
    fn includes_cycle(&self, function: FunctionId, cost: &[u64]) -> bool {
        let passing = self.passing.row(function);
        !self.downwards || cost.iter().zip(passing).any(|(cost, passing)| cost > passing)
    }

    fn signed(&self) -> bool {
        self.analysis.own.signed()
    }

    fn root(function: FunctionId, cost: Vec<u64>) -> Branch<bool> {
        Branch { function, cost, calls: None, state: true }
    }
}

impl BranchSource for CallBranches<'_> {
    /// Whether the cycle of the function is entered here, so that its other members are below.
    type State = bool;

    fn roots(&self) -> Vec<Branch<bool>> {
        match self.start {
            // The root has the same inclusive cost as in all other lists.
            Start::One(function) if self.analysis.cycle_mode != CycleMode::Raw => {
                let cost = self.analysis.inclusive.row(function.index()).to_vec();
                vec![Branch { state: self.includes_cycle(function, &cost), ..Self::root(function, cost) }]
            }
            Start::One(function) => {
                let signed = self.signed();
                let whole = self.passing_cost(function, true);
                vec![Self::root(function, whole.into_iter().map(|cost| cell(cost, signed)).collect())]
            }
            Start::All(costs) => {
                let ids = costs.functions(self.analysis.profile.functions.len());
                ids.into_iter().map(|id| Self::root(id, costs.row(id).to_vec())).collect()
            }
        }
    }

    fn below(&self, branch: &Branch<bool>) -> Vec<Branch<bool>> {
        let (function, entered, signed) = (branch.function, branch.state, self.signed());
        let cost: Vec<i128> = branch.cost.iter().map(|&cost| number(cost, signed)).collect();
        let mut whole = self.passing_cost(function, entered);
        if !signed {
            // If the stated cost exceeds self cost and calls, the excess is self cost.
            whole.iter_mut().zip(&cost).for_each(|(whole, &cost)| *whole = cost.max(*whole));
        }
        let mut shares = ProportionalShares::new(cost, whole);
        shares.next(self.ending.row(function), signed);
        let mut below: Vec<Branch<bool>> = Vec::new();
        for row in self.leaving(function) {
            let cost = shares.next(self.costs.row(row), signed);
            let calls = self.call_count(row, &cost);
            below.push(Branch { function: self.other[row], cost, calls, state: true });
        }
        for member in self.other_members(function).filter(|_| entered) {
            let cost = shares.next(self.passing.row(member), signed);
            below.push(Branch { function: member, cost, calls: None, state: false });
        }
        below.retain(|branch| branch.cost.iter().any(|&cost| cost != 0));
        below
    }

    fn effort(&self, branch: &Branch<bool>) -> usize {
        let cycle = self.analysis.cycles.cycle[branch.function.index()].filter(|_| branch.state);
        let members = cycle.map_or(0, |cycle| self.analysis.cycles.members[cycle as usize].len());
        1 + self.rows.rows_of(branch.function).len() + 2 * members
    }
}

/// Divides costs in proportion to weights whose sum is known; the shares add up exactly. Each share is the difference of
/// two running sums, as in `analysis::propagation`.
pub(super) struct ProportionalShares {
    cost: Vec<i128>,
    whole: Vec<i128>,
    /// The sum of the weights so far.
    passed: Vec<i128>,
    /// The sum of the shares so far.
    given: Vec<i128>,
}

impl ProportionalShares {
    pub(super) fn new(cost: Vec<i128>, whole: Vec<i128>) -> Self {
        let nothing = vec![0; cost.len()];
        Self { cost, whole, passed: nothing.clone(), given: nothing }
    }

    /// The share of the next weights.
    pub(super) fn next(&mut self, weights: &[u64], signed: bool) -> Vec<u64> {
        let share = |(event, &weight): (usize, &u64)| {
            let weight = number(weight, signed);
            self.passed[event] += weight;
            let up_to = part(self.cost[event], self.passed[event], self.whole[event]);
            // Floating-point numbers, which are used for the largest products, may not be monotonic.
            let up_to = if signed { up_to } else { up_to.max(self.given[event]) };
            let share = up_to - self.given[event];
            self.given[event] = up_to;
            cell(share, signed)
        };
        weights.iter().enumerate().map(share).collect()
    }
}

/// A cell as a number.
fn number(cell: u64, signed: bool) -> i128 {
    if signed { i128::from(cell as i64) } else { i128::from(cell) }
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

/// A part of a cost; all of it if only rounding makes the part less than 1.
fn scaled(cost: u64, part: f64) -> u64 {
    if part > 1.0 - 1e-9 { cost } else { (cost as f64 * part) as u64 }
}

/// The nearest value that a table of costs can store.
fn cell(cost: i128, signed: bool) -> u64 {
    if signed {
        cost.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as u64
    } else {
        cost.clamp(0, i128::from(u64::MAX)) as u64
    }
}
