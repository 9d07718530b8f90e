//! Branches of trees from calls, with costs divided in proportion: an estimate.
//!
//! Inside a cycle, paths are the shortest ones from the member that the cycle is entered by (see [`CyclePaths`]), so that
//! trees are finite.
//!
//! ```text
//! main -> a, a <-> b, b -> c        becomes        main > a > b > c
//! ```

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use lotse_model::id::FunctionId;

use super::UnfoldQuery;
use super::cycle::{CyclePaths, MemberCosts};
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
    /// The cost that enters each function from outside its cycle.
    entering: FunctionCosts<'a>,
    start: Start<'a>,
    /// Whether the direction is towards callees.
    pub(super) downwards: bool,
    /// For some cycles a member that has its inclusive cost below it, wherever the cycle is entered.
    through: Vec<FunctionId>,
    /// The paths from members by which cycles are entered.
    entered: RefCell<HashMap<FunctionId, Rc<CyclePaths>>>,
    /// The event type by which numbers of calls are divided.
    event: usize,
}

enum Start<'a> {
    /// All functions that have any of these costs.
    All(FunctionCosts<'a>),
    /// One function with the cost of its whole cycle.
    One(FunctionId),
}

/// Where a branch is.
#[derive(Clone)]
pub(super) enum Place {
    /// In no cycle, or where one is entered.
    Outside,
    Inside(Rc<CyclePaths>),
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
            entering: flow.entering(),
            start: query.start.map_or(Start::All(flow.uncalled()), Start::One),
            downwards: true,
            through: Vec::new(),
            entered: RefCell::default(),
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
            entering: flow.entering(),
            start: query.start.map_or(Start::All(FunctionCosts::dense(&analysis.own)), Start::One),
            downwards: false,
            through: Vec::new(),
            entered: RefCell::default(),
            event: query.weight.event().unwrap_or(0),
        }
    }

    /// The rows of a function that leave its cycle.
    fn leaving(&self, function: FunctionId) -> impl Iterator<Item = usize> + '_ {
        let rows = self.rows.rows_of(function).iter().map(|&row| row as usize);
        rows.filter(move |&row| !self.analysis.cycles.inside(function, self.other[row]))
    }

    /// The rows of a function that stay in its cycle.
    pub(super) fn inside(&self, function: FunctionId) -> impl Iterator<Item = usize> + '_ {
        let rows = self.rows.rows_of(function).iter().map(|&row| row as usize);
        rows.filter(move |&row| {
            self.other[row] != function && self.analysis.cycles.inside(function, self.other[row])
        })
    }

    /// The members of the cycle of a function.
    pub(super) fn members(&self, function: FunctionId) -> &[FunctionId] {
        let cycle = self.analysis.cycles.cycle[function.index()];
        cycle.map_or(&[][..], |cycle| &self.analysis.cycles.members[cycle as usize])
    }

    /// The cost that passes a function outside of its cycle.
    pub(super) fn passing_row(&self, function: FunctionId) -> Vec<u64> {
        self.passing.row(function).to_vec()
    }

    /// The cost that enters a function from outside its cycle.
    pub(super) fn entering_row(&self, function: FunctionId) -> &[u64] {
        self.entering.row(function)
    }

    pub(super) fn inclusive_row(&self, function: FunctionId) -> &[u64] {
        self.analysis.inclusive.row(function.index())
    }

    /// The cost of a row as the file has it.
    pub(super) fn stated_cost(&self, row: usize) -> &[u64] {
        self.analysis.calls.costs.row(row)
    }

    /// The number of calls of a row.
    pub(super) fn count(&self, row: usize) -> u64 {
        self.analysis.calls.count[row]
    }

    /// The number of event types.
    pub(super) fn width(&self) -> usize {
        self.analysis.own.width()
    }

    /// The same, with the inclusive costs of some functions below them. Of each cycle, only the first one counts.
    pub(super) fn leading_through(self, through: Vec<FunctionId>) -> Self {
        Self { through, ..self }
    }

    /// The paths inside the cycle that a branch is in or enters.
    fn cycle_paths(&self, branch: &Branch<Place>) -> Option<Rc<CyclePaths>> {
        let function = branch.function;
        let cycle = self.analysis.cycles.cycle[function.index()]?;
        if let Place::Inside(paths) = &branch.state {
            return Some(CyclePaths::at(paths, function));
        }
        let is_here = |it: &&FunctionId| self.analysis.cycles.cycle[it.index()] == Some(cycle);
        let through = self.through.iter().find(is_here).copied();
        let known = self.entered.borrow().get(&function).cloned();
        Some(known.unwrap_or_else(|| {
            let paths = Rc::new(self.entered_paths(function, through));
            self.entered.borrow_mut().insert(function, Rc::clone(&paths));
            paths
        }))
    }

    /// The branches below one that is in no cycle.
    fn below_plain(&self, branch: &Branch<Place>) -> Vec<Branch<Place>> {
        let signed = self.signed();
        let cost = branch.cost.iter().map(|&cost| number(cost, signed)).collect();
        let whole = self.passing_row(branch.function);
        self.leaving_parts(branch.function, cost, &whole)
    }

    /// The calls of a function that leave its cycle, with their parts of a cost; `whole` is the cost of all of it.
    fn leaving_parts(&self, function: FunctionId, cost: Vec<i128>, whole: &[u64]) -> Vec<Branch<Place>> {
        let signed = self.signed();
        // If the stated cost exceeds self cost and calls, the excess is self cost.
        let whole = whole.iter().zip(&cost).map(|(&whole, &cost)| match signed {
            true => number(whole, signed),
            false => number(whole, signed).max(cost),
        });
        let whole = whole.collect();
        let mut shares = ProportionalShares::new(cost, whole);
        shares.next(self.ending.row(function), signed);
        let branch = |row: usize| {
            let cost = shares.next(self.costs.row(row), signed);
            let calls = self.call_count(row, &cost);
            Branch { function: self.other[row], cost, calls, state: Place::Outside }
        };
        self.leaving(function).map(branch).collect()
    }

    /// The branches below a member of a cycle: its calls that leave the cycle, and those on its paths.
    fn below_member(&self, branch: &Branch<Place>, paths: &Rc<CyclePaths>) -> Vec<Branch<Place>> {
        let (function, signed) = (branch.function, self.signed());
        let nothing = MemberCosts::default();
        let member = paths.member(function).unwrap_or(&nothing);
        let cost: Vec<i128> = branch.cost.iter().map(|&cost| number(cost, signed)).collect();
        let mut whole = vec![0; cost.len()];
        for costs in member.calls.iter().map(|(_, cost)| cost).chain([&member.share]) {
            whole.iter_mut().zip(costs).for_each(|(sum, &cost)| *sum += number(cost, signed));
        }
        if !signed {
            whole.iter_mut().zip(&cost).for_each(|(whole, &cost)| *whole = cost.max(*whole));
        }
        let mut shares = ProportionalShares::new(cost, whole);
        let share = shares.next(&member.share, signed).iter().map(|&cost| number(cost, signed)).collect();
        let mut below = self.leaving_parts(function, share, &self.passing_row(function));
        for (row, weights) in &member.calls {
            let cost = shares.next(weights, signed);
            // Costs of calls inside a cycle count recursion several times, so they do not tell how many calls are here.
            let state = Place::Inside(Rc::clone(paths));
            below.push(Branch { function: self.other[*row], cost, calls: None, state });
        }
        below
    }

    /// Branches that leave the cycle of a function, each with its part of the cost of the call, per event type.
    pub(super) fn leaving_branches(&self, function: FunctionId, parts: &[f64]) -> Vec<Branch<Place>> {
        let branch = |row: usize| {
            let costs = self.costs.row(row).iter().zip(parts);
            let cost: Vec<u64> = costs.map(|(&cost, part)| scaled(cost, *part)).collect();
            let calls = self.call_count(row, &cost);
            Branch { function: self.other[row], cost, calls, state: Place::Outside }
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

    pub(super) fn signed(&self) -> bool {
        self.analysis.own.signed()
    }

    fn root(function: FunctionId, cost: Vec<u64>) -> Branch<Place> {
        Branch { function, cost, calls: None, state: Place::Outside }
    }
}

impl BranchSource for CallBranches<'_> {
    type State = Place;

    fn roots(&self) -> Vec<Branch<Place>> {
        match self.start {
            // The root has the same inclusive cost as in all other lists.
            Start::One(function) if self.analysis.cycle_mode != CycleMode::Raw => {
                let cost = self.inclusive_row(function).to_vec();
                let paths = |_: u32| Place::Inside(Rc::new(self.paths_of_cost(function, &cost)));
                let state = self.analysis.cycles.cycle[function.index()].map_or(Place::Outside, paths);
                vec![Branch { state, ..Self::root(function, cost) }]
            }
            Start::One(function) => {
                let members = self.members(function).iter().filter(|&&member| member != function);
                let rows = members.map(|&member| self.passing_row(member));
                let rows: Vec<Vec<u64>> = rows.chain([self.passing_row(function)]).collect();
                vec![Self::root(function, self.sum(rows.iter()))]
            }
            Start::All(costs) => {
                let ids = costs.functions(self.analysis.profile.functions.len());
                ids.into_iter().map(|id| Self::root(id, costs.row(id).to_vec())).collect()
            }
        }
    }

    fn below(&self, branch: &Branch<Place>) -> Vec<Branch<Place>> {
        let mut below = match self.cycle_paths(branch) {
            Some(paths) => self.below_member(branch, &paths),
            None => self.below_plain(branch),
        };
        below.retain(|branch| branch.cost.iter().any(|&cost| cost != 0));
        below
    }

    fn effort(&self, branch: &Branch<Place>) -> usize {
        let rows = |function: FunctionId| 1 + self.rows.rows_of(function).len();
        let is_known =
            matches!(branch.state, Place::Inside(_)) || self.entered.borrow().contains_key(&branch.function);
        let members = if is_known { &[] } else { self.members(branch.function) };
        rows(branch.function) + members.iter().map(|&member| rows(member) * self.width()).sum::<usize>()
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
pub(super) fn number(cell: u64, signed: bool) -> i128 {
    if signed { i128::from(cell as i64) } else { i128::from(cell) }
}

/// `cost * weight / whole`.
pub(super) fn part(cost: i128, weight: i128, whole: i128) -> i128 {
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
pub(super) fn cell(cost: i128, signed: bool) -> u64 {
    if signed {
        cost.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as u64
    } else {
        cost.clamp(0, i128::from(u64::MAX)) as u64
    }
}
