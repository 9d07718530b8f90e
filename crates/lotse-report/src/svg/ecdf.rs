//! Empirical distribution functions: for each value, the share of runs that are at most as large.

use super::axis::{Axis, PlotFrame, range};
use super::canvas::{Canvas, WIDTH};
use super::colour::{Colour, dashes};
use super::legend::{Legend, draw_no_values};
use super::{Labels, Sample, Svg};

const PLOT: f64 = 280.0;
/// The limit for the number of steps; more would not be visible.
const MOST_STEPS: usize = 1000;

/// Draws one curve per program.
pub fn ecdf(labels: &Labels, samples: &[Sample]) -> Svg {
    let legend = Legend::new(samples.iter().map(|sample| sample.name.as_str()));
    let mut canvas = Canvas::new(legend.height() + PLOT + 48.0);
    let values = || samples.iter().flat_map(|sample| sample.values.iter().copied());
    if range(values()).is_none() {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    let top = legend.height();
    let frame = PlotFrame { left: 64.0, right: WIDTH - 24.0, top, bottom: top + PLOT };
    let across = Axis::around(values(), labels, (frame.left, frame.right));
    let up = Axis::plain(0.0, 1.0, "share of runs", (frame.bottom, frame.top));
    across.draw_below(&mut canvas, frame);
    up.draw_left(&mut canvas, frame);
    for (i, sample) in samples.iter().enumerate() {
        let points = steps(&sample.values, &across, &up);
        canvas.named(Colour::Series(i), &sample.name, |canvas| canvas.polyline(&points, 1.8, dashes(i)));
    }
    legend.draw(&mut canvas, |canvas, (x, y), i| {
        canvas.line((x - 10.0, y), (x + 10.0, y), 2.0, dashes(i));
    });
    canvas.finish(labels)
}

/// The corners of the step function from the smallest value to the largest. It is not extended to the edges of the plot,
/// where the lines of several programs would cover each other.
fn steps(values: &[f64], across: &Axis, up: &Axis) -> Vec<(f64, f64)> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let stride = count.div_ceil(MOST_STEPS).max(1);
    let mut points = Vec::new();
    let mut share = 0.0;
    for rank in (1..=count).filter(|rank| rank.is_multiple_of(stride) || *rank == count) {
        let x = across.at(sorted[rank - 1]);
        points.push((x, up.at(share)));
        share = rank as f64 / count as f64;
        points.push((x, up.at(share)));
    }
    points
}
