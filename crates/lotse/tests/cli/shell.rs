//! Times from which the cost of a shell was subtracted: every interval allows for the error of that cost.

use serde_json::Value;

use crate::session::{Session, list};

/// The planned comparison of an answer.
fn primary(answer: &Value) -> Value {
    list(&answer["comparisons"]).iter().find(|row| row["primary"] == true).unwrap().clone()
}

/// A comparison without the reason for its end.
fn without_reason(mut row: Value) -> Value {
    row.as_object_mut().unwrap().remove("stopped_by");
    row
}

#[test]
fn the_bounds_of_the_cost_are_stated_and_a_report_repeats_the_interval() {
    let session = Session::new();
    for order in ["blocks", "sequential"] {
        let args = ["-S", "--runs", "12", "--order", order, "--out", order, "sleep 0.05", "sleep 0.1"];
        let direct = session.bench(&args);
        let bounds = &direct["conclusion"]["shell"]["wall"];
        let [low, high] = [0, 1].map(|end| bounds[end].as_f64().unwrap_or_else(|| panic!("{bounds}")));
        assert!(low <= 0.0 && 0.0 <= high && low < high, "{low} {high}");
        let row = primary(&direct);
        assert!(row["interval"][0].as_f64().unwrap() < row["interval"][1].as_f64().unwrap(), "{row}");
        // The log, the same without its end, and the answer itself.
        session.write(&format!("{order}.json"), &direct.to_string());
        let mut lines = session.lines(order);
        assert!(lines[1].contains("\"shell\":[{"), "{}", lines[1]);
        for file in [order.to_owned(), format!("{order}.json")] {
            let again = session.lotse(&["bench", "report", "--json", &file]).json();
            assert_eq!(primary(&again), row, "{file}");
        }
        lines.pop();
        session.write("cut", &(lines.join("\n") + "\n"));
        let cut = primary(&session.lotse(&["bench", "report", "--json", "cut"]).json());
        if order == "sequential" {
            assert_eq!(without_reason(cut), without_reason(row));
        } else {
            // A fixed number of runs is looked at once, at the end that is missing.
            assert_eq!(cut["interval"], serde_json::json!([null, null]));
        }
    }
}

#[test]
fn programs_that_take_less_than_the_shell_varies_are_not_compared() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "--json", "-S", "--runs", "15", "true", ":"]).exits(5).json();
    let row = primary(&answer);
    assert_eq!(row["interval"], serde_json::json!([null, null]), "{row}");
    assert!(row["warnings"].to_string().contains("measure without a shell"), "{row}");
}

#[test]
fn an_option_of_the_shell_that_is_added_anyway_is_refused() {
    let session = Session::new();
    session
        .lotse(&["bench", "--shell", "python3 -c", "print(1)"])
        .exits(2)
        .complains("-c, which is added anyway: write --shell 'python3'");
}

#[test]
fn counters_around_the_shell_are_not_subtracted() {
    if !crate::session::has("valgrind") {
        return;
    }
    let answer = Session::new().bench(&["-S", "--runner", "valgrind", "--runs", "2", "true", ":"]);
    assert!(answer.get("shell_cost").is_none() && answer["conclusion"].get("shell").is_none(), "{answer}");
}
