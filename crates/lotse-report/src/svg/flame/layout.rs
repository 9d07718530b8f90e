//! Which frames are shown, and where; in shares of the whole width.

use super::super::cost_tree::CostTree;

/// About a tenth of a pixel: narrower ones cannot be seen.
pub(super) const NARROWEST: f64 = 0.0001;
/// Levels drawn; some five thousand pixels.
pub(super) const MOST_ROWS: usize = 300;
/// More frames than this make viewers slow.
pub(super) const MOST_FRAMES: usize = 20_000;

/// A node that is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct FlameFrame {
    pub(super) node: usize,
    pub(super) depth: usize,
    pub(super) start: f64,
    pub(super) share: f64,
}

/// What is not drawn, and why.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LeftOut {
    pub(super) narrow: usize,
    pub(super) deep: usize,
    pub(super) crowded: usize,
    /// The share of the whole of all of them together.
    pub(super) share: f64,
}

/// The frames to draw, in the order of the rows. With a frame, its parent is shown.
pub(super) fn frames(tree: &CostTree<'_>) -> (Vec<FlameFrame>, LeftOut) {
    let all = placed(tree);
    let mut left_out = LeftOut::default();
    let mut shown: Vec<FlameFrame> = Vec::new();
    for frame in &all {
        if frame.share.is_nan() || frame.share < NARROWEST {
            left_out.narrow += 1;
        } else if frame.depth >= MOST_ROWS {
            left_out.deep += 1;
        } else {
            shown.push(*frame);
        }
    }
    if shown.len() > MOST_FRAMES {
        left_out.crowded = shown.len() - MOST_FRAMES;
        // No child is wider than its parent or less deep, so that a parent never goes before its child.
        shown.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.depth.cmp(&b.depth)));
        shown.truncate(MOST_FRAMES);
        shown.sort_by_key(|frame| frame.node);
    }
    left_out.share = tree.hidden_share(shown.iter().map(|frame| frame.node));
    (shown, left_out)
}

/// All nodes side by side: each after its earlier siblings, none beyond its parent.
fn placed(tree: &CostTree<'_>) -> Vec<FlameFrame> {
    let mut next_root = 0.0;
    let mut frames: Vec<FlameFrame> = Vec::with_capacity(tree.nodes.len());
    // Where the next child of each node begins.
    let mut next: Vec<f64> = Vec::with_capacity(tree.nodes.len());
    for node in 0..tree.nodes.len() {
        let share = tree.share(node);
        let parent = tree.parent(node);
        let depth = parent.map_or(0, |parent| frames[parent].depth + 1);
        let cursor = parent.map_or(&mut next_root, |parent| &mut next[parent]);
        let start = *cursor;
        *cursor += share;
        next.push(start);
        frames.push(FlameFrame { node, depth, start, share });
    }
    frames
}
