//! Steps are found, noise and outliers are not, and change points keep their order and distance.

use proptest::prelude::*;
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{ChangePoint, ChangePointSearch, change_points, levels};
use crate::distribution::normal_quantile;

/// Normal numbers, each correlated with the one before.
fn noise(seed: u64, len: usize, lag: f64) -> Vec<f64> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut draw = || normal_quantile(((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64);
    let mut last = draw();
    let fresh = (1.0 - lag * lag).sqrt();
    (0..len)
        .map(|_| {
            last = lag * last + fresh * draw();
            last
        })
        .collect()
}

fn places(values: &[f64]) -> Vec<usize> {
    change_points(values, &ChangePointSearch::default()).unwrap().iter().map(|change| change.at).collect()
}

#[test]
fn steps_are_found_where_they_are() {
    let mut values = noise(7, 90, 0.0);
    values[30..].iter_mut().for_each(|x| *x += 6.0);
    values[60..].iter_mut().for_each(|x| *x -= 4.0);
    let found = change_points(&values, &ChangePointSearch::default()).unwrap();
    assert_eq!(found.iter().map(|change| change.at).collect::<Vec<_>>(), [30, 60]);
    assert!((found[0].shift - 6.0).abs() < 1.0 && (found[1].shift + 4.0).abs() < 1.0, "{found:?}");
    assert_eq!(levels(&found, 90), [0..30, 30..60, 60..90]);
}

#[test]
fn a_large_step_is_found_in_a_short_series() {
    let step = |seed: u64, before: usize, after: usize, rise: f64| {
        let mut values = noise(seed, before + after, 0.0);
        values[before..].iter_mut().for_each(|x| *x += rise);
        places(&values)
    };
    let found = |before: usize, after: usize| {
        (0..40).filter(|&seed| step(seed, before, after, 20.0) == [before]).count()
    };
    for (before, after) in [(6, 3), (6, 5), (3, 6), (4, 4)] {
        assert!(found(before, after) >= 38, "{before} {after}: {}", found(before, after));
    }
    // No more false changes in short series than the search allows for.
    let false_changes = (0..400).filter(|&seed| !step(seed, 6, 4, 0.0).is_empty()).count();
    assert!(false_changes <= 4, "{false_changes}");
}

#[test]
fn a_rise_that_goes_back_is_two_changes() {
    let found = |lengths: [usize; 3], rise: f64| {
        (0..40)
            .filter(|&seed| {
                let mut values = noise(seed, lengths.iter().sum(), 0.0);
                let middle = lengths[0]..lengths[0] + lengths[1];
                values[middle.clone()].iter_mut().for_each(|x| *x += rise);
                places(&values) == [middle.start, middle.end]
            })
            .count()
    };
    assert!(found([10, 10, 10], 17.0) >= 36, "{}", found([10, 10, 10], 17.0));
    assert!(found([20, 8, 20], 10.0) >= 34, "{}", found([20, 8, 20], 10.0));
    assert!(found([15, 15, 15], -10.0) >= 36, "{}", found([15, 15, 15], -10.0));
}

#[test]
fn stairs_are_stairs() {
    let mut values = noise(4, 30, 0.0);
    values[10..].iter_mut().for_each(|x| *x += 15.0);
    values[20..].iter_mut().for_each(|x| *x += 15.0);
    assert_eq!(places(&values), [10, 20]);
}

#[test]
fn single_outliers_are_no_change() {
    let mut values = noise(3, 60, 0.0);
    values[20] = 1e6;
    values[41] = -1e6;
    assert_eq!(places(&values), Vec::<usize>::new());
}

#[test]
fn empty_constant_and_short_series_have_no_change() {
    assert_eq!(places(&[]), Vec::<usize>::new());
    assert_eq!(places(&[1.0; 40]), Vec::<usize>::new());
    assert_eq!(places(&[1.0, 1.0, 1.0, 2.0, 2.0]), Vec::<usize>::new());
    assert!(change_points(&[1.0, f64::NAN], &ChangePointSearch::default()).is_err());
    assert!(
        change_points(&[1.0], &ChangePointSearch { alpha: 0.0, ..ChangePointSearch::default() }).is_err()
    );
}

/// A change is found in about 1 % of series without a change, and in a few per cent of correlated ones.
#[test]
fn false_alarms_are_rare() {
    let alarms = |lag: f64| (0..400).filter(|&seed| !places(&noise(seed, 50, lag)).is_empty()).count();
    let (independent, correlated) = (alarms(0.0), alarms(0.3));
    assert!(independent <= 12, "{independent} of 400");
    assert!(correlated <= 24, "{correlated} of 400");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn places_are_ordered_and_apart(values in prop::collection::vec(-1e3..1e3_f64, 0..60), shortest in 1..6_usize) {
        let search = ChangePointSearch { shortest, alpha: 0.2, ..ChangePointSearch::default() };
        let found = change_points(&values, &search).unwrap();
        let ranges = levels(&found, values.len());
        prop_assert_eq!(ranges.iter().map(ExactSizeIterator::len).sum::<usize>(), values.len());
        prop_assert!(found.is_empty() || ranges.iter().all(|range| range.len() >= shortest));
        prop_assert!(found.iter().all(|change| change.p <= search.alpha));
    }

    #[test]
    fn the_scale_does_not_matter(seed in 0..1000_u64, factor in 0.01..100.0_f64, offset in -10.0..10.0_f64) {
        let mut values = noise(seed, 40, 0.0);
        values[17..].iter_mut().for_each(|x| *x += 3.0);
        let moved: Vec<f64> = values.iter().map(|x| x * factor + offset).collect();
        prop_assert_eq!(places(&values), places(&moved));
    }

    #[test]
    fn upside_down_it_changes_at_the_same_places(seed in 0..1000_u64) {
        let mut values = noise(seed, 40, 0.0);
        values[25..].iter_mut().for_each(|x| *x += 4.0);
        let down: Vec<f64> = values.iter().map(|x| -x).collect();
        let search = ChangePointSearch::default();
        let (up, down) = (change_points(&values, &search).unwrap(), change_points(&down, &search).unwrap());
        prop_assert_eq!(up.len(), down.len());
        let opposite = |(a, b): (&ChangePoint, &ChangePoint)| a.at == b.at && (a.shift + b.shift).abs() < 1e-9;
        prop_assert!(up.iter().zip(&down).all(opposite));
    }

    #[test]
    fn a_clear_step_is_found_within_one_place(seed in 0..2000_u64, at in 10..40_usize) {
        let mut values = noise(seed, 50, 0.0);
        values[at..].iter_mut().for_each(|x| *x += 8.0);
        let found = places(&values);
        prop_assert!(found.iter().any(|&place| place.abs_diff(at) <= 1), "{:?} for {}", found, at);
    }
}
