//! The boxes of a call graph: name, detail lines and a bar for the share; expensive functions have a stronger colour.

use super::super::canvas::{Canvas, px, shortened, shortened_name, text_width};
use super::super::colour::Colour;
use super::super::cost_tree::percent;
use super::super::note::{MONO, MONO_LETTER};
use super::{CallNode, drawn_share};
use crate::format::html::escaped;
use crate::layered::Size;

const LETTERS: usize = 34;
const MOST_LINES: usize = 4;
const LINE: f64 = 15.0;
const PAD: f64 = 9.0;
const BAR: f64 = 4.0;
const TIP_LETTERS: usize = 1000;

/// The size of a box.
pub(super) fn size(node: &CallNode) -> Size {
    let name = name(node).chars().count() as f64 * MONO_LETTER;
    let widest = lines(node).map(|line| text_width(&line) * 11.0 / 12.0).fold(name.max(70.0), f64::max);
    let height = 2.0 * PAD + LINE * lines(node).count() as f64 + 11.0 + BAR;
    Size { width: widest + 2.0 * PAD, height }
}

/// Draws a box; that of a cycle has a double border.
pub(super) fn draw(canvas: &mut Canvas, node: &CallNode, size: Size, centre: (f64, f64)) {
    let (left, top) = (centre.0 - size.width / 2.0, centre.1 - size.height / 2.0);
    canvas.raw(&format!("<g><title>{}</title>\n", tip(node)));
    let share = drawn_share(node.share);
    // The square root makes differences between small shares visible.
    let opacity = 0.04 + 0.42 * share.sqrt();
    shape(canvas, (left, top), size, Colour::Paper, "fill=\"currentColor\"");
    shape(
        canvas,
        (left, top),
        size,
        Colour::Bad,
        &format!("fill=\"currentColor\" fill-opacity=\"{opacity:.3}\""),
    );
    shape(canvas, (left, top), size, Colour::Soft, "fill=\"none\" stroke=\"currentColor\"");
    if node.is_cycle {
        let inner = Size { width: size.width - 5.0, height: size.height - 5.0 };
        shape(canvas, (left + 2.5, top + 2.5), inner, Colour::Soft, "fill=\"none\" stroke=\"currentColor\"");
    }
    texts(canvas, node, (centre.0, top + PAD + 9.0));
    bar(canvas, (left + PAD, top + size.height - PAD - BAR / 2.0), size.width - 2.0 * PAD, share);
    canvas.raw("</g>\n");
}

fn shape(canvas: &mut Canvas, (x, y): (f64, f64), size: Size, colour: Colour, paint: &str) {
    canvas.raw(&format!(
        "<rect {} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" {paint}/>\n",
        colour.attributes(),
        px(x),
        px(y),
        px(size.width),
        px(size.height)
    ));
}

fn texts(canvas: &mut Canvas, node: &CallNode, (x, y): (f64, f64)) {
    canvas.coloured(Colour::Ink, |canvas| {
        let text = |attributes: &str, y: f64, text: &str| {
            let text = escaped(text);
            format!(
                "<text {attributes} text-anchor=\"middle\" x=\"{}\" y=\"{}\">{text}</text>\n",
                px(x),
                px(y)
            )
        };
        canvas.raw(&text(&format!("{MONO} font-weight=\"600\""), y, &name(node)));
        for (i, line) in lines(node).enumerate() {
            let attributes = "font-size=\"11\" fill=\"currentColor\"";
            canvas.raw(&text(attributes, y + LINE * (i + 1) as f64, &line));
        }
    });
}

fn bar(canvas: &mut Canvas, (x, y): (f64, f64), width: f64, share: f64) {
    let size = |width: f64| ((x, y - BAR / 2.0), (x + width, y + BAR / 2.0));
    let (whole, part) = (size(width), size(width * share));
    canvas.coloured(Colour::Soft, |canvas| canvas.rectangle(whole.0, whole.1, 0.25, false));
    canvas.coloured(Colour::Bad, |canvas| canvas.rectangle(part.0, part.1, 1.0, false));
}

fn name(node: &CallNode) -> String {
    let name = shortened_name(&node.label, LETTERS);
    if node.is_cycle { format!("↻ {name}") } else { name }
}

fn lines(node: &CallNode) -> impl Iterator<Item = String> {
    node.details.iter().take(MOST_LINES).map(|line| shortened(line, LETTERS))
}

fn tip(node: &CallNode) -> String {
    let share = format!("{} of the whole", percent(drawn_share(node.share)));
    let cycle = node.is_cycle.then_some("functions that call each other");
    let lines = [node.label.as_str()].into_iter().chain(node.details.iter().take(20).map(String::as_str));
    let lines = lines.chain([share.as_str()]).chain(cycle);
    lines.map(|line| escaped(&shortened(line, TIP_LETTERS))).collect::<Vec<_>>().join("\n")
}
