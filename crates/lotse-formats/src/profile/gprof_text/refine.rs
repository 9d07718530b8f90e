//! Self times that add up to the total the file states.
//!
//! gprof prints times in hundredths of a second, and half a sample is common: 20 functions of 0.005 s are printed as 20
//! times 0.01 or 0.00 and add up to 0.20 or nothing. The share of the total, in the flat profile, has more digits.
//!
//! Two functions of 0.005 s each, printed as `50.00  0.01  0.01` and `50.00  0.01  0.01` with a total of 0.01 s, get
//! half of 0.01 s each.

/// Divides the total by weights, if what comes out is what is printed, apart from rounding.
///
/// `unit` is how much the last printed digit counts; all times are in one smaller unit.
pub(super) fn self_times(printed: &[u64], weights: &[u64], total: u64, unit: u64) -> Option<Vec<u64>> {
    let sum: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    if sum == 0 || printed.iter().sum::<u64>() == total {
        return None;
    }
    let up_to = |weight: u128| (u128::from(total) * weight / sum) as u64;
    let mut passed = 0;
    let piece = |&weight: &u64| {
        let before = up_to(passed);
        passed += u128::from(weight);
        up_to(passed) - before
    };
    let times: Vec<u64> = weights.iter().map(piece).collect();
    // Half a digit for the time, and as much for the total, of which a function has at most all.
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
        // What adds up is left as it is, and what is far apart is no rounding.
        assert_eq!(self_times(&[100, 100], &[5000, 5000], 200, 100), None);
        assert_eq!(self_times(&[900, 100], &[5000, 5000], 900, 100), None);
        assert_eq!(self_times(&[100], &[0], 300, 100), None);
    }
}
