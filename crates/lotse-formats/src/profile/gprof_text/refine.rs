//! Adjusts self times so that they add up to the total that the file states.
//!
//! gprof prints times in hundredths of a second, and half a sample per function is common: 20 functions of 0.005 s are
//! each printed as 0.01 or 0.00 and add up to 0.20 or nothing. The percentages of the flat profile have more digits.
//!
//! Two functions of 0.005 s each, printed as `50.00  0.01  0.01` and `50.00  0.01  0.01` with a total of 0.01 s, get
//! half of 0.01 s each.

/// Divides the total in proportion to the weights, if the result agrees with the printed times up to rounding.
///
/// All times are in the same unit, of which the last printed digit counts `unit`. The shares are differences of rounded
/// prefix sums, so that they add up exactly.
pub(super) fn self_times(printed: &[u64], weights: &[u64], total: u64, unit: u64) -> Option<Vec<u64>> {
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == 0 || printed.iter().sum::<u64>() == total {
        return None;
    }
    let share_up_to = |weight: u128| (u128::from(total) * weight / sum) as u64;
    let mut passed = 0;
    let share = |&weight: &u64| {
        let before = share_up_to(passed);
        passed += u128::from(weight);
        share_up_to(passed) - before
    };
    let times: Vec<u64> = weights.iter().map(share).collect();
    // The time and the total are each rounded by up to half a digit.
    let fits = |(&time, &printed): (&u64, &u64)| time.abs_diff(printed) <= unit;
    times.iter().zip(printed).all(fits).then_some(times)
}

#[cfg(test)]
mod tests {
    use super::self_times;

    #[test]
    fn times_add_up_to_the_total_and_stay_what_is_printed() {
        assert_eq!(self_times(&[100, 100], &[5000, 5000], 100, 100), Some(vec![50, 50]));
        assert_eq!(self_times(&[900, 500, 0], &[1801, 900, 1], 1350, 100), Some(vec![899, 450, 1]));
        // Times that add up stay as they are; a large difference is not due to rounding.
        assert_eq!(self_times(&[100, 100], &[5000, 5000], 200, 100), None);
        assert_eq!(self_times(&[900, 100], &[5000, 5000], 900, 100), None);
        assert_eq!(self_times(&[100], &[0], 300, 100), None);
    }
}
