//! Folds levels of recursion into one row, in tables for people.
//!
//! A function that calls itself 40 times makes 40 similar rows. Everything below the second level is folded into one
//! row, unless a function of some cost occurs there that is shown nowhere else in the recursion:
//!
//! ```text
//! walk                            walk
//!   spin                            spin
//!   walk                  ->        walk
//!     spin                            spin
//!     walk                            … 38 more levels of recursion
//!       spin
//!       …
//! ```

use std::collections::BTreeSet;
use std::ops::Range;

use crate::answer::FunctionName;
use crate::tree::NodeAnswer;

/// Fewer levels are not folded.
const LEAST_LEVELS: usize = 3;
/// Deeper levels are not tried as the start of a fold, because each trial visits the whole subtree.
const MOST_TRIED: usize = 12;

/// A function with a smaller share of the folded cost does not prevent folding.
const IGNORED_SHARE: f64 = 0.02;

/// A range of nodes that are shown as one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fold {
    /// The inclusive cost of the first node includes all others.
    pub(super) nodes: Range<usize>,
    /// The number of levels of the function among them.
    pub(super) levels: usize,
}

/// All folds, in the order of nodes; `event` is the index of the event type that rows are ranked by.
pub(super) fn folds(nodes: &[NodeAnswer], event: usize) -> Vec<Fold> {
    let mut folds: Vec<Fold> = Vec::new();
    let mut above: Vec<usize> = Vec::new();
    for at in 0..nodes.len() {
        above.truncate(nodes[at].depth as usize);
        let hidden = folds.last().is_some_and(|fold| fold.nodes.contains(&at));
        if let Some(fold) = (!hidden).then(|| fold(nodes, (at, event), &above)).flatten() {
            folds.push(fold);
        }
        above.push(at);
    }
    folds
}

/// The fold that starts at a node, if any; `above` are the nodes on the path to it.
fn fold(nodes: &[NodeAnswer], (at, event): (usize, usize), above: &[usize]) -> Option<Fold> {
    let function = &nodes[at].function;
    let same = above.iter().rev().take_while(|&&parent| nodes[parent].function == *function).count();
    if !(2..MOST_TRIED).contains(&same) {
        return None;
    }
    let within = at..subtree_end(nodes, at);
    let levels = levels(&nodes[within.clone()], function);
    let first = above[above.len() - same];
    let around = (first..at).chain(within.end..subtree_end(nodes, first));
    let shown: BTreeSet<FunctionKey<'_>> = around.map(|at| key(&nodes[at].function)).collect();
    let cost = |node: &NodeAnswer| node.inclusive.get(event).map_or(0.0, |cost| cost.as_f64());
    let least = IGNORED_SHARE * cost(&nodes[at]);
    let is_known = |node: &NodeAnswer| shown.contains(&key(&node.function)) || cost(node) < least;
    (levels >= LEAST_LEVELS && nodes[within.clone()].iter().all(is_known))
        .then_some(Fold { nodes: within, levels })
}

type FunctionKey<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn key(function: &FunctionName) -> FunctionKey<'_> {
    (&function.name, function.file.as_deref(), function.object.as_deref())
}

/// The end of the subtree of a node.
fn subtree_end(nodes: &[NodeAnswer], at: usize) -> usize {
    let below = nodes[at + 1..].iter().take_while(|node| node.depth > nodes[at].depth);
    at + 1 + below.count()
}

/// The greatest number of frames of a function on a path.
fn levels(nodes: &[NodeAnswer], function: &FunctionName) -> usize {
    let mut open: Vec<u32> = Vec::new();
    let mut most = 0;
    for node in nodes.iter().filter(|node| node.function == *function) {
        open.retain(|&depth| depth < node.depth);
        open.push(node.depth);
        most = most.max(open.len());
    }
    most
}
