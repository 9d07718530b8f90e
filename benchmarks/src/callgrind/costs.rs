//! Self and inclusive costs of functions and calls.
//!
//! The cost of a group is that of its members plus the calls that leave it. It is divided without remainder among the calls that
//! enter the group, so that on the way to the root nothing is lost or counted twice.

use super::graph::{Call, Graph};
use super::lines::Program;
use super::{Cost, EVENTS};

/// Sums by function.
#[derive(Debug)]
pub(super) struct Costs {
    own: Vec<Cost>,
    /// Self cost and the calls that leave the function's group.
    inclusive: Vec<Cost>,
    /// The least that a function can cost with its callees: of a member of a ring more than `inclusive`.
    least: Vec<Cost>,
    /// Cost of a group, indexed by its first function.
    groups: Vec<Cost>,
}

impl Costs {
    pub(super) fn new(program: &Program, graph: &Graph) -> Self {
        let functions = program.size.functions;
        let own: Vec<Cost> = (0..functions).map(|function| self_cost(program, function)).collect();
        let groups = vec![[0; EVENTS.len()]; own.len()];
        let mut costs = Self { inclusive: own.clone(), least: Vec::new(), groups, own };
        for function in (0..functions).rev() {
            for call in graph.calls(function).iter().filter(|call| call.rank.is_some()) {
                let cost = costs.call(graph, call);
                add(&mut costs.inclusive[function as usize], &cost);
            }
            let inclusive = costs.inclusive[function as usize];
            add(&mut costs.groups[graph.group(function) as usize], &inclusive);
        }
        costs.least = costs.bounds(graph);
        costs
    }

    /// For each function its inclusive cost and, for members of rings, the largest of three lower bounds: `inclusive`, the calls
    /// that enter the ring at the member, and the mean cost of calls from one member, which is at most that of the ring.
    fn bounds(&self, graph: &Graph) -> Vec<Cost> {
        let mut entering = vec![[0; EVENTS.len()]; self.own.len()];
        let mut inside = entering.clone();
        for caller in 0..self.own.len() as u32 {
            for call in graph.calls(caller).iter().filter(|call| graph.is_ring(call.callee)) {
                let (cost, callee) = (self.call(graph, call), call.callee as usize);
                let ring = &self.groups[graph.group(call.callee) as usize];
                match call.rank {
                    Some(_) => add(&mut entering[callee], &cost),
                    None => {
                        let mean = cost.map(|cost| cost.div_ceil(u64::from(call.count)));
                        inside[callee] = most(&inside[callee], &least(&mean, ring));
                    }
                }
            }
        }
        let bound = |(known, (entering, inside))| most(known, &most(entering, inside));
        self.inclusive.iter().zip(entering.iter().zip(&inside)).map(bound).collect()
    }

    /// The self cost.
    pub(super) fn own(&self, function: u32) -> &Cost {
        &self.own[function as usize]
    }

    /// The inclusive cost; of a member of a ring the largest lower bound.
    pub(super) fn inclusive(&self, function: u32) -> &Cost {
        &self.least[function as usize]
    }

    /// The total cost.
    pub(super) fn total(&self) -> Cost {
        let mut total = [0; EVENTS.len()];
        self.own.iter().for_each(|cost| add(&mut total, cost));
        total
    }

    /// Inclusive cost of all calls of a pair. For calls within a group callgrind writes the cost until the return, which must not be
    /// summed; half of the group's cost is used for it.
    pub(super) fn call(&self, graph: &Graph, call: &Call) -> Cost {
        let group = &self.groups[graph.group(call.callee) as usize];
        let entries = u64::from(graph.entries(call.callee));
        match call.rank {
            Some(rank) => group.map(|cost| share(cost, u64::from(rank), entries)),
            None => group.map(|cost| cost / 2),
        }
    }
}

fn self_cost(program: &Program, function: u32) -> Cost {
    let mut sum = [0; EVENTS.len()];
    program.lines(function).for_each(|line| add(&mut sum, &line.cost));
    sum
}

pub(super) fn add(sum: &mut Cost, more: &Cost) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// The larger cost of each event type.
fn most(a: &Cost, b: &Cost) -> Cost {
    std::array::from_fn(|event| a[event].max(b[event]))
}

/// The smaller cost of each event type.
fn least(a: &Cost, b: &Cost) -> Cost {
    std::array::from_fn(|event| a[event].min(b[event]))
}

/// The share of one of several callers. The first share is the largest, and all shares add up to the total.
fn share(whole: u64, rank: u64, callers: u64) -> u64 {
    if whole == 0 {
        return 0;
    }
    let weight_before = |rank: u64| rank * callers - rank * rank.saturating_sub(1) / 2;
    let all = weight_before(callers);
    let before = |rank: u64| {
        let weight = weight_before(rank);
        match whole.checked_mul(weight) {
            Some(product) => product / all,
            // At most `whole`, since the weight is at most `all`.
            None => (u128::from(whole) * u128::from(weight) / u128::from(all)) as u64,
        }
    };
    before(rank + 1) - before(rank)
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn parts_are_the_whole() {
        for (whole, callers) in [(0, 3), (1, 4), (1000, 1), (12_345, 7), (u64::MAX, 1000), (3, 50_000)] {
            let parts: u128 = (0..callers).map(|rank| u128::from(share(whole, rank, callers))).sum();
            assert_eq!(parts, u128::from(whole), "{whole} among {callers}");
        }
    }

    #[test]
    fn the_first_has_the_largest_part() {
        assert_eq!([0, 1, 2].map(|rank| share(600, rank, 3)), [300, 200, 100]);
    }
}
