//! Properties that must hold for every input.

use lotse_stats::autocorrelation::{autocorrelation, effective_sample_size};
use lotse_stats::bootstrap::{BootstrapMethod, BootstrapOptions, bootstrap};
use lotse_stats::descriptive::{geometric_sd, hodges_lehmann, mean, relative_sd, sample_variance};
use lotse_stats::drift::{drift, mann_kendall};
use lotse_stats::hypothesis::TTest;
use lotse_stats::hypothesis::anderson_darling::anderson_darling;
use lotse_stats::hypothesis::kolmogorov_smirnov::kolmogorov_smirnov;
use lotse_stats::hypothesis::mann_whitney::mann_whitney;
use lotse_stats::hypothesis::paired_t::paired_t_test;
use lotse_stats::hypothesis::signed_rank::signed_rank;
use lotse_stats::hypothesis::two_sample_t::{Variances, t_test};
use lotse_stats::interval::mean_interval;
use lotse_stats::least_squares::{DesignMatrix, fit};
use lotse_stats::modality::Modality;
use lotse_stats::power::Pairing;
use lotse_stats::quantile::{QuantileType, quantile};
use lotse_stats::ratio::fieller;
use lotse_stats::resolution::quantisation_step;
use lotse_stats::walsh::{kth_walsh_average, walsh_count, walsh_total};
use lotse_stats::{SampleSummary, StatsError, boxplot::BoxPlot, histogram::Bins, histogram::Histogram};
use proptest::collection::vec;
use proptest::prelude::*;

fn values(least: usize, most: usize) -> impl Strategy<Value = Vec<f64>> {
    // Both continuous values and a coarse grid with many ties.
    prop_oneof![vec(-1e6..1e6_f64, least..most), vec((-5..5_i32).prop_map(f64::from), least..most)]
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

proptest! {
    #[test]
    fn walsh_averages_match_the_full_list(values in values(1, 25)) {
        let sorted = sorted(values);
        let mut all = Vec::new();
        for (i, x) in sorted.iter().enumerate() {
            all.extend(sorted[i..].iter().map(|&y| x.midpoint(y)));
        }
        all.sort_by(f64::total_cmp);
        prop_assert_eq!(walsh_total(sorted.len()), all.len() as u64);
        for (i, &expected) in all.iter().enumerate() {
            prop_assert_eq!(kth_walsh_average(&sorted, i as u64 + 1), expected);
            prop_assert_eq!(walsh_count(&sorted, expected), all.iter().filter(|&&a| a <= expected).count() as u64);
        }
    }

    #[test]
    fn centres_lie_inside_and_move_along(values in values(1, 40), shift in -1e3..1e3_f64) {
        let all = SampleSummary::from_values(&values).unwrap();
        let centre = hodges_lehmann(&values).unwrap();
        prop_assert!(all.min <= centre && centre <= all.max);
        prop_assert!(all.min <= all.mean + 1e-9 && all.mean <= all.max + 1e-9);
        let moved: Vec<f64> = values.iter().map(|x| x + shift).collect();
        prop_assert!((hodges_lehmann(&moved).unwrap() - centre - shift).abs() < 1e-8);
    }

    #[test]
    fn variance_ignores_shifts_and_squares_scales(values in values(2, 40), shift in -1e3..1e3_f64) {
        let variance = sample_variance(&values).unwrap();
        let changed: Vec<f64> = values.iter().map(|x| shift - 2.0 * x).collect();
        let of_changed = sample_variance(&changed).unwrap();
        prop_assert!((of_changed - 4.0 * variance).abs() <= 1e-9 * variance + 1e-9);
    }

    #[test]
    fn quantiles_rise_and_stay_inside(values in values(1, 40), p in 0.0..1.0_f64, q in 0.0..1.0_f64) {
        for kind in [QuantileType::Six, QuantileType::Seven, QuantileType::Eight] {
            let (low, high) = (quantile(&values, p.min(q), kind).unwrap(), quantile(&values, p.max(q), kind).unwrap());
            prop_assert!(low <= high + 1e-9);
        }
    }

    #[test]
    fn plots_keep_every_value(values in values(1, 60)) {
        for bins in [Bins::Auto, Bins::Sturges, Bins::FreedmanDiaconis] {
            prop_assert_eq!(Histogram::from_values(&values, bins).unwrap().counts.iter().sum::<usize>(), values.len());
        }
        let plot = BoxPlot::from_values(&values).unwrap();
        let beyond = |x: &&f64| **x < plot.low_whisker || **x > plot.high_whisker;
        prop_assert_eq!(values.iter().filter(beyond).count(), plot.outliers.len());
    }

    #[test]
    fn tests_are_symmetric_and_give_probabilities(a in values(4, 20), b in values(4, 20)) {
        let (there, back) = (kolmogorov_smirnov(&a, &b).unwrap(), kolmogorov_smirnov(&b, &a).unwrap());
        prop_assert!((there.p - back.p).abs() < 1e-12 && (0.0..=1.0 + 1e-12).contains(&there.p));
        if let (Ok(there), Ok(back)) = (mann_whitney(&a, &b), mann_whitney(&b, &a)) {
            prop_assert!((there.p - back.p).abs() < 1e-12 && there.p > 0.0 && there.p <= 1.0);
        }
        if let Ok(test) = signed_rank(&a) {
            let mirrored: Vec<f64> = a.iter().map(|x| -x).collect();
            prop_assert!((test.p - signed_rank(&mirrored).unwrap().p).abs() < 1e-12 && test.p <= 1.0);
        }
    }

    #[test]
    fn trend_scores_match_counted_pairs(values in values(3, 30)) {
        let pairs = (0..values.len()).flat_map(|i| (i + 1..values.len()).map(move |j| (i, j)));
        let order = |a: f64, b: f64| i64::from(b > a) - i64::from(b < a);
        let counted: i64 = pairs.map(|(i, j)| order(values[i], values[j])).sum();
        prop_assert_eq!(mann_kendall(&values).unwrap().0, counted);
    }

    #[test]
    fn residuals_are_orthogonal_to_all_columns(
        columns in vec(vec(-10.0..10.0_f64, 12), 1..5),
        observed in vec(-10.0..10.0_f64, 12),
    ) {
        let design = DesignMatrix::new(columns.clone()).unwrap();
        let fit = fit(&design, &observed).unwrap();
        prop_assert_eq!(fit.rank + fit.aliased.len(), columns.len());
        for column in &columns {
            let product: f64 = column.iter().zip(&fit.residuals).map(|(x, r)| x * r).sum();
            prop_assert!(product.abs() < 1e-8, "{}", product);
        }
    }

    #[test]
    fn grids_are_recognised(ticks in vec(-1000..1000_i32, 3..30), step in 1e-6..1e3_f64) {
        let values: Vec<f64> = ticks.iter().map(|&tick| f64::from(tick) * step).collect();
        if let Some(found) = quantisation_step(&values).unwrap() {
            let multiple = found / step;
            prop_assert!((multiple - multiple.round()).abs() < 1e-6 && multiple.round() >= 1.0);
        } else {
            prop_assert!(ticks.iter().all(|&tick| tick == ticks[0]));
        }
    }
}

/// Any finite numbers, the largest and the smallest among them.
fn extreme_values() -> impl Strategy<Value = Vec<f64>> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    let any = NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE;
    vec(prop_oneof![any, Just(f64::MAX), Just(f64::MIN_POSITIVE), Just(1.0)], 0..15)
}

proptest! {
    #[test]
    fn nothing_gives_nan(a in extreme_values(), b in extreme_values()) {
        let t = |test: TTest| vec![test.t, test.df, test.p, test.interval.low, test.interval.high];
        let answers: Vec<(&str, Result<Vec<f64>, StatsError>)> = vec![
            ("mean", mean(&a).map(|x| vec![x])),
            ("variance", sample_variance(&a).map(|x| vec![x])),
            ("centre", hodges_lehmann(&a).map(|x| vec![x])),
            ("geometric", geometric_sd(&a).map(|x| vec![x])),
            ("relative", relative_sd(&a).map(|x| vec![x])),
            ("interval", mean_interval(&a, 0.95).map(|i| vec![i.low, i.high])),
            ("welch", t_test(&a, &b, Variances::Separate, 0.95).map(t)),
            ("student", t_test(&a, &b, Variances::Pooled, 0.95).map(t)),
            ("paired", paired_t_test(&a, &b, 0.95).map(t)),
            ("ranks", mann_whitney(&a, &b).map(|test| vec![test.statistic, test.p])),
            ("signed ranks", signed_rank(&a).map(|test| vec![test.statistic, test.p])),
            ("distance", kolmogorov_smirnov(&a, &b).map(|test| vec![test.statistic, test.p])),
            ("samples", anderson_darling(&[&a, &b]).map(|test| vec![test.statistic, test.p.value()])),
            ("correlation", autocorrelation(&a, 1).map(|x| vec![x])),
            ("worth", effective_sample_size(&a).map(|x| vec![x])),
            ("drift", drift(&a).map(|drift| vec![drift.slope, drift.p])),
            ("step", quantisation_step(&a).map(|step| step.into_iter().collect())),
            ("dip", Modality::from_values(&a).map(|modality| vec![modality.dip])),
            ("histogram", Histogram::from_values(&a, Bins::Auto).map(|histogram| histogram.edges)),
            ("ratio", fieller(&a, &b, Pairing::Independent, 0.95).map(|ratio| vec![ratio.ratio, ratio.df])),
        ];
        for (what, answer) in answers {
            if let Ok(numbers) = answer {
                prop_assert!(numbers.iter().all(|x| x.is_finite()), "{}: {:?}", what, numbers);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn bootstraps_depend_on_the_seed_alone(values in values(3, 20), seed: u64, threads in 2..6_usize) {
        for method in [BootstrapMethod::Bca, BootstrapMethod::Percentile] {
            let options = BootstrapOptions { method, resamples: 700, seed, ..BootstrapOptions::default() };
            let centre = |x: &[f64]| mean(x).unwrap();
            let alone = bootstrap(&values, centre, &options).unwrap();
            let together = bootstrap(&values, centre, &BootstrapOptions { threads, ..options }).unwrap();
            prop_assert_eq!(alone, together);
            prop_assert!(alone.interval.low <= alone.interval.high);
        }
    }
}
