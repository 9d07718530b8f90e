//! Horizontal bars, one row per name: a value as a bar from zero, and the range around it as a whisker.

use super::axis::{Axis, range};
use super::box_plot::{frame, row_name};
use super::canvas::Canvas;
use super::colour::Colour;
use super::legend::draw_no_values;
use super::{Labels, Svg};

/// One bar.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Bar {
    pub name: String,
    pub value: f64,
    /// The lower and the upper end of a whisker.
    pub range: Option<(f64, f64)>,
}

const ROW: f64 = 28.0;
const HALF_BAR: f64 = 8.0;

/// Draws bars from top to bottom. Names need not differ.
pub fn bars(labels: &Labels, bars: &[Bar]) -> Svg {
    let mut canvas = Canvas::new(12.0 + ROW * bars.len().max(1) as f64 + 48.0);
    let ends = |bar: &Bar| [bar.value, bar.range.map_or(bar.value, |range| range.1)];
    let Some((_, highest)) = range(bars.iter().flat_map(ends)) else {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    };
    let frame = frame(bars.iter().map(|bar| bar.name.as_str()), canvas.height());
    let axis = Axis::between(0.0, highest.max(f64::MIN_POSITIVE) * 1.05, labels, (frame.left, frame.right));
    axis.draw_below(&mut canvas, frame);
    for (i, bar) in bars.iter().enumerate() {
        let y = frame.top + ROW * (i as f64 + 0.5);
        row_name(&mut canvas, frame, y, &bar.name);
        canvas.named(Colour::Series(0), &bar.name, |canvas| draw(canvas, bar, &axis, y));
    }
    canvas.finish(labels)
}

/// Draws a bar and its whisker; what is not finite is left out.
fn draw(canvas: &mut Canvas, bar: &Bar, axis: &Axis, y: f64) {
    if bar.value.is_finite() {
        canvas.rectangle(
            (axis.at(0.0), y - HALF_BAR),
            (axis.at(bar.value.max(0.0)), y + HALF_BAR),
            0.45,
            true,
        );
    }
    let Some((low, high)) = bar.range.filter(|(low, high)| low.is_finite() && high.is_finite()) else {
        return;
    };
    canvas.line((axis.at(low), y), (axis.at(high), y), 1.5, "");
    for end in [low, high] {
        canvas.line((axis.at(end), y - 4.0), (axis.at(end), y + 4.0), 1.5, "");
    }
}
