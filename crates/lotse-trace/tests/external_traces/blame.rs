//! Blame and gain agree in recordings: removing the cause of most of the waiting gains time.

use lotse_model::id::LocationId;
use lotse_model::trace::Ticks;
use lotse_model::work::Sequential;
use lotse_trace::analyze::Subject;
use lotse_trace::delay::{DelayCost, delays};
use lotse_trace::retime::{Change, Factor, Graph, Scaled};

use crate::changed;

/// The least share of the blame that must be gained: a process that no longer delays others often waits for them itself,
/// which the bound of `possible` does not include.
const LEAST: f64 = 0.4;

/// Blame below this share of the run is not checked, because other waits hide it.
const MUCH: f64 = 0.02;

#[test]
fn removing_the_cause_of_waits_gains_time() {
    let (Some(cases), Some(others)) = (changed::cases(), crate::cases::all()) else { return };
    let traces = cases.iter().map(|case| (case["case"].to_string(), changed::opened(case)));
    let mut wrong = Vec::new();
    for (name, trace) in traces.chain(others.iter().map(|case| (case.name.clone(), case.read()))) {
        let subject = Subject::new(trace, &changed::options(), &Sequential).unwrap();
        let costs = delays(&subject.trace, &subject.waits, &Sequential).costs;
        let computing = costs.iter().filter(|cost| is_computing(&subject, cost));
        let Some(worst) = computing.max_by(|a, b| a.short.total_cmp(&b.short)) else { continue };
        let (blame, possible, gain) =
            (blame(&subject, worst), possible(&subject, worst), gain(&subject, worst));
        let most = blame.min(possible as f64);
        let is_much = most > MUCH * subject.trace.runtime() as f64;
        if is_much && (gain as f64) < LEAST * most {
            let path = subject.trace.path_name(worst.path);
            wrong.push(format!(
                "{name}: {path} on {}: {blame} blamed, {possible} possible, {gain}",
                worst.location.0
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether it is the program's own computation: start-up and library calls cannot be changed.
fn is_computing(subject: &Subject, cost: &DelayCost) -> bool {
    Some(cost.path) != subject.trace.start_up() && !subject.trace.class_of(cost.path).is_primitive()
}

/// The mean direct wait of the other locations for a cause.
fn blame(subject: &Subject, cost: &DelayCost) -> f64 {
    cost.short / (subject.trace.cpu_locations().count() as f64 - 1.0).max(1.0)
}

/// The most by which the run can become shorter: it lasts at least as long as the busy time of any location.
fn possible(subject: &Subject, cost: &DelayCost) -> Ticks {
    let trace = &subject.trace;
    let removed = own_time(subject, cost);
    let busy = |location: LocationId| {
        let timeline = trace.timeline(location);
        let mut waits: Vec<(Ticks, Ticks)> = subject.waits.by_location[location.index()]
            .iter()
            .filter(|wait| wait.causal)
            .map(|wait| (wait.begin, wait.end))
            .collect();
        waits.sort_unstable();
        let (mut waited, mut until) = (0, 0);
        for (begin, end) in waits {
            waited += end.saturating_sub(begin.max(until));
            until = end.max(until);
        }
        let here = if location == cost.location { removed } else { 0 };
        (timeline.last - trace.first_tick()).saturating_sub(waited + here)
    };
    trace.runtime() - trace.cpu_locations().map(busy).max().unwrap_or(0)
}

fn own_time(subject: &Subject, cost: &DelayCost) -> Ticks {
    let uses = subject.trace.uses[cost.location.index()].iter();
    uses.filter(|used| used.path == cost.path).map(|used| used.exclusive).sum()
}

fn gain(subject: &Subject, cost: &DelayCost) -> Ticks {
    let trace = &subject.trace;
    let scaled = vec![Scaled { path: cost.path, location: Some(cost.location), factor: Factor::ZERO }];
    let changes = [Change::none(), Change { scaled, ..Change::none() }];
    let lengths = Graph::new(trace, &subject.waits).run(trace, &changes);
    lengths[0].length.saturating_sub(lengths[1].length)
}
