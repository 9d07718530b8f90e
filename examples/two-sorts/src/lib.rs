//! A small sorting program to try Lotse on: quicksort that hands short pieces to insertion sort.
//!
//! The two programs differ in one number only, the length below which a piece counts as short.

#![expect(clippy::print_stdout, reason = "a program that prints its result")]

/// Sorts by quicksort; pieces of at most `cutoff` values are sorted by insertion.
pub fn sort(values: &mut [u32], cutoff: usize) {
    if values.len() <= cutoff.max(2) {
        return insertion_sort(values);
    }
    let middle = partition(values);
    let (left, right) = values.split_at_mut(middle);
    sort(left, cutoff);
    sort(&mut right[1..], cutoff);
}

fn insertion_sort(values: &mut [u32]) {
    for end in 1..values.len() {
        let value = values[end];
        let mut hole = end;
        while hole > 0 && values[hole - 1] > value {
            values[hole] = values[hole - 1];
            hole -= 1;
        }
        values[hole] = value;
    }
}

/// Splits around the median of three and returns where that value came to lie.
fn partition(values: &mut [u32]) -> usize {
    let last = values.len() - 1;
    let mut three = [0, last / 2, last];
    three.sort_unstable_by_key(|&i| values[i]);
    values.swap(three[1], last);
    let pivot = values[last];
    let mut store = 0;
    for i in 0..last {
        if values[i] < pivot {
            values.swap(i, store);
            store += 1;
        }
    }
    values.swap(store, last);
    store
}

/// The same pseudo-random values for every program (a linear congruential generator).
pub fn values(count: usize) -> Vec<u32> {
    let mut state = 12_345u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    (0..count).map(|_| next()).collect()
}

/// Fills, sorts and checks; the sum keeps the work from being optimised away.
pub fn run(cutoff: usize) {
    let mut values = values(220_000);
    sort(&mut values, cutoff);
    assert!(values.is_sorted(), "the values are not in order");
    let sum: u64 = values.iter().map(|&value| u64::from(value)).sum();
    println!("{sum}");
}

#[cfg(test)]
mod tests {
    use super::{sort, values};

    #[test]
    fn both_cutoffs_sort() {
        let mut expected = values(5000);
        expected.sort_unstable();
        for cutoff in [1, 8, 64, 10_000] {
            let mut sorted = values(5000);
            sort(&mut sorted, cutoff);
            assert_eq!(sorted, expected, "cutoff {cutoff}");
        }
    }
}
