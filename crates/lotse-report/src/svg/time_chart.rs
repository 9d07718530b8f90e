//! A timeline with one lane per location: regions as colours, waiting hatched, messages as lines between lanes, and the
//! critical path.
//!
//! The caller has reduced the trace to columns, so that the size of the picture depends on lanes and columns only.

use super::axis::{Axis, PlotFrame};
use super::canvas::{Anchor, Canvas, px, shortened, text_width};
use super::colour::Colour;
use super::key_colour::{Palette, style_sheet};
use super::legend::draw_no_values;
use super::note::{NOTE, WIDE, note};
use super::{Labels, Svg};
use crate::format::html::escaped;
use crate::format::one_line;

/// The content of a timeline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimeChart<'a> {
    /// The time at the left edge.
    pub begin: f64,
    /// The time at the right edge.
    pub end: f64,
    /// The number of columns of equal duration, in which spans are given.
    pub columns: u32,
    /// The names of regions, the most important first.
    pub keys: Vec<&'a str>,
    /// The lanes, from top to bottom.
    pub lanes: Vec<TimeLane<'a>>,
    /// Lines between lanes.
    pub arrows: Vec<TimeArrow>,
    /// The critical path: lane, first column, column after the last; in the order of time.
    pub path: Vec<(u32, u32, u32)>,
    /// A line below the picture.
    pub note: String,
}

/// The lane of one location.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimeLane<'a> {
    pub name: &'a str,
    pub spans: Vec<TimeSpan>,
    /// Waiting times: first column, column after the last.
    pub hatched: Vec<(u32, u32)>,
}

/// Columns of one lane that are in the same region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    /// The first column.
    pub from: u32,
    /// The column after the last.
    pub to: u32,
    /// The index of the region in [`TimeChart::keys`].
    pub key: u32,
}

/// A line from a time in one lane to a time in another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeArrow {
    /// Time and lane.
    pub from: (f64, u32),
    /// Time and lane.
    pub to: (f64, u32),
}

/// The number of keys with their own colour and legend entry; the others share one colour.
const COLOURED: usize = 11;
const TOP: f64 = 10.0;
const LEGEND_ROW: f64 = 20.0;
const AXIS: f64 = 42.0;
/// The length of a lane's name in columns.
const LETTERS: usize = 28;
/// The least and the largest height of a lane.
const HEIGHTS: (f64, f64) = (4.0, 22.0);
const ALL_LANES: f64 = 800.0;
/// The fill of waiting times.
const HATCHED: &str = "fill=\"url(#lotse-wait)\"";

/// Draws lanes over time.
pub fn time_chart(labels: &Labels, chart: &TimeChart<'_>) -> Svg {
    let has_time = chart.end > chart.begin;
    if chart.lanes.is_empty() || chart.columns == 0 || !has_time {
        let mut canvas = Canvas::sized(WIDE, 80.0);
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    let legend = legend(chart);
    let top = TOP + LEGEND_ROW * legend.last().map_or(0.0, |entry| entry.row + 1.0);
    let layout = LaneLayout::new(chart, top);
    let mut canvas = Canvas::sized(WIDE, layout.frame.bottom + AXIS + NOTE);
    canvas.style(&style_sheet());
    let palette = Palette::from_keys(chart.keys.iter().take(COLOURED).copied());
    define_hatching(&mut canvas, chart);
    draw_legend(&mut canvas, &legend, &palette);
    let axis = Axis::between(chart.begin, chart.end, labels, (layout.frame.left, layout.frame.right));
    axis.draw_below(&mut canvas, layout.frame);
    draw_lanes(&mut canvas, chart, &layout, &palette);
    draw_waits(&mut canvas, chart, &layout);
    draw_arrows(&mut canvas, chart, &layout, &axis);
    draw_path(&mut canvas, chart, &layout);
    note(&mut canvas, layout.frame.bottom + AXIS, &[chart.note.clone(), String::new()]);
    canvas.finish(labels)
}

/// The positions of lanes and columns.
struct LaneLayout {
    frame: PlotFrame,
    /// The height of a lane.
    height: f64,
    /// The width of a column.
    column: f64,
    lanes: u32,
}

impl LaneLayout {
    fn new(chart: &TimeChart<'_>, top: f64) -> Self {
        let count = chart.lanes.len() as f64;
        let height = (ALL_LANES / count).clamp(HEIGHTS.0, HEIGHTS.1);
        let names = chart.lanes.iter().map(|lane| text_width(&shortened(lane.name, LETTERS)));
        let left = names.fold(20.0, f64::max) + 20.0;
        let frame = PlotFrame { left, right: WIDE - 20.0, top, bottom: top + height * count + 2.0 };
        let column = (frame.right - frame.left) / f64::from(chart.columns);
        Self { frame, height, column, lanes: chart.lanes.len() as u32 }
    }

    fn x(&self, column: u32) -> f64 {
        (self.frame.left + self.column * f64::from(column)).min(self.frame.right)
    }

    /// The upper edge of a lane.
    fn y(&self, lane: u32) -> f64 {
        self.frame.top + self.height * f64::from(lane.min(self.lanes))
    }

    /// The height of what is drawn in a lane.
    fn bar(&self) -> f64 {
        if self.height > 8.0 { self.height - 5.0 } else { self.height - 1.0 }
    }

    fn rectangle(&self, lane: u32, (from, to): (u32, u32)) -> String {
        let (x, y) = (self.x(from), self.y(lane));
        format!(
            "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            px(x),
            px(y),
            px((self.x(to) - x).max(0.3)),
            px(self.bar())
        )
    }
}

/// The mark before a name in the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LegendSign<'a> {
    Key(&'a str),
    /// The common colour of the keys without their own.
    Others,
    Waiting,
    Path,
}

/// An entry of the legend.
struct LegendEntry<'a> {
    sign: LegendSign<'a>,
    text: String,
    x: f64,
    row: f64,
}

/// The entries of the legend, in rows from left to right: keys with a colour, the others, waiting, the critical path.
fn legend<'a>(chart: &TimeChart<'a>) -> Vec<LegendEntry<'a>> {
    let own = chart.keys.iter().take(COLOURED).map(|key| (LegendSign::Key(key), shortened(key, 40)));
    let others = chart.keys.len().saturating_sub(COLOURED);
    let others = (others > 0).then(|| (LegendSign::Others, format!("{others} others")));
    let waits = chart.lanes.iter().any(|lane| !lane.hatched.is_empty());
    let waits = waits.then(|| (LegendSign::Waiting, "waiting".to_owned()));
    let path = (!chart.path.is_empty()).then(|| (LegendSign::Path, "critical path".to_owned()));
    let (mut x, mut row) = (10.0, 0.0);
    let entry = |(sign, text): (LegendSign<'a>, String)| {
        let width = text_width(&text) + 34.0;
        if x > 10.0 && x + width > WIDE - 10.0 {
            (x, row) = (10.0, row + 1.0);
        }
        let entry = LegendEntry { sign, text, x, row };
        x += width;
        entry
    };
    own.chain(others).chain(waits).chain(path).map(entry).collect()
}

fn draw_legend(canvas: &mut Canvas, legend: &[LegendEntry<'_>], palette: &Palette<'_>) {
    canvas.coloured(Colour::Ink, |canvas| {
        for entry in legend {
            let y = TOP + LEGEND_ROW * entry.row;
            draw_sign(canvas, entry, palette, y);
            canvas.text((entry.x + 17.0, y + 10.5), Anchor::Start, &entry.text);
        }
    });
}

fn draw_sign(canvas: &mut Canvas, entry: &LegendEntry<'_>, palette: &Palette<'_>, y: f64) {
    let fill = match entry.sign {
        LegendSign::Key(key) => palette.fill_attributes(key),
        LegendSign::Others => palette.fill_attributes(""),
        LegendSign::Waiting => HATCHED.to_owned(),
        LegendSign::Path => {
            let (from, to) = ((entry.x, y + 6.0), (entry.x + 12.0, y + 6.0));
            canvas.coloured(Colour::Bad, |canvas| canvas.line(from, to, 2.2, ""));
            return;
        }
    };
    let (x, y) = (px(entry.x), px(y));
    canvas.raw(&format!("<rect {fill} x=\"{x}\" y=\"{y}\" width=\"12\" height=\"12\"/>\n"));
}

fn draw_lanes(canvas: &mut Canvas, chart: &TimeChart<'_>, layout: &LaneLayout, palette: &Palette<'_>) {
    // Every n-th lane has a name, so that names do not overlap.
    let every = (13.0 / layout.height).ceil().max(1.0) as usize;
    canvas.coloured(Colour::Ink, |canvas| {
        for (number, lane) in chart.lanes.iter().enumerate() {
            canvas.raw(&format!("<g><title>{}</title>\n", escaped(&one_line(lane.name))));
            if number % every == 0 {
                let at = (layout.frame.left - 8.0, layout.y(number as u32) + layout.bar().min(12.0));
                canvas.text(at, Anchor::End, &shortened(lane.name, LETTERS));
            }
            lane.spans.iter().for_each(|span| draw_span(canvas, chart, layout, palette, (number, span)));
            canvas.raw("</g>\n");
        }
    });
}

fn draw_span(
    canvas: &mut Canvas,
    chart: &TimeChart<'_>,
    layout: &LaneLayout,
    palette: &Palette<'_>,
    (lane, span): (usize, &TimeSpan),
) {
    let key = chart.keys.get(span.key as usize).copied().unwrap_or("");
    let fill = palette.fill_attributes(key);
    let rectangle = layout.rectangle(lane as u32, (span.from, span.to));
    // Narrow spans have no tooltip: they are hard to point at, and thousands of tooltips would make files large.
    if layout.x(span.to) - layout.x(span.from) < 3.0 {
        canvas.raw(&format!("<rect {fill} {rectangle}/>\n"));
    } else {
        let name = escaped(&one_line(&shortened(key, 200)));
        canvas.raw(&format!("<rect {fill} {rectangle}><title>{name}</title></rect>\n"));
    }
}

fn define_hatching(canvas: &mut Canvas, chart: &TimeChart<'_>) {
    if chart.lanes.iter().any(|lane| !lane.hatched.is_empty()) {
        canvas.coloured(Colour::Ink, |canvas| {
            canvas.raw(
                "<defs><pattern id=\"lotse-wait\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
                 patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" stroke=\"currentColor\" \
                 stroke-width=\"1.4\" stroke-opacity=\"0.6\"/></pattern></defs>\n",
            );
        });
    }
}

fn draw_waits(canvas: &mut Canvas, chart: &TimeChart<'_>, layout: &LaneLayout) {
    for (lane, row) in chart.lanes.iter().zip(0..) {
        for hatched in &lane.hatched {
            let rectangle = layout.rectangle(row, *hatched);
            canvas.raw(&format!("<rect {HATCHED} {rectangle} pointer-events=\"none\"/>\n"));
        }
    }
}

fn draw_arrows(canvas: &mut Canvas, chart: &TimeChart<'_>, layout: &LaneLayout, axis: &Axis) {
    let middle = |lane: u32| layout.y(lane) + layout.bar() / 2.0;
    canvas.coloured(Colour::Soft, |canvas| {
        canvas.raw("<g stroke-opacity=\"0.7\">\n");
        for arrow in &chart.arrows {
            let from = (axis.at(arrow.from.0), middle(arrow.from.1));
            let to = (axis.at(arrow.to.0), middle(arrow.to.1));
            canvas.line(from, to, 0.7, "");
        }
        canvas.raw("</g>\n");
    });
}

/// Draws the critical path along the lower edges of its lanes, with a line where it changes lanes.
fn draw_path(canvas: &mut Canvas, chart: &TimeChart<'_>, layout: &LaneLayout) {
    let edge = |lane: u32| layout.y(lane) + layout.bar() + 0.5;
    let mut points: Vec<(f64, f64)> = Vec::new();
    for &(lane, from, to) in &chart.path {
        points.extend([(layout.x(from), edge(lane)), (layout.x(to), edge(lane))]);
    }
    if !points.is_empty() {
        canvas.named(Colour::Bad, "critical path", |canvas| canvas.polyline(&points, 2.2, ""));
    }
}

#[cfg(test)]
mod tests;
