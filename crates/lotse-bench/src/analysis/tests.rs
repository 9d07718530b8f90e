//! Comparisons of made-up results whose intervals follow from small tables or closed forms.
//!
//! Six pairs at 5 % have the smallest and the largest ratio as their interval (the signed-rank test rejects at 0 only),
//! as long as neighbouring values do not correlate; so the ratios here alternate.

use lotse_model::id::ProgramId;
use lotse_model::rule::Thresholds;
use lotse_stats::sequential::{Look, Plan};

use super::{Question, analyse, compared_metrics};
use crate::answer::{Answer, Comparison, SelfCheck, Verdict};
use crate::rules::fixture::Fixture;
use crate::trial::{Conclusion, StoppedBy};

const ONES: [f64; 6] = [1.0; 6];
const LESS: [f64; 6] = [0.80, 0.95, 0.82, 0.94, 0.81, 0.96];

const UNBOUNDED: &str = "6 blocks cannot bound the ratio yet";

#[track_caller]
fn row<'a>(answer: &'a Answer, program: &str, metric: &str) -> &'a Comparison {
    let wanted = |row: &&Comparison| row.program == program && row.metric == metric;
    answer.comparisons.iter().find(wanted).unwrap()
}

fn near(found: Option<f64>, expected: Option<f64>) -> bool {
    match (found, expected) {
        (Some(found), Some(expected)) => (found - expected).abs() < 1e-9,
        (found, expected) => found == expected,
    }
}

#[track_caller]
fn check(row: &Comparison, verdict: Verdict, estimator: &str, bounds: [Option<f64>; 2], warnings: &[&str]) {
    assert_eq!((row.verdict, row.estimator.as_str()), (verdict, estimator), "{row:?}");
    assert!(near(row.interval[0], bounds[0]) && near(row.interval[1], bounds[1]), "{row:?}");
    assert_eq!(row.warnings, warnings);
}

/// The median of all pairwise averages, each value with itself included.
fn hodges_lehmann(values: &[f64]) -> f64 {
    let pairs = values.iter().enumerate().flat_map(|(i, x)| values[i..].iter().map(move |y| (x + y) / 2.0));
    let mut averages: Vec<f64> = pairs.collect();
    averages.sort_by(f64::total_cmp);
    (averages[(averages.len() - 1) / 2] + averages[averages.len() / 2]) / 2.0
}

const HL: &str = "paired-hodges-lehmann";

#[test]
fn six_pairs_reach_from_the_smallest_to_the_largest_ratio() {
    let answer = Fixture::paired(&[("a", &ONES), ("b", &LESS)]).answer();
    let row = row(&answer, "b", "wall");
    check(row, Verdict::Faster, HL, [Some(0.80), Some(0.96)], &[]);
    let centre = hodges_lehmann(&LESS.map(f64::ln)).exp();
    assert!(near(row.ratio, Some(centre)), "{:?} is not {centre}", row.ratio);
    assert_eq!((row.blocks, row.level, row.stopped_by.as_str()), (6, 0.95, "runs"));
}

#[test]
fn each_of_several_programs_has_a_smaller_error_probability() {
    // With two comparisons each has 2.5 %, which six pairs cannot reach.
    let answer = Fixture::paired(&[("a", &ONES), ("b", &LESS), ("c", &LESS)]).answer();
    for program in ["b", "c"] {
        check(row(&answer, program, "wall"), Verdict::Undecided, HL, [None, None], &[UNBOUNDED]);
    }
}

#[test]
fn a_verdict_never_contradicts_its_interval() {
    // At 2.5 % seven pairs reach from end to end, beyond 1; at 5 % to the third largest of their averages, below 1.
    // Neighbouring ratios differ as much as possible, so that no correlation makes seven pairs too few.
    let close = [0.82, 0.91, 0.80, 1.01, 0.81, 0.90, 0.84];
    let answer = Fixture::paired(&[("a", &[1.0; 7]), ("b", &[0.5; 7]), ("c", &close)]).answer();
    check(row(&answer, "b", "wall"), Verdict::Faster, "exact", [Some(0.5), Some(0.5)], &[]);
    check(row(&answer, "c", "wall"), Verdict::Undecided, HL, [Some(0.80), Some(1.01)], &[]);
}

#[test]
fn programs_do_not_share_the_error_probability_on_secondary_metrics() {
    let mut fixture = Fixture::paired(&[("a", &ONES), ("b", &LESS), ("c", &LESS)]);
    fixture.measure("cpu", &[&ONES, &LESS, &ONES]);
    let answer = fixture.answer();
    check(row(&answer, "b", "cpu"), Verdict::Faster, HL, [Some(0.80), Some(0.96)], &[]);
    check(row(&answer, "c", "cpu"), Verdict::Equivalent, "exact", [Some(1.0), Some(1.0)], &[]);
    let order: Vec<(&str, bool)> =
        answer.comparisons.iter().map(|row| (row.metric.as_str(), row.primary)).collect();
    assert_eq!(order, [("wall", true), ("wall", true), ("cpu", false), ("cpu", false)]);
}

#[test]
fn with_zeros_differences_replace_ratios() {
    let zeros = "some values are zero: differences take the place of ratios";
    let compare = |a: &[f64], b: &[f64]| Fixture::paired(&[("a", a), ("b", b)]).answer();
    let some = compare(&ONES, &[0.1, 0.3, 0.0, 0.3, 0.1, 0.2]);
    let found = row(&some, "b", "wall");
    // No positive number bounds the ratio from below.
    check(found, Verdict::Faster, "paired-relative-difference", [None, Some(0.3)], &[zeros]);
    assert!(near(found.ratio, Some(hodges_lehmann(&[0.1, 0.3, 0.0, 0.3, 0.1, 0.2]))), "{found:?}");
    assert_eq!(found.difference, None);
    let reference = compare(&[0.0; 6], &[1.0, 2.0, 1.0, 2.0, 1.0, 2.0]);
    let found = row(&reference, "b", "wall");
    let none = "wall is 0 in 6 of 6 runs of a, so there is no ratio; the difference is 1.500 s (between 1.000 s and 2.000 s)";
    check(found, Verdict::Slower, "paired-difference", [None, None], &[none]);
    assert_eq!(found.ratio, None);
    assert_eq!(found.difference.unwrap().interval, [Some(1.0), Some(2.0)]);
    let both = compare(&[0.0; 6], &[0.0; 6]);
    let none = "wall is 0 in 6 of 6 runs of a and in 6 of 6 runs of b, so there is no ratio; the difference is 0 s (between 0 s and 0 s)";
    let shell = "the programs take less time than the shell that starts them varies";
    check(row(&both, "b", "wall"), Verdict::Undecided, "exact", [None, None], &[none, shell]);
}

#[test]
fn a_constant_ratio_is_exact_to_the_last_bit() {
    for (a, b) in [(0.1, 0.3), (45_345_629.0, 45_345_630.0), (1e-9, 7e-9)] {
        let answer = Fixture::paired(&[("a", &[a; 3]), ("b", &[b; 3])]).answer();
        let row = row(&answer, "b", "wall");
        assert_eq!((row.ratio, row.interval), (Some(b / a), [Some(b / a); 2]));
    }
}

#[test]
fn blocks_without_two_good_runs_do_not_count() {
    let mut fixture = Fixture::paired(&[("a", &[1.0; 9]), ("b", &[0.9; 9])]);
    fixture.fail("b", 2, "no");
    fixture.set.runs.retain(|run| run.program != ProgramId(0) || run.block.0 != 8);
    let answer = fixture.answer();
    assert_eq!(row(&answer, "b", "wall").blocks, 6);
    assert_eq!(answer.programs.iter().map(|it| it.samples["wall"].len()).collect::<Vec<_>>(), [8, 7]);
    assert_eq!((answer.runs.len(), answer.failed_runs().count()), (17, 2));
}

#[test]
fn a_program_that_always_failed_leaves_the_others_their_level() {
    let mut fixture = Fixture::paired(&[("a", &ONES), ("b", &LESS), ("c", &ONES)]);
    fixture.fail("c", 6, "no");
    let answer = fixture.answer();
    check(row(&answer, "b", "wall"), Verdict::Undecided, HL, [None, None], &[UNBOUNDED]);
    let nothing = "no block has good runs of both programs";
    check(row(&answer, "c", "wall"), Verdict::Undecided, "none", [None, None], &[nothing]);
    assert_eq!(row(&answer, "c", "wall").blocks, 0);
}

#[test]
fn a_measurement_without_a_look_decides_nothing() {
    let fixture = Fixture::paired(&[("a", &ONES), ("b", &[0.5; 6])]);
    let conclusion = Conclusion {
        plan: Plan::default(),
        looks: vec![],
        looked: 0,
        shell: None,
        stopped_by: StoppedBy::Interrupt,
        blocks: 6,
    };
    let answer = ask(&fixture, "wall", &conclusion);
    let early = "it ended before the first look";
    check(row(&answer, "b", "wall"), Verdict::Undecided, "exact", [None, None], &[early]);
    assert!(near(row(&answer, "b", "wall").ratio, Some(0.5)));
    assert_eq!(row(&answer, "b", "wall").stopped_by, "interrupt");
}

fn ask(fixture: &Fixture, primary: &str, conclusion: &Conclusion) -> Answer {
    let thresholds = Thresholds::default();
    let question = Question {
        reference: ProgramId(0),
        primary,
        metrics: &[],
        invocation: None,
        thresholds: &thresholds,
    };
    analyse(&fixture.set, &question, conclusion)
}

#[test]
fn which_metrics_are_compared() {
    let mut fixture = Fixture::paired(&[("a", &ONES), ("b", &ONES)]);
    for metric in ["minor_faults", "peak_memory", "requests"] {
        fixture.measure(metric, &[&ONES, &ONES]);
    }
    fixture.set.metrics.push(lotse_model::Metric::named("cpu"));
    let thresholds = Thresholds::default();
    let compared = |primary: &str, chosen: &[&str]| {
        let metrics: Vec<String> = chosen.iter().map(|&name| name.to_owned()).collect();
        let reference = ProgramId(0);
        let question =
            Question { reference, primary, metrics: &metrics, invocation: None, thresholds: &thresholds };
        compared_metrics(&fixture.set, &question).join(" ")
    };
    // Clocks, memory and the runner's own; `cpu` is known to the file but was never measured.
    assert_eq!(compared("wall", &[]), "wall peak_memory requests");
    assert_eq!(compared("requests", &[]), "requests wall peak_memory");
    assert_eq!(compared("minor_faults", &[]), "minor_faults wall peak_memory requests");
    assert_eq!(compared("wall", &["minor_faults", "wall", "cpu"]), "wall minor_faults");
    assert_eq!(compared("cpu", &["wall"]), "wall");
}

/// A third program that is the control arm of the first.
fn with_arm(arm: &[f64; 6]) -> Fixture {
    let mut fixture = Fixture::paired(&[("a", &ONES), ("b", &LESS), ("a (control)", arm)]);
    fixture.set_control(2, "a");
    fixture
}

#[test]
fn the_control_arm_is_checked_and_hidden() {
    let answer = with_arm(&ONES).answer();
    let exact = SelfCheck {
        program: "a".to_owned(),
        ratio: Some(1.0),
        interval: [Some(1.0); 2],
        resolvable: Some(0.0),
        repeats: 1,
        alarms: 0,
    };
    assert_eq!(answer.self_check, Some(exact));
    assert!(answer.programs.iter().all(|program| program.name != "a (control)"));
    assert!(answer.runs.iter().all(|run| run.program != "a (control)"));
    // The arm takes no share of the error probability either: one comparison, 5 %.
    check(row(&answer, "b", "wall"), Verdict::Faster, HL, [Some(0.80), Some(0.96)], &[]);
    assert_eq!(answer.comparisons.len(), 1);
    assert!(Fixture::paired(&[("a", &ONES), ("b", &LESS)]).answer().self_check.is_none());
}

#[test]
fn a_program_different_from_itself_raises_an_alarm() {
    let answer = with_arm(&LESS).answer();
    let check = answer.self_check.unwrap();
    assert_eq!((check.repeats, check.alarms), (1, 1));
    assert!(near(check.interval[0], Some(0.80)) && near(check.interval[1], Some(0.96)), "{check:?}");
    // As a ratio: half of the interval's width in logarithms, times
    // 1 + scipy.stats.norm.ppf(0.8) / scipy.stats.norm.ppf(0.975)
    let resolvable = ((0.96_f64 / 0.80).ln() / 2.0 * 1.429_406_479_0).exp_m1();
    assert!((check.resolvable.unwrap() - resolvable).abs() < 1e-8, "{check:?}");
    assert!(answer.findings.iter().any(|finding| finding.rule.id == "bench-self-check-alarm"));
}

#[test]
fn a_look_without_an_interval_raises_no_alarm_and_has_a_resolution() {
    let look = Look { fraction: 0.1, information: 6.0, z: f64::INFINITY, nominal_p: 0.0 };
    let conclusion = Conclusion {
        plan: Plan::default(),
        looks: vec![look],
        looked: 6,
        shell: None,
        stopped_by: StoppedBy::Interrupt,
        blocks: 6,
    };
    let check = ask(&with_arm(&LESS), "wall", &conclusion).self_check.unwrap();
    assert_eq!((check.interval, check.alarms), ([None, None], 0));
    assert!(check.resolvable.unwrap() > 0.1, "{check:?}");
}

/// The quantile of Student's distribution with ten degrees of freedom, from its distribution function, which has a closed
/// form where they are even.
fn t10(p: f64) -> f64 {
    let below = |t: f64| {
        let angle = (t / 10.0_f64.sqrt()).atan();
        let c = angle.cos().powi(2);
        0.5 + angle.sin() / 2.0
            * (1.0 + c / 2.0 + 3.0 * c.powi(2) / 8.0 + 5.0 * c.powi(3) / 16.0 + 35.0 * c.powi(4) / 128.0)
    };
    let (mut low, mut high) = (0.0, 100.0);
    for _ in 0..200 {
        let middle = (low + high) / 2.0;
        if below(middle) < p { low = middle } else { high = middle }
    }
    low
}

const STEP: f64 = 0.01;

/// Six values whose logarithms alternate between a step below and a step above that of the centre.
fn six(centre: f64) -> [f64; 6] {
    [-STEP, STEP, -STEP, STEP, -STEP, STEP].map(|step| centre * step.exp())
}

/// The interval of six values against six: each mean has the variance STEP² / 5, and Welch's degrees of freedom are 10.
fn around(ratio: f64, quantile: f64) -> [Option<f64>; 2] {
    let radius = STEP * (2.0_f64 / 5.0).sqrt() * quantile;
    [Some(ratio * (-radius).exp()), Some(ratio * radius.exp())]
}

#[test]
fn unpaired_ratios_are_welch_s_on_logarithms() {
    let answer = Fixture::sequential(&[("a", &six(1.0)), ("b", &six(0.5))]).answer();
    let found = row(&answer, "b", "wall");
    check(found, Verdict::Faster, "welch-log", around(0.5, t10(0.975)), &[]);
    assert!(near(found.ratio, Some(0.5)) && found.blocks == 6, "{found:?}");
    let slower = Fixture::sequential(&[("a", &six(0.5)), ("b", &six(1.0))]).answer();
    check(row(&slower, "b", "wall"), Verdict::Slower, "welch-log", around(2.0, t10(0.975)), &[]);
}

#[test]
fn a_few_unpaired_runs_show_no_difference_however_large_it_is() {
    let answer =
        |runs: usize| Fixture::sequential(&[("a", &six(1.0)[..runs]), ("b", &six(9.0)[..runs])]).answer();
    // Three runs of each program have 20 possible orders, so that chance alone separates them once in ten times.
    let found = answer(3);
    check(row(&found, "b", "wall"), Verdict::Undecided, "welch-log", [None, None], &[]);
    assert_eq!(row(&answer(4), "b", "wall").verdict, Verdict::Slower);
}

#[test]
fn several_unpaired_programs_share_the_error_of_the_primary_metric_only() {
    let mut fixture = Fixture::sequential(&[("a", &six(1.0)), ("b", &six(0.5)), ("c", &six(1.0))]);
    fixture.measure("cpu", &[&six(1.0), &six(1.0), &six(3.0)]);
    let answer = fixture.answer();
    check(row(&answer, "b", "wall"), Verdict::Faster, "welch-log", around(0.5, t10(0.9875)), &[]);
    check(row(&answer, "c", "wall"), Verdict::Undecided, "welch-log", around(1.0, t10(0.9875)), &[]);
    check(row(&answer, "c", "cpu"), Verdict::Slower, "welch-log", around(3.0, t10(0.975)), &[]);
}

#[test]
fn correlated_neighbours_widen_an_unpaired_interval() {
    let values = |signs: [f64; 4]| signs.map(|sign| (sign * STEP).exp());
    let radius = |b: [f64; 4]| {
        let mixed = values([-1.0, 1.0, -1.0, 1.0]);
        let answer = Fixture::sequential(&[("a", &mixed), ("b", &b)]).answer();
        row(&answer, "b", "wall").interval[1].unwrap().ln()
    };
    // The lag-one correlation of − − + + is 1/4, which inflates the variance by (1 + 1/4) / (1 − 1/4).
    let wider = radius(values([-1.0, -1.0, 1.0, 1.0])) / radius(values([-1.0, 1.0, -1.0, 1.0]));
    assert!((wider - (5.0_f64 / 3.0).sqrt()).abs() < 1e-9, "{wider}");
}

#[test]
fn unpaired_values_without_a_ratio() {
    let none = "too few values: there is no ratio";
    for (a, b) in [(&[1.0][..], &[2.0][..]), (&[1.0, 2.0], &[])] {
        let answer = Fixture::sequential(&[("a", a), ("b", b)]).answer();
        let found = row(&answer, "b", "wall");
        check(found, Verdict::Undecided, "none", [None, None], &[none]);
        assert_eq!((found.ratio, found.blocks), (None, a.len().min(b.len()) as u32));
    }
}

#[test]
fn unpaired_zeros_leave_a_difference() {
    let answer = Fixture::sequential(&[("a", &[0.0, 0.1, 0.0]), ("b", &[5.0, 5.1, 5.2])]).answer();
    let found = row(&answer, "b", "wall");
    assert_eq!((found.verdict, found.estimator.as_str()), (Verdict::Slower, "welch-difference"));
    assert_eq!((found.ratio, found.interval), (None, [None, None]));
    let difference = found.difference.unwrap();
    assert!(difference.interval[0].unwrap() > 4.0 && difference.value > 5.0, "{difference:?}");
    assert!(
        found.warnings[0].starts_with("wall is 0 in 2 of 3 runs of a, so there is no ratio"),
        "{found:?}"
    );
}

#[test]
fn unpaired_equivalence_is_an_interval_within_delta() {
    let near_one = |step: f64| [1.0 - step, 1.0 + step, 1.0 - step, 1.0 + step, 1.0 - step, 1.0 + step];
    let verdict = |step: f64| {
        let answer = Fixture::sequential(&[("a", &near_one(step)), ("b", &near_one(step))]).answer();
        row(&answer, "b", "wall").verdict
    };
    assert_eq!(verdict(0.001), Verdict::Equivalent);
    assert_eq!(verdict(0.05), Verdict::Undecided);
}

#[test]
fn the_usual_tests_agree_with_scipy() {
    let own = [12.1, 11.4, 12.9, 11.8, 12.6, 11.1, 12.4, 11.9];
    let reference = [10.9, 11.7, 10.4, 11.2, 10.8, 11.5, 10.6];
    let tests = super::unpaired_tests(&own, &reference).unwrap();
    let expected = [
        // numpy.mean(own) - numpy.mean(reference)
        (tests.difference, 1.010_714_285_7),
        // the same / numpy.mean(reference)
        (tests.per_mean.unwrap(), 0.091_763_942_9),
        // the same / max(numpy.std(own, ddof=1), numpy.std(reference, ddof=1))
        (tests.per_sd.unwrap(), 1.672_946_189_1),
        (tests.difference_of_mins, 0.7),
        // scipy.stats.ttest_ind(own, reference, equal_var=False).pvalue
        (tests.welch.unwrap(), 0.003_124_469_826),
        // scipy.stats.mannwhitneyu(own, reference, method="exact").pvalue
        (tests.mann_whitney.unwrap(), 0.005_905_205_905),
        // scipy.stats.ks_2samp(own, reference, method="exact").pvalue
        (tests.kolmogorov_smirnov.unwrap(), 0.013_053_613_053),
    ];
    for (index, (found, expected)) in expected.into_iter().enumerate() {
        assert!((found - expected).abs() < 1e-6, "number {index}: {found} is not {expected}");
    }
}

#[test]
fn nothing_to_test_has_no_p_value() {
    assert_eq!(super::unpaired_tests(&[], &[1.0]), None);
    let constant = super::unpaired_tests(&[3.0; 5], &[2.0; 5]).unwrap();
    assert_eq!((constant.difference, constant.per_mean, constant.per_sd), (1.0, Some(0.5), None));
    assert_eq!(constant.welch, None);
    let same = super::unpaired_tests(&[2.0; 5], &[2.0; 5]).unwrap();
    assert_eq!((same.welch, same.mann_whitney, same.anderson_darling), (None, None, None));
}
