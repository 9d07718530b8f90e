//! Efficiencies.

use lotse_trace::efficiency::{Efficiency, efficiency};
use serde_json::Value;

use crate::cases;

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
