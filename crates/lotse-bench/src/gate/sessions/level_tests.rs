//! Which results are at the new level, which at the old one, and what is said of both.

use lotse_store::{MetricPoint, StoredResult};

use super::judge;
use super::tests::{SCATTER, entry, gate, last, point};
use crate::gate::{Baseline, Decision, GateAnswer, Limits};

/// Results with the given values, a little scattered, from the oldest to the newest.
fn series(values: &[f64]) -> Vec<StoredResult> {
    (1_i64..)
        .zip(values)
        .map(|(id, value)| entry(id, value * (1.0 + SCATTER[id as usize % 12] / 10.0)))
        .collect()
}

/// The answer about the newest of some values; `accepted` is the index of an accepted result.
fn newest(values: &[f64], accepted: Option<usize>, baseline: &Baseline, limits: &Limits) -> GateAnswer {
    let mut all = series(values);
    if let Some(at) = accepted {
        all[at].labels.push("accepted".into());
    }
    let (new, earlier) = all.split_last().unwrap();
    judge(new, earlier, baseline, limits).unwrap()
}

#[test]
fn good_results_after_an_accepted_one_are_not_slow() {
    let judged = |more: &[f64]| {
        // Six results, five of an accepted level, and the rest.
        let values = [&[100.0; 6][..], &[110.0; 5], more].concat();
        newest(&values, Some(6), &last(), &Limits::default())
    };
    let worse = judged(&[125.0]);
    let check = &worse.checks[0];
    assert_eq!((worse.decision, check.together), (Decision::Regression, 1), "{worse:?}");
    assert!((check.ratio.unwrap() - 125.0 / 110.0).abs() < 0.003, "{worse:?}");
    assert_eq!(judged(&[110.0]).decision, Decision::Pass);
    let three = judged(&[118.5, 118.5, 118.5]);
    assert_eq!((three.decision, three.checks[0].together), (Decision::Regression, 3), "{three:?}");
}

#[test]
fn an_accepted_level_of_one_or_two_results_is_no_spread() {
    for (good, accepted) in [(1, 6), (2, 6), (2, 7)] {
        let judged = |new: f64| {
            let values = [&[100.0; 6][..], &vec![110.0; good], &[new]].concat();
            newest(&values, Some(accepted), &last(), &Limits::default())
        };
        assert_eq!(judged(110.0).decision, Decision::Pass, "{good} {accepted}: {:?}", judged(110.0));
        assert_eq!(judged(125.0).decision, Decision::Regression, "{good} {accepted}");
    }
}

#[test]
fn the_change_belongs_to_the_values_beside_it() {
    let quotient = |answer: &GateAnswer| {
        let check = &answer.checks[0];
        let quotient = check.value.unwrap() / check.baseline.unwrap();
        assert!((check.ratio.unwrap() - quotient).abs() < 1e-9, "{check:?}");
        quotient
    };
    // The ordinary 101 is no part of the row, although it is more than 1 % above the median.
    let steady = [100.0, 100.0, 100.0, 99.4, 100.0, 99.5, 100.6, 100.3, 101.3, 110.0];
    let strict = Limits { max_regression: 0.01, ..Limits::default() };
    let one = newest(&steady, None, &last(), &strict);
    assert_eq!((one.decision, one.checks[0].together), (Decision::Regression, 1), "{one:?}");
    assert!((quotient(&one) - 1.1).abs() < 0.006, "{one:?}");
    // A creep, a row, and a change of level.
    let creep: Vec<f64> = (0..10).map(|at| 100.0 + f64::from(at)).collect();
    assert!(quotient(&newest(&creep, None, &last(), &Limits::default())) > 1.02);
    let row = newest(&[&[100.0; 12][..], &[110.0, 110.0, 113.0]].concat(), None, &last(), &Limits::default());
    assert!(row.checks[0].together == 3 && (quotient(&row) - 1.11).abs() < 0.004, "{row:?}");
    assert!(row.checks[0].against.contains("by the mean of 3 results in a row"), "{row:?}");
    let step = newest(&[[100.0; 9], [110.0; 9]].concat(), None, &last(), &Limits::default());
    assert!(step.checks[0].together == 9 && (quotient(&step) - 1.1).abs() < 0.004, "{step:?}");
    assert!((step.checks[0].baseline.unwrap() - 100.0).abs() < 0.2, "{step:?}");
}

#[test]
fn a_level_of_three_results_is_compared_with_and_not_averaged_away() {
    let answer = newest(&[&[100.0; 6][..], &[90.0; 3], &[95.0]].concat(), None, &last(), &Limits::default());
    assert_eq!((answer.decision, answer.checks[0].results), (Decision::Regression, 3), "{answer:?}");
    assert!((answer.checks[0].baseline.unwrap() - 90.0).abs() < 0.3, "{answer:?}");
}

#[test]
fn a_step_is_an_alarm_for_as_many_results_as_are_compared_with() {
    for most in [2, 3, 5, 10] {
        for slow in 1..=12 {
            let values = [&[100.0; 12][..], &vec![110.0; slow]].concat();
            let decision = newest(&values, None, &Baseline::Last(most), &Limits::default()).decision;
            let expected = if slow <= most { Decision::Regression } else { Decision::Pass };
            assert_eq!(decision, expected, "last:{most}, {slow} slow results");
        }
    }
}

#[test]
fn revisions_of_one_result_show_no_spread() {
    let mut both = entry(1, 100.0);
    both.points[0].commit = Some("old".into());
    both.points.push(MetricPoint { commit: Some("new".into()), ..point("app", 123.0) });
    let answer = gate(&entry(2, 123.0), &[both], &last());
    assert_eq!((answer.decision, answer.checks[0].interval), (Decision::Undecided, [None, None]));
    let reason = answer.checks[0].reason.as_ref().unwrap();
    assert!(reason.starts_with("one result tells nothing"), "{reason}");
}
