//! The tree of a detailed snapshot: a node a line, as deep as it is indented, callers below callees.
//!
//! A node's own bytes are what its children do not explain: all of a leaf, nothing of a whole inner node, the
//! rest where the file was cut. So the sum is always that of the root.

use lotse_model::id::StackId;
use lotse_model::profile::{Builder, Frame};

use super::frame::{describe, stack};

/// What stands for all nodes that were too small to be written.
const SMALL: &str = "below massif's threshold";

/// A node on the way from the root to the present line.
struct Node {
    bytes: u64,
    /// How many children are still to come.
    missing: u64,
    /// The sum of the children so far.
    children: u64,
    /// None for the root, which stands for the allocating functions, and for callers that were not written.
    frame: Option<Frame>,
}

/// A tree being read.
#[derive(Default)]
pub(super) struct Tree {
    path: Vec<Node>,
    /// Bytes by stack.
    pub(super) found: Vec<(Option<StackId>, u64)>,
    /// Whether there is a root.
    pub(super) read: bool,
    /// Bytes whose outer callers were too small to be written.
    pub(super) without_callers: u64,
    /// Whether a node has fewer children than it says.
    pub(super) cut: bool,
}

impl Tree {
    /// Takes a line; the error is what was expected.
    pub(super) fn line(&mut self, line: &str, builder: &mut Builder) -> Result<(), &'static str> {
        let node = line.trim_start_matches(' ');
        let depth = line.len() - node.len();
        let (missing, bytes, text) =
            parse(node).ok_or("expected a node such as `n1: 4096 0x1234: main (a.c:1)`")?;
        if depth > self.path.len() || (depth == 0 && !self.path.is_empty()) {
            return Err("a node is deeper than its parent allows");
        }
        self.close(depth, builder);
        if let Some(parent) = self.path.last_mut() {
            let children = parent.children.checked_add(bytes).filter(|&sum| sum <= parent.bytes);
            parent.missing = parent.missing.saturating_sub(1);
            parent.children = children.ok_or("the children of a node are larger than the node")?;
        }
        self.read = true;
        // Places too small to be written below a function are its callers, and no function.
        let callers_missing = text == SMALL && depth > 1;
        if callers_missing {
            self.without_callers = self.without_callers.saturating_add(bytes);
        }
        let frame = (depth > 0 && !callers_missing).then(|| describe(text).frame(builder));
        self.path.push(Node { bytes, missing, children: 0, frame });
        Ok(())
    }

    /// Ends all nodes at least as deep.
    pub(super) fn close(&mut self, depth: usize, builder: &mut Builder) {
        while self.path.len() > depth {
            let own = self.path.last().map_or(0, |node| node.bytes - node.children);
            if own > 0 {
                let stack = self.stack(builder);
                self.found.push((stack, own));
            }
            self.cut |= self.path.pop().is_some_and(|node| node.missing > 0);
        }
    }

    /// The stack of the present path.
    fn stack(&self, builder: &mut Builder) -> Option<StackId> {
        let frames: Vec<Frame> = self.path.iter().filter_map(|node| node.frame).collect();
        stack(&frames, builder)
    }
}

/// Children, bytes and text of `nCHILDREN: BYTES TEXT`.
fn parse(node: &str) -> Option<(u64, u64, &str)> {
    let (children, rest) = node.strip_prefix('n')?.split_once(": ")?;
    let (bytes, text) = rest.split_once(' ')?;
    let small = text.starts_with("in ") && text.contains("below massif's threshold");
    Some((children.parse().ok()?, bytes.parse().ok()?, if small { SMALL } else { text }))
}
