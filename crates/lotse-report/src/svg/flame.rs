//! Flame graphs: one row per level, one frame per node, as wide as its share of the total cost.
//!
//! Frames that are too narrow to be seen, rows beyond a limit, and frames beyond what viewers can handle are left out; a
//! line below the picture states how many and their total cost.

mod layout;

use super::canvas::{Canvas, px, shortened_name};
use super::colour::Colour;
use super::cost_tree::{CostNode, CostTree, percent};
use super::key_colour::{Palette, style_sheet};
use super::legend::draw_no_values;
use super::note::{MONO, MONO_LETTER, NOTE, WIDE, note};
use super::{Labels, Svg};
use crate::format::html::escaped;
use crate::number::{format_count, format_value};
pub use layout::{FlameFrame, LeftOut};
use layout::{MOST_FRAMES, MOST_ROWS, NARROWEST, frames};

/// The direction of a flame graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FlameGrowth {
    /// Roots at the bottom, callees above their callers.
    #[default]
    Up,
    /// Roots at the top (icicle graph).
    Down,
}

const LEFT: f64 = 10.0;
const TOP: f64 = 10.0;
const ROW: f64 = 18.0;
/// The gap between frames, which separates neighbours of the same colour.
const GAP: f64 = 0.6;

/// The frames of a flame graph, for those who draw it themselves.
pub fn flame_frames(nodes: &[CostNode<'_>]) -> (Vec<FlameFrame>, LeftOut) {
    frames(&CostTree::new(nodes))
}

/// Draws a flame graph. Frames that are too narrow, too deep or too many are left out, and a line below says so.
pub fn flame(labels: &Labels, nodes: &[CostNode<'_>], growth: FlameGrowth) -> Svg {
    let tree = CostTree::new(nodes);
    let (frames, left_out) = frames(&tree);
    let rows = frames.iter().map(|frame| frame.depth + 1).max().unwrap_or(3);
    let bottom = TOP + ROW * rows as f64;
    let mut canvas = Canvas::sized(WIDE, bottom + NOTE);
    if tree.total <= 0.0 {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    canvas.style(&style_sheet());
    let palette = tree.palette();
    canvas.coloured(Colour::Ink, |canvas| {
        canvas.raw(&format!("<g class=\"frames\" {MONO}>\n"));
        for frame in &frames {
            let y = match growth {
                FlameGrowth::Up => bottom - ROW * (frame.depth + 1) as f64,
                FlameGrowth::Down => TOP + ROW * frame.depth as f64,
            };
            draw(canvas, (&tree, &palette, labels), frame, y);
        }
        canvas.raw("</g>\n");
    });
    note(&mut canvas, bottom, &caption(&tree, labels, &left_out));
    canvas.finish(labels)
}

/// Draws one frame with its tooltip; its label is left out if fewer than three characters fit.
fn draw(
    canvas: &mut Canvas,
    (tree, palette, labels): (&CostTree<'_>, &Palette<'_>, &Labels),
    frame: &FlameFrame,
    y: f64,
) {
    let across = WIDE - 2.0 * LEFT;
    let (x, width) = (LEFT + frame.start * across, frame.share * across);
    let gap = if width > 4.0 * GAP { GAP } else { 0.0 };
    let row = &tree.nodes[frame.node];
    let label = shortened_name(&row.label, ((width - 6.0) / MONO_LETTER).max(0.0) as usize);
    let text = match label.chars().count() {
        // One letter and an ellipsis would be no useful label.
        0..3 if label != row.label => String::new(),
        _ => format!("<text x=\"{}\" y=\"{}\">{}</text>", px(x + 3.0), px(y + 12.5), escaped(&label)),
    };
    canvas.raw(&format!(
        "<g><title>{}</title><rect {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\"/>{text}</g>\n",
        tree.tip(frame.node, labels),
        palette.fill_attributes(&row.key),
        px(x),
        px(y),
        px(width - gap).max(0.05),
        px(ROW - 1.0)
    ));
}

/// The two lines below the picture: the total cost, and the frames that are not shown, by reason.
fn caption(tree: &CostTree<'_>, labels: &Labels, left_out: &LeftOut) -> [String; 2] {
    let quantity = if labels.quantity.is_empty() { "cost" } else { &labels.quantity };
    let whole = format!("width: share of {quantity}, {} in all", format_value(tree.total, labels.unit));
    let reasons = [
        (left_out.narrow, format!("narrower than {}", percent(NARROWEST))),
        (left_out.deep, format!("deeper than {MOST_ROWS} levels")),
        (left_out.crowded, format!("besides the {} widest", format_count(MOST_FRAMES as f64))),
    ];
    let reasons = reasons.iter().filter(|(count, _)| *count > 0);
    let reasons: Vec<String> =
        reasons.map(|(count, why)| format!("{} {why}", format_count(*count as f64))).collect();
    if reasons.is_empty() {
        return [whole, String::new()];
    }
    let cost = tree.percent(left_out.share);
    [whole, format!("frames not shown: {}; together {cost} of the whole", reasons.join(", "))]
}

#[cfg(test)]
mod tests;
