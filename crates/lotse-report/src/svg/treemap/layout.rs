//! The selection and the positions of the rectangles.

use std::collections::VecDeque;

use super::super::cost_tree::CostTree;
use super::squarify::{Rect, squarify};

/// The height of a name inside a rectangle.
pub(super) const STRIP: f64 = 16.0;
const BORDER: f64 = 2.5;
/// The least area in square pixels; smaller rectangles are hard to point at.
const SMALLEST: f64 = 9.0;
/// The least width and height in pixels.
const THINNEST: f64 = 1.5;
/// The limit for the number of rectangles; more make viewers slow.
const MOST_TILES: usize = 20_000;

/// A node that is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tile {
    /// Its row in the table.
    pub node: usize,
    pub rect: Rect,
    /// Whether some of its children are drawn in it.
    pub has_tiles_inside: bool,
}

/// The rectangles, outer ones before inner ones, by a breadth-first traversal.
pub(super) fn tiles(tree: &CostTree<'_>, whole: Rect) -> Vec<Tile> {
    let children = tree.children();
    let mut tiles: Vec<Tile> = Vec::new();
    let mut waiting: VecDeque<(usize, Rect)> = placed(tree, children.roots(), tree.total, whole).into();
    while let Some((node, rect)) = waiting.pop_front() {
        if tiles.len() == MOST_TILES {
            break;
        }
        let inner = placed(tree, children.of_node(node), tree.values[node], inside(rect));
        tiles.push(Tile { node, rect, has_tiles_inside: !inner.is_empty() });
        waiting.extend(inner);
    }
    tiles
}

/// The area for children: inside the border, and below the name if the rectangle is large enough.
fn inside(rect: Rect) -> Rect {
    let strip = if rect.height > 2.0 * STRIP && rect.width > 2.0 * STRIP { STRIP - BORDER } else { 0.0 };
    rect.inside(BORDER, strip)
}

/// The rectangles of those nodes that are large enough to be drawn; `whole` is the cost that the area of `rect` represents.
fn placed(tree: &CostTree<'_>, nodes: &[usize], whole: f64, rect: Rect) -> Vec<(usize, Rect)> {
    let area = |&node: &usize| tree.values[node] / whole * rect.area();
    // If `whole` is zero, areas are NaN and no node is drawn.
    let mut seen: Vec<usize> = nodes.iter().copied().filter(|node| area(node) >= SMALLEST).collect();
    seen.sort_by(|a, b| tree.values[*b].total_cmp(&tree.values[*a]));
    let areas: Vec<f64> = seen.iter().map(area).collect();
    let places = seen.iter().copied().zip(squarify(&areas, rect));
    places.filter(|(_, place)| place.width >= THINNEST && place.height >= THINNEST).collect()
}
