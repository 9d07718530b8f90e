//! The costliest source lines of the whole program.

use std::process::Command;

use serde_json::{Value, json};

use crate::server::{Server, fixture, functions, scope};

const OLD: &str = "profile/words-list.callgrind";
const NEW: &str = "profile/words-table.callgrind";

/// Stacks with lines: f is called from line 3 of main, g from lines 20 and 3.
const STACKS: &str = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[
    {"name":"main","file":"a.c","line":3},{"name":"f","file":"a.c","line":20},{"name":"g","file":"b.c","line":7}]},
    "profiles":[{"type":"sampled","name":"p","unit":"none","startValue":0,"endValue":7,
    "samples":[[0,1,2],[0,1],[0,2]],"weights":[4,2,1]}]}"#;

fn question(scope: &Value, sort: &str, limit: usize) -> Value {
    json!({"ask": "lines", "scope": scope, "events": [], "sort": sort, "limit": limit})
}

/// File, line, self and inclusive cost of each row.
fn shown(table: &Value) -> Vec<Value> {
    let rows = table["rows"].as_array().unwrap();
    let row = |row: &Value| {
        let costs = &row["costs"][0];
        json!([row["file"], row["line"], costs["self"]["value"], costs["inclusive"]["value"]])
    };
    rows.iter().map(row).collect()
}

fn opened(name: &str, text: &str) -> (tempfile::TempDir, Server) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    let server = Server::start(&[path.to_str().unwrap()]);
    (folder, server)
}

#[test]
fn the_page_has_the_lines_of_the_command_line() {
    let server = Server::start(&[OLD]);
    for sort in ["self", "inclusive"] {
        let output = Command::new(env!("CARGO_BIN_EXE_lotse"))
            .args(["profile", "lines", OLD, "--json", "--limit", "0", "-e", "Ir", "--sort", sort])
            .current_dir(fixture(""))
            .output()
            .unwrap();
        let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
        let number = |cost: &Value| cost.as_f64().map_or(Value::Null, |it| json!(it));
        let expected: Vec<Value> = printed["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| json!([it["file"], it["line"], number(&it["self"][0]), number(&it["inclusive"][0])]))
            .collect();
        assert!(expected.len() > 5, "{expected:?}");
        let mut of_event = scope();
        of_event["event"] = json!("Ir");
        let table = server.answer(&question(&of_event, sort, 2000));
        assert_eq!(shown(&table), expected, "{sort}");
        assert_eq!(table["count"], expected.len());
        let cut = server.answer(&question(&of_event, sort, 3));
        assert_eq!(shown(&cut), expected[..3]);
        let remark = format!("shown: 3 of {} lines; the others have ", expected.len());
        assert!(cut["remarks"].to_string().contains(&remark), "{}", cut["remarks"]);
    }
}

/// The function of a row has the line in its source.
#[test]
fn the_source_of_a_line_has_the_line() {
    let server = Server::start(&[OLD]);
    let table = server.answer(&question(&scope(), "self", 10));
    for row in table["rows"].as_array().unwrap() {
        let source = server
            .answer(&json!({"ask": "source", "scope": scope(), "function": row["function"]["id"],
            "events": [], "instructions": false}));
        let files = source["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["path"] == row["file"]);
        let lines = file.unwrap_or_else(|| panic!("{}", row["file"]))["lines"].as_array().unwrap();
        assert!(lines.iter().any(|line| line["line"] == row["line"]), "{row}");
    }
}

#[test]
fn filters_apply_to_stacks_and_are_said_not_to_apply_to_costs_by_line() {
    let (_folder, server) = opened("stacks.json", STACKS);
    let expected = [json!(["b.c", 7, 5.0, 5.0]), json!(["a.c", 20, 2.0, 6.0]), json!(["a.c", 3, 0.0, 7.0])];
    assert_eq!(shown(&server.answer(&question(&scope(), "self", 9))), expected);
    let mut focused = scope();
    focused["focus"] = json!("/^f$/");
    let left = server.answer(&question(&focused, "self", 9));
    let expected = [json!(["b.c", 7, 4.0, 4.0]), json!(["a.c", 20, 2.0, 6.0]), json!(["a.c", 3, 0.0, 6.0])];
    assert_eq!(shown(&left), expected);
    assert!(
        left["remarks"].to_string().contains("the filter leaves 85.7 % of the whole"),
        "{}",
        left["remarks"]
    );
    let calls = Server::start(&[OLD]);
    focused["focus"] = json!("main");
    let all = calls.answer(&question(&focused, "self", 9));
    assert_eq!(shown(&all), shown(&calls.answer(&question(&scope(), "self", 9))));
    assert!(all["remarks"].to_string().contains("focus, ignore and hide do not apply"), "{}", all["remarks"]);
}

#[test]
fn a_profile_without_lines_says_so() {
    let (_folder, server) = opened("a.folded", "main;f 3\nmain 1\n");
    let table = server.answer(&question(&scope(), "self", 9));
    assert_eq!((&table["count"], &table["rows"]), (&json!(0), &json!([])));
    assert!(table["remarks"].to_string().contains("no costs by line"), "{}", table["remarks"]);
}

/// The lines are those of the chosen profile, and functions have the numbers that they have in other views.
#[test]
fn a_comparison_has_the_lines_of_one_profile() {
    let server = Server::start(&["--compare", OLD, NEW]);
    let table = server.answer(&functions(&json!({"sort": "difference", "events": ["Ir"], "limit": 2000})));
    let known = |row: &Value| {
        let named = |it: &&Value| it["function"]["id"] == row["function"]["id"];
        let found = table["rows"].as_array().unwrap().iter().find(named);
        found.unwrap_or_else(|| panic!("{row}"))["function"]["name"].clone()
    };
    for (side, file) in [("old", OLD), ("new", NEW)] {
        let mut sided = scope();
        sided["side"] = json!(side);
        let lines = server.answer(&question(&sided, "self", 2000));
        let alone = Server::start(&[file]).answer(&question(&scope(), "self", 2000));
        assert_eq!(shown(&lines), shown(&alone), "{side}");
        for row in lines["rows"].as_array().unwrap() {
            // The old profile calls a variant of a function by its own name.
            let (name, known) = (row["function"]["name"].as_str().unwrap(), known(row));
            assert!(name.starts_with(known.as_str().unwrap()), "{side}: {name} is {known}");
        }
        let first = lines["remarks"][0]["message"].as_str().unwrap();
        assert!(first.starts_with(&format!("these are the lines of the {side} profile")), "{first}");
    }
}

/// Both make them from the same pairs, by number here, since the sources are not there.
#[test]
fn a_difference_has_the_lines_of_the_command_line() {
    let output = Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args([
            "profile",
            "diff",
            OLD,
            NEW,
            "-e",
            "Ir",
            "--json",
            "--limit",
            "0",
            "--min-change",
            "0",
            "--lines",
        ])
        .current_dir(fixture(""))
        .output()
        .unwrap();
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let number = |cost: &Value| cost.as_f64().unwrap_or(0.0);
    let expected = printed["lines"].as_array().unwrap().iter().map(|line| {
        let change = &line["versus"][0][0];
        let place = [&line["file"], &line["line"], &line["old_file"], &line["old_line"], &line["pairing"]];
        json!([place, number(&change["old"]), number(&change["new"]), number(&change["difference"])])
    });
    let table = Server::start(&["--compare", OLD, NEW]).answer(&question(&scope(), "difference", 2000));
    let found = table["rows"].as_array().unwrap().iter().map(|row| {
        let (costs, change) = (&row["costs"][0], &row["costs"][0]["self_change"]);
        let place = [&row["file"], &row["line"], &row["old_file"], &row["old_line"], &row["pairing"]];
        let [old, difference] = ["old", "difference"].map(|kind| number(&change[kind]["value"]));
        json!([place, old, number(&costs["self"]["value"]), difference])
    });
    let (found, expected): (Vec<Value>, Vec<Value>) = (found.collect(), expected.collect());
    assert!(found.len() > 100 && table["count"] == json!(expected.len()));
    assert_eq!(found, expected[..found.len()]);
    let matched = |pairing: &str| expected.iter().filter(|row| row[0][4] == pairing).count();
    assert!(matched("number") > 0 && matched("gone") > 0, "{expected:?}");
    assert!(
        table["remarks"].to_string().contains("are matched by number and function"),
        "{}",
        table["remarks"]
    );
}
