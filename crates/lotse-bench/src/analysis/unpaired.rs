//! Comparisons of runs that were not interleaved: imported results, or the sequential order on request.
//!
//! Welch's test on logarithms gives the ratio of geometric means; its interval is widened for the serial
//! correlation within each program. It cannot detect a drift between the two series, so the finding
//! `bench-not-interleaved` is reported with it.

use lotse_model::id::ProgramId;
use lotse_model::results::ResultSet;
use lotse_stats::autocorrelation::{autocorrelation, variance_inflation};
use lotse_stats::descriptive::mean;
use lotse_stats::hypothesis::anderson_darling::{TablePValue, anderson_darling};
use lotse_stats::hypothesis::kolmogorov_smirnov::kolmogorov_smirnov;
use lotse_stats::hypothesis::mann_whitney::mann_whitney;
use lotse_stats::hypothesis::two_sample_t::{Variances, t_test};
use lotse_stats::sequential::Plan;
use lotse_stats::{Interval, SampleSummary};

use super::paired::{dominated, finite, ratio_bounds, verdict};
use super::{Question, zeros};
use crate::answer::{Comparison, Difference, Verdict};
use crate::shell_error;
use crate::trial::Conclusion;

/// All programs against the reference on one metric, at Bonferroni's level on the primary one.
pub(super) fn compare(
    set: &ResultSet,
    question: &Question<'_>,
    conclusion: &Conclusion,
    programs: &[ProgramId],
    metric: &str,
) -> Vec<Comparison> {
    let primary = metric == question.primary;
    let shares = if primary { programs.len() as f64 } else { 1.0 };
    let level = 1.0 - conclusion.alpha_of_comparisons() / shares;
    let name = |id: ProgramId| set.programs[id.index()].name.clone();
    let one = |&program: &ProgramId| {
        let (reference, own) = (set.samples(question.reference, metric), set.samples(program, metric));
        let errors = shell_error::candidate_pairs(conclusion.shell.as_ref(), metric);
        let subtracted = conclusion.shell.as_ref().is_some_and(|shell| shell.bounds(metric).is_some());
        let plain = compare_samples(&own, &reference, level, &conclusion.plan);
        let among =
            errors.and_then(|errors| compare_under_costs(&own, &reference, level, &conclusion.plan, &errors));
        let is_dominated = subtracted && among.is_none();
        let found = among.filter(|_| subtracted).unwrap_or(plain);
        let warning = match &found.difference {
            Some(_) => Some(zeros::sentence(set, [question.reference, program], metric, found.difference)),
            None if found.ratio.is_none() => Some("too few values: there is no ratio".to_owned()),
            None => None,
        };
        let comparison = Comparison {
            reference: name(question.reference),
            program: name(program),
            metric: metric.to_owned(),
            primary,
            ratio: found.ratio,
            interval: found.interval,
            difference: found.difference,
            level: 1.0 - conclusion.plan.alpha,
            delta: conclusion.plan.delta,
            verdict: found.verdict,
            within_delta: false,
            estimator: found.estimator.to_owned(),
            blocks: own.len().min(reference.len()) as u32,
            runs: Some([own.len(), reference.len()].map(|runs| runs as u32)),
            units: None,
            division: None,
            stopped_by: conclusion.stopped_by.word().to_owned(),
            warnings: warning.into_iter().collect(),
        };
        if is_dominated { dominated(set, comparison) } else { comparison }
    };
    programs.iter().map(one).collect()
}

/// The comparison of two samples: a ratio, or a difference where some values are not positive, or neither.
struct UnpairedResult {
    ratio: Option<f64>,
    interval: [Option<f64>; 2],
    difference: Option<Difference>,
    verdict: Verdict,
    estimator: &'static str,
}

/// Compares two samples by the ratio of geometric means if all values are positive, else by the difference of means. With
/// too few runs the ratio has no interval and the verdict is undecided.
fn compare_samples(own: &[f64], reference: &[f64], level: f64, plan: &Plan) -> UnpairedResult {
    let nothing = UnpairedResult {
        ratio: None,
        interval: [None, None],
        difference: None,
        verdict: Verdict::Undecided,
        estimator: "none",
    };
    if own.iter().chain(reference).all(|value| *value > 0.0) {
        let Some(found) = ratio(own, reference, level) else { return nothing };
        let nothing = UnpairedResult { ratio: finite(found.ratio), estimator: found.estimator, ..nothing };
        if found.estimator != EXACT && !can_show_difference(own.len(), reference.len(), level) {
            return nothing;
        }
        return UnpairedResult {
            interval: ratio_bounds(found.interval),
            verdict: verdict(plan.verdict_of_ratio(found.interval)),
            ..nothing
        };
    }
    match difference(own, reference, level) {
        Some((value, interval)) => UnpairedResult {
            difference: Some(Difference { value, interval: [interval.low, interval.high].map(finite) }),
            verdict: verdict_of_difference(interval),
            estimator: if interval.low == interval.high { "exact" } else { "welch-difference" },
            ..nothing
        },
        None => nothing,
    }
}

/// Compares two samples under all candidate errors of the shell's cost and gives the union of the intervals. `None` where
/// some error leaves no time.
fn compare_under_costs(
    own: &[f64],
    reference: &[f64],
    level: f64,
    plan: &Plan,
    errors: &[[f64; 2]],
) -> Option<UnpairedResult> {
    let positive = own.iter().chain(reference).all(|value| *value > 0.0);
    let less = |values: &[f64], error: f64| {
        let shifted: Vec<f64> = values.iter().map(|value| value - error).collect();
        shifted.iter().all(|value| positive && *value > 0.0).then_some(shifted)
    };
    let one = |&[own_error, other_error]: &[f64; 2]| {
        Some(compare_samples(&less(own, own_error)?, &less(reference, other_error)?, level, plan))
    };
    let all: Vec<UnpairedResult> = errors.iter().map(one).collect::<Option<_>>()?;
    let end = |at: usize, pick: fn(f64, f64) -> f64| -> Option<f64> {
        all.iter().map(|it| it.interval[at]).reduce(|a, b| Some(pick(a?, b?))).flatten()
    };
    let interval = [end(0, f64::min), end(1, f64::max)];
    let known =
        Interval { low: interval[0].unwrap_or(0.0), high: interval[1].unwrap_or(f64::INFINITY), level };
    let verdict = verdict(plan.verdict_of_ratio(known));
    all.into_iter().next().map(|first| UnpairedResult { interval, verdict, ..first })
}

/// Whether this number of runs can show a difference. Welch's interval assumes a normal distribution, which three runs
/// cannot confirm. A rank test makes no such assumption; its smallest p is 2 / C(n + m, n), which for 95 % requires four
/// runs of each program: 2 / C(8, 4) = 0.029.
fn can_show_difference(own: usize, reference: usize, level: f64) -> bool {
    let orders = (1..=own).map(|run| (reference + run) as f64 / run as f64).product::<f64>();
    2.0 / orders <= 1.0 - level
}

/// The difference of means with Welch's interval, widened for serial correlation. Constants are exact.
fn difference(own: &[f64], reference: &[f64], level: f64) -> Option<(f64, Interval)> {
    if own.len() > 1 && reference.len() > 1 && is_constant(own) && is_constant(reference) {
        let difference = own[0] - reference[0];
        return Some((difference, Interval::around(difference, 0.0, level)));
    }
    let test = t_test(own, reference, Variances::Separate, level).ok()?;
    let radius = test.interval.half_width() * inflation(own).max(inflation(reference)).sqrt();
    Some((test.difference, Interval::around(test.difference, radius, level)))
}

fn verdict_of_difference(difference: Interval) -> Verdict {
    match difference {
        Interval { high, .. } if high < 0.0 => Verdict::Faster,
        Interval { low, .. } if low > 0.0 => Verdict::Slower,
        Interval { low, high, .. } if low == high => Verdict::Equivalent,
        _ => Verdict::Undecided,
    }
}

/// The estimator of values that do not vary.
const EXACT: &str = "exact";

/// A ratio of geometric means with its interval.
#[derive(Debug, Clone, Copy)]
struct RatioEstimate {
    ratio: f64,
    interval: Interval,
    estimator: &'static str,
}

fn ratio(own: &[f64], reference: &[f64], level: f64) -> Option<RatioEstimate> {
    let logs = |values: &[f64]| values.iter().map(|value| value.ln()).collect::<Vec<f64>>();
    let (a, b) = (logs(own), logs(reference));
    if a.len() > 1 && b.len() > 1 && is_constant(&a) && is_constant(&b) {
        let ratio = own[0] / reference[0];
        return Some(RatioEstimate {
            ratio,
            interval: Interval::around(ratio, 0.0, level),
            estimator: EXACT,
        });
    }
    let test = t_test(&a, &b, Variances::Separate, level).ok()?;
    let radius = test.interval.half_width() * inflation(&a).max(inflation(&b)).sqrt();
    let interval = Interval::around(test.difference, radius, level).map(f64::exp);
    Some(RatioEstimate { ratio: test.difference.exp(), interval, estimator: "welch-log" })
}

fn is_constant(values: &[f64]) -> bool {
    values.windows(2).all(|pair| pair[0] == pair[1])
}

/// The factor by which serial correlation inflates the variance of the mean; 1 for a constant or very short series.
fn inflation(values: &[f64]) -> f64 {
    let correlation = autocorrelation(values, 1).unwrap_or(0.0).clamp(0.0, 0.9);
    variance_inflation(correlation).unwrap_or(1.0)
}

/// Differences and p values of the usual tests of two unpaired samples, for the temci-style report.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnpairedTests {
    /// Difference of means, program minus reference.
    pub difference: f64,
    /// The same as a share of the reference's mean; absent where that is zero.
    pub per_mean: Option<f64>,
    /// The same in units of the larger deviation; absent where nothing spreads.
    pub per_sd: Option<f64>,
    /// Difference of the smallest values.
    pub difference_of_mins: f64,
    /// The same as a share of the reference's smallest value; absent where that is zero.
    pub mins_per_min: Option<f64>,
    /// The same in units of the larger deviation; absent where nothing spreads.
    pub mins_per_sd: Option<f64>,
    /// p value of Welch's test.
    pub welch: Option<f64>,
    /// p value of Mann and Whitney's test.
    pub mann_whitney: Option<f64>,
    /// p value of Kolmogorov and Smirnov's test.
    pub kolmogorov_smirnov: Option<f64>,
    /// p value of Anderson and Darling's test, or its bound.
    pub anderson_darling: Option<TablePValue>,
}

/// Applies all tests. `None` where a sample is empty. A test that is not defined for the samples (no spread) has no p value.
pub fn tests(own: &[f64], reference: &[f64]) -> Option<UnpairedTests> {
    let (a, b) = (SampleSummary::from_values(own).ok()?, SampleSummary::from_values(reference).ok()?);
    let difference = mean(own).ok()? - mean(reference).ok()?;
    let sd = a.sample_sd.unwrap_or(0.0).max(b.sample_sd.unwrap_or(0.0));
    Some(UnpairedTests {
        difference,
        per_mean: (b.mean != 0.0).then(|| difference / b.mean),
        per_sd: (sd > 0.0).then(|| difference / sd),
        difference_of_mins: a.min - b.min,
        mins_per_min: (b.min != 0.0).then(|| (a.min - b.min) / b.min),
        mins_per_sd: (sd > 0.0).then(|| (a.min - b.min) / sd),
        welch: t_test(own, reference, Variances::Separate, 0.95).ok().map(|test| test.p),
        mann_whitney: mann_whitney(own, reference).ok().map(|test| test.p),
        kolmogorov_smirnov: kolmogorov_smirnov(own, reference).ok().map(|test| test.p),
        anderson_darling: anderson_darling(&[own, reference]).ok().map(|test| test.p),
    })
}

#[cfg(test)]
mod tests_of_ratio {
    use super::{Plan, Verdict, compare_samples};

    /// Thirty values with just this mean and sample deviation.
    fn values(mean: f64, sd: f64) -> Vec<f64> {
        let raw: Vec<f64> = (0..30).map(|i| f64::from(i % 10) + f64::from(i) / 30.0).collect();
        let centre = raw.iter().sum::<f64>() / 30.0;
        let spread = (raw.iter().map(|x| (x - centre).powi(2)).sum::<f64>() / 29.0).sqrt();
        raw.iter().map(|x| mean + (x - centre) / spread * sd).collect()
    }

    #[test]
    fn the_thesis_example_is_no_difference() {
        let (a, b) = (values(122.0, 37.0), values(110.0, 39.0));
        assert_eq!(compare_samples(&b, &a, 0.95, &Plan::default()).verdict, Verdict::Undecided);
        let welch = super::tests(&b, &a).unwrap().welch.unwrap();
        // scipy.stats.ttest_ind_from_stats(110, 39, 30, 122, 37, 30, equal_var=False).pvalue
        assert!((welch - 0.226_430_335_7).abs() < 1e-6, "{welch}");
    }

    #[test]
    fn constants_are_exact() {
        let found = compare_samples(&[2.0; 3], &[4.0; 3], 0.95, &Plan::default());
        assert_eq!((found.ratio, found.estimator, found.verdict), (Some(0.5), "exact", Verdict::Faster));
        let zeros = compare_samples(&[0.0; 3], &[0.0; 3], 0.95, &Plan::default());
        assert_eq!((zeros.ratio, zeros.estimator, zeros.verdict), (None, "exact", Verdict::Equivalent));
    }
}
