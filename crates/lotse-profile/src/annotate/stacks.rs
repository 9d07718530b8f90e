//! Costs inside a function from stack samples: self costs at the innermost frame, calls from the frames on top of it.

use std::hash::Hash;

use hashbrown::HashMap;
use lotse_model::Profile;
use lotse_model::id::{FunctionId, StackId};
use lotse_model::profile::{CodePosition, Costs, Frame};
use lotse_model::progress::Checked as _;

use super::gather::{CallSite, GatheredCosts, without_address};
use crate::analysis::Analysis;

/// Gathers costs of a function from samples. By line, a sample counts for the function of its innermost frame, inlined
/// or not; by address, it counts for the function that was compiled, which includes the code inlined into it.
pub(super) fn from_stacks(analysis: &Analysis<'_>, function: FunctionId) -> GatheredCosts {
    let profile = analysis.profile;
    let mut found = GatheredCosts::new(analysis);
    if profile.events.is_empty() {
        return found;
    }
    let mut weights = weights(analysis);
    let compiled = compiled(profile);
    for (node, &compiled) in compiled.iter().enumerate().checked() {
        let costs = weights.row(node);
        if costs.iter().all(|&cost| cost == 0) {
            continue;
        }
        let frame = top(profile, node);
        if frame.function == function {
            found.add_to_line(place(&frame), costs);
        }
        if top(profile, compiled).function == function {
            found.add_to_address(place(&frame), costs);
        }
    }
    add_callees(profile, &mut weights);
    found.sites = call_sites(profile, &weights, function, |place| place);
    found.line_sites = call_sites(profile, &weights, function, without_address);
    found
}

/// The frames of all samples.
pub(crate) struct StackLines<'a> {
    profile: &'a Profile,
    /// The cost of the samples of each stack.
    weights: Costs,
}

impl<'a> StackLines<'a> {
    /// Of a profile that has event types.
    pub(crate) fn new(analysis: &Analysis<'a>) -> Self {
        Self { profile: analysis.profile, weights: weights(analysis) }
    }

    /// The places of innermost frames, inlined or not, with their costs.
    pub(crate) fn for_each_innermost(&self, mut found: impl FnMut(CodePosition, FunctionId, &[u64])) {
        for node in (0..self.profile.stacks.len()).checked() {
            let costs = self.weights.row(node);
            if costs.iter().any(|&cost| cost != 0) {
                let frame = top(self.profile, node);
                found(place(&frame), frame.function, costs);
            }
        }
    }

    /// The places of all frames with their inclusive costs; of equal keys on one stack, only the outermost counts.
    pub(crate) fn for_each_outermost<K: Copy + Eq + Hash>(
        mut self,
        key: impl Fn(CodePosition) -> Option<K>,
        mut found: impl FnMut(K, FunctionId, &[u64]),
    ) {
        add_callees(self.profile, &mut self.weights);
        let mut on_path: HashMap<K, u32> = HashMap::new();
        for (node, entering) in SiteWalk::new(&self.profile.stacks.below).checked() {
            let frame = top(self.profile, node);
            let Some(key) = key(place(&frame)) else { continue };
            let count = on_path.entry(key).or_default();
            if entering && *count == 0 {
                found(key, frame.function, self.weights.row(node));
            }
            *count = if entering { *count + 1 } else { *count - 1 };
        }
    }
}

fn top(profile: &Profile, stack: usize) -> Frame {
    profile.frames.get(profile.stacks.frame[stack])
}

fn place(frame: &Frame) -> CodePosition {
    CodePosition { file: frame.file, line: frame.line, address: frame.address }
}

/// The cost of the samples of each stack.
fn weights(analysis: &Analysis<'_>) -> Costs {
    let profile = analysis.profile;
    let mut weights = Costs::zeros(profile.events.len(), profile.signed, profile.stacks.len());
    for part in &analysis.parts {
        let samples = &profile.parts[part.index()].samples;
        for (row, stack) in samples.stack.iter().enumerate().checked() {
            if let Some(stack) = stack {
                weights.add(stack.index(), samples.costs.row(row));
            }
        }
    }
    weights
}

/// For every stack, the stack whose innermost frame is the compiled function into which this one's frame was inlined.
fn compiled(profile: &Profile) -> Vec<usize> {
    let mut compiled: Vec<usize> = Vec::with_capacity(profile.stacks.len());
    for (node, below) in profile.stacks.below.iter().enumerate().checked() {
        let inlined = top(profile, node).inlined;
        compiled.push(below.filter(|_| inlined).map_or(node, |below| compiled[below.index()]));
    }
    compiled
}

/// Adds to each stack the costs of all stacks on top of it.
fn add_callees(profile: &Profile, weights: &mut Costs) {
    for node in (0..profile.stacks.len()).rev().checked() {
        if let Some(below) = profile.stacks.below[node] {
            let row = weights.row(node).to_vec();
            weights.add(below.index(), &row);
        }
    }
}

/// Calls by place and callee; if a stack has the same call several times, only the outermost counts.
fn call_sites(
    profile: &Profile,
    inclusive: &Costs,
    function: FunctionId,
    at: impl Fn(CodePosition) -> CodePosition,
) -> Vec<CallSite> {
    let mut rows: HashMap<(CodePosition, FunctionId), usize> = HashMap::new();
    let mut sites: Vec<CallSite> = Vec::new();
    let mut costs = Costs::new(inclusive.width(), inclusive.signed());
    let mut on_path: Vec<u32> = Vec::new();
    for (node, entering) in SiteWalk::new(&profile.stacks.below).checked() {
        let caller = profile.stacks.below[node].map(|below| top(profile, below.index()));
        let Some(caller) = caller.filter(|caller| caller.function == function) else { continue };
        let callee = top(profile, node);
        let key = (at(place(&caller)), callee.function);
        let row = *rows.entry(key).or_insert(sites.len());
        if row == sites.len() {
            let inlined = callee.inlined;
            sites.push(CallSite { place: key.0, callee: key.1, count: None, costs: None, inlined });
            costs.push(&[]);
            on_path.push(0);
        }
        if entering && on_path[row] == 0 {
            costs.add(row, inclusive.row(node));
        }
        on_path[row] = if entering { on_path[row] + 1 } else { on_path[row] - 1 };
    }
    for (row, site) in sites.iter_mut().enumerate() {
        site.costs = Some(costs.row(row).to_vec());
    }
    sites.retain(|site| site.costs.as_ref().is_some_and(|costs| costs.iter().any(|&cost| cost != 0)));
    sites
}

/// Yields every stack twice: with `true` before, and with `false` after all stacks on top of it.
struct SiteWalk {
    first: Vec<Option<u32>>,
    next: Vec<Option<u32>>,
    todo: Vec<(u32, bool)>,
}

impl SiteWalk {
    fn new(below: &[Option<StackId>]) -> Self {
        let (mut first, mut next) = (vec![None; below.len()], vec![None; below.len()]);
        let mut root = None;
        for node in (0..below.len()).rev() {
            let slot = below[node].map_or(&mut root, |below| &mut first[below.index()]);
            next[node] = slot.replace(node as u32);
        }
        Self { first, next, todo: root.map(|root| (root, true)).into_iter().collect() }
    }
}

impl Iterator for SiteWalk {
    type Item = (usize, bool);

    fn next(&mut self) -> Option<Self::Item> {
        let (node, entering) = self.todo.pop()?;
        let at = node as usize;
        if entering {
            self.todo.push((node, false));
            self.todo.extend(self.first[at].map(|child| (child, true)));
        } else {
            self.todo.extend(self.next[at].map(|sibling| (sibling, true)));
        }
        Some((at, entering))
    }
}
