//! The tree of a detailed snapshot: one node per line, indented by its depth, with callers below callees.
//!
//! The own bytes of a node are those that its children do not account for: all bytes of a leaf, none of a complete inner
//! node, the rest where the file was cut. The sum of own bytes is therefore always that of the root.

use lotse_model::id::StackId;
use lotse_model::profile::{Builder, Frame};

use super::frame::{parse_frame, stack};

/// The name for all nodes that were too small to be written.
const SMALL: &str = "below massif's threshold";

/// A node on the path from the root to the current line.
struct MassifNode {
    bytes: u64,
    /// The number of children still to come.
    missing: u64,
    /// The sum of the children so far.
    children: u64,
    /// `None` for the root, which stands for the allocating functions, and for callers that were not written.
    frame: Option<Frame>,
}

/// A tree being read.
#[derive(Default)]
pub(super) struct SnapshotTree {
    path: Vec<MassifNode>,
    /// Bytes by stack.
    pub(super) found: Vec<(Option<StackId>, u64)>,
    /// Whether the root has been read.
    pub(super) read: bool,
    /// Bytes whose outer callers were too small to be written.
    pub(super) without_callers: u64,
    /// Whether a node has fewer children than it states.
    pub(super) cut: bool,
}

impl SnapshotTree {
    /// Reads a line; the error is what was expected.
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
        // Below a function, places too small to be written are its callers, not a function.
        let callers_missing = text == SMALL && depth > 1;
        if callers_missing {
            self.without_callers = self.without_callers.saturating_add(bytes);
        }
        let frame = (depth > 0 && !callers_missing).then(|| parse_frame(text).frame(builder));
        self.path.push(MassifNode { bytes, missing, children: 0, frame });
        Ok(())
    }

    /// Ends all nodes that are at least as deep.
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

    /// The stack of the current path.
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
