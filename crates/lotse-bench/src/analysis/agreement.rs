//! For any data: the verdict is the one that the interval shown allows.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::answer::{Comparison, Verdict};
use crate::rules::fixture::Fixture;

/// Values of up to six programs over the same blocks: on a few grids, so that ties, zeros and constants come up.
fn measured() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1..=6_usize, 1..40_usize).prop_flat_map(|(programs, blocks)| {
        let scale = prop_oneof![Just(1e-3), Just(0.05), Just(1.0)];
        let centre = prop_oneof![Just(1.0), Just(1.004), Just(1.5)];
        let noisy = (centre, scale).prop_flat_map(move |(centre, scale)| {
            vec((-1.0..1.0_f64).prop_map(move |x| centre * (scale * x).exp()), blocks)
        });
        let coarse = vec((0..4_u8).prop_map(f64::from), blocks);
        let mostly_zero = vec(prop_oneof![4 => Just(0.0), 1 => Just(2.5)], blocks);
        let constant = prop_oneof![Just(1.0), Just(1.005), Just(0.0)].prop_map(move |x| vec![x; blocks]);
        vec(prop_oneof![5 => noisy, 1 => coarse, 1 => mostly_zero, 1 => constant], programs)
    })
}

/// The verdict that the interval shown allows: that of the ratio, or of the difference if there is no ratio.
fn allowed(row: &Comparison) -> Verdict {
    let (interval, none, equal) = match row.difference {
        Some(difference) => (difference.interval, 0.0, 0.0..=0.0),
        None => (row.interval, 1.0, 1.0 / (1.0 + row.delta)..=1.0 + row.delta),
    };
    let within = |end: Option<f64>| end.is_some_and(|end| equal.contains(&end));
    match interval {
        [_, Some(high)] if high < none => Verdict::Faster,
        [Some(low), _] if low > none => Verdict::Slower,
        // Every program takes some time, so nothing is claimed about times that are 0.
        [low, high] if within(low) && within(high) && row.difference.is_none() => Verdict::Equivalent,
        _ => Verdict::Undecided,
    }
}

proptest! {
    #[test]
    fn verdicts_and_intervals_agree(values in measured()) {
        let names = ["a", "b", "c", "d", "e", "f"];
        let programs: Vec<(&str, &[f64])> =
            names.iter().zip(&values).map(|(name, values)| (*name, values.as_slice())).collect();
        for fixture in [Fixture::paired(&programs), Fixture::sequential(&programs)] {
            let answer = fixture.answer();
            prop_assert_eq!(answer.comparisons.len(), values.len() - 1);
            for row in &answer.comparisons {
                prop_assert_eq!(row.verdict, allowed(row), "{:?}: {:?}", fixture.set.design, row);
                let numbers = row.ratio.into_iter().chain(row.interval.into_iter().flatten());
                prop_assert!(numbers.into_iter().all(|number| number > 0.0 && number.is_finite()), "{:?}", row);
                if let ([Some(low), Some(high)], Some(ratio)) = (row.interval, row.ratio) {
                    prop_assert!(low <= ratio && ratio <= high, "{:?}", row);
                }
            }
        }
    }
}
