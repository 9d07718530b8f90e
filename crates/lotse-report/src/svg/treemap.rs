//! Treemaps: one rectangle per node, with an area in proportion to its cost, that contains the rectangles of its children.
//!
//! Within a rectangle each child takes its share of the node's cost, and the share of the self cost stays free. Borders and
//! name strips take some area, so that areas are comparable only between siblings.

mod layout;
mod squarify;

use super::canvas::{Canvas, px, shortened_name};
use super::colour::Colour;
use super::cost_tree::{CostNode, CostTree};
use super::key_colour::{Palette, style_sheet};
use super::legend::draw_no_values;
use super::note::{MONO, MONO_LETTER, NOTE, WIDE, note};
use super::{Labels, Svg};
use crate::format::html::escaped;
use crate::number::{format_count, format_value};
pub use layout::Tile;
use layout::{STRIP, tiles};
pub use squarify::Rect;

const EDGE: f64 = 10.0;
const HEIGHT: f64 = 680.0;

/// The rectangles of a treemap that fills `whole`, outer ones before inner ones, and the share of the cost that is too small
/// to be drawn; for those who draw it themselves.
pub fn treemap_tiles(nodes: &[CostNode<'_>], whole: Rect) -> (Vec<Tile>, f64) {
    let tree = CostTree::new(nodes);
    let tiles = tiles(&tree, whole);
    let hidden = tree.hidden_share(tiles.iter().map(|tile| tile.node));
    (tiles, hidden)
}

/// Draws a treemap. Nodes that are too small to be drawn are left out, and a line below says so.
pub fn treemap(labels: &Labels, nodes: &[CostNode<'_>]) -> Svg {
    let tree = CostTree::new(nodes);
    let whole = Rect { x: EDGE, y: EDGE, width: WIDE - 2.0 * EDGE, height: HEIGHT };
    let tiles = tiles(&tree, whole);
    if tree.total <= 0.0 {
        let mut canvas = Canvas::sized(WIDE, 2.0 * NOTE);
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    let mut canvas = Canvas::sized(WIDE, HEIGHT + EDGE + NOTE);
    canvas.style(&style_sheet());
    let palette = tree.palette();
    canvas.coloured(Colour::Ink, |canvas| {
        canvas.raw(&format!("<g {MONO} stroke=\"none\">\n"));
        tiles.iter().for_each(|tile| draw(canvas, (&tree, &palette, labels), tile));
        canvas.raw("</g>\n");
    });
    note(&mut canvas, EDGE + HEIGHT, &caption(&tree, labels, &tiles));
    canvas.finish(labels)
}

fn draw(canvas: &mut Canvas, (tree, palette, labels): (&CostTree<'_>, &Palette<'_>, &Labels), tile: &Tile) {
    let row = &tree.nodes[tile.node];
    let Rect { x, y, width, height } = tile.rect;
    // Small rectangles have thin borders, so that the fill stays visible.
    let line = if width.min(height) < 8.0 { 0.3 } else { 0.7 };
    canvas.raw(&format!(
        "<g><title>{}</title><rect {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\" stroke=\"currentColor\" \
         stroke-width=\"{line}\" stroke-opacity=\"0.55\"/>{}</g>\n",
        tree.tip(tile.node, labels),
        palette.fill_attributes(&row.key),
        px(x),
        px(y),
        px(width),
        px(height),
        texts(tree, tile)
    ));
}

/// The name and, where there is room, the share.
fn texts(tree: &CostTree<'_>, tile: &Tile) -> String {
    let Rect { x, y, width, height } = tile.rect;
    let letters = ((width - 8.0) / MONO_LETTER).max(0.0) as usize;
    if height < STRIP - 2.0 || letters < 3 {
        return String::new();
    }
    let label = &tree.nodes[tile.node].label;
    let share = tree.percent(tree.share(tile.node));
    let line = |text: &str, y: f64| {
        let text = escaped(&shortened_name(text, letters));
        format!("<text x=\"{}\" y=\"{}\">{text}</text>", px(x + 4.0), px(y))
    };
    let first = y + 11.5f64.min(height - 3.0);
    if tile.has_tiles_inside {
        // The share follows the name, since the children are below it; a very short name is shown without the share.
        let room = letters.saturating_sub(share.len() + 1);
        let text = format!("{} {share}", shortened_name(label, room));
        return line(if room < 6 { label } else { &text }, first);
    }
    let second = if height >= 2.0 * STRIP { line(&share, first + 14.0) } else { String::new() };
    line(label, first) + &second
}

fn caption(tree: &CostTree<'_>, labels: &Labels, tiles: &[Tile]) -> [String; 2] {
    let quantity = if labels.quantity.is_empty() { "cost" } else { &labels.quantity };
    let whole = format!("area: share of {quantity}, {} in all", format_value(tree.total, labels.unit));
    let hidden = match tree.nodes.len() - tiles.len() {
        0 => String::new(),
        count => {
            let share = tree.percent(tree.hidden_share(tiles.iter().map(|tile| tile.node)));
            format!("not shown, too small: {}; together {share} of the whole", format_count(count as f64))
        }
    };
    [whole, hidden]
}

#[cfg(test)]
mod tests;
