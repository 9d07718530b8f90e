//! Looking for a place in a sorted table near one where the answer may be: questions about one location mostly follow each
//! other in time.

/// How many of the first `len` rows are over, those before all that are not; looked for from `near` in growing strides.
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
    fn wherever_one_begins_to_look_the_answer_is_the_same() {
        for len in 0..40 {
            for over in 0..=len {
                for near in 0..len + 3 {
                    assert_eq!(count_over(len, near, |row| row < over), over, "{over} of {len} from {near}");
                }
            }
        }
    }
}
