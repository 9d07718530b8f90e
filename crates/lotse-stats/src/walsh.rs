//! Order statistics of pairwise averages and differences, without computing all of them.
//!
//! A sample of n values has n (n + 1) / 2 Walsh averages (x_i + x_j) / 2 with
//! i <= j. The k-th smallest is found by bisection over the bit patterns of the
//! doubles between the extremes: at most 64 counting passes of O(n) each. The
//! result is exactly one of the averages, as rounded by [`f64::midpoint`]. The
//! differences x_i - y_j of two samples are searched in the same way.
//!
//! Counting the averages up to a limit takes one pass, since the averages of
//! sorted values ascend along rows and columns (here for 1, 3, 6 and limit 3):
//!
//! ```text
//!         1     3     6
//!   1     1     2    3.5      2 up to 3
//!   3           3    4.5      1
//!   6                 6       0
//! ```

/// The number of Walsh averages of `n` values.
pub fn walsh_total(n: usize) -> u64 {
    let n = n as u64;
    n * (n + 1) / 2
}

/// The number of Walsh averages of ascending values that are at most `limit`.
pub fn walsh_count(sorted: &[f64], limit: f64) -> u64 {
    let mut end = sorted.len();
    let mut count = 0;
    for (start, &low) in sorted.iter().enumerate() {
        while end > start && low.midpoint(sorted[end - 1]) > limit {
            end -= 1;
        }
        if end <= start {
            break;
        }
        count += (end - start) as u64;
    }
    count
}

/// The `k`-th smallest Walsh average, counted from one, of ascending finite values.
///
/// # Panics
/// When `k` is not in `1..=walsh_total(sorted.len())`.
pub fn kth_walsh_average(sorted: &[f64], k: u64) -> f64 {
    assert!(k >= 1 && k <= walsh_total(sorted.len()), "no {k}-th Walsh average of {} values", sorted.len());
    debug_assert!(sorted.is_sorted(), "the values must ascend");
    smallest_reaching(k, sorted[0], sorted[sorted.len() - 1], |limit| walsh_count(sorted, limit))
}

/// The median of the Walsh averages of ascending finite values.
///
/// # Panics
/// On an empty slice.
pub fn median_walsh_average(sorted: &[f64]) -> f64 {
    let total = walsh_total(sorted.len());
    let low = kth_walsh_average(sorted, total.div_ceil(2));
    if total % 2 == 1 { low } else { low.midpoint(kth_walsh_average(sorted, total / 2 + 1)) }
}

/// The number of differences x - y of two ascending samples that are at most `limit`.
pub fn difference_count(xs: &[f64], ys: &[f64], limit: f64) -> u64 {
    let mut start = 0;
    let mut count = 0;
    for &x in xs {
        while start < ys.len() && x - ys[start] > limit {
            start += 1;
        }
        count += (ys.len() - start) as u64;
    }
    count
}

/// The `k`-th smallest difference x - y, counted from one, of ascending finite samples.
///
/// # Panics
/// When `k` is not in `1..=xs.len() * ys.len()`.
pub fn kth_difference(xs: &[f64], ys: &[f64], k: u64) -> f64 {
    let total = xs.len() as u64 * ys.len() as u64;
    assert!(k >= 1 && k <= total, "no {k}-th difference of {total}");
    debug_assert!(xs.is_sorted() && ys.is_sorted(), "the values must ascend");
    let (low, high) = (xs[0] - ys[ys.len() - 1], xs[xs.len() - 1] - ys[0]);
    smallest_reaching(k, low, high, |limit| difference_count(xs, ys, limit))
}

/// The median of all differences x - y of ascending finite samples.
///
/// # Panics
/// When a sample is empty.
pub fn median_difference(xs: &[f64], ys: &[f64]) -> f64 {
    let total = xs.len() as u64 * ys.len() as u64;
    let low = kth_difference(xs, ys, total.div_ceil(2));
    if total % 2 == 1 { low } else { low.midpoint(kth_difference(xs, ys, total / 2 + 1)) }
}

/// The smallest double in `low..=high` whose count reaches `k`.
fn smallest_reaching(k: u64, low: f64, high: f64, count: impl Fn(f64) -> u64) -> f64 {
    let (mut low, mut high) = (to_key(low), to_key(high));
    while low < high {
        let middle = low + (high - low) / 2;
        if count(from_key(middle)) >= k {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    // Adding zero turns a negative zero into the positive one.
    from_key(high) + 0.0
}

const SIGN: u64 = 1 << 63;

/// Maps doubles to integers in the same order.
fn to_key(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

fn from_key(key: u64) -> f64 {
    f64::from_bits(if key & SIGN == 0 { !key } else { key & !SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive_averages(values: &[f64]) -> Vec<f64> {
        let mut all = Vec::new();
        for (i, x) in values.iter().enumerate() {
            all.extend(values[i..].iter().map(|&y| x.midpoint(y)));
        }
        all.sort_by(f64::total_cmp);
        all
    }

    #[test]
    fn every_order_statistic_matches_the_full_list() {
        for values in
            [vec![3.0], vec![-2.5, -1.0, 0.0, 0.0, 0.1, 7.0], vec![1.0; 5], vec![-1e300, 1e-300, 1e300]]
        {
            for (i, expected) in naive_averages(&values).iter().enumerate() {
                assert_eq!(
                    kth_walsh_average(&values, i as u64 + 1),
                    *expected,
                    "k = {} of {values:?}",
                    i + 1
                );
            }
        }
    }

    #[test]
    fn median_of_an_even_number_of_averages_is_the_middle_of_two() {
        assert_eq!(median_walsh_average(&[1.0, 2.0, 10.0]), 3.75);
    }

    #[test]
    fn differences_match_the_full_list() {
        let (xs, ys) = ([-3.0, 0.5, 0.5, 9.0], [-1.0, 0.5, 2.25]);
        let mut all: Vec<f64> = xs.iter().flat_map(|x| ys.iter().map(move |y| x - y)).collect();
        all.sort_by(f64::total_cmp);
        for (i, expected) in all.iter().enumerate() {
            assert_eq!(kth_difference(&xs, &ys, i as u64 + 1), *expected);
        }
        assert_eq!(median_difference(&xs, &ys), all[5].midpoint(all[6]));
    }
}
