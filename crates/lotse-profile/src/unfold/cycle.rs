//! The paths inside a cycle, if the file has only costs of calls: an estimate whose shape does not depend on costs.
//!
//! The *share* of a member is its self cost plus its calls that leave the cycle. Each share is spent at the end of the
//! shortest paths from the member that the cycle is entered by, which are real calls; where a member is called by several
//! others at the same distance, its cost is divided among them in proportion to the costs of these calls.
//!
//! ```text
//! calls    main -> a, a <-> b, a -> c, b -> d, c -> d, d -> a
//! tree     main > a > b > d        d is three calls from main; its cost is divided between b and c
//!                 a > c > d        the calls b -> a and d -> a are recursion and are on no path
//! ```
//!
//! Two runs of a program make the same calls, so their trees have the same paths, whatever these cost.
//!
//! A tree that begins at a member, or a filter for one, needs the inclusive cost of that member below it. There the
//! member has its whole share, and all others have an equal part of theirs. Within a path from another member, what is
//! below it leads on from it anew, as in `main > a > b > a` for a filter for `b`.

use std::rc::Rc;

use hashbrown::HashMap;
use lotse_model::id::FunctionId;
use lotse_model::progress::checkpoint;

use super::calls::{CallBranches, ProportionalShares, cell, number, part};

/// Costs on the shortest paths from one member of a cycle.
#[derive(Default)]
pub(super) struct CyclePaths {
    members: HashMap<FunctionId, MemberCosts>,
    /// A member below which other paths begin.
    through: Option<(FunctionId, Rc<CyclePaths>)>,
}

/// What is spent at and below a member on these paths.
#[derive(Default)]
pub(super) struct MemberCosts {
    /// Its share, or a part of it.
    pub(super) share: Vec<u64>,
    /// Rows of calls of the next members on the paths, with their costs.
    pub(super) calls: Vec<(usize, Vec<u64>)>,
}

impl CyclePaths {
    pub(super) fn member(&self, function: FunctionId) -> Option<&MemberCosts> {
        self.members.get(&function)
    }

    /// The paths that go on at a member.
    pub(super) fn at(paths: &Rc<Self>, function: FunctionId) -> Rc<Self> {
        match &paths.through {
            Some((member, inner)) if *member == function => Rc::clone(inner),
            _ => Rc::clone(paths),
        }
    }
}

/// The weight of everything that flows from a member towards callers.
const FLOW_UNITS: f64 = (1_u64 << 40) as f64;

/// The cost of each member.
type Amounts = HashMap<FunctionId, Vec<u64>>;

impl CallBranches<'_> {
    /// Paths from the member that a cycle is entered by, with all shares. If `through` is another member, its inclusive
    /// cost is below it.
    pub(super) fn entered_paths(&self, entry: FunctionId, through: Option<FunctionId>) -> CyclePaths {
        let all: Amounts = self.members(entry).iter().map(|&it| (it, self.passing_row(it))).collect();
        match through {
            Some(member) if member != entry => self.paths_through(entry, member, all),
            _ => self.spread(&self.layers(entry, None), all),
        }
    }

    /// Paths from a member with a given cost at and below it.
    pub(super) fn paths_of_cost(&self, member: FunctionId, cost: &[u64]) -> CyclePaths {
        let all = self.members(member).iter().map(|&it| (it, self.passing_row(it))).collect();
        let (below, _) = self.divided(|it| it == member, all, cost);
        self.spread(&self.layers(member, None), below)
    }

    /// Paths from the entry to a member, which then has its inclusive cost below it, and to the others without it.
    fn paths_through(&self, entry: FunctionId, member: FunctionId, all: Amounts) -> CyclePaths {
        let layers = self.layers(entry, Some(member));
        let cost = self.cost_below(member, &self.sum(all.values()));
        // What can only be reached through the member is below it.
        let is_fixed = |it| it == member || !layers.place.contains_key(&it);
        let (below, mut beside) = self.divided(is_fixed, all, &cost);
        beside.insert(member, self.sum(below.values()));
        let inner = self.spread(&self.layers(member, None), below);
        CyclePaths { through: Some((member, Rc::new(inner))), ..self.spread(&layers, beside) }
    }

    /// How much of the cost of a cycle that is entered by other members is below a member. What enters the cycle at the
    /// member is part of its inclusive cost, but on other paths.
    fn cost_below(&self, member: FunctionId, whole: &[u64]) -> Vec<u64> {
        let (inclusive, entering) = (self.inclusive_row(member), self.entering_row(member));
        let cost = |at: usize| {
            let of_others = |cost: u64| i128::from(cost.saturating_sub(entering[at]));
            let cost = part(i128::from(whole[at]), of_others(inclusive[at]), of_others(whole[at]));
            u64::try_from(cost).unwrap_or(0).min(whole[at])
        };
        (0..whole.len()).map(cost).collect()
    }

    /// Divides shares into those below a member and the others: `cost` is below, with the whole of each fixed share, and
    /// an equal part of every other one.
    fn divided(
        &self,
        is_fixed: impl Fn(FunctionId) -> bool,
        all: Amounts,
        cost: &[u64],
    ) -> (Amounts, Amounts) {
        let fixed = self.sum(all.iter().filter(|(it, _)| is_fixed(**it)).map(|(_, share)| share));
        let others = self.sum(all.iter().filter(|(it, _)| !is_fixed(**it)).map(|(_, share)| share));
        let (mut below, mut beside) = (Amounts::new(), Amounts::new());
        for (it, share) in all {
            let less = |(at, &share): (usize, &u64)| match is_fixed(it) {
                true => share,
                // Negative costs are not divided: all is below.
                false if self.signed() => share,
                false => {
                    let wanted = cost[at].saturating_sub(fixed[at]).min(others[at]);
                    u64::try_from(part(i128::from(share), i128::from(wanted), i128::from(others[at])))
                        .unwrap_or(0)
                }
            };
            let inside: Vec<u64> = share.iter().enumerate().map(less).collect();
            let outside = share.iter().zip(&inside).map(|(all, inside)| all.wrapping_sub(*inside)).collect();
            below.insert(it, inside);
            beside.insert(it, outside);
        }
        (below, beside)
    }

    /// Members in the order of their distance from one, with the calls by which each is reached.
    fn layers(&self, from: FunctionId, stop: Option<FunctionId>) -> Layers {
        let mut layers = Layers { order: Vec::new(), calls: Vec::new(), place: HashMap::new() };
        let mut distance = Vec::new();
        layers.add(from);
        distance.push(0_u32);
        let mut next = 0;
        while let Some(&function) = layers.order.get(next) {
            checkpoint();
            next += 1;
            if stop == Some(function) {
                continue;
            }
            for row in self.inside(function) {
                let other = self.other(row);
                let place = layers.place.get(&other).copied().unwrap_or_else(|| {
                    distance.push(distance[next - 1] + 1);
                    layers.add(other)
                });
                if distance[place] == distance[next - 1] + 1 {
                    layers.calls[place].push((function, row));
                }
            }
        }
        layers
    }

    /// Adds the amounts of members to the paths that lead to them, the farthest first.
    fn spread(&self, layers: &Layers, mut amounts: Amounts) -> CyclePaths {
        let mut members: HashMap<FunctionId, MemberCosts> = HashMap::new();
        let weights =
            if self.downwards { self.weights_by_callee(layers) } else { self.weights_by_caller(layers) };
        for (place, function) in layers.order.iter().enumerate().rev() {
            checkpoint();
            let share = amounts.remove(function).unwrap_or_else(|| vec![0; self.width()]);
            let costs = members.entry(*function).or_default();
            let below = costs.calls.iter().map(|(_, cost)| cost);
            let whole = self.exact_sum(below.chain([&share]));
            costs.share = share;
            let mut shares = ProportionalShares::new(whole, self.exact_sum(weights[place].iter()));
            for (&(before, row), weights) in layers.calls[place].iter().zip(&weights[place]) {
                let cost = shares.next(weights, self.signed());
                members.entry(before).or_default().calls.push((row, cost));
            }
        }
        // Rows were added from far to near; the order of the file is that of all other trees.
        members.values_mut().for_each(|member| member.calls.sort_unstable_by_key(|(row, _)| *row));
        CyclePaths { members, through: None }
    }

    /// Towards callees: the weights of the calls of each member are their costs.
    fn weights_by_callee(&self, layers: &Layers) -> Vec<Vec<Vec<u64>>> {
        layers.calls.iter().map(|calls| self.weights(calls)).collect()
    }

    /// Towards callers: what each member costs is divided among its callers in proportion to their calls, from the first
    /// member on, and these parts are the weights.
    fn weights_by_caller(&self, layers: &Layers) -> Vec<Vec<Vec<u64>>> {
        let nothing = vec![0; self.width()];
        let mut weights: Vec<Vec<Vec<u64>>> =
            layers.calls.iter().map(|calls| vec![nothing.clone(); calls.len()]).collect();
        let mut next: Vec<Vec<(usize, usize)>> = vec![Vec::new(); layers.order.len()];
        for (place, calls) in layers.calls.iter().enumerate() {
            calls
                .iter()
                .enumerate()
                .for_each(|(at, (before, _))| next[layers.place[before]].push((place, at)));
        }
        let mut flow = vec![vec![0.0; self.width()]; layers.order.len()];
        flow[0].fill(1.0);
        for place in 0..flow.len() {
            let calls: Vec<_> = next[place].iter().map(|&(place, at)| layers.calls[place][at]).collect();
            let costs = self.weights(&calls);
            let whole = self.exact_sum(costs.iter());
            for (&(caller, at), cost) in next[place].iter().zip(&costs) {
                for event in 0..self.width() {
                    let part = flow[place][event] * cost[event] as f64 / whole[event].max(1) as f64;
                    flow[caller][event] += part;
                    weights[caller][at][event] = ((part * FLOW_UNITS) as u64).max(1);
                }
            }
        }
        weights
    }

    /// For each call a weight by event type.
    fn weights(&self, calls: &[(FunctionId, usize)]) -> Vec<Vec<u64>> {
        let mut weights: Vec<Vec<u64>> =
            calls.iter().map(|&(_, row)| self.stated_cost(row).to_vec()).collect();
        let counts: Vec<u64> = calls.iter().map(|&(_, row)| self.count(row)).collect();
        let counted = counts.iter().any(|&count| count > 0);
        for event in 0..self.width() {
            if self.signed() || weights.iter().all(|row| row[event] == 0) {
                let count = |at: usize| if counted { counts[at] } else { 1 };
                weights.iter_mut().enumerate().for_each(|(at, row)| row[event] = count(at));
            }
        }
        weights
    }

    fn exact_sum<'c>(&self, costs: impl Iterator<Item = &'c Vec<u64>>) -> Vec<i128> {
        let mut sum = vec![0; self.width()];
        for cost in costs {
            sum.iter_mut().zip(cost).for_each(|(sum, &cost)| *sum += number(cost, self.signed()));
        }
        sum
    }

    /// The same, as a cost.
    pub(super) fn sum<'c>(&self, costs: impl Iterator<Item = &'c Vec<u64>>) -> Vec<u64> {
        self.exact_sum(costs).into_iter().map(|sum| cell(sum, self.signed())).collect()
    }
}

/// Members of a cycle by their distance from one of them.
struct Layers {
    order: Vec<FunctionId>,
    /// For each of them, the callers that are nearer by one, with their rows.
    calls: Vec<Vec<(FunctionId, usize)>>,
    /// For each member its place in `order`.
    place: HashMap<FunctionId, usize>,
}

impl Layers {
    fn add(&mut self, function: FunctionId) -> usize {
        self.order.push(function);
        self.calls.push(Vec::new());
        self.place.insert(function, self.order.len() - 1);
        self.order.len() - 1
    }
}
