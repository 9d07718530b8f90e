//! Levels of recursion that a table for people shows as one row.
//!
//! A function below itself 40 times makes 40 rows that say the same. Below the second level everything is folded into
//! one row, unless a function of some cost occurs there that is shown nowhere else in the recursion:
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

/// Fewer levels are shown one by one.
const LEAST: usize = 3;
/// Deeper levels are not tried as the place to fold at: each takes a look at everything below.
const TRIED: usize = 12;

/// A function with less of the cost of what is folded does not keep it from being folded.
const LITTLE: f64 = 0.02;

/// Nodes that one row stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fold {
    /// The nodes; the first costs what they cost together.
    pub(super) nodes: Range<usize>,
    /// How many levels of the function they are.
    pub(super) levels: usize,
}

/// What is folded, in order; `event` is the place of the event type that ranks.
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

/// The fold that begins at a node, given those above it.
fn fold(nodes: &[NodeAnswer], (at, event): (usize, usize), above: &[usize]) -> Option<Fold> {
    let function = &nodes[at].function;
    let same = above.iter().rev().take_while(|&&parent| nodes[parent].function == *function).count();
    if !(2..TRIED).contains(&same) {
        return None;
    }
    let within = at..end(nodes, at);
    let levels = levels(&nodes[within.clone()], function);
    let first = above[above.len() - same];
    let around = (first..at).chain(within.end..end(nodes, first));
    let shown: BTreeSet<Key<'_>> = around.map(|at| key(&nodes[at].function)).collect();
    let cost = |node: &NodeAnswer| node.inclusive.get(event).map_or(0.0, |cost| cost.as_f64());
    let least = LITTLE * cost(&nodes[at]);
    let is_known = |node: &NodeAnswer| shown.contains(&key(&node.function)) || cost(node) < least;
    (levels >= LEAST && nodes[within.clone()].iter().all(is_known)).then_some(Fold { nodes: within, levels })
}

type Key<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

fn key(function: &FunctionName) -> Key<'_> {
    (&function.name, function.file.as_deref(), function.object.as_deref())
}

/// Behind the last node below one.
fn end(nodes: &[NodeAnswer], at: usize) -> usize {
    let below = nodes[at + 1..].iter().take_while(|node| node.depth > nodes[at].depth);
    at + 1 + below.count()
}

/// How often a function is below itself at most, with the first.
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
