//! Histograms below each other with the same bins, so that shapes and locations can be compared.

use super::axis::{Axis, PlotFrame, range};
use super::box_plot::{frame, row_name};
use super::canvas::{Anchor, Canvas};
use super::colour::Colour;
use super::legend::draw_no_values;
use super::{Labels, Sample, Svg};

const ROW: f64 = 92.0;
const GAP: f64 = 16.0;
const FEWEST_BINS: f64 = 8.0;
const MOST_BINS: f64 = 60.0;

/// Draws the programs from top to bottom; the height of a bar is its share of the program's runs.
pub fn histogram(labels: &Labels, samples: &[Sample]) -> Svg {
    let mut canvas = Canvas::new(12.0 + ROW * samples.len().max(1) as f64 + 48.0);
    let values = || samples.iter().flat_map(|sample| finite(&sample.values));
    let Some(range) = range(values()) else {
        draw_no_values(&mut canvas);
        return canvas.finish(labels);
    };
    let frame = frame(samples.iter().map(|sample| sample.name.as_str()), canvas.height());
    let axis = Axis::around(values(), labels, (frame.left, frame.right));
    let bins = SharedBins::new(samples, range);
    let counts: Vec<Vec<f64>> = samples.iter().map(|sample| bins.shares(&sample.values)).collect();
    let most = counts.iter().flatten().copied().fold(f64::MIN_POSITIVE, f64::max);
    axis.draw_below(&mut canvas, frame);
    for (i, (sample, shares)) in samples.iter().zip(&counts).enumerate() {
        let row = PlotFrame {
            top: frame.top + ROW * i as f64,
            bottom: frame.top + ROW * (i as f64 + 1.0),
            ..frame
        };
        row_name(&mut canvas, row, row.bottom - ROW / 2.0, &sample.name);
        count(&mut canvas, row, finite(&sample.values).count());
        canvas.named(Colour::Series(i), &sample.name, |canvas| bars(canvas, shares, &bins, &axis, row, most));
    }
    canvas.finish(labels)
}

fn count(canvas: &mut Canvas, row: PlotFrame, count: usize) {
    canvas.coloured(Colour::Soft, |canvas| {
        let at = (row.left - 12.0, row.bottom - ROW / 2.0 + 20.0);
        canvas.text(at, Anchor::End, &format!("n = {count}"));
    });
}

fn bars(canvas: &mut Canvas, shares: &[f64], bins: &SharedBins, axis: &Axis, row: PlotFrame, most: f64) {
    canvas.line((row.left, row.bottom), (row.right, row.bottom), 1.0, "");
    for (bin, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let (left, right) = (axis.at(bins.edge(bin)), axis.at(bins.edge(bin + 1)));
        // A constant sample has one bin of width zero, which must still be visible.
        let half = ((right - left) / 2.0 - 0.5).max(1.5);
        let middle = (left + right) / 2.0;
        let top = row.bottom - share / most * (ROW - GAP);
        canvas.rectangle((middle - half, top), (middle + half, row.bottom), 0.75, false);
    }
}

fn finite(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().copied().filter(|value| value.is_finite())
}

/// Bins of equal width over the values of all samples: the Freedman-Diaconis width of the narrowest sample, with 8 to 60
/// bins.
struct SharedBins {
    low: f64,
    width: f64,
    count: usize,
}

impl SharedBins {
    fn new(samples: &[Sample], (low, high): (f64, f64)) -> Self {
        let widths = samples.iter().map(|sample| advised_width(&sample.values));
        let width = widths.filter(|width| *width > 0.0).fold(f64::INFINITY, f64::min);
        let count = ((high - low) / width).ceil();
        let count = if high <= low {
            1.0
        } else if count.is_finite() {
            count.clamp(FEWEST_BINS, MOST_BINS)
        } else {
            MOST_BINS
        };
        Self { low, width: (high - low) / count, count: count as usize }
    }

    fn edge(&self, bin: usize) -> f64 {
        self.low + self.width * bin as f64
    }

    /// The share of the values in each bin.
    fn shares(&self, values: &[f64]) -> Vec<f64> {
        let mut counts = vec![0.0; self.count];
        let total = finite(values).count() as f64;
        for value in finite(values) {
            let bin = if self.width > 0.0 { (value - self.low) / self.width } else { 0.0 };
            counts[(bin as usize).min(self.count - 1)] += 1.0 / total;
        }
        counts
    }
}

/// The Freedman-Diaconis bin width; zero if there is no spread or no value.
fn advised_width(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = finite(values).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1) as f64;
    let quantile = |share: f64| sorted.get((last * share) as usize).copied().unwrap_or(0.0);
    2.0 * (quantile(0.75) - quantile(0.25)) / (sorted.len().max(1) as f64).cbrt()
}

#[cfg(test)]
mod tests {
    use super::{Sample, SharedBins};

    #[test]
    fn every_value_lies_in_a_bin() {
        let sample = |values: &[f64]| [Sample { name: String::new(), values: values.to_vec() }];
        let values = [1.0, 2.0, 2.0, 3.0, 9.0, f64::NAN];
        let bins = SharedBins::new(&sample(&values), (1.0, 9.0));
        assert!((bins.shares(&values).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(bins.count, 8);
        assert_eq!(SharedBins::new(&sample(&[4.0, 4.0]), (4.0, 4.0)).shares(&[4.0]), [1.0]);
    }
}
