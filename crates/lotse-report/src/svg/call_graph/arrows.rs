//! The arrows of a call graph: a smooth line along the route, a head at the callee, cost and calls beside it.

use super::super::canvas::{Anchor, Canvas, px, shortened};
use super::super::colour::Colour;
use super::super::cost_tree::percent;
use super::{CallEdge, CallNode, drawn_share};
use crate::format::html::escaped;
use crate::layered::{Course, Route};
use crate::number::format_count;

const LETTERS: usize = 28;

/// The label of an arrow: cost and number of calls.
pub(super) fn text(edge: &CallEdge) -> String {
    let cost = if edge.label.is_empty() { percent(drawn_share(edge.share)) } else { edge.label.clone() };
    let count = edge.count.map_or_else(String::new, |count| format!(" · {} ×", format_count(count as f64)));
    shortened(&cost, LETTERS) + &count
}

/// Draws line, head and label of an edge; a line that closes a cycle is dashed.
pub(super) fn draw(
    canvas: &mut Canvas,
    route: &Route,
    (from, to, edge): &(usize, usize, &CallEdge),
    nodes: &[&CallNode],
) {
    let width = 0.9 + 5.0 * drawn_share(edge.share);
    let head = 6.0 + 0.8 * width;
    let dashes = if route.course == Course::Up { " stroke-dasharray=\"6 3\"" } else { "" };
    let [caller, callee] = [from, to].map(|node| escaped(&shortened(&nodes[*node].label, 200)));
    canvas.coloured(Colour::Soft, |canvas| {
        canvas.raw(&format!(
            "<title>{caller} → {callee}\n{}</title>\n<path d=\"{}\" fill=\"none\" stroke=\"currentColor\" \
             stroke-width=\"{width:.2}\" stroke-opacity=\"0.8\"{dashes}/>\n",
            escaped(&text(edge)),
            path(route, head)
        ));
        canvas.polygon(&arrow_head(route, head, 2.4 + 0.8 * width), 1.0);
    });
    let (x, y) = route.label;
    canvas.coloured(Colour::Ink, |canvas| {
        canvas.raw("<g font-size=\"11\">\n");
        canvas.text((x, y + 4.0), Anchor::Start, &text(edge));
        canvas.raw("</g>\n");
    });
}

/// The end of the route and its direction there, as a unit vector.
fn end(route: &Route) -> ((f64, f64), (f64, f64)) {
    let end = route.points.last().copied().unwrap_or(route.label);
    match route.course {
        Course::Down => (end, (0.0, 1.0)),
        Course::Up => (end, (0.0, -1.0)),
        Course::Loop => (end, (-1.0, 0.0)),
    }
}

/// The path of the line, which ends at the base of the head.
fn path(route: &Route, head: f64) -> String {
    let ((x, y), (dx, dy)) = end(route);
    let stop = (x - dx * head * 0.8, y - dy * head * 0.8);
    if let (Course::Loop, [start, side, _]) = (route.course, &route.points[..]) {
        let (out, rise) = (px(side.0 + 0.3 * (side.0 - start.0)), 1.6 * (side.1 - start.1));
        let (above, below) = (px(side.1 - rise), px(side.1 + rise));
        let [x0, y0, x1, y1] = [start.0, start.1, stop.0, stop.1].map(px);
        return format!("M{x0} {y0}C{out} {above} {out} {below} {x1} {y1}");
    }
    let mut points = route.points.clone();
    if let Some(last) = points.last_mut() {
        *last = stop;
    }
    let mut path =
        points.first().map_or_else(String::new, |start| format!("M{} {}", px(start.0), px(start.1)));
    for two in points.windows(2) {
        path += &segment(two[0], two[1]);
    }
    path
}

/// A path segment that is vertical at both ends.
fn segment(from: (f64, f64), to: (f64, f64)) -> String {
    let [x0, x1, y1] = [from.0, to.0, to.1].map(px);
    if x0 == x1 {
        return format!("V{y1}");
    }
    let middle = px((from.1 + to.1) / 2.0);
    format!("C{x0} {middle} {x1} {middle} {x1} {y1}")
}

/// The corners of the head.
fn arrow_head(route: &Route, length: f64, half: f64) -> [(f64, f64); 3] {
    let ((x, y), (dx, dy)) = end(route);
    let back = (x - dx * length, y - dy * length);
    [(x, y), (back.0 - dy * half, back.1 + dx * half), (back.0 + dy * half, back.1 - dx * half)]
}
