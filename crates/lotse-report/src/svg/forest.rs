//! Forest plots: ratios with their intervals, one row per comparison, around the line of no change.
//!
//! The axis is logarithmic, so that 1/2 and 2 have the same distance from 1. Interval ends that are infinite, zero or
//! negative are drawn as an arrow at the edge.

use super::axis::PlotFrame;
use super::box_plot::{frame, row_name};
use super::canvas::{Anchor, Canvas, WIDTH};
use super::colour::Colour;
use super::legend::draw_no_values;
use super::{Labels, Svg};
use crate::number::format_ratio;

/// The content of a forest plot.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Forest {
    pub rows: Vec<ForestRow>,
    /// The range of equivalence, drawn as a band from 1/(1+delta) to 1+delta.
    pub delta: Option<f64>,
    /// The meaning of ratios below and above 1, for example "faster" and "slower".
    pub sides: Option<[&'static str; 2]>,
}

/// One comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ForestRow {
    /// The program that is compared.
    pub name: String,
    /// The estimate.
    pub ratio: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    pub side: ForestVerdict,
}

/// The verdict of a comparison, which determines its colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ForestVerdict {
    Better,
    Worse,
    /// No difference above delta.
    Equivalent,
    /// Drawn hollow.
    #[default]
    Undecided,
}

const ROW: f64 = 30.0;
/// Room for the numbers at the right.
const NUMBERS: f64 = 180.0;
/// The limit of the axis.
const FURTHEST: f64 = 1e6;

/// Draws the comparisons from top to bottom.
pub fn forest(labels: &Labels, plot: &Forest) -> Svg {
    let height = 12.0 + ROW * plot.rows.len().max(1) as f64 + 66.0;
    let mut canvas = Canvas::new(height);
    if plot.rows.is_empty() {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    }
    let names = plot.rows.iter().map(|row| row.name.as_str());
    let frame = PlotFrame { right: WIDTH - NUMBERS, bottom: height - 66.0, ..frame(names, height) };
    let axis = RatioAxis::around(plot, (frame.left, frame.right));
    backdrop(&mut canvas, plot, &axis, frame);
    for (i, row) in plot.rows.iter().enumerate() {
        let y = frame.top + ROW * (i as f64 + 0.5);
        row_name(&mut canvas, frame, y, &row.name);
        canvas.named(colour(row.side), &row.name, |canvas| draw(canvas, row, &axis, y));
        canvas.coloured(Colour::Ink, |canvas| {
            canvas.text((WIDTH - NUMBERS + 14.0, y + 4.0), Anchor::Start, &numbers(row));
        });
    }
    words(&mut canvas, labels, plot, &axis, frame);
    canvas.finish(labels)
}

fn numbers(row: &ForestRow) -> String {
    if row.low.is_nan() || row.high.is_nan() {
        return format_ratio(row.ratio);
    }
    format!("{} [{}, {}]", format_ratio(row.ratio), format_ratio(row.low), format_ratio(row.high))
}

fn colour(side: ForestVerdict) -> Colour {
    match side {
        ForestVerdict::Better => Colour::Good,
        ForestVerdict::Worse => Colour::Bad,
        ForestVerdict::Equivalent => Colour::Ink,
        ForestVerdict::Undecided => Colour::Soft,
    }
}

/// Draws the band of equivalence, the grid and the line at 1.
fn backdrop(canvas: &mut Canvas, plot: &Forest, axis: &RatioAxis, frame: PlotFrame) {
    if let Some(delta) = plot.delta.filter(|delta| delta.is_finite() && *delta > 0.0) {
        let sides = (axis.at(1.0 / (1.0 + delta)), axis.at(1.0 + delta));
        canvas.coloured(Colour::Band, |canvas| {
            canvas.rectangle((sides.0, frame.top), (sides.1, frame.bottom), 1.0, false);
        });
    }
    canvas.coloured(Colour::Grid, |canvas| {
        for (x, _) in axis.ticks() {
            canvas.line((x, frame.top), (x, frame.bottom), 1.0, "");
        }
    });
    canvas.coloured(Colour::Soft, |canvas| {
        canvas.line((axis.at(1.0), frame.top), (axis.at(1.0), frame.bottom), 1.5, "4 3");
        canvas.line((frame.left, frame.bottom), (frame.right, frame.bottom), 1.0, "");
        for (x, text) in axis.ticks() {
            canvas.text((x, frame.bottom + 16.0), Anchor::Middle, &text);
        }
    });
}

/// Writes the labels below the axis.
fn words(canvas: &mut Canvas, labels: &Labels, plot: &Forest, axis: &RatioAxis, frame: PlotFrame) {
    canvas.coloured(Colour::Soft, |canvas| {
        if let Some([below, above]) = plot.sides {
            let (one, y) = (axis.at(1.0), frame.bottom + 34.0);
            canvas.text((one - 10.0, y), Anchor::End, &format!("← {below}"));
            canvas.text((one + 10.0, y), Anchor::Start, &format!("{above} →"));
        }
        let middle = ((frame.left + frame.right) / 2.0, frame.bottom + 54.0);
        canvas.text(middle, Anchor::Middle, &labels.quantity);
    });
}

fn draw(canvas: &mut Canvas, row: &ForestRow, axis: &RatioAxis, y: f64) {
    if row.low.is_nan() || row.high.is_nan() {
        return point(canvas, row, axis, y);
    }
    let ends = (axis.at(row.low), axis.at(row.high));
    canvas.line((ends.0, y), (ends.1, y), 2.0, "");
    for (x, outside, out) in [(ends.0, !axis.holds(row.low), -1.0), (ends.1, !axis.holds(row.high), 1.0)] {
        if outside {
            canvas.polygon(&[(x + 2.0 * out, y), (x - 7.0 * out, y - 4.5), (x - 7.0 * out, y + 4.5)], 1.0);
        } else {
            canvas.line((x, y - 4.0), (x, y + 4.0), 2.0, "");
        }
    }
    point(canvas, row, axis, y);
}

fn point(canvas: &mut Canvas, row: &ForestRow, axis: &RatioAxis, y: f64) {
    if !axis.holds(row.ratio) {
        return;
    }
    let x = axis.at(row.ratio);
    if row.side == ForestVerdict::Undecided {
        canvas.coloured(Colour::Paper, |canvas| canvas.dot((x, y), 5.0, 1.0));
        canvas.ring((x, y), 5.0);
    } else {
        canvas.rectangle((x - 5.0, y - 5.0), (x + 5.0, y + 5.0), 1.0, false);
    }
}

/// A logarithmic axis that always contains 1.
struct RatioAxis {
    low: f64,
    high: f64,
    pixels: (f64, f64),
}

impl RatioAxis {
    fn around(plot: &Forest, pixels: (f64, f64)) -> Self {
        let band = plot.delta.filter(|delta| delta.is_finite() && *delta > 0.0).unwrap_or(0.0);
        let ends = plot.rows.iter().flat_map(|row| [row.low, row.ratio, row.high]);
        let usable = ends.filter(|end| end.is_finite() && *end > 0.0);
        let logs = usable.map(|end| end.clamp(1.0 / FURTHEST, FURTHEST).ln());
        let furthest = (1.0 + band).min(FURTHEST).ln();
        let (low, high) = logs.fold((-furthest, furthest), |(low, high), log| (low.min(log), high.max(log)));
        let room = ((high - low) * 0.06).max(0.01);
        Self { low: low - room, high: high + room, pixels }
    }

    fn holds(&self, ratio: f64) -> bool {
        ratio > 0.0 && (self.low..=self.high).contains(&ratio.ln())
    }

    fn at(&self, ratio: f64) -> f64 {
        let log = if ratio > 0.0 { ratio.ln().clamp(self.low, self.high) } else { self.low };
        self.pixels.0 + (log - self.low) / (self.high - self.low) * (self.pixels.1 - self.pixels.0)
    }

    /// The ticks: equal steps on a short axis, 1, 2 and 5 times powers of ten or only powers of ten on a long one.
    fn ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = (self.low.exp(), self.high.exp());
        let values = if high / low < 4.0 { equal_steps(low, high) } else { decades(low, high) };
        values.into_iter().map(|(value, text)| (self.at(value), text)).collect()
    }
}

fn equal_steps(low: f64, high: f64) -> Vec<(f64, String)> {
    let step = super::axis::round_step((high - low) / 7.0);
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(|i| i as f64 * step).map(|value| (value, format!("{value:.decimals$}"))).collect()
}

fn decades(low: f64, high: f64) -> Vec<(f64, String)> {
    let factors: &[f64] = if high / low < 500.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
    let values = powers.flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)));
    values.filter(|value| (low..=high).contains(value)).map(|value| (value, short(value))).collect()
}

fn short(value: f64) -> String {
    if (1e-3..1e4).contains(&value) {
        format!("{}", (value * 1e6).round() / 1e6)
    } else {
        format!("{value:.0e}")
    }
}

#[cfg(test)]
mod tests {
    use super::{decades, equal_steps};

    fn texts(ticks: Vec<(f64, String)>) -> Vec<String> {
        ticks.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(equal_steps(0.93, 1.04)), ["0.94", "0.96", "0.98", "1.00", "1.02", "1.04"]);
        assert_eq!(texts(decades(0.4, 6.0)), ["0.5", "1", "2", "5"]);
        assert_eq!(texts(decades(0.9e-5, 11.0)), ["1e-5", "1e-4", "0.001", "0.01", "0.1", "1", "10"]);
    }
}
