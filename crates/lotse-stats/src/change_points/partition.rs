//! The levels that fit a whole series best.

use crate::descriptive::median;

/// A median of absolute values as a standard deviation, for normal ones.
const NORMAL: f64 = 1.4826;
/// The price of a change, in variances and logarithms of the length. More than Schwarz's criterion asks for: the ranks
/// judge what is proposed here, and slow noise proposes too much.
const PRICE: f64 = 3.0;
/// Longer series are divided in stretches of this length, for the time grows with the square.
const LONGEST: usize = 2000;

/// Where levels begin, but for the first.
pub(super) fn places(values: &[f64], shortest: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for (index, stretch) in values.chunks(LONGEST).enumerate() {
        let offset = index * LONGEST;
        if offset > 0 && values.len() - offset >= shortest {
            found.push(offset);
        }
        found.extend(of_stretch(stretch, shortest.max(1)).into_iter().map(|place| offset + place));
    }
    found
}

/// Optimal partitioning: the cheapest way to divide the first n values, for every n.
fn of_stretch(values: &[f64], shortest: usize) -> Vec<usize> {
    let deviation = noise(values);
    if values.len() < 2 * shortest || deviation <= 0.0 {
        return steps_without_noise(values, shortest);
    }
    let clipped = without_outliers(values, deviation);
    let sums = Sums::of(&clipped);
    let price = PRICE * deviation * deviation * (values.len() as f64).ln();
    let mut best = vec![f64::INFINITY; values.len() + 1];
    let mut last = vec![0; values.len() + 1];
    best[0] = -price;
    for end in shortest..=values.len() {
        for start in std::iter::once(0).chain(shortest..=end - shortest) {
            let cost = best[start] + sums.squares(start, end) + price;
            if cost < best[end] {
                (best[end], last[end]) = (cost, start);
            }
        }
    }
    let mut found = Vec::new();
    let mut at = last[values.len()];
    while at > 0 {
        found.push(at);
        at = last[at];
    }
    found.reverse();
    found
}

/// Most neighbours are equal: every place where a value lasts is a candidate.
fn steps_without_noise(values: &[f64], shortest: usize) -> Vec<usize> {
    let lasts = |at: usize| {
        let after = &values[at..values.len().min(at + shortest)];
        values[at] != values[at - 1]
            && after.len() == shortest
            && after.iter().all(|value| *value == values[at])
    };
    let mut found: Vec<usize> = Vec::new();
    for at in (shortest..values.len()).filter(|at| lasts(*at)) {
        if found.last().is_none_or(|last| at - last >= shortest) {
            found.push(at);
        }
    }
    found
}

/// The noise, from neighbours: levels do not matter to it.
fn noise(values: &[f64]) -> f64 {
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    median(&steps).map_or(0.0, |step| NORMAL * step / std::f64::consts::SQRT_2)
}

/// A value far from all of its neighbours is cut off at the nearest of them that is not.
fn without_outliers(values: &[f64], deviation: f64) -> Vec<f64> {
    const FAR: f64 = 4.0;
    const BESIDE: usize = 3;
    let one = |(at, &value): (usize, &f64)| {
        let around = &values[at.saturating_sub(BESIDE)..values.len().min(at + BESIDE + 1)];
        let near = around.iter().filter(|other| (*other - value).abs() <= FAR * deviation).count();
        // Itself, and at least one more.
        if near > 1 { value } else { median(around).unwrap_or(value) }
    };
    values.iter().enumerate().map(one).collect()
}

/// Sums from the beginning, of values and of their squares.
struct Sums {
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl Sums {
    fn of(values: &[f64]) -> Self {
        // Around the middle, so that squares do not cancel.
        let middle = median(values).unwrap_or(0.0);
        let mut sums = Self { values: vec![0.0], squares: vec![0.0] };
        let (mut sum, mut squares) = (0.0, 0.0);
        for value in values {
            sum += value - middle;
            squares += (value - middle).powi(2);
            sums.values.push(sum);
            sums.squares.push(squares);
        }
        sums
    }

    /// Squared deviations from the mean of a stretch.
    fn squares(&self, start: usize, end: usize) -> f64 {
        let sum = self.values[end] - self.values[start];
        (self.squares[end] - self.squares[start] - sum * sum / (end - start) as f64).max(0.0)
    }
}
