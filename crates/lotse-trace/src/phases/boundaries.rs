//! The boundary curve and its peaks.

use super::Threshold;
use super::curves::Curve;

/// Lower peaks are noise: at this height the use of about a tenth of the locations' time changes within a window.
pub const LEAST_CHANGE: f64 = 0.01;

/// A border between two phases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Border {
    /// The first step of the new phase.
    pub(super) step: usize,
    /// The height of the boundary curve.
    pub(super) height: f64,
    /// The curve that contributes most to it.
    pub(super) metric: usize,
}

/// All borders, in the order of time.
pub(super) fn find(curves: &[Curve], window: usize, threshold: Threshold) -> Vec<Border> {
    let window = window.max(1);
    let parts: Vec<Vec<f64>> = curves.iter().map(|curve| boundary(&smooth(curve, window), window)).collect();
    let steps = parts.first().map_or(0, Vec::len);
    let heights: Vec<f64> = (0..steps).map(|step| parts.iter().map(|part| part[step]).sum()).collect();
    let highest = heights.iter().copied().fold(0.0, f64::max);
    let limit = match threshold {
        Threshold::Relative(share) => share * highest,
        Threshold::Absolute(limit) => limit,
    };
    let most = |step: usize| {
        let add = |best: usize, next: usize| if parts[next][step] > parts[best][step] { next } else { best };
        (0..parts.len()).fold(0, add)
    };
    peaks(&heights, limit.max(LEAST_CHANGE), window)
        .into_iter()
        .map(|step| Border { step, height: heights[step], metric: most(step) })
        .collect()
}

/// Smooths by two passes of the window, in integers; beyond its ends the curve continues with its first or last value.
fn smooth(curve: &Curve, window: usize) -> Vec<f64> {
    let wide: Vec<u128> = curve.sums.iter().map(|&sum| u128::from(sum)).collect();
    // An even window is not centred: the second pass leans to the other side, so that the two together do not shift.
    let twice = slide(&slide(&wide, window / 2, window), (window - 1) / 2, window);
    let full = curve.full as f64 * (window as f64).powi(2);
    twice.into_iter().map(|sum| sum as f64 / full).collect()
}

/// Sums over windows that begin `before` steps before each step.
fn slide(values: &[u128], before: usize, window: usize) -> Vec<u128> {
    let Some(last) = values.len().checked_sub(1) else { return Vec::new() };
    let at = |index: isize| values[index.clamp(0, last as isize) as usize];
    let (before, after) = (before as isize, (window - before) as isize);
    let mut sum: u128 = (-before..after).map(at).sum();
    let mut sums = Vec::with_capacity(values.len());
    for step in 0..values.len() as isize {
        sums.push(sum);
        sum = sum + at(step + after) - at(step - before);
    }
    sums
}

/// B of one metric: for each step the slope from the previous step, times the height of the rise or fall it belongs to.
fn boundary(values: &[f64], window: usize) -> Vec<f64> {
    let mut heights = vec![0.0; values.len()];
    let mut begin = 0;
    while begin + 1 < values.len() {
        let end = next_extremum(values, begin);
        let difference = (values[end] - values[begin]).abs();
        for step in begin + 1..=end {
            heights[step] = (values[step] - values[step - 1]).abs() * window as f64 * difference;
        }
        begin = end;
    }
    heights
}

/// Where the curve stops rising, or falling. A level part belongs to the rise or fall before it.
fn next_extremum(values: &[f64], begin: usize) -> usize {
    let mut end = begin + 1;
    let mut direction = values[end] - values[begin];
    while end + 1 < values.len() {
        let next = values[end + 1] - values[end];
        if direction != 0.0 && next != 0.0 && (next > 0.0) != (direction > 0.0) {
            break;
        }
        if direction == 0.0 {
            direction = next;
        }
        end += 1;
    }
    end
}

/// Steps that are the highest within a window to both sides; the middle of a level top.
fn peaks(heights: &[f64], limit: f64, window: usize) -> Vec<usize> {
    let mut peaks = Vec::new();
    let mut step = 0;
    while step < heights.len() {
        let height = heights[step];
        let end = step + heights[step..].iter().take_while(|&&it| it == height).count();
        let around = &heights[step.saturating_sub(window)..(end + window).min(heights.len())];
        // The first of equal peaks within a window is taken.
        let taken = peaks.last().is_some_and(|&last: &usize| last + window > step && heights[last] >= height);
        if height >= limit && !taken && around.iter().all(|&it| it <= height) {
            peaks.push((step + end - 1) / 2);
        }
        step = end;
    }
    peaks.retain(|&step| step > 0);
    peaks
}

#[cfg(test)]
mod tests {
    use super::{boundary, find, next_extremum, peaks, slide, smooth};
    use crate::phases::Threshold;
    use crate::phases::curves::Curve;

    fn curve(sums: Vec<u64>, full: u64) -> Curve {
        Curve { name: "test".to_owned(), sums, full }
    }

    #[test]
    fn two_passes_shift_nothing_for_even_and_odd_windows() {
        for window in [1, 2, 3, 4, 5, 20] {
            let sums: Vec<u64> = (0..200).map(|step| if step < 100 { 0 } else { 10 }).collect();
            let borders = find(&[curve(sums, 10)], window, Threshold::Relative(0.5));
            let steps: Vec<usize> = borders.iter().map(|border| border.step).collect();
            assert_eq!(steps, [100], "window {window}");
        }
    }

    #[test]
    fn a_window_sums_and_goes_on_at_the_ends() {
        assert_eq!(slide(&[1, 2, 3, 4], 1, 2), [2, 3, 5, 7]);
        assert_eq!(slide(&[], 1, 3), []);
        assert_eq!(smooth(&curve(vec![5, 5, 5], 5), 2), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn slope_times_rise() {
        // Rises by 0.5 in two steps, stays, falls by 0.2 in one.
        let heights = boundary(&[0.0, 0.25, 0.5, 0.5, 0.25], 1);
        assert_eq!(heights, [0.0, 0.125, 0.125, 0.0, 0.0625]);
        assert_eq!(next_extremum(&[1.0, 1.0, 1.0], 0), 2);
    }

    #[test]
    fn a_level_top_has_its_peak_in_the_middle_and_small_ones_are_left_out() {
        let heights = [0.0, 0.1, 0.5, 0.5, 0.5, 0.1, 0.0, 0.0, 0.3, 0.0];
        assert_eq!(peaks(&heights, 0.2, 2), [3, 8]);
        assert_eq!(peaks(&heights, 0.4, 2), [3]);
        assert_eq!(peaks(&heights, 0.2, 5), [3]);
    }
}
