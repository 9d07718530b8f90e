//! A result against made-up histories.

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use lotse_store::{MetricPoint, ResultId, SourceOrigin, StoredResult};

use super::judge;
use crate::gate::{Baseline, BaselineError, Decision, GateAnswer, Limits};

/// Fixed noise of about 1 %.
pub(super) const SCATTER: [f64; 12] =
    [0.003, -0.011, 0.008, 0.0, -0.006, 0.014, -0.009, 0.005, -0.002, 0.011, -0.012, 0.004];

pub(super) fn point(program: &str, centre: f64) -> MetricPoint {
    MetricPoint {
        program: program.into(),
        command: program.into(),
        commit: None,
        metric: "wall".into(),
        unit: Unit::Seconds,
        runs: 20,
        failed: 0,
        contended: 0,
        centre: Some(centre),
        error: Some(0.002),
    }
}

pub(super) fn entry(id: i64, centre: f64) -> StoredResult {
    StoredResult {
        id: ResultId(id),
        date: format!("2026-11-{:02}T10:00:00Z", id.min(30)),
        origin: SourceOrigin { commit: Some(format!("c{id}")), ..SourceOrigin::default() },
        machine: Some(Fingerprint { processor: Some("X".into()), ..Fingerprint::default() }),
        primary: Some("wall".into()),
        labels: Vec::new(),
        points: vec![point("app", centre)],
    }
}

pub(super) fn history() -> Vec<StoredResult> {
    (1..=12).map(|id| entry(id, 1.0 + SCATTER[id as usize - 1])).collect()
}

pub(super) fn last() -> Baseline {
    Baseline::Last(10)
}

pub(super) fn gate(result: &StoredResult, earlier: &[StoredResult], baseline: &Baseline) -> GateAnswer {
    judge(result, earlier, baseline, &Limits::default()).unwrap()
}

#[test]
fn the_interval_decides() {
    let decide = |centre: f64| gate(&entry(13, centre), &history(), &last()).decision;
    assert_eq!(decide(0.9), Decision::Pass);
    assert_eq!(decide(1.1), Decision::Regression);
    // Results differ by about 1 %: an increase of 2 % cannot be decided against a limit of 2 %.
    assert_eq!(decide(1.02), Decision::Undecided);
}

#[test]
fn after_an_accepted_change_the_new_level_counts() {
    let mut earlier = history();
    earlier.extend((13..=20).map(|id| entry(id, 1.2 * (1.0 + SCATTER[id as usize - 13]))));
    assert_eq!(gate(&entry(21, 1.2), &earlier, &last()).decision, Decision::Regression);
    earlier[13].labels.push("accepted".into());
    let answer = gate(&entry(21, 1.19), &earlier, &last());
    assert_eq!((answer.checks[0].results, answer.decision), (7, Decision::Pass));
    assert_eq!(gate(&entry(21, 1.15), &earlier, &last()).decision, Decision::Pass);
    assert_eq!(gate(&entry(21, 1.3), &earlier, &last()).decision, Decision::Regression);
}

/// A step stays an alarm from the first result on, whatever is already part of the history.
#[test]
fn a_step_does_not_count_as_spread() {
    for more in 0..=9 {
        let mut earlier = history();
        earlier.extend((13..13 + more).map(|id| entry(id, 1.08 * (1.0 + SCATTER[id as usize % 12] / 4.0))));
        let answer = gate(&entry(13 + more, 1.08), &earlier, &last());
        assert_eq!(answer.decision, Decision::Regression, "{more}: {answer:?}");
    }
}

#[test]
fn one_slow_result_does_not_hide_later_regressions() {
    let mut earlier = history();
    earlier[5].points[0].centre = Some(1.15);
    assert_eq!(gate(&entry(13, 0.995), &earlier, &last()).decision, Decision::Pass);
    // Two slow results in a row may be chance; several are not.
    assert_eq!(gate(&entry(13, 1.1), &earlier, &last()).decision, Decision::Undecided);
    earlier.extend((13..=15).map(|id| entry(id, 1.1)));
    let answer = gate(&entry(16, 1.1), &earlier, &last());
    assert_eq!(answer.decision, Decision::Regression, "{answer:?}");
}

#[test]
fn several_small_increases_of_exact_values_are_a_regression() {
    let exact = |id: i64, centre: f64| {
        let mut it = entry(id, centre);
        it.points[0].error = Some(0.0);
        it
    };
    let mut earlier: Vec<StoredResult> = (0..4).map(|id| exact(id, 1100.0 + 11.0 * id as f64)).collect();
    assert_eq!(gate(&exact(5, 1144.0), &earlier, &last()).decision, Decision::Regression);
    earlier[3].labels.push("accepted".into());
    assert_eq!(gate(&exact(5, 1144.0), &earlier, &last()).decision, Decision::Pass);
}

#[test]
fn a_noisy_session_is_no_alarm() {
    let mut noisy = entry(13, 1.1);
    noisy.points[0].error = Some(0.1);
    assert_eq!(gate(&noisy, &history(), &last()).decision, Decision::Undecided);
}

#[test]
fn a_contended_result_is_no_alarm() {
    let mut contended = entry(13, 1.1);
    contended.points[0].contended = 9;
    let answer = gate(&contended, &history(), &last());
    assert_eq!(answer.decision, Decision::Undecided);
    assert!(answer.checks[0].reason.as_ref().unwrap().contains("9 of 20 runs had to share"), "{answer:?}");
    contended.points[0].contended = 3;
    assert_eq!(gate(&contended, &history(), &last()).decision, Decision::Regression);
}

#[test]
fn several_slower_results_prove_what_one_cannot() {
    // Each is undecided by itself: 3 % above, with a spread of 1 %.
    let mut earlier = history();
    earlier.extend((13..=18).map(|id| entry(id, 1.04 * (1.0 + SCATTER[id as usize - 13] / 4.0))));
    let answer = gate(&entry(19, 1.04), &earlier, &last());
    let check = &answer.checks[0];
    assert_eq!((answer.decision, check.ratio.unwrap() > 1.02), (Decision::Regression, true), "{answer:?}");
    assert!(
        check.reason.as_ref().unwrap().starts_with("the level changed with result 13 at c13, 7 results ago")
    );
    // An accepted level becomes the baseline, and a result back at the old level is not a regression.
    assert_eq!(gate(&entry(19, 1.0), &earlier, &last()).decision, Decision::Pass);
    earlier[14].labels.push("accepted".into());
    assert_ne!(gate(&entry(19, 1.04), &earlier, &last()).decision, Decision::Regression);
}

#[test]
fn commits_and_labels_are_found() {
    let mut earlier = history();
    earlier[4].labels.push("v1".into());
    earlier[6].origin.changed = true;
    let commit = |name: &str| Baseline::Commit { name: name.into(), commit: name.into() };
    assert_eq!(gate(&entry(13, 1.2), &earlier, &Baseline::Label("v1".into())).checks[0].results, 1);
    assert_eq!(gate(&entry(13, 1.2), &earlier, &commit("c3")).decision, Decision::Regression);
    let none =
        |baseline: &Baseline| judge(&entry(13, 1.2), &earlier, baseline, &Limits::default()).unwrap_err();
    // Changed files are not that commit.
    assert!(none(&commit("c7")).to_string().contains("--rev c7 --rev HEAD"));
    assert!(matches!(none(&Baseline::Label("v2".into())), BaselineError::None { .. }));
}

#[test]
fn one_result_alone_says_nothing_about_days() {
    let file = |entry: StoredResult| Baseline::Files(vec![entry]);
    let answer = gate(&entry(13, 2.0), &[], &file(entry(0, 1.0)));
    assert_eq!(answer.decision, Decision::Undecided);
    assert!(answer.checks[0].reason.as_ref().unwrap().contains("--session-spread"));
    let limits = Limits { session_spread: Some(0.03), ..Limits::default() };
    let judged = judge(&entry(13, 2.0), &[], &file(entry(0, 1.0)), &limits).unwrap();
    assert_eq!(judged.decision, Decision::Regression);
    // The spread comes from the history, even if the baseline is a file.
    assert_eq!(gate(&entry(13, 2.0), &history(), &file(entry(0, 1.0))).decision, Decision::Regression);
}

#[test]
fn exact_values_need_no_history() {
    let exact = |centre: f64| {
        let mut it = entry(0, centre);
        it.points[0].error = Some(0.0);
        it
    };
    let files = Baseline::Files(vec![exact(100.0)]);
    assert_eq!(gate(&exact(102.0), &[], &files).decision, Decision::Pass);
    assert_eq!(gate(&exact(102.1), &[], &files).decision, Decision::Regression);
}

#[test]
fn machines_are_compared_only_on_request() {
    let mut elsewhere = entry(13, 1.2);
    elsewhere.machine = Some(Fingerprint { processor: Some("Y".into()), ..Fingerprint::default() });
    let error = judge(&elsewhere, &history(), &last(), &Limits::default()).unwrap_err();
    assert!(error.to_string().contains("another machine (X; this one is Y)"), "{error}");
    let limits = Limits { across_machines: true, ..Limits::default() };
    assert_eq!(judge(&elsewhere, &history(), &last(), &limits).unwrap().decision, Decision::Regression);
}

#[test]
fn failed_runs_and_missing_programs_are_reported() {
    let mut failed = entry(13, 1.0);
    failed.points[0].failed = 2;
    failed.points.push(point("fresh", 1.0));
    let answer = gate(&failed, &history(), &last());
    assert_eq!(answer.decision, Decision::Failed);
    assert_eq!(answer.checks[0].reason.as_deref(), Some("2 of 22 runs failed"));
    assert_eq!(answer.checks[1].decision, Decision::New);
    let mut other = entry(13, 1.0);
    other.points[0].program = "other".into();
    let answer = gate(&other, &history(), &last());
    assert_eq!((answer.checks[1].program.as_str(), answer.checks[1].decision), ("app", Decision::Absent));
    assert_eq!(
        answer.checks[1].reason.as_deref(),
        Some("it was measured in result 12 and is not in this result")
    );
}

#[test]
fn a_result_in_which_all_runs_failed_is_no_baseline() {
    let mut all = history();
    let mut broken = entry(13, 1.0);
    (broken.points[0].centre, broken.points[0].error) = (None, None);
    (broken.points[0].runs, broken.points[0].failed) = (0, 20);
    all.push(broken);
    for slow in 14..17 {
        let answer = gate(&entry(slow, 1.9), &all, &last());
        assert_eq!(answer.decision, Decision::Regression, "result {slow}: {:?}", answer.checks[0]);
        assert!(answer.checks[0].ratio.is_some_and(|ratio| ratio > 1.8));
        all.push(entry(slow, 1.9));
    }
}

#[test]
fn several_programs_share_the_confidence() {
    let mut both = entry(13, 1.045);
    let alone = gate(&both, &history(), &last());
    both.points.extend((0..9).map(|number| point(&format!("p{number}"), 1.0)));
    let together = gate(&both, &history(), &last());
    let width =
        |answer: &GateAnswer| answer.checks[0].interval[1].unwrap() - answer.checks[0].interval[0].unwrap();
    assert!(width(&together) > 1.2 * width(&alone));
}

#[test]
fn zeros_have_no_ratio() {
    let faults = |centre: f64| {
        let mut it = entry(1, centre);
        it.points[0].error = None;
        it
    };
    let files = Baseline::Files(vec![StoredResult { date: "2026-10-01".into(), ..faults(0.0) }]);
    assert_eq!(gate(&faults(0.0), &[], &files).decision, Decision::Pass);
    assert_eq!(gate(&faults(3.0), &[], &files).decision, Decision::Undecided);
}

#[test]
fn a_program_at_two_revisions_counts_with_the_new_one() {
    let mut both = entry(13, 1.0);
    both.points[0].commit = Some("old".into());
    both.points.push(MetricPoint { commit: Some("new".into()), ..point("app", 1.3) });
    assert_eq!(gate(&both, &history(), &last()).decision, Decision::Regression);
}

#[test]
fn after_a_fixed_regression_the_gate_still_finds_new_ones() {
    let factor = |id: i64| if (13..=24).contains(&id) { 1.2 } else { 1.0 };
    let earlier: Vec<StoredResult> =
        (1..=36).map(|id| entry(id, factor(id) * (1.0 + SCATTER[(id as usize - 1) % 12]))).collect();
    assert_eq!(gate(&entry(37, 1.1), &earlier, &last()).decision, Decision::Regression);
    assert_eq!(gate(&entry(37, 0.97), &earlier, &last()).decision, Decision::Pass);
}

#[test]
fn the_answer_names_the_baseline() {
    let judge_with = |baseline: &Baseline| gate(&entry(13, 1.0), &history(), baseline);
    let found = judge_with(&Baseline::Last(4));
    assert_eq!((found.baseline.as_str(), found.checks[0].results), ("the last 4 results", 4));
    assert_eq!(judge_with(&Baseline::Last(1)).baseline, "the last result");
    // The spread is that of the whole history, also if the baseline is a single result.
    assert!(judge_with(&Baseline::Last(1)).checks[0].interval[0].is_some());
    let mean = history()[8..].iter().map(|entry| entry.points[0].centre.unwrap().ln()).sum::<f64>() / 4.0;
    assert!((found.checks[0].baseline.unwrap() - mean.exp()).abs() < 1e-12);
    assert!((found.checks[0].ratio.unwrap() - 1.0 / mean.exp()).abs() < 1e-12);
    assert_eq!(found.result.unwrap().id, 13);
}

#[test]
fn a_program_of_another_suite_is_not_absent() {
    let mut earlier = history();
    earlier[11].points[0].program = "other".into();
    earlier[10].points.push(point("gone", 1.0));
    let answer = gate(&entry(13, 0.97), &earlier, &last());
    let programs: Vec<(&str, Decision)> =
        answer.checks.iter().map(|check| (check.program.as_str(), check.decision)).collect();
    assert_eq!(programs, [("app", Decision::Pass), ("gone", Decision::Absent)]);
    assert_eq!(answer.decision, Decision::Absent);
}
