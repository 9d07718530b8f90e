//! Efficiencies of external traces.

use lotse_model::work::Sequential;
use lotse_trace::analyze::analyze;
use lotse_trace::efficiency::{Efficiency, efficiency};
use serde_json::Value;

use crate::{cases, changed};

fn check(name: &str, found: &Efficiency, expected: &Value) {
    let found = serde_json::to_value(found).unwrap();
    for (key, want) in expected.as_object().unwrap() {
        let (have, want) = (numbers(&found[key]), numbers(want));
        let near = |(have, want): (&f64, &f64)| (have - want).abs() <= 1e-6;
        let agrees = have.len() == want.len() && have.iter().zip(&want).all(near);
        assert!(agrees, "{name} {key}: {have:?} instead of {want:?}");
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    match value.as_array() {
        Some(list) => list.iter().filter_map(Value::as_f64).collect(),
        None => value.as_f64().into_iter().collect(),
    }
}

#[test]
fn efficiencies_agree_with_the_reference() {
    let Some(mut cases) = cases::all() else { return };
    cases.retain(|case| case.expected.get("pop").is_some());
    assert!(cases.len() >= 8, "only {} traces have values", cases.len());
    for case in cases {
        check(&case.name, &efficiency(&case.read(), None).unwrap(), &case.expected["pop"]);
    }
}

#[test]
fn efficiencies_are_between_0_and_1() {
    let (Some(programs), Some(others)) = (changed::cases(), cases::all()) else { return };
    let programs = programs.iter().map(|case| (case["case"].to_string(), changed::opened(case)));
    for (name, trace) in programs.chain(others.iter().map(|case| (case.name.clone(), case.read()))) {
        let answer = analyze(trace, &changed::options(), &Sequential).unwrap();
        for found in [answer.pop, answer.corrected.pop, answer.focus.efficiency].iter().flatten() {
            let ratios = serde_json::to_value(found).unwrap();
            let named = |key: &str| key.ends_with("efficiency") || key.ends_with("balance");
            for (key, ratio) in ratios.as_object().unwrap().iter().filter(|(key, _)| named(key)) {
                let ratio = ratio.as_f64();
                assert!(ratio.is_none_or(|it| (0.0..=1.0).contains(&it)), "{name}: {key} {ratio:?}");
            }
        }
    }
}
