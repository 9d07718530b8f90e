//! Functions that call each other in circles: strongly connected components, found without recursion.
//!
//! Tarjan's algorithm with an explicit stack, so that a chain of a million calls does not overflow the thread's stack.

use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::Calls;
use lotse_model::progress::Checked as _;

use super::Adjacency;

const UNSEEN: u32 = 0;

/// Strongly connected components of the call graph; a component of two or more functions is a cycle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cycles {
    /// The component of each function; components of callees have smaller numbers than those of their callers.
    pub component: Vec<u32>,
    /// The members of each cycle, in the order of components.
    pub members: Vec<Vec<FunctionId>>,
    /// The number of the cycle of each function, an index into `members`.
    pub cycle: Vec<Option<u32>>,
    /// Functions that call themselves directly.
    pub recursive: Vec<bool>,
    /// The number of components.
    pub components: u32,
}

impl Cycles {
    /// Finds the components of the graph whose edges are rows of `outgoing` with the callees given.
    pub fn find(outgoing: &Adjacency, callee: &[FunctionId]) -> Self {
        let mut search = Search::new(outgoing, callee);
        for root in 0..outgoing.functions() {
            search.visit_from(root as u32);
        }
        let component: Vec<u32> = search.marks.iter().map(|mark| u32::MAX - mark).collect();
        let components = search.components;
        let recursive = recursive(outgoing, callee);
        let (members, cycle) = members(&component, components);
        Self { component, members, cycle, recursive, components }
    }

    /// Finds the components of the graph that has only the chosen calls, without those of callers that were not recorded.
    /// Such a caller stands for another function on each stack: what calls it and what it calls do not call each other.
    pub(super) fn of_calls(profile: &Profile, calls: &Calls, circular: &[bool]) -> Self {
        let missing = super::missing::missing_callers(profile);
        let ends = calls.caller.iter().zip(&calls.callee).zip(circular);
        let chosen: Vec<bool> = ends
            .map(|((caller, callee), &circular)| {
                circular && !missing[caller.index()] && !missing[callee.index()]
            })
            .collect();
        let chosen_rows = |column: &[FunctionId]| -> Vec<FunctionId> {
            column.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(function, _)| *function).collect()
        };
        let outgoing = Adjacency::new(profile.functions.len(), &chosen_rows(&calls.caller));
        Self::find(&outgoing, &chosen_rows(&calls.callee))
    }

    /// Whether a call stays inside a cycle or is direct recursion.
    ///
    /// Callees come in no order, so they are only looked up for the few callers that are in cycles.
    pub fn inside(&self, caller: FunctionId, callee: FunctionId) -> bool {
        let same_component = || self.component[caller.index()] == self.component[callee.index()];
        caller == callee || (self.cycle[caller.index()].is_some() && same_component())
    }
}

fn recursive(outgoing: &Adjacency, callee: &[FunctionId]) -> Vec<bool> {
    let calls_itself =
        |function: FunctionId| outgoing.rows_of(function).iter().any(|&row| callee[row as usize] == function);
    (0..outgoing.functions()).map(|index| calls_itself(FunctionId::from(index))).collect()
}

type Members = Vec<Vec<FunctionId>>;

/// Numbers the components of two or more functions from 0; returns their members, and the cycle of each function.
fn members(component: &[u32], components: u32) -> (Members, Vec<Option<u32>>) {
    let mut sizes = vec![0_u32; components as usize];
    component.iter().for_each(|&number| sizes[number as usize] += 1);
    let mut numbers = vec![None; components as usize];
    let mut count = 0;
    for (number, &size) in numbers.iter_mut().zip(&sizes) {
        if size > 1 {
            *number = Some(count);
            count += 1;
        }
    }
    let mut members = vec![Vec::new(); count as usize];
    let cycle: Vec<Option<u32>> = component.iter().map(|&number| numbers[number as usize]).collect();
    for (function, cycle) in cycle.iter().enumerate() {
        if let Some(cycle) = cycle {
            members[*cycle as usize].push(FunctionId::from(function));
        }
    }
    (members, cycle)
}

/// The state of a depth-first search after Tarjan, with one number per function as Pearce showed ("An improved algorithm
/// for finding the strongly connected components of a directed graph", 2005): a look-up for every call is mostly a cache miss.
struct Search<'a> {
    outgoing: &'a Adjacency,
    callee: &'a [FunctionId],
    /// What is known of each function, by its number:
    /// - [`UNSEEN`];
    /// - while its component is not known: the earliest time of a visit among open functions that can be reached;
    /// - then `u32::MAX` less its component, which is later than all visits.
    marks: Vec<u32>,
    /// Visited functions whose component is not known yet.
    open: Vec<u32>,
    components: u32,
    /// The time of the last visit.
    clock: u32,
    path: Vec<Step>,
}

/// A function on the path from the root.
#[derive(Clone, Copy)]
struct Step {
    function: u32,
    /// The number of its calls that were followed.
    followed: u32,
    /// The time of its visit.
    entered: u32,
}

impl<'a> Search<'a> {
    fn new(outgoing: &'a Adjacency, callee: &'a [FunctionId]) -> Self {
        Self {
            outgoing,
            callee,
            marks: vec![UNSEEN; outgoing.functions()],
            open: Vec::new(),
            components: 0,
            clock: UNSEEN,
            path: Vec::new(),
        }
    }

    fn visit_from(&mut self, root: u32) {
        if self.marks[root as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        let mut steps = (0_u64..).checked();
        while let (Some(step), Some(_)) = (self.path.last_mut(), steps.next()) {
            let rows = self.outgoing.rows_of(FunctionId(step.function));
            let Some(&row) = rows.get(step.followed as usize) else {
                self.leave();
                continue;
            };
            step.followed += 1;
            let from = step.function;
            self.follow(from, self.callee[row as usize].0);
        }
    }

    fn enter(&mut self, function: u32) {
        self.clock += 1;
        self.marks[function as usize] = self.clock;
        self.open.push(function);
        self.path.push(Step { function, followed: 0, entered: self.clock });
    }

    fn follow(&mut self, from: u32, to: u32) {
        match self.marks[to as usize] {
            UNSEEN => self.enter(to),
            mark => self.lower(from, mark),
        }
    }

    /// Notes that what `mark` belongs to can be reached from a function.
    fn lower(&mut self, function: u32, mark: u32) {
        let known = &mut self.marks[function as usize];
        *known = mark.min(*known);
    }

    fn leave(&mut self) {
        let Some(Step { function, entered, .. }) = self.path.pop() else { return };
        if self.marks[function as usize] == entered {
            self.close(function);
        }
        if let Some(&Step { function: caller, .. }) = self.path.last() {
            self.lower(caller, self.marks[function as usize]);
        }
    }

    /// Ends the component of `first` and of all functions that were visited after it and are still open.
    fn close(&mut self, first: u32) {
        while let Some(function) = self.open.pop() {
            self.marks[function as usize] = u32::MAX - self.components;
            if function == first {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::FunctionId;
    use proptest::prelude::*;

    use super::{Adjacency, Cycles};

    fn find(functions: usize, edges: &[(u32, u32)]) -> Cycles {
        let caller: Vec<FunctionId> = edges.iter().map(|edge| FunctionId(edge.0)).collect();
        let callee: Vec<FunctionId> = edges.iter().map(|edge| FunctionId(edge.1)).collect();
        Cycles::find(&Adjacency::new(functions, &caller), &callee)
    }

    #[test]
    fn circles_are_found_and_callees_come_first() {
        let cycles = find(6, &[(0, 1), (1, 2), (2, 1), (2, 3), (3, 3), (4, 5)]);
        assert_eq!(cycles.members, [vec![FunctionId(1), FunctionId(2)]]);
        assert_eq!(cycles.cycle[1..4], [Some(0), Some(0), None]);
        assert!(cycles.component[3] < cycles.component[1] && cycles.component[1] < cycles.component[0]);
        assert!(cycles.recursive[3] && !cycles.recursive[1]);
        assert!(cycles.inside(FunctionId(1), FunctionId(2)) && !cycles.inside(FunctionId(0), FunctionId(1)));
    }

    #[test]
    fn a_chain_a_million_deep_is_no_problem() {
        let depth = 1_000_000;
        let mut edges: Vec<(u32, u32)> = (0..depth - 1).map(|from| (from, from + 1)).collect();
        assert_eq!(find(depth as usize, &edges).components, depth);
        edges.push((depth - 1, 0));
        let cycles = find(depth as usize, &edges);
        assert_eq!((cycles.components, cycles.members[0].len()), (1, depth as usize));
    }

    /// Two functions are in one component exactly when each can be reached from the other.
    fn reaches(functions: usize, edges: &[(u32, u32)]) -> Vec<Vec<bool>> {
        let mut reach = vec![vec![false; functions]; functions];
        (0..functions).for_each(|at| reach[at][at] = true);
        edges.iter().for_each(|&(from, to)| reach[from as usize][to as usize] = true);
        for over in 0..functions {
            let onwards = reach[over].clone();
            for from in reach.iter_mut().filter(|from| from[over]) {
                from.iter_mut().zip(&onwards).for_each(|(to, further)| *to |= further);
            }
        }
        reach
    }

    proptest! {
        #[test]
        fn components_are_mutual_reachability(edges in prop::collection::vec((0u32..9, 0u32..9), 0..24)) {
            let cycles = find(9, &edges);
            let reach = reaches(9, &edges);
            for (from, to) in (0..81).map(|pair| (pair / 9, pair % 9)) {
                let together = cycles.component[from] == cycles.component[to];
                prop_assert_eq!(together, reach[from][to] && reach[to][from]);
                prop_assert!(!reach[from][to] || cycles.component[to] <= cycles.component[from]);
            }
        }
    }
}
