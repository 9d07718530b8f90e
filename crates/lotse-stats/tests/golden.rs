//! Every function against scipy, numpy and R, as recorded in `golden/*.json`.
//!
//! Each recorded case names what is computed, the data sets, the call that
//! computed the expected numbers, and the tolerance. `golden/make.py` and
//! `golden/make.R` write these files.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helper functions too")]

mod golden {
    pub(crate) mod compute;
}

use golden::compute::{Inputs, compute};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(items) => items.iter().map(|item| item.as_f64().unwrap()).collect(),
        single => vec![single.as_f64().unwrap()],
    }
}

fn close(actual: f64, expected: f64, tolerance: f64) -> bool {
    // Relative, except that zero equals zero with a rounding error.
    (actual - expected).abs() <= tolerance * expected.abs().max(1e-300) || (actual - expected).abs() < 1e-14
}

fn check_case(case: &Value, data: &Value) {
    let what = case["what"].as_str().unwrap();
    let sets: Vec<Vec<f64>> =
        case["data"].as_array().unwrap().iter().map(|name| numbers(&data[name.as_str().unwrap()])).collect();
    let inputs = Inputs { sets: &sets, args: &case["args"] };
    let tolerance = case["tolerance"].as_f64().unwrap();
    for (key, expected) in case["expected"].as_object().unwrap() {
        let actual = compute(what, key, &inputs).unwrap_or_else(|error| panic!("{what} {key}: {error}"));
        let expected = numbers(expected);
        let all_close = actual.len() == expected.len()
            && actual.iter().zip(&expected).all(|(a, e)| close(*a, *e, tolerance));
        assert!(
            all_close,
            "{what} {key} of {}\ncall:     {}\nactual:   {actual:?}\nexpected: {expected:?}",
            case["data"], case["call"]
        );
    }
}

fn check_file(text: &str, least: usize) {
    let data: Value = serde_json::from_str(include_str!("golden/golden.json")).unwrap();
    let file: Value = serde_json::from_str(text).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= least, "only {} cases", cases.len());
    cases.iter().for_each(|case| check_case(case, &data["data"]));
}

#[test]
fn scipy_and_numpy_agree() {
    check_file(include_str!("golden/golden.json"), 190);
}

#[test]
fn r_agrees() {
    check_file(include_str!("golden/golden_r.json"), 13);
}

/// The thesis's example: a difference of means that is none.
#[test]
fn the_known_example_is_no_difference() {
    use lotse_stats::hypothesis::two_sample_t::{Figures, Variances, t_test_from};
    let a = Figures { mean: 122.0, sd: 37.0, n: 30 };
    let b = Figures { mean: 110.0, sd: 39.0, n: 30 };
    let test = t_test_from(a, b, Variances::Separate, 0.95).unwrap();
    // scipy.stats.ttest_ind_from_stats(122, 37, 30, 110, 39, 30, equal_var=False).pvalue
    assert!(close(test.p, 0.226_430_335_745_909_6, 1e-9), "{}", test.p);
    assert!(test.interval.contains(0.0));
}
