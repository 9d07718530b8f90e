//! Removing waits gains at most their duration, and the critical path afterwards is at most as long as the run.

use lotse_model::work::Sequential;
use lotse_trace::analyze::{Request, Subject, WhatIfError, what_if};
use lotse_trace::patterns;

use crate::{cases, changed};

/// Tolerance for rounding of sums, in seconds.
const ROUNDING: f64 = 1e-6;

#[test]
fn no_more_is_gained_than_was_lost() {
    let (Some(cases), Some(others)) = (changed::cases(), cases::all()) else { return };
    let traces = cases.iter().map(|case| (case["case"].to_string(), changed::opened(case)));
    let (mut wrong, mut tried) = (Vec::new(), 0);
    for (name, trace) in traces.chain(others.iter().map(|case| (case.name.clone(), case.read()))) {
        let subject = Subject::new(trace, &changed::options(), &Sequential).unwrap();
        for metric in patterns::metrics() {
            let request = Request { removed: vec![(metric.id.to_owned(), None)], ..Request::default() };
            let answer = match what_if(&subject, &request) {
                Ok(answer) => answer,
                Err(WhatIfError::NoWait { .. }) => continue,
                Err(error) => panic!("{name} {}: {error}", metric.id),
            };
            tried += 1;
            let lost = lost(&subject, metric.id);
            let path: f64 = answer.bounded_by.iter().map(|row| row.seconds).sum();
            let gains = (-ROUNDING..=lost + ROUNDING).contains(&answer.gain);
            if !gains || path > answer.predicted + ROUNDING {
                let (id, gain, run) = (metric.id, answer.gain, answer.predicted);
                wrong.push(format!("{name} {id}: {lost} lost, {gain} gained; rows {path} of {run}"));
            }
        }
    }
    assert!(wrong.is_empty() && tried > 30, "{tried}: {wrong:#?}");
}

/// The time of all waits of a metric and its parts.
fn lost(subject: &Subject, id: &str) -> f64 {
    let named = patterns::named(id);
    let ticks = named.iter().map(|metric| subject.waits.total(metric)).sum();
    subject.trace.seconds(ticks)
}
