//! Lanes over time: what each was in as colours, waiting hatched, lines between lanes, and one path through them.
//!
//! What is drawn has been reduced to columns before: a picture is as big as its lanes and columns.

use super::axis::{Axis, PlotFrame};
use super::canvas::{Anchor, Canvas, px, shortened, text_width};
use super::colour::Colour;
use super::key_colour::{Palette, style_sheet};
use super::legend::nothing;
use super::note::{NOTE, WIDE, note};
use super::{Labels, Svg};
use crate::format::html::escaped;
use crate::format::one_line;

/// What happened in lanes over time.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimeChart<'a> {
    /// The time at the left.
    pub begin: f64,
    /// The time at the right.
    pub end: f64,
    /// Equal parts of that time, which spans are counted in.
    pub columns: u32,
    /// Names of what lanes are in, the most important first.
    pub keys: Vec<&'a str>,
    /// The lanes, from the top.
    pub lanes: Vec<TimeLane<'a>>,
    /// Lines between lanes.
    pub arrows: Vec<TimeArrow>,
    /// One path through the lanes: lane, first column, column after the last; in the order of time.
    pub path: Vec<(u32, u32, u32)>,
    /// What the reader has to know.
    pub note: String,
}

/// A row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TimeLane<'a> {
    pub name: &'a str,
    /// What it is in.
    pub spans: Vec<TimeSpan>,
    /// Where it waits: first column, column after the last.
    pub hatched: Vec<(u32, u32)>,
}

/// Columns of one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan {
    /// The first column.
    pub from: u32,
    /// The column after the last.
    pub to: u32,
    /// The position of its key.
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

/// Keys with a colour and a legend of their own; the others share one.
const COLOURED: usize = 11;
const TOP: f64 = 10.0;
const LEGEND_ROW: f64 = 20.0;
const AXIS: f64 = 42.0;
/// Letters of a lane's name.
const LETTERS: usize = 28;
/// A lane is between so high and so high; where there are few, they do not fill a screen.
const HEIGHTS: (f64, f64) = (4.0, 22.0);
const ALL_LANES: f64 = 800.0;
/// What is drawn over waiting.
const HATCHED: &str = "fill=\"url(#lotse-wait)\"";

/// Draws lanes over time.
pub fn time_chart(labels: &Labels, chart: &TimeChart<'_>) -> Svg {
    let has_time = chart.end > chart.begin;
    if chart.lanes.is_empty() || chart.columns == 0 || !has_time {
        let mut canvas = Canvas::sized(WIDE, 80.0);
        nothing(&mut canvas);
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

/// Where lanes and columns are.
struct LaneLayout {
    frame: PlotFrame,
    height: f64,
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

/// What stands before a name in the legend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LegendSign<'a> {
    Key(&'a str),
    /// The colour of all that have none of their own.
    Others,
    Waiting,
    Path,
}

/// A name beside its sign.
struct LegendEntry<'a> {
    sign: LegendSign<'a>,
    text: String,
    x: f64,
    row: f64,
}

fn legend<'a>(chart: &TimeChart<'a>) -> Vec<LegendEntry<'a>> {
    let own = chart.keys.iter().take(COLOURED).map(|key| (LegendSign::Key(key), shortened(key, 40)));
    let others = chart.keys.len().saturating_sub(COLOURED);
    let others = (others > 0).then(|| (LegendSign::Others, format!("{others} others")));
    let waits = chart.lanes.iter().any(|lane| !lane.hatched.is_empty());
    let waits = waits.then(|| (LegendSign::Waiting, "waiting".to_owned()));
    let path = (!chart.path.is_empty()).then(|| (LegendSign::Path, "critical path".to_owned()));
    let (mut x, mut row) = (10.0, 0.0);
    let place = |(sign, text): (LegendSign<'a>, String)| {
        let width = text_width(&text) + 34.0;
        if x > 10.0 && x + width > WIDE - 10.0 {
            (x, row) = (10.0, row + 1.0);
        }
        let entry = LegendEntry { sign, text, x, row };
        x += width;
        entry
    };
    own.chain(others).chain(waits).chain(path).map(place).collect()
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
    // Names stand beside as many lanes as have room for them.
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
    let place = layout.rectangle(lane as u32, (span.from, span.to));
    // A tip for each of a thousand slivers would make files big; those are too narrow to be pointed at.
    if layout.x(span.to) - layout.x(span.from) < 3.0 {
        canvas.raw(&format!("<rect {fill} {place}/>\n"));
    } else {
        let name = escaped(&one_line(&shortened(key, 200)));
        canvas.raw(&format!("<rect {fill} {place}><title>{name}</title></rect>\n"));
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
            let place = layout.rectangle(row, *hatched);
            canvas.raw(&format!("<rect {HATCHED} {place} pointer-events=\"none\"/>\n"));
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

/// A band along the lower edge of the lane, and a line where it changes lanes.
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
