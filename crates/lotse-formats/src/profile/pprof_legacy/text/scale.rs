//! Scales sampled values up to estimates of all, as pprof does.

/// Scales a heap sample. An allocation is sampled with probability `1 - exp(-size / rate)`, by which count and size are
/// divided.
pub(super) fn heap(count: i64, size: i64, rate: i64) -> Option<[i64; 2]> {
    if count == 0 && size != 0 {
        return None;
    }
    if count == 0 || size == 0 {
        return Some(if rate > 1 { [0, 0] } else { [count, size] });
    }
    if rate <= 1 {
        return Some([count, size]);
    }
    let mean = size as f64 / count as f64;
    let scale = 1.0 / (1.0 - (-mean / rate as f64).exp());
    Some([(count as f64 * scale) as i64, (size as f64 * scale) as i64])
}

/// The estimated delay of all contentions in nanoseconds, from the cycles of the sampled ones.
pub(super) fn delay(cycles: i64, period: i64, hertz: i64) -> Option<i64> {
    let nanos = cycles as f64 * period as f64 / (hertz as f64 / 1e9);
    (nanos.abs() < i64::MAX as f64).then_some(nanos as i64)
}

#[cfg(test)]
mod tests {
    use super::{delay, heap};

    #[test]
    fn sampled_numbers_are_scaled() {
        assert_eq!(heap(1, 2_097_152, 524_288), Some([1, 2_136_279]));
        assert_eq!(heap(47, 1_925_120, 524_288), Some([625, 25_616_628]));
        assert_eq!(heap(5, 500, 1), Some([5, 500]));
        assert_eq!(heap(0, 0, 524_288), Some([0, 0]));
        assert_eq!(heap(0, 5, 524_288), None);
        assert_eq!(delay(19_490_304, 100, 3_201_000_000), Some(608_881_724));
        assert_eq!(delay(i64::MAX, 100, 1), None);
    }
}
