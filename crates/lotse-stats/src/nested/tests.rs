//! The division of a budget over levels, against results computed by hand and by exhaustive search.

use super::{best_repetitions, group_cost, group_variance};
use crate::error::StatsError;

/// n_i = ⌈√(c_{i+1} / c_i · T_i² / T_{i+1}²)⌉, each computed by hand from the formula of Kalibera and Jones.
#[test]
fn repetitions_are_those_of_the_formula() {
    // √(100 / 1 · 4 / 1) = 20.
    assert_eq!(best_repetitions(&[1.0, 4.0], &[100.0, 1.0]), Ok(vec![20]));
    // Builds of 60 s, processes of 2 s, iterations of 0.1 s, deviations of 3, 2 and 5 %:
    // √(60 / 2 · 4 / 9) = 3.65 and √(2 / 0.1 · 25 / 4) = 11.18.
    assert_eq!(best_repetitions(&[9e-4, 4e-4, 25e-4], &[60.0, 2.0, 0.1]), Ok(vec![4, 12]));
    // √(0.4 / 0.2 · 0.0001 / 0.0025) = 0.28: once.
    assert_eq!(best_repetitions(&[25e-4, 1e-4], &[0.4, 0.2]), Ok(vec![1]));
    assert_eq!(best_repetitions(&[1.0, 0.0, 1.0], &[9.0, 1.0, 1.0]), Ok(vec![1, 1]));
    assert_eq!(best_repetitions(&[-1e-6, 4.0], &[9.0, 1.0]), Ok(vec![3]));
}

/// A layout costs nothing: one run in each, and runs and layouts vary together within a build.
#[test]
fn a_free_level_is_drawn_anew_every_time() {
    assert_eq!(best_repetitions(&[1.0, 4.0], &[0.0, 1.0]), Ok(vec![1]));
    // √(40 / 0.2 · (1e-4 + 9e-4) / 4e-4) = √500 = 22.4.
    assert_eq!(best_repetitions(&[4e-4, 1e-4, 9e-4], &[40.0, 0.0, 0.2]), Ok(vec![23, 1]));
}

#[test]
fn costs_that_make_no_sense_are_refused() {
    assert_eq!(best_repetitions(&[1.0], &[1.0, 2.0]), Err(StatsError::Unpaired { left: 1, right: 2 }));
    assert!(best_repetitions(&[1.0, 1.0], &[1.0, 0.0]).is_err());
    assert!(best_repetitions(&[1.0, 1.0], &[-1.0, 1.0]).is_err());
    assert!(best_repetitions(&[1.0, 1.0], &[f64::NAN, 1.0]).is_err());
    assert!(best_repetitions(&[], &[]).is_err());
}

/// In given time T there are T / cost groups, so the variance of the mean is that of a group times its cost, by T.
#[test]
fn no_other_division_is_much_better() {
    let cases: [([f64; 3], [f64; 3]); 4] = [
        ([9e-4, 4e-4, 25e-4], [60.0, 2.0, 0.1]),
        ([1e-4, 9e-4, 4e-4], [5.0, 0.5, 0.2]),
        ([4e-4, 1e-4, 9e-4], [40.0, 0.0, 0.2]),
        ([1.0, 1.0, 1.0], [1.0, 1.0, 1.0]),
    ];
    for (variances, costs) in cases {
        let waste =
            |repetitions: &[u64]| group_variance(&variances, repetitions) * group_cost(&costs, repetitions);
        let chosen = waste(&best_repetitions(&variances, &costs).unwrap());
        let all = (1..=40).flat_map(|upper| (1..=40).map(move |lower| [upper, lower]));
        let least = all.map(|repetitions| waste(&repetitions)).fold(f64::INFINITY, f64::min);
        // Rounding up is never far from the best whole numbers.
        assert!(chosen <= 1.1 * least, "{variances:?} {costs:?}: {chosen} and not {least}");
    }
}

#[test]
fn a_group_has_the_variance_and_the_cost_of_what_is_in_it() {
    // 3 layouts of 2 runs: 1 + 6 / 3 + 12 / 6, and 10 + 3 · 1 + 6 · 0.5.
    assert_eq!(group_variance(&[1.0, 6.0, 12.0], &[3, 2]), 5.0);
    assert_eq!(group_cost(&[10.0, 1.0, 0.5], &[3, 2]), 16.0);
    assert_eq!(group_variance(&[-1.0, 4.0], &[4]), 1.0);
}
