//! Two profiles in every view.

use std::process::Command;

use serde_json::{Value, json};

use crate::server::{Server, fixture, functions, scope};

const OLD: &str = "profile/words-list.callgrind";
const NEW: &str = "profile/words-table.callgrind";

#[test]
fn a_table_has_old_new_difference_and_ratio() {
    let server = Server::start(&["--compare", OLD, NEW]);
    let about = server.settled(0)["stage"]["about"].clone();
    assert_eq!(about["kind"], "comparison");
    let output = Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["profile", "diff", OLD, NEW, "--json", "--limit", "0", "-e", "Ir", "--min-change", "0"])
        .current_dir(fixture(""))
        .output()
        .unwrap();
    let diff: Value = serde_json::from_slice(&output.stdout).unwrap();
    let table = server.answer(&functions(&json!({"sort": "difference", "events": ["Ir"], "limit": 2000})));
    let shown: Vec<Value> = table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let change = &row["costs"][0]["self_change"];
            json!([row["name"], change["old"]["value"].as_f64(), change["difference"]["value"].as_f64()])
        })
        .collect();
    let expected: Vec<Value> = diff["functions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let change = &row["versus"][0]["self"][0];
            json!([row["display"], change["old"].as_f64().unwrap_or(0.0), change["difference"].as_f64()])
        })
        .collect();
    assert_eq!(shown, expected);
}

#[test]
fn functions_keep_their_number_in_all_views() {
    let server = Server::start(&["--compare", OLD, NEW]);
    let table = server.answer(&functions(&json!({"sort": "difference", "events": ["Ir"], "limit": 2000})));
    let rows = table["rows"].as_array().unwrap();
    let id = |name: &str| rows.iter().find(|row| row["name"] == name).unwrap()["function"]["id"].clone();
    for side in ["old", "new", "difference"] {
        let mut sided = scope();
        sided["side"] = json!(side);
        let flame =
            server.answer(&json!({"ask": "flame", "scope": sided, "direction": "callees", "root": null}));
        let drawn = flame["functions"].as_array().unwrap().iter().find(|it| it["name"] == "main").unwrap();
        assert_eq!(drawn["id"], id("main"), "{side}");
        let changes = flame["frames"]["change"].as_array().unwrap().len();
        assert_eq!(changes > 0, side == "difference");
        let graph =
            json!({"ask": "graph", "scope": sided, "function": id("main"), "min_share": 0.01, "nodes": 50});
        let graph = server.answer(&graph);
        let ids: Vec<&Value> =
            graph["nodes"].as_array().unwrap().iter().map(|node| &node["function"]["id"]).collect();
        assert!(ids.contains(&&id("main")), "{side}");
    }
    let calls =
        server.answer(&json!({"ask": "calls", "scope": scope(), "function": id("main"), "events": ["Ir"]}));
    let first = &calls["callees"][0]["changes"][0];
    let sum = first["old"]["value"].as_f64().unwrap() + first["difference"]["value"].as_f64().unwrap();
    assert_eq!(Some(sum), calls["callees"][0]["costs"][0]["value"].as_f64());
}

/// A function that only the old profile has can be looked at in the old one only.
#[test]
fn functions_that_are_gone_have_the_views_of_the_old_profile() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) =
        (file("old", "main;a 500\nmain;b;leaf 300\n"), file("new", "main;a 200\nmain;c;leaf 100\n"));
    let server = Server::start(&["--compare", &old, &new]);
    let table = server.answer(&functions(&json!({"sort": "difference"})));
    let rows = table["rows"].as_array().unwrap();
    let ratio = |name: &str| {
        let row = rows.iter().find(|row| row["name"] == name).unwrap();
        row["costs"][0]["inclusive_change"]["ratio"].clone()
    };
    assert_eq!((ratio("b"), ratio("c")), (json!("gone"), json!("new")));
    let id = rows.iter().find(|row| row["name"] == "b").unwrap()["function"]["id"].clone();
    let flame = |side: &str| {
        let mut sided = scope();
        sided["side"] = json!(side);
        server.answer(&json!({"ask": "flame", "scope": sided, "direction": "callees", "root": id}))
    };
    assert_eq!(flame("old")["empty"], "");
    for side in ["new", "difference"] {
        assert_eq!(flame(side)["empty"], "This function is only in the old profile: Show: old has it.");
    }
    let calls = server.answer(&json!({"ask": "calls", "scope": scope(), "function": id, "events": []}));
    assert_eq!(calls["function"]["costs"][0]["inclusive_change"]["ratio"], "gone");
    assert_eq!(calls["callees"][0]["changes"][0]["ratio"], "gone");
    let mut new = scope();
    new["side"] = json!("new");
    let calls = server.answer(&json!({"ask": "calls", "scope": new, "function": id, "events": []}));
    assert_eq!(calls["callees"], json!([]));
    let why = "This function is only in the old profile: Show: old has it.";
    assert_eq!(calls["remarks"][0]["message"], why);
}

/// Whatever is asked about the old profile, a function that only the new one has is explained, and so is a focus on it.
#[test]
fn every_view_of_a_profile_explains_that_it_lacks_a_function() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) = (file("old", "main;a 500\n"), file("new", "main;a 200\nmain;c;leaf 100\n"));
    let server = Server::start(&["--compare", &old, &new]);
    let table = server.answer(&functions(&json!({"sort": "name"})));
    let row = table["rows"].as_array().unwrap().iter().find(|row| row["name"] == "c").unwrap().clone();
    let views = |scope: &Value, id: &Value| {
        vec![
            json!({"ask": "flame", "scope": scope, "direction": "callees", "root": id}),
            json!({"ask": "flame", "scope": scope, "direction": "callers", "root": id}),
            json!({"ask": "treemap", "scope": scope, "direction": "callees", "root": id, "width": 600, "height": 400}),
            json!({"ask": "graph", "scope": scope, "function": id, "min_share": 0.0, "nodes": 50}),
        ]
    };
    let mut sided = scope();
    sided["side"] = json!("old");
    let id = row["function"]["id"].clone();
    for question in views(&sided, &id) {
        let answer = server.answer(&question);
        assert_eq!(
            answer["empty"], "This function is only in the new profile: Show: new has it.",
            "{question}"
        );
    }
    let source = server.answer(
        &json!({"ask": "source", "scope": sided, "function": id, "events": [], "instructions": true}),
    );
    assert!(source["remarks"].to_string().contains("only in the new profile"), "{source}");
    assert_eq!(source["files"], json!([]));
    let calls = server.answer(&json!({"ask": "calls", "scope": sided, "function": id, "events": []}));
    assert_eq!(calls["callees"], json!([]));
    assert!(calls["remarks"].to_string().contains("only in the new profile"), "{calls}");

    sided["focus"] = json!("/^c$/");
    for question in views(&sided, &Value::Null) {
        let answer = server.answer(&question);
        let empty = answer["empty"].as_str().unwrap();
        assert!(empty.contains("only in the new profile"), "{question}: {answer}");
    }
    let mut focused = functions(&json!({"sort": "name"}));
    focused["scope"] = sided.clone();
    let table = server.answer(&focused);
    assert!(table["remarks"][0].to_string().contains("only in the new profile"), "{table}");
    // What neither profile has is still an error.
    sided["focus"] = json!("nobody");
    for question in views(&sided, &Value::Null) {
        assert_eq!(server.ask(&question).status, 422);
    }
}

#[test]
fn groups_are_matched_by_name() {
    let server = Server::start(&["--compare", OLD, NEW]);
    let table =
        server.answer(&functions(&json!({"group": "object", "events": ["Ir"], "sort": "difference"})));
    let row = &table["rows"][0]["costs"][0];
    let (old, new) = (row["self_change"]["old"]["value"].as_f64(), row["self"]["value"].as_f64());
    let difference = row["self_change"]["difference"]["value"].as_f64();
    assert_eq!(new.zip(old).map(|(new, old)| new - old), difference);
}

#[test]
fn a_comparison_needs_two_files() {
    let output = Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["open", "--no-open", "--compare", OLD])
        .current_dir(fixture(""))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// Differences are shares of the old total in all views, and their signs agree.
#[test]
fn differences_agree_in_all_views() {
    let server = Server::start(&["--compare", OLD, NEW]);
    let table = server.answer(&functions(&json!({"sort": "difference", "events": ["Ir"], "limit": 2000})));
    let first = &table["rows"][0];
    let change = &first["costs"][0]["inclusive_change"];
    let (old, difference) = (&change["old"], &change["difference"]);
    let old_total = old["value"].as_f64().unwrap() / old["share"].as_f64().unwrap();
    let expected = difference["value"].as_f64().unwrap() / old_total;
    assert!((difference["share"].as_f64().unwrap() - expected).abs() < 1e-9, "{change}");
    assert_eq!(table["events"][0]["old_total"], "79,219,691");
    let mut sided = scope();
    sided["side"] = json!("difference");
    let graph = server
        .answer(&json!({"ask": "graph", "scope": sided, "function": null, "min_share": 0.0, "nodes": 100}));
    for node in graph["nodes"].as_array().unwrap() {
        let row = table["rows"]
            .as_array()
            .unwrap()
            .iter()
            .find(|row| row["function"]["id"] == node["function"]["id"]);
        let Some(row) = row.filter(|_| node["is_cycle"] == false) else { continue };
        let expected = row["costs"][0]["inclusive_change"]["difference"]["share"].as_f64().unwrap();
        let shown = node["change"].as_f64().unwrap();
        assert!((shown - expected).abs() < 1e-6, "{node}: {expected}");
    }
}

/// Traces have a comparison of their own; that is said at once.
#[test]
fn only_profiles_are_compared() {
    let output = Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["open", "--no-open", "--compare", "trace/heat-4", "trace/heat-even"])
        .current_dir(fixture(""))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("lotse trace diff"), "{output:?}");
}

/// A program that was renamed and a library in another directory are one row each, whose functions can be listed.
#[test]
fn renamed_objects_are_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, command: &str, objects: [(&str, &str, u32); 2]| {
        let costs: String = objects
            .iter()
            .map(|(object, function, cost)| format!("ob={object}\nfl=a.c\nfn={function}\n1 {cost}\n"))
            .collect();
        let path = folder.path().join(name);
        std::fs::write(&path, format!("# callgrind format\ncmd: {command}\nevents: Ir\n\n{costs}")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let old = write("a", "./old/prog -v", [("/x/old/prog", "gone", 10), ("/v1/libz.so.1", "inflate", 20)]);
    let new = write("b", "./new/prog2", [("/x/new/prog2", "fresh", 30), ("/v2/libz.so.1", "inflate", 5)]);
    let server = Server::start(&["--compare", &old, &new]);
    let table = server
        .answer(&functions(&json!({"group": "object", "events": ["Ir"], "sort": "name", "ascending": true})));
    let shown: Vec<Value> = table["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let change = &row["costs"][0]["self_change"];
            json!([row["name"], change["old"]["value"].as_f64(), row["costs"][0]["self"]["value"].as_f64()])
        })
        .collect();
    assert_eq!(shown, [json!(["/v2/libz.so.1", 20.0, 5.0]), json!(["/x/new/prog2", 10.0, 30.0])]);
    assert!(table["remarks"].to_string().contains("each is the main program"), "{}", table["remarks"]);
    let within = json!({"within": {"group": "object", "name": "/x/new/prog2"}, "events": ["Ir"], "sort": "name", "ascending": true});
    let inside = server.answer(&functions(&within));
    let names: Vec<&Value> = inside["rows"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["fresh", "gone"]);
}

/// Files of two checkouts are one row each, whose functions can be listed; the filter of the table knows expressions.
#[test]
fn files_of_two_checkouts_are_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, checkout: &str, function: &str| {
        let path = folder.path().join(name);
        let costs = format!("fl={checkout}/main.c\nfn=main\n1 7\nfl={checkout}/util.c\nfn={function}\n1 9\n");
        std::fs::write(&path, format!("# callgrind format\nevents: Ir\n\n{costs}")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let server = Server::start(&["--compare", &write("a", "v1", "lookup"), &write("b", "v2", "find")]);
    let names = |question: &Value| -> Vec<String> {
        let table = server.answer(&functions(question));
        table["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let by_file = |filter: &str| json!({"group": "file", "events": ["Ir"], "sort": "name", "ascending": true, "filter": filter});
    assert_eq!(names(&by_file("")), ["v2/main.c", "v2/util.c"]);
    assert_eq!(names(&by_file("/^v2.u/")), ["v2/util.c"]);
    let within = json!({"within": {"group": "file", "name": "v2/util.c"}, "events": ["Ir"], "sort": "name", "ascending": true});
    assert_eq!(names(&within), ["find", "lookup"]);
}

/// A function that was renamed is one row once the user says so.
#[test]
fn renamed_functions_are_one_row() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, function: &str| {
        let path = folder.path().join(name);
        let costs = format!("fl=util.c\nfn={function}\n1 9\n");
        std::fs::write(&path, format!("# callgrind format\nevents: Ir\n\n{costs}")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) = (write("a", "lookup"), write("b", "find_word"));
    let rows = |options: &[&str]| {
        let server = Server::start(&[&["--compare", old.as_str(), new.as_str()], options].concat());
        let table = server.answer(&functions(&json!({"events": ["Ir"]})));
        table["rows"].as_array().unwrap().len()
    };
    assert_eq!(rows(&[]), 2);
    assert_eq!(rows(&["--rename", "lookup=find_word"]), 1);
}

/// The inclusive costs of an object that is entered again are upper bounds in both profiles: their difference is not known, and
/// such rows come last.
#[test]
fn differences_of_bounds_are_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, cost: u32| {
        let path = folder.path().join(name);
        let call = |object: &str, function: &str, cost: u32| {
            format!("cob={object}\ncfi=a.c\ncfn={function}\ncalls=1 1\n1 {cost}\n")
        };
        let costs = format!(
            "ob=prog\nfl=a.c\nfn=main\n1 10\n{}ob=lib\nfl=a.c\nfn=sort\n1 5\n{}ob=prog\nfl=a.c\nfn=compare\n1 {cost}\n",
            call("lib", "sort", cost + 5),
            call("prog", "compare", cost),
        );
        std::fs::write(&path, format!("# callgrind format\nevents: Ir\n\n{costs}")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let server = Server::start(&["--compare", &write("a", 100), &write("b", 300)]);
    let question = json!({"group": "object", "events": ["Ir"], "sort": "difference", "inclusive": true});
    let table = server.answer(&functions(&question));
    let rows = table["rows"].as_array().unwrap();
    let shown: Vec<Value> = rows
        .iter()
        .map(|row| {
            let change = &row["costs"][0]["inclusive_change"];
            json!([
                row["name"],
                row["costs"][0]["inclusive"]["mark"],
                change["old"]["mark"],
                change["difference"]["text"],
                change["ratio"]
            ])
        })
        .collect();
    assert_eq!(shown, [json!(["lib", "", "", "+200", "2.90 ×"]), json!(["prog", "≤", "≤", "?", "?"])]);
    assert!(table["remarks"].to_string().contains("1 group has inclusive costs"), "{}", table["remarks"]);
}

/// A comparison proposes that a function was renamed; once accepted, all views and the headline have one function.
#[test]
fn an_accepted_rename_is_one_function_in_all_views() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, function: &str, cost: u32| {
        let path = folder.path().join(name);
        let calls = format!("fl=util.c\nfn=main\n1 5\ncfn={function}\ncalls=1 9\n2 {cost}\n");
        let costs = format!("{calls}fl=util.c\nfn={function}\n9 {cost}\n");
        std::fs::write(&path, format!("# callgrind format\nevents: Ir\n\n{costs}")).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) = (write("a", "lookup_word", 90), write("b", "lookup_words_fast", 60));
    let server = Server::start(&["--compare", &old, &new]);
    let plain = server.answer(&json!({"ask": "headline", "scope": scope()}));
    let rename = &plain["proposals"][0]["rename"];
    assert_eq!(rename, &json!({"old": "lookup_word", "new": "lookup_words_fast"}));
    assert!(plain["sentence"].as_str().unwrap().contains("most changed lookup_word (-94.7 %"), "{plain}");

    let mut accepted = scope();
    accepted["renames"] = json!([rename]);
    let headline = server.answer(&json!({"ask": "headline", "scope": accepted}));
    assert_eq!(headline["proposals"], json!([]));
    assert!(headline["sentence"].as_str().unwrap().contains("(-31.6 % of the old total)"), "{headline}");
    let mut question = functions(&json!({"sort": "difference"}));
    let before = server.answer(&question);
    question["scope"] = accepted.clone();
    let table = server.answer(&question);
    let rows = table["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["costs"][0]["self_change"]["difference"]["value"], -30.0);
    let id = rows[0]["function"]["id"].clone();
    for side in ["old", "new", "difference"] {
        accepted["side"] = json!(side);
        let flame =
            server.answer(&json!({"ask": "flame", "scope": accepted, "direction": "callees", "root": id}));
        assert_eq!(flame["functions"][0]["id"], id, "{side}");
    }
    // A number from before still is the same function, in both profiles.
    let gone = before["rows"].as_array().unwrap().iter().find(|row| row["name"] == "lookup_word").unwrap();
    let graph = json!({"ask": "graph", "scope": accepted, "function": gone["function"]["id"], "min_share": 0.0, "nodes": 9});
    let graph = server.answer(&graph);
    assert_eq!(graph["empty"], "");
    assert!(graph["nodes"].to_string().contains("lookup_words_fast"), "{graph}");
    // A filter by either name keeps it in both profiles.
    for focus in ["lookup_words_fast", "/^lookup_word$/"] {
        accepted["focus"] = json!(focus);
        question["scope"] = accepted.clone();
        let table = server.answer(&question);
        assert_eq!(
            table["rows"][0]["costs"][0]["self_change"]["difference"]["value"], -30.0,
            "{focus}: {table}"
        );
    }
}
