//! Box plots, one row per program: quartiles as a box, whiskers, outliers as dots, the mean as a diamond.

use super::axis::{Axis, PlotFrame, range};
use super::canvas::{Anchor, Canvas, WIDTH, shortened, text_width};
use super::colour::Colour;
use super::legend::draw_no_values;
use super::{Labels, Svg};

/// The figures of one program in a box plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoxSeries {
    /// The name of the program.
    pub name: String,
    /// The smallest value inside the lower fence.
    pub whisker_low: f64,
    /// Lower quartile.
    pub q1: f64,
    pub median: f64,
    /// Upper quartile.
    pub q3: f64,
    /// The largest value inside the upper fence.
    pub whisker_high: f64,
    pub mean: f64,
    /// The values beyond the whiskers.
    pub outliers: Vec<f64>,
}

const ROW: f64 = 44.0;
const HALF_BOX: f64 = 12.0;

/// Draws the programs from top to bottom.
pub fn box_plot(labels: &Labels, series: &[BoxSeries]) -> Svg {
    let mut canvas = Canvas::new(12.0 + ROW * series.len().max(1) as f64 + 48.0);
    if range(series.iter().flat_map(numbers)).is_none() {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    let frame = frame(series.iter().map(|series| series.name.as_str()), canvas.height());
    let axis = Axis::around(series.iter().flat_map(numbers), labels, (frame.left, frame.right));
    axis.draw_below(&mut canvas, frame);
    for (i, series) in series.iter().enumerate() {
        let y = frame.top + ROW * (i as f64 + 0.5);
        row_name(&mut canvas, frame, y, &series.name);
        canvas.named(Colour::Series(i), &series.name, |canvas| draw(canvas, series, &axis, y));
    }
    canvas.finish(labels)
}

fn numbers(series: &BoxSeries) -> impl Iterator<Item = f64> {
    let five = [series.whisker_low, series.q1, series.median, series.q3, series.whisker_high, series.mean];
    five.into_iter().chain(series.outliers.iter().copied())
}

/// The frame of a plot with a row per name: it leaves room for the names at the left and for the axis below.
pub(super) fn frame<'a>(names: impl Iterator<Item = &'a str>, height: f64) -> PlotFrame {
    let widest = names.map(|name| text_width(&shortened(name, NAME_LETTERS))).fold(40.0, f64::max);
    PlotFrame { left: widest + 24.0, right: WIDTH - 24.0, top: 12.0, bottom: height - 48.0 }
}

/// The length in columns to which names are shortened.
const NAME_LETTERS: usize = 28;

pub(super) fn row_name(canvas: &mut Canvas, frame: PlotFrame, y: f64, name: &str) {
    canvas.named(Colour::Ink, name, |canvas| {
        canvas.text((frame.left - 12.0, y + 4.0), Anchor::End, &shortened(name, NAME_LETTERS));
    });
}

/// Draws whiskers, box, median, outliers and mean; what is not finite is left out.
fn draw(canvas: &mut Canvas, series: &BoxSeries, axis: &Axis, y: f64) {
    let five = [series.whisker_low, series.q1, series.median, series.q3, series.whisker_high];
    if five.iter().all(|value| value.is_finite()) {
        let [low, q1, median, q3, high] = five.map(|value| axis.at(value));
        canvas.line((low, y), (q1, y), 1.5, "");
        canvas.line((q3, y), (high, y), 1.5, "");
        for end in [low, high] {
            canvas.line((end, y - 6.0), (end, y + 6.0), 1.5, "");
        }
        canvas.rectangle((q1, y - HALF_BOX), (q3, y + HALF_BOX), 0.18, true);
        canvas.line((median, y - HALF_BOX), (median, y + HALF_BOX), 3.0, "");
    }
    for outlier in series.outliers.iter().filter(|outlier| outlier.is_finite()) {
        canvas.dot((axis.at(*outlier), y), 2.5, 0.6);
    }
    if series.mean.is_finite() {
        canvas.coloured(Colour::Ink, |canvas| canvas.diamond((axis.at(series.mean), y), 4.5));
    }
}
