//! Profiles of Python's cProfile.

use std::process::Command;

use serde_json::{Value, json};

use crate::server::{Server, functions, scope};

/// A pstats dump of a program whose `work` calls `leaf` 300 times; one comprehension on line 1 and one on line 2.
pub(crate) fn recorded(folder: &std::path::Path) -> String {
    let script = folder.join("steps.py");
    let text = "def leaf(n): return sum(x for x in range(n))\n\
                def work(n): return sum(leaf(x) for x in range(n))\n\
                work(300)\n";
    std::fs::write(&script, text).unwrap();
    let output = folder.join("steps.pstats");
    let made = Command::new("python3").args(["-m", "cProfile", "-o"]).arg(&output).arg(&script).status();
    assert!(made.unwrap().success());
    output.to_str().unwrap().to_owned()
}

/// The profile has no costs by line, but names the lines of definitions.
#[test]
fn source_is_shown_at_the_definition() {
    let folder = tempfile::tempdir().unwrap();
    let file = recorded(folder.path());
    let server = Server::start(&[&file]);
    let table = server.answer(&functions(&json!({"limit": 2000})));
    let id = &row(&table, "work")["function"]["id"];
    let question =
        json!({"ask": "source", "scope": scope(), "function": id, "events": ["time"], "instructions": false});
    let source = server.answer(&question);
    let [only] = source["files"].as_array().unwrap().as_slice() else { panic!("{source}") };
    assert!(only["found"].as_str().unwrap().ends_with("steps.py"), "{only}");
    let lines = only["lines"].as_array().unwrap();
    let defined = lines.iter().find(|line| line["line"] == 2).unwrap();
    assert!(defined["text"].as_str().unwrap().starts_with("def work"), "{defined}");
    let remarks = source["remarks"].to_string();
    assert!(remarks.contains("no costs by line: the source is shown at the definition, line 2"), "{remarks}");
}

/// Functions of one name stand with the place that tells them apart, in every table and title.
#[test]
fn functions_of_one_name_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let file = recorded(folder.path());
    for arguments in [vec![file.as_str()], vec!["--compare", &file, &file]] {
        let server = Server::start(&arguments);
        let table = server.answer(&functions(&json!({"limit": 2000, "filter": "<genexpr>"})));
        let rows = table["rows"].as_array().unwrap();
        let mut places: Vec<&Value> = rows.iter().map(|row| &row["function"]["place"]).collect();
        places.sort_by_key(|place| place.to_string());
        assert_eq!(places, ["steps.py:1", "steps.py:2"], "{arguments:?}");
        let inner = rows.iter().find(|row| row["function"]["place"] == "steps.py:1").unwrap();
        let id = &inner["function"]["id"];
        let calls =
            server.answer(&json!({"ask": "calls", "scope": scope(), "function": id, "events": ["time"]}));
        assert_eq!(calls["function"]["function"]["place"], "steps.py:1");
        let all = server.answer(&functions(&json!({"limit": 2000})));
        assert_eq!(row(&all, "work")["function"]["place"], Value::Null);
    }
}

fn row<'t>(table: &'t Value, name: &str) -> &'t Value {
    table["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()
}

/// Callers do not inherit numbers of calls: their inclusive values are not known, not equal to the self values.
#[test]
fn numbers_of_calls_have_no_inclusive_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = recorded(folder.path());
    let server = Server::start(&[&file]);
    let table =
        server.answer(&functions(&json!({"events": ["calls", "time", "primitive_calls"], "limit": 2000})));
    let leaf = row(&table, "leaf");
    assert_eq!(leaf["costs"][0]["self"]["value"], 300.0);
    assert_eq!(
        (&leaf["costs"][0]["inclusive"], &leaf["costs"][2]["inclusive"]),
        (&Value::Null, &Value::Null)
    );
    assert!(leaf["costs"][1]["inclusive"]["value"].as_f64().unwrap() > 0.0);
    let groups = server.answer(&functions(&json!({"events": ["calls"], "group": "file"})));
    assert_eq!(groups["rows"][0]["costs"][0]["inclusive"], Value::Null);
    let calls =
        json!({"ask": "calls", "scope": scope(), "function": leaf["function"]["id"], "events": ["calls"]});
    let caller = &server.answer(&calls)["callers"][0];
    assert_eq!((&caller["costs"][0]["text"], &caller["costs"][0]["share"]), (&json!("–"), &Value::Null));
    assert_eq!(caller["calls"]["value"], 300.0);
    let mut by_calls = scope();
    by_calls["event"] = json!("calls");
    let flame = server.ask(&json!({"ask": "flame", "scope": by_calls, "direction": "callees", "root": null}));
    assert!(flame.status == 422 && flame.body.contains("has no inclusive costs"), "{flame:?}");
}
