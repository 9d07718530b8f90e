//! Galloping search in a sorted table, from a position near the expected result: successive queries for one location are
//! mostly close in time.

/// The number of rows for which `is_over` holds; these come before all others. The search starts at `near`, doubles its
/// stride until it has passed the border, and then bisects.
pub(crate) fn count_over(len: usize, near: usize, is_over: impl Fn(usize) -> bool) -> usize {
    let near = near.min(len);
    let (mut from, mut to, mut stride) = (near, near, 1);
    while from > 0 && !is_over(from - 1) {
        (to, from) = (from - 1, from.saturating_sub(stride));
        stride *= 2;
    }
    while to < len && is_over(to) {
        (from, to) = (to + 1, (to + stride).min(len));
        stride *= 2;
    }
    while from < to {
        let middle = from.midpoint(to);
        match is_over(middle) {
            true => from = middle + 1,
            false => to = middle,
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::count_over;

    #[test]
    fn the_result_does_not_depend_on_the_start() {
        for len in 0..40 {
            for over in 0..=len {
                for near in 0..len + 3 {
                    assert_eq!(count_over(len, near, |row| row < over), over, "{over} of {len} from {near}");
                }
            }
        }
    }
}
