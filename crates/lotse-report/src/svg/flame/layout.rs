//! The selection and the positions of frames, as shares of the whole width.

use super::super::cost_tree::CostTree;

/// The least share that is drawn: about a tenth of a pixel.
pub(super) const NARROWEST: f64 = 0.0001;
/// The limit for the number of levels: about five thousand pixels.
pub(super) const MOST_ROWS: usize = 300;
/// The limit for the number of frames; more make viewers slow.
pub(super) const MOST_FRAMES: usize = 20_000;

/// A node that is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlameFrame {
    /// Its row in the table.
    pub node: usize,
    /// The number of nodes above it.
    pub depth: usize,
    /// Where it begins, as a share of the whole width.
    pub start: f64,
    /// Its width, as a share of the whole.
    pub share: f64,
}

/// The number of frames that are not drawn, by reason.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LeftOut {
    /// Too narrow to be seen.
    pub narrow: usize,
    /// Beyond the limit for the number of levels.
    pub deep: usize,
    /// Beyond the limit for the number of frames.
    pub crowded: usize,
    /// Their total share of the cost.
    pub share: f64,
}

/// The frames to draw, in the order of the tree's rows. The parent of a drawn frame is drawn too.
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
        // A child is at most as wide as its parent and deeper, so it is removed before its parent.
        shown.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.depth.cmp(&b.depth)));
        shown.truncate(MOST_FRAMES);
        shown.sort_by_key(|frame| frame.node);
    }
    left_out.share = tree.hidden_share(shown.iter().map(|frame| frame.node));
    (shown, left_out)
}

/// The positions of all nodes: each starts where its previous sibling ends, the first where its parent starts.
fn placed(tree: &CostTree<'_>) -> Vec<FlameFrame> {
    let mut next_root = 0.0;
    let mut frames: Vec<FlameFrame> = Vec::with_capacity(tree.nodes.len());
    // The start of the next child of each node.
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
