//! Optimal partitioning: the piecewise constant levels that fit a series best.
//!
//! The cost of a partition is the sum of squared deviations from the mean of each segment, plus a penalty per change.
//! Dynamic programming over prefixes finds the cheapest partition:
//!
//! ```text
//! best[end] = min over start of  best[start] + squares(start..end) + penalty
//! ```

use crate::descriptive::median;

/// The median of absolute values times this is the standard deviation of normal values.
const NORMAL: f64 = 1.4826;
/// The penalty of a change is this times the variance times the logarithm of the length. It is larger than in Schwarz's
/// criterion, because correlated noise makes the partition propose too many changes.
const PENALTY: f64 = 3.0;
/// Longer series are partitioned in chunks of this length, since the time is quadratic in it.
const LONGEST: usize = 2000;

/// The indices at which the levels of the best partition begin, without the first.
pub(super) fn proposed_changes(values: &[f64], shortest: usize) -> Vec<usize> {
    let mut found = Vec::new();
    for (index, chunk) in values.chunks(LONGEST).enumerate() {
        let offset = index * LONGEST;
        if offset > 0 && values.len() - offset >= shortest {
            found.push(offset);
        }
        found.extend(changes_in_chunk(chunk, shortest.max(1)).into_iter().map(|change| offset + change));
    }
    found
}

/// The changes of the cheapest partition into segments of at least `shortest` values: the cheapest partition of the
/// first n values for every n, then the segment starts from the end backwards.
fn changes_in_chunk(values: &[f64], shortest: usize) -> Vec<usize> {
    let deviation = noise(values);
    if values.len() < 2 * shortest || deviation <= 0.0 {
        return steps_without_noise(values, shortest);
    }
    let clipped = without_outliers(values, deviation);
    let sums = PrefixSums::new(&clipped);
    let penalty = PENALTY * deviation * deviation * (values.len() as f64).ln();
    let mut best = vec![f64::INFINITY; values.len() + 1];
    let mut last = vec![0; values.len() + 1];
    best[0] = -penalty;
    for end in shortest..=values.len() {
        for start in std::iter::once(0).chain(shortest..=end - shortest) {
            let cost = best[start] + sums.squares(start, end) + penalty;
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

/// The changes of a series without noise: each index at which another value begins and then lasts for `shortest` values.
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

/// The standard deviation of the noise, estimated from differences of neighbours, which changes of level hardly affect.
fn noise(values: &[f64]) -> f64 {
    let steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    median(&steps).map_or(0.0, |step| NORMAL * step / std::f64::consts::SQRT_2)
}

/// Replaces each value that is far from all of its neighbours by the median around it.
fn without_outliers(values: &[f64], deviation: f64) -> Vec<f64> {
    const FAR: f64 = 4.0;
    const BESIDE: usize = 3;
    let one = |(at, &value): (usize, &f64)| {
        let around = &values[at.saturating_sub(BESIDE)..values.len().min(at + BESIDE + 1)];
        let near = around.iter().filter(|other| (*other - value).abs() <= FAR * deviation).count();
        // The value itself counts as near.
        if near > 1 { value } else { median(around).unwrap_or(value) }
    };
    values.iter().enumerate().map(one).collect()
}

/// Prefix sums of the values and of their squares.
struct PrefixSums {
    values: Vec<f64>,
    squares: Vec<f64>,
}

impl PrefixSums {
    fn new(values: &[f64]) -> Self {
        // Relative to the median, so that differences of squares do not cancel.
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

    /// The sum of squared deviations from the mean of a segment.
    fn squares(&self, start: usize, end: usize) -> f64 {
        let sum = self.values[end] - self.values[start];
        (self.squares[end] - self.squares[start] - sum * sum / (end - start) as f64).max(0.0)
    }
}
