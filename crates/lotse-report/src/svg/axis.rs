//! Linear axes: mapping of values to pixels, and round ticks in a suitable unit.

use lotse_model::Unit;

use super::Labels;
use super::canvas::{Anchor, Canvas};
use super::colour::Colour;
use crate::number::UnitScale;

/// Values are clamped to this, so that differences of values do not overflow.
const LARGEST: f64 = 1e300;
const TICKS: f64 = 6.0;

/// A mapping of the values from `low` to `high` to a range of pixels.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    pixels: (f64, f64),
    scale: UnitScale,
    title: String,
}

/// The rectangle of a plot inside the picture.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlotFrame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Axis {
    /// An axis for all finite values, with a margin on both sides.
    pub(super) fn around(values: impl IntoIterator<Item = f64>, labels: &Labels, pixels: (f64, f64)) -> Self {
        let (low, high) = padded(range(values));
        Self::between(low, high, labels, pixels)
    }

    /// An axis from `low` to `high`.
    pub(super) fn between(low: f64, high: f64, labels: &Labels, pixels: (f64, f64)) -> Self {
        let scale = UnitScale::fitting(labels.unit, low.abs().max(high.abs()));
        let title = match (labels.quantity.as_str(), scale.symbol) {
            (quantity, "") => quantity.to_owned(),
            ("", symbol) => symbol.to_owned(),
            (quantity, symbol) => format!("{quantity} [{symbol}]"),
        };
        Self { low, high, pixels, scale, title }
    }

    /// An axis of numbers without a unit.
    pub(super) fn plain(low: f64, high: f64, title: &str, pixels: (f64, f64)) -> Self {
        let labels = Labels { quantity: title.to_owned(), unit: Unit::Number, ..Labels::default() };
        Self::between(low, high, &labels, pixels)
    }

    /// The pixel of a value, clamped to the range of the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = ((value.clamp(-LARGEST, LARGEST) - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.pixels.0 + share * (self.pixels.1 - self.pixels.0)
    }

    /// The ticks: pixels and labels of round values.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = (self.low / self.scale.factor, self.high / self.scale.factor);
        let step = round_step((high - low) / TICKS);
        let first = (low / step).ceil();
        let count = ((high / step).floor() - first).clamp(0.0, 20.0) as usize;
        let values = (0..=count).map(|i| (first + i as f64) * step);
        values.map(|value| (self.at(value * self.scale.factor), tick_text(value, step))).collect()
    }

    /// Draws the axis below the frame, with grid lines.
    pub(super) fn draw_below(&self, canvas: &mut Canvas, frame: PlotFrame) {
        let ticks = self.ticks();
        canvas.coloured(Colour::Grid, |canvas| {
            for (x, _) in &ticks {
                canvas.line((*x, frame.top), (*x, frame.bottom), 1.0, "");
            }
        });
        canvas.coloured(Colour::Soft, |canvas| {
            canvas.line((frame.left, frame.bottom), (frame.right, frame.bottom), 1.0, "");
            for (x, text) in &ticks {
                canvas.text((*x, frame.bottom + 16.0), Anchor::Middle, text);
            }
            let middle = (frame.left + frame.right) / 2.0;
            canvas.text((middle, frame.bottom + 34.0), Anchor::Middle, &self.title);
        });
    }

    /// Draws the axis at the left of the frame, with grid lines.
    pub(super) fn draw_left(&self, canvas: &mut Canvas, frame: PlotFrame) {
        let ticks = self.ticks();
        canvas.coloured(Colour::Grid, |canvas| {
            for (y, _) in &ticks {
                canvas.line((frame.left, *y), (frame.right, *y), 1.0, "");
            }
        });
        canvas.coloured(Colour::Soft, |canvas| {
            for (y, text) in &ticks {
                canvas.text((frame.left - 8.0, y + 4.0), Anchor::End, text);
            }
            canvas.upward_text((16.0, (frame.top + frame.bottom) / 2.0), &self.title);
        });
    }
}

/// The smallest and the largest finite value, clamped to what can be drawn.
pub(super) fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let held = finite.map(|value| value.clamp(-LARGEST, LARGEST));
    held.fold(None, |range, value| {
        let (low, high) = range.unwrap_or((value, value));
        Some((low.min(value), high.max(value)))
    })
}

/// A range with a margin; a single value gets a margin of 5 %, so that there are ticks around it.
fn padded(range: Option<(f64, f64)>) -> (f64, f64) {
    let (low, high) = range.unwrap_or((0.0, 1.0));
    let size = low.abs().max(high.abs());
    let room = if high - low > size * 1e-9 { (high - low) * 0.04 } else { size * 0.05 };
    let room = if room > 0.0 { room } else { 1.0 };
    // The margin does not extend below zero unless values are negative.
    let low_edge = if low >= 0.0 { (low - room).max(0.0) } else { low - room };
    (low_edge, high + room)
}

/// The least number of the form 1, 2 or 5 times a power of ten that is at least `step`.
pub(super) fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    let rounded = factor.unwrap_or(10.0) * power;
    if rounded.is_finite() && rounded > 0.0 { rounded } else { 1.0 }
}

fn tick_text(value: f64, step: f64) -> String {
    let zero = value.abs() < step / 1e6;
    if !zero && !(1e-6..1e7).contains(&value.abs().max(step)) {
        return format!("{value:.1e}");
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 12.0) as usize;
    format!("{:.decimals$}", if zero { 0.0 } else { value })
}

#[cfg(test)]
mod tests {
    use super::{Axis, padded, range, round_step};
    use crate::svg::Labels;
    use lotse_model::Unit;

    fn texts(values: &[f64], unit: Unit) -> Vec<String> {
        let labels = Labels { unit, ..Labels::default() };
        let axis = Axis::around(values.iter().copied(), &labels, (0.0, 100.0));
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(&[0.012_3, 0.012_9], Unit::Seconds), ["12.4", "12.6", "12.8"]);
        assert_eq!(texts(&[0.0, 10.0], Unit::Number), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(texts(&[5.0], Unit::Number), ["4.8", "4.9", "5.0", "5.1", "5.2"]);
        assert_eq!(texts(&[-1e300, 1e300], Unit::Number)[1], "-5.0e299");
        for step in [0.3, 1.0, 7.0, 1e-300, 1e299] {
            assert!(round_step(step) >= step * 0.999 && round_step(step) <= step * 2.6, "{step}");
        }
    }

    #[test]
    fn any_values_give_an_axis() {
        assert_eq!(range([f64::NAN, 3.0, f64::INFINITY, -1.0]), Some((-1.0, 3.0)));
        assert_eq!(padded(None), (0.0, 1.04));
        assert_eq!(padded(Some((0.0, 0.0))), (0.0, 1.0));
        for values in [&[f64::MAX, -f64::MAX][..], &[1e-300], &[], &[f64::NAN], &[1.0, 1.0 + 1e-15]] {
            assert!((1..=21).contains(&texts(values, Unit::Seconds).len()), "{values:?}");
        }
    }

    #[test]
    fn what_lies_outside_is_put_on_the_edge() {
        let axis = Axis::plain(1.0, 3.0, "", (0.0, 100.0));
        assert_eq!([axis.at(2.0), axis.at(-5.0), axis.at(f64::INFINITY)], [50.0, 0.0, 100.0]);
    }
}
