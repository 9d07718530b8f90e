//! External programs that were actually changed: the gain predicted from the recording of the original program is compared
//! with the gain that was measured after the change.

use std::path::PathBuf;

use lotse_host::FolderSource;
use lotse_model::work::Sequential;
use lotse_trace::analyze::{Options, Request, Subject, WhatIfAnswer, analyze, what_if};
use lotse_trace::open;
use lotse_trace::retime::{Change, Graph};
use lotse_trace::store::Trace;
use serde_json::Value;

use crate::cases::root;

/// The largest relative error of a prediction.
const MOST_ERROR: f64 = 0.1;

#[test]
fn predicted_gains_come_true() {
    let Some(cases) = cases() else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        let (Some(change), Some(gain)) = (case["change"].as_array(), case["gain_s"].as_f64()) else {
            continue;
        };
        let answer = prediction(case, change);
        if (answer.gain / gain - 1.0).abs() > MOST_ERROR || answer.left_out > 0 {
            wrong.push(format!("{}: {:.4} s predicted, {gain} s gained", case["case"], answer.gain));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A script matched the n-th barriers of all threads in the output of `otf2-print`: 633.097 ms in implicit barriers,
/// 1.617 ms in the explicit one before the first loop, 634.713 ms in total. Three threads are still in a last barrier
/// when the recording ends, which the script leaves out: 12 µs.
#[test]
fn barriers_of_a_team_that_only_its_master_records() {
    let Some(cases) = cases() else { return };
    let case = cases.iter().find(|case| case["case"] == "stencil-openmp-eztrace").unwrap();
    let subject = subject(case);
    let waited = |metric: &str| -> f64 {
        let rows = subject.waits.cube.iter().filter(|row| row.metric.id == metric);
        subject.trace.seconds(rows.map(|row| row.ticks).sum())
    };
    let [implicit, explicit] = ["omp_wait_at_implicit_barrier", "omp_wait_at_explicit_barrier"].map(waited);
    assert!((explicit - 0.001_616_611).abs() < 1e-9, "{explicit}");
    assert!((implicit - 0.633_096_743 - 0.000_012_375).abs() < 1e-9, "{implicit}");
}

#[test]
fn a_run_that_is_not_changed_takes_as_long_as_it_did() {
    let (Some(cases), Some(others)) = (cases(), crate::cases::all()) else { return };
    let traces = cases.iter().map(|case| (case["case"].to_string(), opened(case)));
    let mut wrong = Vec::new();
    for (name, trace) in traces.chain(others.iter().map(|case| (case.name.clone(), case.read()))) {
        let subject = Subject::new(trace, &options(), &Sequential).unwrap();
        let outcome = &Graph::new(&subject.trace, &subject.waits).run(&subject.trace, &[Change::none()])[0];
        let runtime = subject.trace.runtime();
        if outcome.length.abs_diff(runtime) * 1000 > runtime || outcome.cut > 0 {
            wrong.push(format!("{name}: {} of {runtime}, {} left out", outcome.length, outcome.cut));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

pub(crate) fn cases() -> Option<Vec<Value>> {
    let text = std::fs::read(root()?.join("changed/CASES.json")).unwrap();
    Some(serde_json::from_slice(&text).unwrap())
}

fn prediction(case: &Value, change: &[Value]) -> WhatIfAnswer {
    let words: Vec<&str> = change.iter().map(|word| word.as_str().unwrap()).collect();
    let mut request = Request::default();
    for pair in words.chunks(2) {
        match pair {
            ["--zero", path] => request.scaled.push(((*path).to_owned(), 0.0)),
            ["--scale", change] => {
                let (path, factor) = change.rsplit_once('=').unwrap();
                request.scaled.push((path.to_owned(), factor.parse().unwrap()));
            }
            ["--outside-lock", path] => request.outside_lock.push((*path).to_owned()),
            _ => panic!("{words:?} is not known here"),
        }
    }
    what_if(&subject(case), &request).unwrap()
}

pub(crate) fn anchor(case: &Value) -> PathBuf {
    root().unwrap().join("changed").join(case["trace"].as_str().unwrap())
}

pub(crate) fn opened(case: &Value) -> Trace {
    open::read(&FolderSource::open(anchor(case)).unwrap(), None, &Sequential).unwrap()
}

fn subject(case: &Value) -> Subject {
    Subject::new(opened(case), &options(), &Sequential).unwrap()
}

pub(crate) fn options() -> Options<'static> {
    Options::usual("t")
}

/// Four threads wait for one mutex, and one of them holds it most of the time: the lock is the cause, and not an uneven
/// distribution of the work.
#[test]
fn a_lock_convoy_is_no_imbalance() {
    let Some(cases) = cases() else { return };
    let case = cases.iter().find(|case| case["case"] == "thread-pool-lock").unwrap();
    let answer = analyze(opened(case), &options(), &Sequential).unwrap();
    let loss = &answer.losses[0];
    let lock = loss.lock.as_ref().unwrap();
    assert_eq!((loss.metric, lock.name.as_str()), ("lock_contention", "mutex 3"));
    assert!(lock.is_convoy(), "{lock:?}");
    assert_eq!(lock.holder.as_ref().unwrap().callpath, "thread_do/increment");
    let about = |rule: &str| answer.findings.iter().find(|finding| finding.rule.id == rule);
    assert!(about("trace-imbalance").is_none(), "{:?}", about("trace-imbalance"));
    let command = about("lock_contention").unwrap().verification.as_ref().unwrap();
    assert!(command.ends_with("--outside-lock thread_do/increment"), "{command}");
}
