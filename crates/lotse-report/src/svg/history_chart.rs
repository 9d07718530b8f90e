//! The history of a data structure: index over time, coloured by kind of access, with the length of the structure in grey and
//! its phases as brackets below. One diagram for all threads, and below it one for each thread with the same time axis.

use super::axis::{Axis, PlotFrame};
use super::canvas::{Anchor, Canvas, px, shortened, text_width};
use super::colour::Colour;
use super::legend::draw_no_values;
use super::note::{NOTE, WIDE, note};
use super::{Labels, Svg};

/// The content of a history chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HistoryChart<'a> {
    /// The first and the last value of the horizontal axis.
    pub span: (f64, f64),
    /// The names of the kinds of access. The first ten have their own colours.
    pub kinds: Vec<&'a str>,
    /// One for all threads, then one for each.
    pub panels: Vec<HistoryPanel<'a>>,
    /// Phases, one row per characteristic.
    pub brackets: Vec<HistoryBrackets<'a>>,
    /// A line below the picture.
    pub note: String,
}

/// A diagram.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HistoryPanel<'a> {
    /// The thread, or all threads.
    pub name: &'a str,
    /// The first and the last value of the vertical axis.
    pub indices: (f64, f64),
    /// The length of the structure over time: from, to, length.
    pub lengths: Vec<(f64, f64, f64)>,
    pub marks: Vec<HistoryMark>,
}

/// Accesses of one kind in a rectangle.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HistoryMark {
    /// The range of times.
    pub x: (f64, f64),
    /// The range of indices.
    pub y: (f64, f64),
    /// The index of the kind in [`HistoryChart::kinds`].
    pub kind: usize,
}

/// The phases of one characteristic.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HistoryBrackets<'a> {
    /// The characteristic.
    pub name: &'a str,
    /// Start and end of each phase.
    pub spans: Vec<(f64, f64)>,
}

/// Colours for light and for dark pages. Frequent kinds of access differ in hue, the others also in lightness.
const KINDS: [(&str, &str); 10] = [
    ("#009e73", "#35cfa2"),
    ("#b75f93", "#e3a0c5"),
    ("#d55e00", "#ff8f4a"),
    ("#0072b2", "#56b0e8"),
    ("#c98a00", "#f2b632"),
    ("#1c2024", "#e4e7ea"),
    ("#5b3fa0", "#b29df0"),
    ("#8c564b", "#c9988d"),
    ("#c2185b", "#ff6fa5"),
    ("#17858f", "#5fd3dd"),
];
const TOP: f64 = 10.0;
const LEGEND_ROW: f64 = 20.0;
const FIRST_PANEL: f64 = 320.0;
const PANEL: f64 = 150.0;
const BRACKET: f64 = 16.0;
const AXIS: f64 = 42.0;
const BETWEEN: f64 = 26.0;
const LEFT: f64 = 170.0;

/// Draws a history.
pub fn history_chart(labels: &Labels, chart: &HistoryChart<'_>) -> Svg {
    let is_drawable = chart.span.1 > chart.span.0 && chart.span.0.is_finite() && chart.span.1.is_finite();
    if chart.panels.is_empty() || !is_drawable {
        let mut canvas = Canvas::sized(WIDE, 80.0);
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    let legend = legend(chart);
    let top = TOP + LEGEND_ROW * (legend.last().map_or(0.0, |entry| entry.2) + 1.0) + 18.0;
    let frames = frames(chart, top);
    let bottom = frames.last().map_or(top, |frame| frame.bottom);
    let below = if frames.len() == 1 { brackets_height(chart) } else { 0.0 };
    let mut canvas = Canvas::sized(WIDE, bottom + below + AXIS + NOTE);
    canvas.style(&style_sheet());
    draw_legend(&mut canvas, chart, &legend);
    for (panel, frame) in chart.panels.iter().zip(&frames) {
        draw_panel(&mut canvas, labels, chart, (panel, *frame));
    }
    draw_brackets(&mut canvas, chart, frames[0]);
    let last = PlotFrame { top: bottom, bottom: bottom + below, ..frames[0] };
    x_axis(labels, chart, last).draw_below(&mut canvas, last);
    note(&mut canvas, bottom + below + AXIS, &[chart.note.clone(), String::new()]);
    canvas.finish(labels)
}

fn x_axis(labels: &Labels, chart: &HistoryChart<'_>, frame: PlotFrame) -> Axis {
    Axis::between(chart.span.0, chart.span.1, labels, (frame.left, frame.right))
}

fn brackets_height(chart: &HistoryChart<'_>) -> f64 {
    if chart.brackets.is_empty() { 0.0 } else { BRACKET * chart.brackets.len() as f64 + 10.0 }
}

/// The frames of the diagrams: the first is the largest and has the brackets below it.
fn frames(chart: &HistoryChart<'_>, top: f64) -> Vec<PlotFrame> {
    let mut frames = Vec::new();
    let mut y = top;
    for number in 0..chart.panels.len() {
        let height = if number == 0 { FIRST_PANEL } else { PANEL };
        frames.push(PlotFrame { left: LEFT, right: WIDE - 20.0, top: y, bottom: y + height });
        y += height + BETWEEN + if number == 0 { brackets_height(chart) } else { 0.0 };
    }
    frames
}

/// The entries of the legend: each kind that occurs, with its x coordinate and its row.
fn legend(chart: &HistoryChart<'_>) -> Vec<(usize, f64, f64)> {
    let occurs =
        |kind: usize| chart.panels.iter().any(|panel| panel.marks.iter().any(|mark| mark.kind == kind));
    let (mut x, mut row) = (10.0, 0.0);
    let mut entries = Vec::new();
    for kind in (0..chart.kinds.len()).filter(|kind| occurs(*kind)) {
        let width = text_width(chart.kinds[kind]) + 34.0;
        if x > 10.0 && x + width > WIDE - 10.0 {
            (x, row) = (10.0, row + 1.0);
        }
        entries.push((kind, x, row));
        x += width;
    }
    entries
}

fn draw_legend(canvas: &mut Canvas, chart: &HistoryChart<'_>, legend: &[(usize, f64, f64)]) {
    canvas.coloured(Colour::Ink, |canvas| {
        for &(kind, x, row) in legend {
            let y = TOP + LEGEND_ROW * row;
            canvas.raw(&format!(
                "<rect {} x=\"{}\" y=\"{}\" width=\"12\" height=\"12\"/>\n",
                fill(kind),
                px(x),
                px(y)
            ));
            canvas.text((x + 17.0, y + 10.5), Anchor::Start, chart.kinds[kind]);
        }
    });
}

/// Draws one diagram: the length of the structure as a grey area, then the accesses, one path per kind.
fn draw_panel(
    canvas: &mut Canvas,
    labels: &Labels,
    chart: &HistoryChart<'_>,
    (panel, frame): (&HistoryPanel<'_>, PlotFrame),
) {
    let (low, high) = panel.indices;
    let high = if high > low { high } else { low + 1.0 };
    let x = x_axis(labels, chart, frame);
    let y = Axis::plain(low, high, "index", (frame.bottom, frame.top));
    canvas.coloured(Colour::Soft, |canvas| {
        canvas.text((frame.left, frame.top - 6.0), Anchor::Start, &shortened(panel.name, 80));
    });
    y.draw_left(canvas, frame);
    let lengths =
        panel.lengths.iter().map(|&(from, to, length)| (x.at(from), x.at(to), y.at(length), frame.bottom));
    let lengths = boxes(lengths);
    canvas.named(Colour::Grid, "length", |canvas| canvas.raw(&path("fill=\"currentColor\"", &lengths)));
    for kind in 0..chart.kinds.len() {
        let marks = panel.marks.iter().filter(|mark| mark.kind == kind);
        let marks = boxes(marks.map(|mark| (x.at(mark.x.0), x.at(mark.x.1), y.at(mark.y.1), y.at(mark.y.0))));
        canvas.raw(&path(&fill(kind), &marks));
    }
    canvas.coloured(Colour::Soft, |canvas| {
        canvas.line((frame.left, frame.bottom), (frame.right, frame.bottom), 1.0, "");
    });
}

/// Rectangles (left, right, top, bottom) as the data of one path, each at least large enough to be visible.
fn boxes(rectangles: impl Iterator<Item = (f64, f64, f64, f64)>) -> String {
    let outline = |(left, right, top, bottom): (f64, f64, f64, f64)| {
        let (width, height) = ((right - left).max(0.8), (bottom - top).max(0.8));
        format!("M{} {}h{}v{}h{}z", tenth(left), tenth(top), tenth(width), tenth(height), tenth(-width))
    };
    rectangles.map(outline).collect()
}

/// A coordinate rounded to a tenth of a pixel, since pictures have up to a hundred thousand of them.
fn tenth(value: f64) -> f64 {
    if value.is_finite() { (value * 10.0).round() / 10.0 + 0.0 } else { 0.0 }
}

fn path(attributes: &str, outlines: &str) -> String {
    if outlines.is_empty() { String::new() } else { format!("<path {attributes} d=\"{outlines}\"/>\n") }
}

fn draw_brackets(canvas: &mut Canvas, chart: &HistoryChart<'_>, frame: PlotFrame) {
    let x = Axis::plain(chart.span.0, chart.span.1, "", (frame.left, frame.right));
    for (row, brackets) in chart.brackets.iter().enumerate() {
        let y = frame.bottom + 14.0 + BRACKET * row as f64;
        canvas.named(Colour::Ink, brackets.name, |canvas| {
            canvas.text((frame.left - 8.0, y + 4.0), Anchor::End, brackets.name);
            for &(from, to) in &brackets.spans {
                let (from, to) = (x.at(from), x.at(to).max(x.at(from) + 1.0));
                canvas.polyline(&[(from, y - 4.0), (from, y), (to, y), (to, y - 4.0)], 1.4, "");
            }
        });
    }
}

fn fill(kind: usize) -> String {
    let kind = kind.min(KINDS.len() - 1);
    format!("class=\"a{kind}\" fill=\"{}\"", KINDS[kind].0)
}

/// The rules for dark pages.
fn style_sheet() -> String {
    let rules =
        KINDS.iter().enumerate().map(|(kind, (_, dark))| format!(".lotse-plot .a{kind}{{fill:{dark}}}"));
    format!("@media (prefers-color-scheme:dark){{{}}}", rules.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{HistoryBrackets, HistoryChart, HistoryMark, HistoryPanel, history_chart};
    use crate::svg::Labels;

    fn chart() -> HistoryChart<'static> {
        let mark = |at: f64, kind| HistoryMark { x: (at, at + 1.0), y: (0.0, at.max(0.5)), kind };
        let panel = |name| HistoryPanel {
            name,
            indices: (0.0, 10.0),
            lengths: vec![(0.0, 10.0, 10.0)],
            marks: (0..10).map(|at| mark(f64::from(at), at as usize % 2)).collect(),
        };
        HistoryChart {
            span: (0.0, 10.0),
            kinds: vec!["insert", "search", "delete"],
            panels: vec![panel("all threads"), panel("thread <1>")],
            brackets: vec![HistoryBrackets { name: "insert-back", spans: vec![(0.0, 4.0), (6.0, 9.0)] }],
            note: String::new(),
        }
    }

    fn check(chart: &HistoryChart<'_>) -> String {
        let svg = history_chart(&Labels { title: "a & b".into(), ..Labels::default() }, chart);
        roxmltree::Document::parse(svg.as_str()).unwrap();
        svg.as_str().to_owned()
    }

    #[test]
    fn panels_legend_and_brackets_are_drawn() {
        let svg = check(&chart());
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<path class=\"a").count(), 4, "two kinds in two panels");
        for word in ["insert-back", "all threads", "thread &lt;1&gt;", ">insert<", ">search<"] {
            assert!(svg.contains(word), "{word}");
        }
        assert!(!svg.contains(">delete<"), "the legend has only what occurs");
    }

    #[test]
    fn odd_input_is_drawn_or_says_that_there_is_nothing() {
        assert!(check(&HistoryChart::default()).contains("no values"));
        let odd = HistoryMark { x: (f64::NAN, 1e300), y: (-1.0, f64::INFINITY), kind: 2 };
        let panel = HistoryPanel { marks: vec![odd], indices: (0.0, 0.0), ..HistoryPanel::default() };
        check(&HistoryChart { panels: vec![panel], ..chart() });
        assert!(check(&HistoryChart { span: (3.0, 3.0), ..chart() }).contains("no values"));
    }
}
