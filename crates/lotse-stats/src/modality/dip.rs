//! Hartigan's dip statistic.
//!
//! Follows the algorithm in section 4 of Hartigan & Hartigan, "The dip test of
//! unimodality" (1985): shrink an interval around the mode, at each step where
//! the greatest convex minorant G and the least concave majorant L of the
//! distribution function are farthest apart, until that distance is no more
//! than what already separates F from G on the left or from L on the right.
//! Heights are counted in values, so a step of F is one.

/// The dip of ascending values, most of them different.
pub(super) fn dip_of_sorted(sorted: &[f64]) -> f64 {
    let (mut low, mut high) = (0, sorted.len() - 1);
    // In half steps: a continuous function is at least half a step away from a step function somewhere.
    let mut dip = 1.0_f64;
    while low < high {
        let minorant = Hull::new(sorted, low, high, Shape::Convex);
        let majorant = Hull::new(sorted, low, high, Shape::Concave);
        let (gap, left, right) = widest(sorted, &minorant, &majorant);
        if gap <= dip {
            break;
        }
        let distance = minorant
            .greatest_distance(sorted, low, left)
            .max(majorant.greatest_distance(sorted, right, high));
        dip = dip.max(distance);
        if (left, right) == (low, high) {
            break;
        }
        (low, high) = (left, right);
    }
    dip / (2.0 * sorted.len() as f64)
}

#[derive(Clone, Copy, PartialEq)]
enum Shape {
    /// Below the left limits of F: value i has height i.
    Convex,
    /// Above F: value i has height i + 1.
    Concave,
}

/// The greatest convex minorant or the least concave majorant of F on an interval.
struct Hull {
    /// Ascending positions where the hull touches F.
    touches: Vec<usize>,
    shape: Shape,
}

impl Hull {
    /// Monotone chain: a point that does not turn in the direction of the shape is removed.
    fn new(sorted: &[f64], low: usize, high: usize, shape: Shape) -> Self {
        let mut touches: Vec<usize> = Vec::new();
        for next in low..=high {
            while let [.., before, last] = touches[..] {
                let turn = (sorted[last] - sorted[before]) * (next - before) as f64
                    - (sorted[next] - sorted[before]) * (last - before) as f64;
                let keep = if shape == Shape::Convex { turn > 0.0 } else { turn < 0.0 };
                if keep {
                    break;
                }
                touches.pop();
            }
            touches.push(next);
        }
        Self { touches, shape }
    }

    /// The hull's height at a value.
    fn at(&self, sorted: &[f64], position: usize) -> f64 {
        let lift = if self.shape == Shape::Concave { 1.0 } else { 0.0 };
        let after = self.touches.partition_point(|&touch| touch < position);
        let right = self.touches[after];
        if right == position {
            return position as f64 + lift;
        }
        let left = self.touches[after - 1];
        let share = (sorted[position] - sorted[left]) / (sorted[right] - sorted[left]);
        left as f64 + share * (right - left) as f64 + lift
    }

    /// The greatest distance from the step function between two positions.
    fn greatest_distance(&self, sorted: &[f64], from: usize, to: usize) -> f64 {
        let distance = |position: usize| match self.shape {
            Shape::Convex => position as f64 + 1.0 - self.at(sorted, position),
            Shape::Concave => self.at(sorted, position) - position as f64,
        };
        (from..=to).map(distance).fold(0.0, f64::max)
    }
}

/// The greatest distance of the hulls at a touching point, and the new interval around it: from a
/// touch of the minorant to the next touch of the majorant.
fn widest(sorted: &[f64], minorant: &Hull, majorant: &Hull) -> (f64, usize, usize) {
    let gap = |position: usize| majorant.at(sorted, position) - minorant.at(sorted, position);
    let mut best = (0.0, minorant.touches[0], majorant.touches[majorant.touches.len() - 1]);
    for &left in &minorant.touches {
        let right = majorant.touches[majorant.touches.partition_point(|&touch| touch < left)];
        if gap(left) > best.0 {
            best = (gap(left), left, right);
        }
    }
    for &right in &majorant.touches {
        let left = minorant.touches[minorant.touches.partition_point(|&touch| touch <= right) - 1];
        if gap(right) > best.0 {
            best = (gap(right), left, right);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evenly_spaced_values_have_the_least_dip() {
        let even: Vec<f64> = (0..25).map(f64::from).collect();
        assert!((dip_of_sorted(&even) - 1.0 / 50.0).abs() < 1e-12);
    }

    #[test]
    fn two_equal_far_heaps_have_a_dip_of_almost_a_quarter() {
        let mut values: Vec<f64> = (0..50).map(|i| f64::from(i) * 1e-6).collect();
        values.extend((0..50).map(|i| 1.0 + f64::from(i) * 1e-6));
        let dip = dip_of_sorted(&values);
        assert!((dip - 0.25).abs() < 0.006, "{dip}");
    }
}
