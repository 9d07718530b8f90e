//! Self and inclusive costs from stacks: a function counts once per stack. No step recurses on the depth of stacks.
//!
//! Stacks form a forest: the parent of a stack is the same stack without its innermost frame. A depth-first walk enters
//! and leaves every stack, and adds the cost of its subtree to a function only if the function is not on the path yet:
//!
//! ```text
//! main 10          entering main and f adds 10 to main and 9 to f;
//! `- f 9           the inner f is on the path already, so only `repeated` counts its 4
//!    `- f 4
//! ```

use super::circles::Circles;
use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::FunctionId;
use lotse_model::profile::{Calls, Costs, Part};
use lotse_model::progress::Checked as _;

/// What the samples of stacks add up to.
pub(super) struct StackSums {
    pub(super) own: Costs,
    pub(super) calls: Calls,
    pub(super) inclusive: StackInclusive,
    /// For every row of `calls`, whether some stack has it between two frames of the same function.
    pub(super) circular: Vec<bool>,
    pub(super) totals: Vec<i128>,
}

/// Inclusive costs, without and with repeated counting of recursion.
pub(super) struct StackInclusive {
    /// A function counts once per stack.
    pub(super) once: Costs,
    /// A function counts as often as it is on a stack.
    pub(super) repeated: Costs,
}

/// Sums the samples of the parts.
pub(super) fn sum_stacks(profile: &Profile, parts: &[&Part]) -> StackSums {
    let (nodes, totals) = weights(profile, parts);
    let function = functions_of_stacks(profile);
    let mut own = Costs::zeros(profile.events.len(), profile.signed, profile.functions.len());
    for (node, function) in function.iter().enumerate().checked() {
        if own.width() > 0 {
            own.add(function.index(), nodes.row(node));
        }
    }
    let subtree = subtrees(profile, nodes);
    let mut walk = StackWalk::new(profile, &function, &subtree, used(profile, parts));
    walk.run(&children(profile));
    let inclusive = StackInclusive { once: walk.once, repeated: walk.repeated };
    StackSums { own, calls: walk.calls, inclusive, circular: walk.circles.circular, totals }
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

/// The cost of the samples of each stack, and the total of all samples.
fn weights(profile: &Profile, parts: &[&Part]) -> (Costs, Vec<i128>) {
    let width = profile.events.len();
    let mut nodes = Costs::zeros(width, profile.signed, profile.stacks.len());
    let mut totals = vec![0_i128; width];
    for part in parts {
        for (row, stack) in part.samples.stack.iter().enumerate().checked() {
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

/// Whether each stack, or a stack on top of it, has a sample in the parts.
fn used(profile: &Profile, parts: &[&Part]) -> Vec<bool> {
    let mut used = vec![false; profile.stacks.len()];
    for stack in parts.iter().flat_map(|part| part.samples.stack.iter().flatten()) {
        used[stack.index()] = true;
    }
    for node in (0..used.len()).rev().checked() {
        if let (true, Some(below)) = (used[node], profile.stacks.below[node]) {
            used[below.index()] = true;
        }
    }
    used
}

fn functions_of_stacks(profile: &Profile) -> Vec<FunctionId> {
    profile.stacks.frame.iter().map(|frame| profile.frames.function[frame.index()]).collect()
}

/// Adds to each stack the costs of all stacks on top of it. A stack has a greater number than the one below it.
fn subtrees(profile: &Profile, mut nodes: Costs) -> Costs {
    if nodes.width() == 0 {
        return nodes;
    }
    let mut row = vec![0; nodes.width()];
    for node in (0..profile.stacks.len()).rev().checked() {
        if let Some(below) = profile.stacks.below[node] {
            row.copy_from_slice(nodes.row(node));
            nodes.add(below.index(), &row);
        }
    }
    nodes
}

/// For every stack, the stacks that have one frame more: `nodes[starts[s]..starts[s + 1]]`. One more slot at the end
/// holds the roots.
pub(crate) struct Children {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

/// Sorts stacks by the stack below them (counting sort).
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
    for node in (0..count).checked() {
        let place = &mut next[slot(node)];
        nodes[*place as usize] = node as u32;
        *place += 1;
    }
    Children { starts, nodes }
}

impl Children {
    fn in_slot(&self, slot: usize) -> &[u32] {
        &self.nodes[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    fn roots(&self) -> &[u32] {
        self.in_slot(self.starts.len() - 2)
    }
}

/// Visits every stack twice: entering (`true`) before, and leaving (`false`) after the stacks on top of it.
pub(crate) fn visit(children: &Children, mut at: impl FnMut(usize, bool)) {
    let mut todo: Vec<(u32, bool)> = children.roots().iter().rev().map(|&root| (root, true)).collect();
    let mut steps = (0_u64..).checked();
    while let (Some((node, entering)), Some(_)) = (todo.pop(), steps.next()) {
        at(node as usize, entering);
        if entering {
            todo.push((node, false));
            todo.extend(children.in_slot(node as usize).iter().rev().map(|&child| (child, true)));
        }
    }
}

/// Sums the costs of functions and of pairs of caller and callee in a walk over all stacks.
struct StackWalk<'a> {
    function: &'a [FunctionId],
    below: Vec<Option<FunctionId>>,
    subtree: &'a Costs,
    /// Stacks without samples in the chosen parts are skipped.
    used: Vec<bool>,
    /// How often each function is on the current path.
    on_path: Vec<u32>,
    once: Costs,
    repeated: Costs,
    calls: Calls,
    pairs: HashMap<(FunctionId, FunctionId), u32>,
    /// How often each row of `calls` is on the current path.
    pair_on_path: Vec<u32>,
    /// The row of `calls` of each frame on the path that has a caller, so that it is looked up once.
    path: Vec<u32>,
    circles: Circles,
}

impl<'a> StackWalk<'a> {
    /// A walk that has entered no stack yet: every function costs nothing and no pair is known.
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
            path: Vec::new(),
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
            let pair = self.row_of_pair(caller, self.function[node]);
            if self.pair_on_path[pair] == 0 {
                self.calls.costs.add(pair, self.subtree.row(node));
            }
            self.pair_on_path[pair] += 1;
            self.path.push(pair as u32);
        }
    }

    fn leave(&mut self, node: usize) {
        self.on_path[self.function[node].index()] -= 1;
        let recursive = self.circles.leave(self.function[node].index());
        if self.below[node].is_some()
            && let Some(pair) = self.path.pop()
        {
            self.pair_on_path[pair as usize] -= 1;
            self.circles.circular[pair as usize] |= recursive;
        }
    }

    fn row_of_pair(&mut self, caller: FunctionId, callee: FunctionId) -> usize {
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
