//! Plots of a value over a parameter: a line with a band around it, and marks.

use super::axis::{Axis, PlotFrame, range};
use super::canvas::{Anchor, Canvas, WIDTH};
use super::colour::Colour;
use super::legend::draw_no_values;
use super::{Labels, Svg};

/// The content of a curve plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curve {
    /// The title of the horizontal axis.
    pub across: String,
    /// From left to right.
    pub points: Vec<CurvePoint>,
    pub marks: Vec<CurveMark>,
}

/// One point with the band around it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CurvePoint {
    pub x: f64,
    pub y: f64,
    /// The lower and the upper edge of the band.
    pub band: (f64, f64),
}

/// A vertical line with a label.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CurveMark {
    pub x: f64,
    pub text: String,
}

const PLOT: f64 = 300.0;
const TOP: f64 = 40.0;

/// Draws values over a parameter.
pub fn curve(labels: &Labels, plot: &Curve) -> Svg {
    let mut canvas = Canvas::new(TOP + PLOT + 48.0);
    let shown = |point: &&CurvePoint| {
        [point.x, point.y, point.band.0, point.band.1].iter().all(|number| number.is_finite())
    };
    let points: Vec<&CurvePoint> = plot.points.iter().filter(shown).collect();
    let Some((first, last)) = range(points.iter().map(|point| point.x)) else {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    };
    let frame = PlotFrame { left: 84.0, right: WIDTH - 24.0, top: TOP, bottom: TOP + PLOT };
    let room = ((last - first) * 0.02).max(0.5);
    let across = Axis::plain(first - room, last + room, &plot.across, (frame.left, frame.right));
    let highest = points.iter().map(|point| point.band.1.max(point.y)).fold(0.0, f64::max);
    let up = Axis::between(0.0, highest.max(f64::MIN_POSITIVE) * 1.05, labels, (frame.bottom, frame.top));
    across.draw_below(&mut canvas, frame);
    up.draw_left(&mut canvas, frame);
    let pixel = |x: f64, y: f64| (across.at(x), up.at(y));
    canvas.named(Colour::Series(0), &labels.quantity, |canvas| {
        let above = points.iter().map(|point| pixel(point.x, point.band.1));
        let below = points.iter().rev().map(|point| pixel(point.x, point.band.0));
        canvas.polygon(&above.chain(below).collect::<Vec<_>>(), 0.18);
        let line: Vec<(f64, f64)> = points.iter().map(|point| pixel(point.x, point.y)).collect();
        canvas.polyline(&line, 2.0, "");
        line.iter().for_each(|at| canvas.dot(*at, 2.2, 0.9));
    });
    marks(&mut canvas, &plot.marks, &across, frame);
    canvas.finish(labels)
}

/// Draws the marks; the labels of neighbouring marks have different heights, so that they do not overlap.
fn marks(canvas: &mut Canvas, marks: &[CurveMark], across: &Axis, frame: PlotFrame) {
    canvas.coloured(Colour::Soft, |canvas| {
        for (index, mark) in marks.iter().filter(|mark| mark.x.is_finite()).enumerate() {
            let x = across.at(mark.x);
            let height = frame.top - 8.0 - 14.0 * (index % 2) as f64;
            canvas.line((x, height + 3.0), (x, frame.bottom), 1.2, "4 3");
            canvas.text((x.clamp(frame.left + 50.0, frame.right - 50.0), height), Anchor::Middle, &mark.text);
        }
    });
}
