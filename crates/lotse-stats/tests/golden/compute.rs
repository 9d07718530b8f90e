//! Computes the numbers of a recorded case by its name.

use lotse_stats::autocorrelation::autocorrelation;
use lotse_stats::bootstrap::bca_interval;
use lotse_stats::error::Result;
use lotse_stats::histogram::{Bins, Histogram};
use lotse_stats::hypothesis::anderson_darling::anderson_darling;
use lotse_stats::hypothesis::kolmogorov_smirnov::kolmogorov_smirnov;
use lotse_stats::hypothesis::mann_whitney::mann_whitney;
use lotse_stats::hypothesis::paired_t::paired_t_test;
use lotse_stats::hypothesis::signed_rank::{SignedRankMethod, signed_rank_by, signed_rank_pairs};
use lotse_stats::hypothesis::two_sample_t::{Figures, Variances, t_test, t_test_from};
use lotse_stats::hypothesis::{RankTest, TTest};
use lotse_stats::interval::mean_interval;
use lotse_stats::least_squares::{DesignMatrix, LinearFit, fit, fit_weighted};
use lotse_stats::modality::Modality;
use lotse_stats::nested::{NestedValues, VarianceComponents, components};
use lotse_stats::power::Pairing;
use lotse_stats::quantile::{QuantileType, quantiles};
use lotse_stats::ratio::{FiellerRatio, RatioSet, fieller};
use lotse_stats::{Interval, descriptive as d, distribution, drift};
use serde_json::Value;

pub(crate) struct Inputs<'a> {
    pub(crate) sets: &'a [Vec<f64>],
    pub(crate) args: &'a Value,
}

/// The numbers `key` of the computation `what`, as the golden files name them.
pub(crate) fn compute(what: &str, key: &str, inputs: &Inputs<'_>) -> Result<Vec<f64>> {
    let x = inputs.sets[0].as_slice();
    let y = inputs.sets.get(1).map_or(x, Vec::as_slice);
    let z = inputs.sets.get(2).map_or(x, Vec::as_slice);
    let one = match what {
        "descriptive" => descriptive(key, x)?,
        "geometric" if key == "mean" => d::geometric_mean(x)?,
        "geometric" => d::geometric_sd(x)?,
        "shift" => d::hodges_lehmann_shift(x, y)?,
        "mean_interval" => end(&mean_interval(x, 0.99)?, key),
        "welch" => t_figure(&t_test(x, y, Variances::Separate, 0.95)?, key),
        "student" => t_figure(&t_test(x, y, Variances::Pooled, 0.95)?, key),
        "paired_t" => t_figure(&paired_t_test(x, y, 0.95)?, key),
        "t_from_figures" => t_figure(&known_example()?, key),
        "mann_whitney" => rank_figure(&mann_whitney(x, y)?, key),
        "kolmogorov_smirnov" => rank_figure(&kolmogorov_smirnov(x, y)?, key),
        "signed_rank" => rank_figure(&signed_rank_pairs(x, y)?, key),
        "signed_rank_continuity" => rank_figure(&with_continuity(x, y)?, key),
        "anderson_darling" => anderson(inputs.sets, key)?,
        "fieller" => ratio_figure(&fieller(x, y, Pairing::Independent, 0.95)?, key),
        "fieller_paired" => ratio_figure(&fieller(x, y, Pairing::Paired, 0.95)?, key),
        "bca" => end(&bca(x, inputs.args)?, key),
        "dip" => Modality::from_values(x)?.dip,
        "theil_sen" => drift::theil_sen(x)?,
        "mann_kendall" => drift::mann_kendall(x)?.1,
        "regression" => return Ok(fit_figure(&regression(&[x, y], z)?, key)),
        "regression_weighted" => return Ok(fit_figure(&weighted(x, y, z)?, key)),
        "regression_origin" => return Ok(fit_figure(&fit(&DesignMatrix::new(vec![x.to_vec()])?, y)?, key)),
        "nested" => return Ok(nested_figure(&balanced(x, inputs.args)?, key)),
        "nested_unbalanced" => return Ok(nested_figure(&unbalanced(x)?, key)),
        _ => return list(what, key, x, inputs.args),
    };
    Ok(vec![one])
}

fn list(what: &str, key: &str, x: &[f64], args: &Value) -> Result<Vec<f64>> {
    match what {
        "quantiles" => quantiles(x, &[0.03, 0.25, 0.5, 0.9], quantile_type(key)),
        "boxplot_quantiles" => quantiles(x, &[0.25, 0.5, 0.75], quantile_type(key)),
        "histogram" => histogram(x, key, args["bins"].as_str().unwrap()),
        "autocorrelation" => (1..=3).map(|lag| autocorrelation(x, lag)).collect(),
        "kolmogorov_limit" => Ok([0.2, 0.5, 0.9, 1.0, 1.36, 2.5].map(distribution::kolmogorov_sf).to_vec()),
        "distributions" => Ok(distributions(key)),
        other => panic!("no computation for {other}"),
    }
}

fn descriptive(key: &str, x: &[f64]) -> Result<f64> {
    match key {
        "mean" => d::mean(x),
        "population_variance" => d::population_variance(x),
        "sample_variance" => d::sample_variance(x),
        "sample_sd" => d::sample_sd(x),
        "standard_error" => d::standard_error(x),
        "median" => d::median(x),
        "mad" => d::median_absolute_deviation(x),
        "trimmed_mean" => d::trimmed_mean(x, 0.1),
        "hodges_lehmann" => d::hodges_lehmann(x),
        "relative_sd" => d::relative_sd(x),
        other => panic!("no figure {other}"),
    }
}

fn quantile_type(key: &str) -> QuantileType {
    match key {
        "six" => QuantileType::Six,
        "seven" => QuantileType::Seven,
        "eight" => QuantileType::Eight,
        other => panic!("no quantile type {other}"),
    }
}

fn histogram(x: &[f64], key: &str, bins: &str) -> Result<Vec<f64>> {
    let bins = match bins {
        "fd" => Bins::FreedmanDiaconis,
        "sturges" => Bins::Sturges,
        _ => Bins::Auto,
    };
    let histogram = Histogram::from_values(x, bins)?;
    Ok(match key {
        "counts" => histogram.counts.iter().map(|&count| count as f64).collect(),
        _ => histogram.edges,
    })
}

fn end(interval: &Interval, key: &str) -> f64 {
    if key == "low" { interval.low } else { interval.high }
}

fn t_figure(test: &TTest, key: &str) -> f64 {
    match key {
        "t" => test.t,
        "df" => test.df,
        "p" => test.p,
        _ => end(&test.interval, key),
    }
}

fn rank_figure(test: &RankTest, key: &str) -> f64 {
    if key == "p" { test.p } else { test.statistic }
}

fn known_example() -> Result<TTest> {
    let (a, b) = (Figures { mean: 122.0, sd: 37.0, n: 30 }, Figures { mean: 110.0, sd: 39.0, n: 30 });
    t_test_from(a, b, Variances::Separate, 0.95)
}

fn with_continuity(x: &[f64], y: &[f64]) -> Result<RankTest> {
    let differences: Vec<f64> = x.iter().zip(y).map(|(a, b)| a - b).collect();
    signed_rank_by(&differences, SignedRankMethod::ApproximateWithContinuity)
}

fn anderson(sets: &[Vec<f64>], key: &str) -> Result<f64> {
    let samples: Vec<&[f64]> = sets.iter().map(Vec::as_slice).collect();
    let test = anderson_darling(&samples)?;
    Ok(if key == "p" { test.p.value() } else { test.statistic })
}

fn ratio_figure(ratio: &FiellerRatio, key: &str) -> f64 {
    let RatioSet::Bounded(interval) = ratio.set else { panic!("unbounded: {ratio:?}") };
    match key {
        "ratio" => ratio.ratio,
        "df" => ratio.df,
        _ => end(&interval, key),
    }
}

fn bca(x: &[f64], args: &Value) -> Result<Interval> {
    let statistic = if args["statistic"] == "mean" { d::mean } else { d::median };
    let drawn: Vec<f64> =
        args["distribution"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
    let left_out: Result<Vec<f64>> =
        (0..x.len()).map(|i| statistic(&[&x[..i], &x[i + 1..]].concat())).collect();
    bca_interval(statistic(x)?, &drawn, &[left_out?], 0.95)
}

fn regression(columns: &[&[f64]], observed: &[f64]) -> Result<LinearFit> {
    let mut all = vec![vec![1.0; observed.len()]];
    all.extend(columns.iter().map(|column| column.to_vec()));
    fit(&DesignMatrix::new(all)?, observed)
}

fn weighted(x: &[f64], y: &[f64], weights: &[f64]) -> Result<LinearFit> {
    fit_weighted(&DesignMatrix::new(vec![vec![1.0; x.len()], x.to_vec()])?, y, weights)
}

fn fit_figure(fit: &LinearFit, key: &str) -> Vec<f64> {
    let all = |values: &[Option<f64>]| values.iter().map(|v| v.unwrap()).collect();
    match key {
        "coefficients" => all(&fit.coefficients),
        "errors" => all(&fit.standard_errors),
        "r_squared" => vec![fit.r_squared.unwrap()],
        _ => vec![fit.sigma.unwrap()],
    }
}

fn nest(values: &[f64], counts: &[usize]) -> NestedValues {
    match counts {
        [_] => NestedValues::Values(values.to_vec()),
        [first, rest @ ..] => {
            NestedValues::Groups(values.chunks(values.len() / first).map(|part| nest(part, rest)).collect())
        }
        [] => panic!("no levels"),
    }
}

fn balanced(values: &[f64], args: &Value) -> Result<VarianceComponents> {
    let counts = args["counts"].as_array().unwrap();
    let counts: Vec<usize> = counts.iter().map(|count| count.as_u64().unwrap() as usize).collect();
    components(&nest(values, &counts), 0.95)
}

fn unbalanced(mut values: &[f64]) -> Result<VarianceComponents> {
    let mut groups = Vec::new();
    for size in [3, 9, 7, 5, 10, 6] {
        let (group, rest) = values.split_at(size);
        groups.push(NestedValues::Values(group.to_vec()));
        values = rest;
    }
    components(&NestedValues::Groups(groups), 0.95)
}

fn nested_figure(parts: &VarianceComponents, key: &str) -> Vec<f64> {
    match key {
        "variances" => parts.variances.clone(),
        "mean" => vec![parts.mean],
        _ => vec![end(&parts.interval, key)],
    }
}

fn distributions(key: &str) -> Vec<f64> {
    use distribution::{normal_quantile, normal_sf, t_quantile, t_two_sided};
    let each = |f: fn(f64, f64) -> f64, at: &[(f64, f64)]| at.iter().map(|&(x, df)| f(x, df)).collect();
    match key {
        "normal_sf" => [-3.0, 0.1, 1.0, 2.5, 6.0, 12.0].map(normal_sf).to_vec(),
        "normal_quantile" => [1e-10, 0.01, 0.5001, 0.975, 0.9999].map(normal_quantile).to_vec(),
        "t_two_sided" => {
            each(t_two_sided, &[(0.1, 1.0), (1.0, 2.5), (2.0, 10.0), (5.0, 58.0), (20.0, 500.0), (2.0, 1e4)])
        }
        _ => each(t_quantile, &[(0.975, 1.0), (0.0005, 2.5), (0.6, 58.0), (0.9995, 500.0), (0.025, 1e4)]),
    }
}
