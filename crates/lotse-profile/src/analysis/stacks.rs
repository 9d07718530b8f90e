//! Self and inclusive costs from stacks, each function once per stack, without recursion on their depth.

use super::circles::Circles;
use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Calls, Costs, Part};

/// Sums over stacks.
pub(super) struct Flat {
    pub(super) own: Costs,
    pub(super) calls: Calls,
    pub(super) inclusive: Inclusive,
    /// For every row of `calls` whether some stack has it between two frames of one function.
    pub(super) circular: Vec<bool>,
    pub(super) totals: Vec<i128>,
}

/// Inclusive costs in both senses.
pub(super) struct Inclusive {
    /// A function counts once per stack.
    pub(super) once: Costs,
    /// A function counts as often as it is on the stack.
    pub(super) repeated: Costs,
}

/// Sums the samples of the parts.
pub(super) fn flatten(profile: &Profile, parts: &[&Part]) -> Flat {
    let (nodes, totals) = weights(profile, parts);
    let function = functions_of_stacks(profile);
    let mut own = Costs::zeros(profile.events.len(), profile.signed, profile.functions.len());
    for (node, function) in function.iter().enumerate() {
        if own.width() > 0 {
            own.add(function.index(), nodes.row(node));
        }
    }
    let subtree = subtrees(profile, nodes);
    let mut walk = Walk::new(profile, &function, &subtree, used(profile, parts));
    walk.run(&children(profile));
    let inclusive = Inclusive { once: walk.once, repeated: walk.repeated };
    Flat { own, calls: walk.calls, inclusive, circular: walk.circles.circular, totals }
}

/// The inclusive cost of groups of functions: a group counts once per stack.
pub(super) fn inclusive_of_groups(profile: &Profile, parts: &[&Part], group: &[u32], groups: usize) -> Costs {
    let (nodes, _) = weights(profile, parts);
    let subtree = subtrees(profile, nodes);
    let of_stack: Vec<u32> = profile
        .stacks
        .frame
        .iter()
        .map(|&frame| group[profile.frames.function[frame.index()].index()])
        .collect();
    let mut inclusive = Costs::zeros(profile.events.len(), profile.signed, groups);
    let mut depth = vec![0_u32; groups];
    visit(&children(profile), |node, entered| {
        let group = of_stack[node] as usize;
        if !entered {
            depth[group] -= 1;
            return;
        }
        if depth[group] == 0 && inclusive.width() > 0 {
            inclusive.add(group, subtree.row(node));
        }
        depth[group] += 1;
    });
    inclusive
}

/// What the samples on each stack weigh, and all samples together.
fn weights(profile: &Profile, parts: &[&Part]) -> (Costs, Vec<i128>) {
    let width = profile.events.len();
    let mut nodes = Costs::zeros(width, profile.signed, profile.stacks.len());
    let mut totals = vec![0_i128; width];
    for part in parts {
        for (row, stack) in part.samples.stack.iter().enumerate() {
            if let (Some(stack), true) = (stack, width > 0) {
                nodes.add(stack.index(), part.samples.costs.row(row));
            }
        }
        for (event, total) in totals.iter_mut().enumerate() {
            *total += part.samples.costs.total(event);
        }
    }
    (nodes, totals)
}

/// Whether each stack, or one on top of it, has a sample in the parts.
fn used(profile: &Profile, parts: &[&Part]) -> Vec<bool> {
    let mut used = vec![false; profile.stacks.len()];
    for stack in parts.iter().flat_map(|part| part.samples.stack.iter().flatten()) {
        used[stack.index()] = true;
    }
    for node in (0..used.len()).rev() {
        if let (true, Some(below)) = (used[node], profile.stacks.below[node]) {
            used[below.index()] = true;
        }
    }
    used
}

fn functions_of_stacks(profile: &Profile) -> Vec<FunctionId> {
    profile.stacks.frame.iter().map(|frame| profile.frames.function[frame.index()]).collect()
}

/// Adds what is on top of a stack to it. Stacks come after those below them.
fn subtrees(profile: &Profile, mut nodes: Costs) -> Costs {
    if nodes.width() == 0 {
        return nodes;
    }
    for node in (0..profile.stacks.len()).rev() {
        if let Some(below) = profile.stacks.below[node] {
            let row = nodes.row(node).to_vec();
            nodes.add(below.index(), &row);
        }
    }
    nodes
}

/// For every stack those right on top of it; at the end those with nothing below.
pub(crate) struct Children {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

pub(crate) fn children(profile: &Profile) -> Children {
    let count = profile.stacks.len();
    let slot = |node: usize| profile.stacks.below[node].map_or(count, |below| below.index());
    let mut starts = vec![0_u32; count + 2];
    (0..count).for_each(|node| starts[slot(node) + 1] += 1);
    for place in 1..starts.len() {
        starts[place] += starts[place - 1];
    }
    let mut next = starts.clone();
    let mut nodes = vec![0_u32; count];
    for node in 0..count {
        let place = &mut next[slot(node)];
        nodes[*place as usize] = node as u32;
        *place += 1;
    }
    Children { starts, nodes }
}

impl Children {
    fn of(&self, slot: usize) -> &[u32] {
        &self.nodes[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    fn roots(&self) -> &[u32] {
        self.of(self.starts.len() - 2)
    }
}

/// Visits every stack, entering before and leaving after those on top of it.
pub(crate) fn visit(children: &Children, mut at: impl FnMut(usize, bool)) {
    let mut todo: Vec<(u32, bool)> = children.roots().iter().rev().map(|&root| (root, true)).collect();
    while let Some((node, entering)) = todo.pop() {
        at(node as usize, entering);
        if entering {
            todo.push((node, false));
            todo.extend(children.of(node as usize).iter().rev().map(|&child| (child, true)));
        }
    }
}

/// Counts functions and pairs on the way from the roots to the tops.
struct Walk<'a> {
    function: &'a [FunctionId],
    below: Vec<Option<FunctionId>>,
    subtree: &'a Costs,
    /// Stacks without samples in the chosen parts call nothing.
    used: Vec<bool>,
    on_path: Vec<u32>,
    once: Costs,
    repeated: Costs,
    calls: Calls,
    pairs: HashMap<(FunctionId, FunctionId), u32>,
    pair_on_path: Vec<u32>,
    circles: Circles,
}

impl<'a> Walk<'a> {
    fn new(profile: &Profile, function: &'a [FunctionId], subtree: &'a Costs, used: Vec<bool>) -> Self {
        let (width, signed) = (profile.events.len(), profile.signed);
        let functions = profile.functions.len();
        let below =
            profile.stacks.below.iter().map(|below| below.map(|below| function[below.index()])).collect();
        Self {
            function,
            below,
            subtree,
            used,
            on_path: vec![0; functions],
            once: Costs::zeros(width, signed, functions),
            repeated: Costs::zeros(width, signed, functions),
            calls: Calls { costs: Costs::new(width, signed), ..Calls::default() },
            pairs: HashMap::new(),
            pair_on_path: Vec::new(),
            circles: Circles::new(functions),
        }
    }

    fn run(&mut self, children: &Children) {
        if self.subtree.width() > 0 {
            visit(children, |node, entering| match (self.used[node], entering) {
                (false, _) => {}
                (true, true) => self.enter(node),
                (true, false) => self.leave(node),
            });
        }
    }

    fn enter(&mut self, node: usize) {
        let function = self.function[node].index();
        let cost = self.subtree.row(node);
        self.repeated.add(function, cost);
        if self.on_path[function] == 0 {
            self.once.add(function, cost);
        }
        self.on_path[function] += 1;
        self.circles.enter(function);
        if let Some(caller) = self.below[node] {
            let pair = self.pair(caller, self.function[node]);
            if self.pair_on_path[pair] == 0 {
                self.calls.costs.add(pair, self.subtree.row(node));
            }
            self.pair_on_path[pair] += 1;
        }
    }

    fn leave(&mut self, node: usize) {
        self.on_path[self.function[node].index()] -= 1;
        let recurs = self.circles.leave(self.function[node].index());
        if let Some(caller) = self.below[node] {
            let pair = self.pair(caller, self.function[node]);
            self.pair_on_path[pair] -= 1;
            self.circles.circular[pair] |= recurs;
        }
    }

    fn pair(&mut self, caller: FunctionId, callee: FunctionId) -> usize {
        let calls = &mut self.calls;
        let (on_path, circular) = (&mut self.pair_on_path, &mut self.circles.circular);
        let row = *self.pairs.entry((caller, callee)).or_insert_with(|| {
            calls.caller.push(caller);
            calls.callee.push(callee);
            calls.count.push(0);
            calls.costs.push(&[]);
            on_path.push(0);
            circular.push(false);
            on_path.len() as u32 - 1
        });
        row as usize
    }
}
