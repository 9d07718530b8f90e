//! Sums whose rounding error does not grow with the number of terms.

/// Neumaier's compensated sum.
pub(crate) fn sum(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut total, mut lost) = (0.0_f64, 0.0_f64);
    for value in values {
        let next = total + value;
        lost += if total.abs() >= value.abs() { (total - next) + value } else { (value - next) + total };
        total = next;
    }
    // After an overflow the compensation is NaN; the infinite total is returned without it.
    if total.is_finite() { total + lost } else { total }
}

/// The sum of squared deviations from `center`, corrected for the rounding of the center.
pub(crate) fn squared_deviations(values: &[f64], center: f64) -> f64 {
    let squares = sum(values.iter().map(|x| (x - center).powi(2)));
    let drift = sum(values.iter().map(|x| x - center));
    (squares - drift * drift / values.len() as f64).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive_beside_large_ones() {
        assert_eq!(sum([1e100, 1.0, -1e100]), 1.0);
        assert_eq!(sum(std::iter::repeat_n(0.1, 1000)), 100.0);
    }

    #[test]
    fn a_large_offset_does_not_spoil_the_deviations() {
        let values = [1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0];
        assert_eq!(squared_deviations(&values, 1e9 + 10.0), 90.0);
    }
}
