//! `lotse predict fit`: weaknesses are findings, tables that cannot be fitted are refused.

use serde_json::{Value, json};

use crate::predict_options::session;
use crate::session::list;

/// The paper's table 2 through the command line: every weakness of the fit is a finding.
#[test]
fn weaknesses_of_a_fitted_model_reach_the_user() {
    let session = session();
    let table = include_str!("../../../lotse-predict/src/fit/paper.csv");
    let row = |n: f64, b: f64, time: &str| {
        // The lines of three tiles of B rows of B floats, each row in (4 B - 4) / 64 + 1 lines.
        let lines = 3.0 * b * ((4.0 * b - 4.0) / 64.0 + 1.0) * 64.0;
        format!("{n},{b},{},{},{},{lines},{time}\n", 12.0 * b * b / 327.68, 12.0 * n * n / 32768.0, n * n * n)
    };
    let mut text = "N,B,x1,x2,x3,line_bytes,time\n".to_owned();
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        text += &row(fields[0].parse().unwrap(), fields[1].parse().unwrap(), fields[2]);
    }
    text += &row(350.0, 32.0, "");
    text += &row(2000.0, 32.0, "");
    session.write("paper.csv", &text);
    let answer = session.lotse(&["predict", "fit", "paper.csv", "--json"]).json();
    let near = |value: &Value, expected: f64, tolerance: f64| {
        assert!((value.as_f64().unwrap() - expected).abs() <= tolerance, "{value} instead of {expected}");
    };
    near(&answer["constants"]["p1"], -0.021_118_767, 1e-8);
    near(&answer["constants"]["p3"], 0.935_443_062, 1e-8);
    near(&answer["r_squared"], 0.998_704_954, 1e-8);
    near(&answer["relative_error"], 0.065_496, 1e-6);
    assert_eq!((&answer["rank"], &answer["rows"]), (&json!([3, 4]), &json!(42)));
    let found: Vec<&str> =
        list(&answer["findings"]).iter().filter_map(|it| it["rule"]["id"].as_str()).collect();
    for rule in [
        "fit-rank-deficient",
        "fit-same-model",
        "fit-incomparable-r2",
        "fit-outlier",
        "fit-residual-pattern",
        "fit-elements-not-lines",
        "fit-extrapolation",
    ] {
        assert!(found.contains(&rule), "{rule} in {found:?}");
    }
    // The paper's own prediction for N = 350, B = 32 is 368281.95; only the point far outside is an extrapolation.
    let predictions = list(&answer["predictions"]);
    near(&predictions[0]["time"], 368_281.95, 5.0);
    let beyond: Vec<&Value> =
        list(&answer["findings"]).iter().filter(|it| it["rule"]["id"] == "fit-extrapolation").collect();
    assert_eq!(beyond.len(), 1);
    assert!(beyond[0]["reason"]["text"].as_str().unwrap().starts_with("N = 2000, B = 32"), "{beyond:?}");
    let screen = session.lotse(&["predict", "fit", "paper.csv"]);
    for text in ["warning: ", "N = 300, B = 52", "row without a time"] {
        let all = format!("{}{}", screen.stdout, screen.stderr);
        assert!(all.contains(text), "{text}: {all}");
    }
}

/// Tables that cannot be fitted are refused with the line, the column or the reason.
#[test]
fn tables_that_cannot_be_fitted() {
    let session = session();
    let cases = [
        ("", "the table is empty"),
        ("x1,x2,x3,time\n", "the table is empty"),
        ("x1,x2,time\n1,2,3\n", "the table has no column x3; its columns are x1, x2, time"),
        ("x1,x2,x3,time\n1,2,3\n", "line 2 has 3 fields instead of 4"),
        ("x1,x2,x3,time\n1,2,zero,4\n", "line 2: x3 is 'zero', not a positive number"),
        ("x1,x2,x3,time\n1,2,-3,4\n", "line 2: x3 is '-3', not a positive number"),
        ("x1,x2,x3,time\n1,,3,4\n", "line 2: x2 is '', not a positive number"),
    ];
    for (text, reason) in cases {
        session.write("t.csv", text);
        let answer = session.lotse(&["predict", "fit", "t.csv"]);
        assert_eq!(answer.status, 6, "{text}: {}", answer.stdout);
        assert!(answer.stderr.contains(reason), "{text}: {}", answer.stderr);
    }
    assert_eq!(session.lotse(&["predict", "fit", "gone.csv"]).status, 6);
}
