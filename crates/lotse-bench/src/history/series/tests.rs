//! Series with steps, drifts, exact values and results of other machines.

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use lotse_store::{MetricPoint, ResultId, SourceOrigin, StoredResult};

use super::{HistoryAnswer, HistoryQuery, analyse};
use crate::history::{full, summary, table};

fn entry(id: i64, centre: f64, error: Option<f64>) -> StoredResult {
    let point = MetricPoint {
        program: "app".into(),
        command: "./app".into(),
        commit: None,
        metric: "wall".into(),
        unit: Unit::Seconds,
        runs: 10,
        failed: 0,
        contended: 0,
        centre: Some(centre),
        error,
    };
    StoredResult {
        id: ResultId(id),
        date: format!("2026-11-17T10:{:02}:00Z", id % 60),
        origin: SourceOrigin { commit: Some(format!("commit{id}")), branch: None, changed: id == 3 },
        machine: Some(Fingerprint { processor: Some("X".into()), ..Fingerprint::default() }),
        primary: Some("wall".into()),
        labels: Vec::new(),
        points: vec![point],
    }
}

/// Values with fixed noise of 1 %.
fn entries(levels: &[f64]) -> Vec<StoredResult> {
    let scatter = |at: usize| [0.004, -0.009, 0.011, -0.002, 0.007, -0.012, 0.001][at % 7];
    let one = |(at, level): (usize, &f64)| entry(at as i64 + 1, level * (1.0 + scatter(at)), Some(0.002));
    levels.iter().enumerate().map(one).collect()
}

fn answer(entries: &[StoredResult]) -> HistoryAnswer {
    analyse("history.db", entries, &HistoryQuery::default())
}

#[test]
fn a_step_is_reported_with_the_results_before_and_after_it() {
    let mut levels = vec![1.0; 15];
    levels.extend([1.2; 15]);
    let found = answer(&entries(&levels));
    let [change] = &found.series[0].changes[..] else { panic!("{:?}", found.series[0].changes) };
    assert_eq!((change.before.id, change.after.id), (15, 16));
    let [low, high] = change.interval.map(Option::unwrap);
    assert!(low > 1.18 && high < 1.22 && low < change.ratio.unwrap(), "{change:?}");
    assert!((found.series[0].spread.unwrap() - 0.008).abs() < 0.002);
    let text = lotse_report::format::named("markdown").unwrap();
    let text = text.to_string(&summary(&found, 5), lotse_report::Options::default()).unwrap();
    assert!(text.contains("between result 15 at commit15 (2026-11-17) and result 16 at commit16"), "{text}");
    assert!(text.contains("The newest 5; 25 older ones are not shown"), "{text}");
}

#[test]
fn a_gradual_change_is_not_a_series_of_steps() {
    let levels: Vec<f64> = (0..40).map(|at| 1.0 + 0.005 * f64::from(at)).collect();
    let found = answer(&entries(&levels));
    let drift = found.series[0].drift.as_ref().expect("a drift");
    assert!(found.series[0].changes.is_empty());
    assert!((drift.ratio_in_all - 1.195).abs() < 0.03, "{drift:?}");
}

#[test]
fn exact_values_change_whenever_they_differ() {
    let values = [100.0, 100.0, 101.0, 101.0, 99.0];
    let exact: Vec<StoredResult> =
        values.iter().enumerate().map(|(at, value)| entry(at as i64 + 1, *value, Some(0.0))).collect();
    let found = answer(&exact);
    let places: Vec<i64> = found.series[0].changes.iter().map(|change| change.after.id).collect();
    assert_eq!(places, [3, 5]);
}

#[test]
fn machines_programs_and_metrics_are_chosen() {
    let mut all = entries(&[1.0; 6]);
    all[2].machine = Some(Fingerprint { processor: Some("Y".into()), ..Fingerprint::default() });
    let mut other = all[0].points[0].clone();
    other.program = "other".into();
    all[5].points.push(other);
    let here = HistoryQuery { machine: all[0].machine.clone(), ..HistoryQuery::default() };
    let found = analyse("", &all, &here);
    assert_eq!((found.other_machines, found.series.len(), found.series[0].points.len()), (1, 2, 5));
    let only = analyse("", &all, &HistoryQuery { programs: vec!["other".into()], ..HistoryQuery::default() });
    assert_eq!(only.series.iter().map(|series| series.program.as_str()).collect::<Vec<_>>(), ["other"]);
    let last = analyse("", &all, &HistoryQuery { last: Some(2), ..HistoryQuery::default() });
    assert_eq!(last.series[0].points.iter().map(|point| point.kept.id).collect::<Vec<_>>(), [5, 6]);
    assert!(
        analyse("", &all, &HistoryQuery { metric: Some("cpu".into()), ..HistoryQuery::default() })
            .series
            .is_empty()
    );
}

#[test]
fn files_hold_all_results() {
    let found = answer(&entries(&[1.0; 30]));
    assert_eq!(table(&found).rows.len(), 30);
    let html = lotse_report::format::named("html").unwrap();
    let html = html.to_string(&full(&found), lotse_report::Options::default()).unwrap();
    assert!(html.contains("<svg") && html.contains("commit30"));
    // Files that differed from their commit are marked.
    assert!(html.contains("commit3+"));
}

#[test]
fn a_level_that_comes_back_is_two_changes() {
    let levels = [[1.0; 12], [1.2; 12], [1.0; 12]].concat();
    let found = &answer(&entries(&levels)).series[0];
    let places: Vec<i64> = found.changes.iter().map(|change| change.after.id).collect();
    assert_eq!(places, [13, 25]);
    // Otherwise the step would count as the usual spread of results.
    assert!(found.spread.unwrap() < 0.012, "{:?}", found.spread);
    assert!(found.changes[0].ratio.unwrap() > 1.17 && found.changes[1].ratio.unwrap() < 0.86);
}

#[test]
fn results_without_a_value_stay_in_the_series() {
    let mut all = entries(&[1.0; 8]);
    all[3].points[0].centre = None;
    all[3].points[0].failed = 5;
    all[5].points[0].centre = Some(0.0);
    let found = &answer(&all).series[0];
    assert_eq!(found.points.len(), 8);
    assert_eq!((found.points[3].value, found.points[3].failed, found.points[5].value), (None, 5, Some(0.0)));
    assert!(found.changes.is_empty() && found.spread.unwrap() < 0.02);
    let text = lotse_report::format::named("markdown").unwrap();
    let text = text.to_string(&summary(&answer(&all), 20), lotse_report::Options::default()).unwrap();
    assert!(text.contains("5 runs failed"), "{text}");
}

#[test]
fn a_clear_step_of_three_results_is_a_change_and_outliers_are_counted() {
    let with_last = |last: &[f64]| {
        let all = entries(&[&[1.0; 6][..], last].concat());
        analyse("", &all, &HistoryQuery::default()).series.remove(0)
    };
    let step = with_last(&[1.3; 3]);
    assert_eq!(step.changes.iter().map(|change| change.after.id).collect::<Vec<_>>(), [7]);
    let (spread, ratio) = (step.spread.unwrap(), step.changes[0].ratio.unwrap());
    assert!(step.far == 0 && spread < 0.02 && (ratio - 1.3).abs() < 0.02, "{step:?}");
    // Two results are no level, but the spread does not hide them.
    let outliers = with_last(&[1.0, 1.3, 1.3]);
    assert!(outliers.changes.is_empty() && outliers.far == 2, "{outliers:?}");
    let answer = HistoryAnswer { series: vec![outliers], ..analyse("", &[], &HistoryQuery::default()) };
    let format = lotse_report::format::named("markdown").unwrap();
    let text = format.to_string(&summary(&answer, 20), lotse_report::Options::default()).unwrap();
    assert!(text.contains("; 2 of 9 are off by more than three times that"), "{text}");
}
