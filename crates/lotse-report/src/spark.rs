//! Sparklines: plots of one line, from block characters, for summaries on a terminal.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// An empty Braille cell: it looks blank, but is no white space at which a line could be broken.
const BLANK: char = '\u{2800}';

/// The values in their order; the smallest has the lowest bar. More values than columns are averaged in groups; values
/// that are not finite are left blank. Constant values are drawn at half height.
pub fn spark(values: &[f64], width: usize) -> String {
    let means = grouped(values, width);
    let (low, high) = range(&means);
    let bar = |mean: &f64| match mean {
        mean if !mean.is_finite() => BLANK,
        _ if high <= low => BARS[3],
        // Halved first, since the difference of two huge numbers would overflow.
        mean => level((mean / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)),
    };
    means.iter().map(bar).collect()
}

/// A histogram of the values from the smallest to the largest; empty bins are blank.
pub fn spark_histogram(values: &[f64], width: usize) -> String {
    let (low, high) = range(values);
    let mut counts = vec![0usize; width];
    for value in values.iter().filter(|value| value.is_finite()) {
        let share = if high > low { (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0) } else { 0.5 };
        let bin = (share * width as f64) as usize;
        if let Some(count) = counts.get_mut(bin.min(width.saturating_sub(1))) {
            *count += 1;
        }
    }
    let most = counts.iter().copied().max().unwrap_or(0).max(1);
    let bar = |&count: &usize| if count == 0 { BLANK } else { level(count as f64 / most as f64) };
    counts.iter().map(bar).collect()
}

fn level(share: f64) -> char {
    BARS[((share * BARS.len() as f64) as usize).min(BARS.len() - 1)]
}

fn grouped(values: &[f64], width: usize) -> Vec<f64> {
    if values.len() <= width {
        return values.to_vec();
    }
    let start = |column: usize| column * values.len() / width;
    let mean = |group: &[f64]| {
        let finite = group.iter().filter(|value| value.is_finite());
        let count = finite.clone().count() as f64;
        finite.map(|value| value / count).sum::<f64>() / f64::from(u8::from(count > 0.0))
    };
    (0..width).map(|column| mean(&values[start(column)..start(column + 1)])).collect()
}

fn range(values: &[f64]) -> (f64, f64) {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

#[cfg(test)]
mod tests {
    use super::{spark, spark_histogram};

    #[test]
    fn values_become_bars() {
        assert_eq!(spark(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 8), "▁▂▃▄▅▆▇█");
        assert_eq!(spark(&[1.0, 1.0, 9.0, 9.0], 2), "▁█");
        assert_eq!(spark(&[5.0, 5.0], 9), "▄▄");
        assert_eq!(spark(&[1.0, f64::NAN, 2.0], 9), "▁\u{2800}█");
        assert_eq!(spark(&[f64::NAN, f64::NAN, 1.0, 2.0], 2), "\u{2800}▄");
        assert_eq!(spark(&[-f64::MAX, f64::MAX], 2), "▁█");
        assert_eq!(spark(&[], 5), "");
        assert_eq!(spark(&[1.0, 2.0], 0), "");
    }

    #[test]
    fn values_become_a_distribution() {
        assert_eq!(spark_histogram(&[1.0, 1.0, 1.0, 1.0, 2.0, 5.0], 4), "█▃\u{2800}▃");
        assert_eq!(spark_histogram(&[3.0], 3), "\u{2800}█\u{2800}");
        assert_eq!(spark_histogram(&[], 3), "\u{2800}\u{2800}\u{2800}");
        assert_eq!(spark_histogram(&[1.0], 0), "");
    }
}
