//! Values in the order of their measurement, which shows drift, steps and disturbed runs.

use super::axis::{Axis, PlotFrame, range};
use super::canvas::{Anchor, Canvas, WIDTH, text_width};
use super::colour::{Colour, dashes};
use super::legend::{Legend, draw_no_values};
use super::{Labels, Svg};

/// The content of a run-order plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunOrder {
    pub series: Vec<RunSeries>,
    /// The boundaries between blocks on the axis of runs; may be empty.
    pub boundaries: Vec<f64>,
    /// The title of the axis of runs, "run" by default.
    pub axis: Option<&'static str>,
}

/// The runs of one program.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunSeries {
    /// The name of the program.
    pub name: String,
    pub points: Vec<RunPoint>,
    /// The trend line: the value at run 0 and the slope per run.
    pub drift: Option<(f64, f64)>,
}

/// One run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RunPoint {
    /// Its position in the order of runs.
    pub run: f64,
    pub value: f64,
    /// Whether the run was disturbed by other load; such runs are drawn hollow.
    pub contended: bool,
}

const PLOT: f64 = 280.0;
/// More boundaries than this are not drawn, since they would hide the points.
const MOST_BOUNDARIES: usize = 60;

/// Draws values over run numbers.
pub fn run_order(labels: &Labels, plot: &RunOrder) -> Svg {
    let legend = Legend::new(plot.series.iter().map(|series| series.name.as_str()));
    let contended = plot.series.iter().flat_map(|series| &series.points).any(|point| point.contended);
    let mut canvas = Canvas::new(legend.height() + PLOT + 48.0);
    let points =
        || plot.series.iter().flat_map(|series| series.points.iter()).filter(|point| is_shown(point));
    let Some(runs) = range(points().map(|point| point.run)) else {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    };
    let top = legend.height();
    let frame = PlotFrame { left: 72.0, right: WIDTH - 24.0, top, bottom: top + PLOT };
    let room = ((runs.1 - runs.0) * 0.02).max(0.5);
    let across =
        Axis::plain(runs.0 - room, runs.1 + room, plot.axis.unwrap_or("run"), (frame.left, frame.right));
    let up = Axis::around(points().map(|point| point.value), labels, (frame.bottom, frame.top));
    across.draw_below(&mut canvas, frame);
    up.draw_left(&mut canvas, frame);
    boundaries(&mut canvas, &plot.boundaries, &across, frame);
    for (i, series) in plot.series.iter().enumerate() {
        canvas.named(Colour::Series(i), &series.name, |canvas| draw(canvas, series, i, (&across, &up), runs));
    }
    legend.draw(&mut canvas, |canvas, at, i| mark(canvas, at, i, false));
    if contended {
        explain_hollow(&mut canvas, frame);
    }
    canvas.finish(labels)
}

fn is_shown(point: &RunPoint) -> bool {
    point.run.is_finite() && point.value.is_finite()
}

fn boundaries(canvas: &mut Canvas, boundaries: &[f64], across: &Axis, frame: PlotFrame) {
    if boundaries.len() > MOST_BOUNDARIES {
        return;
    }
    canvas.coloured(Colour::Grid, |canvas| {
        for x in boundaries.iter().filter(|at| at.is_finite()).map(|at| across.at(*at)) {
            canvas.line((x, frame.top), (x, frame.bottom), 1.0, "2 3");
        }
    });
}

fn draw(canvas: &mut Canvas, series: &RunSeries, i: usize, (across, up): (&Axis, &Axis), runs: (f64, f64)) {
    for point in series.points.iter().filter(|point| is_shown(point)) {
        mark(canvas, (across.at(point.run), up.at(point.value)), i, point.contended);
    }
    if let Some((start, rise)) = series.drift.filter(|(start, rise)| start.is_finite() && rise.is_finite()) {
        let end = |run: f64| (across.at(run), up.at(start + rise * run));
        canvas.line(end(runs.0), end(runs.1), 2.0, dashes(i));
    }
}

/// Draws a mark in one of four shapes, so that series can be distinguished without colour.
fn mark(canvas: &mut Canvas, (x, y): (f64, f64), series: usize, hollow: bool) {
    if hollow {
        canvas.ring((x, y), 4.0);
        return canvas.line((x - 2.8, y + 2.8), (x + 2.8, y - 2.8), 1.2, "");
    }
    match series % 4 {
        0 => canvas.dot((x, y), 2.8, 0.75),
        1 => canvas.polygon(&[(x, y - 3.6), (x + 3.4, y + 2.6), (x - 3.4, y + 2.6)], 0.75),
        2 => canvas.rectangle((x - 2.6, y - 2.6), (x + 2.6, y + 2.6), 0.75, false),
        _ => canvas.diamond((x, y), 3.4),
    }
}

fn explain_hollow(canvas: &mut Canvas, frame: PlotFrame) {
    let y = frame.bottom + 34.0;
    let text = "contended run";
    canvas.coloured(Colour::Soft, |canvas| {
        mark(canvas, (frame.right - text_width(text) - 10.0, y - 4.0), 0, true);
        canvas.text((frame.right, y), Anchor::End, text);
    });
}
