//! What the page is told about files of each kind, compared with what the command line prints.

use std::process::Command;

use serde_json::{Value, json};

use crate::server::{Server, fixture, functions, scope};

/// What a command of the same program prints.
fn printed(args: &[&str]) -> Value {
    let output =
        Command::new(env!("CARGO_BIN_EXE_lotse")).args(args).current_dir(fixture("")).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

const PROFILE: &str = "profile/words-list.callgrind";

#[test]
fn a_table_has_the_numbers_of_the_command_line() {
    let server = Server::start(&[PROFILE]);
    let about = server.settled(0)["stage"]["about"].clone();
    assert_eq!((&about["kind"], &about["format"]), (&json!("profile"), &json!("callgrind")));
    let top = printed(&["profile", "top", PROFILE, "--json", "--limit", "0", "-e", "Ir"]);
    let table = server.answer(&functions(&json!({"events": ["Ir"], "limit": 2000})));
    assert_eq!(table["count"], top["function_count"]);
    let numbers = |rows: &Value, own: &dyn Fn(&Value) -> Value| -> Vec<Value> {
        rows.as_array().unwrap().iter().map(own).collect()
    };
    let shown = numbers(&table["rows"], &|row| {
        json!([
            row["name"],
            row["costs"][0]["self"]["value"].as_f64(),
            row["costs"][0]["inclusive"]["value"].as_f64()
        ])
    });
    let expected = numbers(&top["functions"], &|row| {
        json!([row["display"], row["self"][0].as_f64(), row["inclusive"][0].as_f64()])
    });
    assert_eq!(shown, expected);
}

#[test]
fn rows_are_sorted_filtered_grouped_and_cut() {
    let server = Server::start(&[PROFILE]);
    let names = |changes: Value| -> Vec<String> {
        let table = server.answer(&functions(&changes));
        table["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let all = names(json!({"limit": 2000}));
    assert_eq!(names(json!({"offset": 2, "limit": 3})), all[2..5]);
    let mut reversed = names(json!({"limit": 2000, "ascending": true}));
    reversed.reverse();
    assert_eq!(reversed, all);
    let by_name = names(json!({"sort": "name", "ascending": true, "limit": 2000}));
    let mut sorted = by_name.clone();
    sorted.sort();
    assert_eq!(by_name.len(), all.len());
    assert!(names(json!({"filter": "main"})).iter().all(|name| name.contains("main")));
    assert!(names(json!({"filter": "/^main$/"})).iter().all(|name| name == "main"));
    let objects = names(json!({"group": "object"}));
    assert!(objects.iter().any(|name| name.contains("words")), "{objects:?}");
    let inside = names(json!({"within": {"group": "object", "name": objects[0]}, "limit": 2000}));
    assert!(!inside.is_empty() && inside.len() < all.len());
    assert_eq!(server.ask(&functions(&json!({"filter": "/(/"}))).status, 422);
    assert_eq!(server.ask(&functions(&json!({"group": "colour"}))).status, 422);
}

#[test]
fn callers_callees_and_pictures_are_those_of_the_command_line() {
    let server = Server::start(&[PROFILE]);
    let table = server.answer(&functions(&json!({"filter": "/^main$/"})));
    let main = table["rows"][0]["function"]["id"].clone();
    let calls = server.answer(&json!({"ask": "calls", "scope": scope(), "function": main, "events": ["Ir"]}));
    let callees = printed(&["profile", "callees", PROFILE, "main", "--json", "-e", "Ir"]);
    assert_eq!(calls["callees"].as_array().unwrap().len(), callees["rows"].as_array().unwrap().len());
    assert_eq!(calls["callees"][0]["function"]["name"], callees["rows"][0]["display"]);
    assert_eq!(calls["callees"][0]["costs"][0]["value"].as_f64(), callees["rows"][0]["cost"][0].as_f64());

    let flame =
        server.answer(&json!({"ask": "flame", "scope": scope(), "direction": "callees", "root": null}));
    let drawn = printed(&["profile", "flame", PROFILE, "--json", "--min-share", "0.0005"]);
    assert_eq!(flame["frames"]["start"].as_array().unwrap().len(), drawn["frames"].as_array().unwrap().len());

    let graph = server.answer(
        &json!({"ask": "graph", "scope": scope(), "function": null, "min_share": 0.01, "nodes": 100}),
    );
    assert!(graph["nodes"].as_array().unwrap().len() > 3);
    let treemap = server.answer(
        &json!({"ask": "treemap", "scope": scope(), "direction": "callees", "root": main, "width": 800, "height": 600}),
    );
    let widths = treemap["tiles"]["width"].as_array().unwrap();
    assert!(widths.iter().all(|width| width.as_f64().unwrap() <= 800.0));
}

#[test]
fn lines_have_costs_and_tokens() {
    let server = Server::start(&[PROFILE, "--source-dir", "profile"]);
    let table =
        server.answer(&functions(&json!({"within": {"group": "object", "name": words_object(&server)}})));
    let hottest = table["rows"][0]["function"]["id"].clone();
    let source = server.answer(
        &json!({"ask": "source", "scope": scope(), "function": hottest, "events": ["Ir"], "instructions": false}),
    );
    let lines = source["files"][0]["lines"].as_array().unwrap();
    let costs: f64 = lines.iter().map(|line| line["self"][0]["value"].as_f64().unwrap()).sum();
    assert_eq!(Some(costs), table["rows"][0]["costs"][0]["self"]["value"].as_f64());
    assert!(lines.iter().any(|line| line["tokens"].as_array().is_some_and(|tokens| !tokens.is_empty())));
}

/// The object that the program itself is.
fn words_object(server: &Server) -> String {
    let objects = server.answer(&functions(&json!({"group": "object"})));
    let rows = objects["rows"].as_array().unwrap();
    let name = |row: &Value| row["name"].as_str().unwrap().to_owned();
    rows.iter().map(name).find(|name| name.contains("words")).unwrap()
}

#[test]
fn a_selection_and_own_event_types_reach_every_view() {
    let server = Server::start(&["profile/words-list.perf.txt"]);
    let whole = server.answer(&functions(&json!({})));
    let name = whole["rows"][0]["name"].as_str().unwrap().to_owned();
    let hidden = json!({"hide": format!("/^{name}$/")});
    let mut narrow = scope();
    narrow["hide"] = hidden["hide"].clone();
    let rest = server.answer(&functions(&json!({"scope": narrow})));
    let names: Vec<&str> =
        rest["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert!(!names.contains(&name.as_str()), "{names:?}");

    let server = Server::start(&[PROFILE]);
    let mut defined = scope();
    defined["define"] = json!(["Twice = 2 Ir"]);
    defined["event"] = json!("Twice");
    let twice = server.answer(&functions(&json!({"scope": defined, "events": ["Twice", "Ir"]})));
    let value = |at: usize| twice["rows"][0]["costs"][at]["self"]["value"].as_f64().unwrap();
    assert_eq!(value(0), 2.0 * value(1));
    let check =
        server.answer(&json!({"ask": "event", "scope": scope(), "definition": "X = Ir + 10 Nothing"}));
    let text = "X = Ir + 10 Nothing";
    let (from, to) = (check["problem"]["from"].as_u64().unwrap(), check["problem"]["to"].as_u64().unwrap());
    assert_eq!(&text[from as usize..to as usize], "Nothing");
}

#[test]
fn parts_restrict_the_table() {
    let server = Server::start(&["profile/crew.callgrind-01"]);
    let parts = server.settled(0)["stage"]["about"]["profile"]["parts"].as_array().unwrap().len();
    let mut first = scope();
    first["parts"] = json!([1]);
    let one = server.answer(&functions(&json!({"scope": first})));
    assert!(parts >= 1 && !one["rows"].as_array().unwrap().is_empty());
    let mut missing = scope();
    missing["parts"] = json!([parts + 1]);
    assert_eq!(server.ask(&functions(&json!({"scope": missing}))).status, 422);
}

#[test]
fn heap_profiles_have_data_structures() {
    let server = Server::start(&["profile/words.dhat.json"]);
    assert_eq!(server.settled(0)["stage"]["about"]["profile"]["has_data"], true);
    let data = server.answer(&json!({"ask": "data", "scope": scope()}));
    assert!(!data["rows"].as_array().unwrap().is_empty());
    let server = Server::start(&[PROFILE]);
    assert_eq!(server.ask(&json!({"ask": "data", "scope": scope()})).status, 422);
}

#[test]
fn files_that_cannot_be_shown_say_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("what.bin");
    std::fs::write(&file, [0_u8, 1, 2, 3, 250]).unwrap();
    let server = Server::start(&[file.to_str().unwrap(), PROFILE]);
    let state = server.settled(0);
    assert_eq!(state["stage"]["stage"], "failed");
    assert!(state["stage"]["problem"]["message"].as_str().unwrap().contains("what.bin"), "{state}");
    assert_eq!(server.settled(1)["stage"]["stage"], "ready");
    let output = Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["open", "--no-open", "/no/such/file"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(6));
}

/// A small callgrind file: `main` has no read misses of its own, `leaf` has.
fn two_events() -> tempfile::NamedTempFile {
    let text = "events: Ir D1mr\nfl=a.c\nfn=main\n1 10 0\ncfn=leaf\ncalls=3 5\n2 9 7\nfn=leaf\n5 9 7\n";
    let file = tempfile::Builder::new().prefix("callgrind.out.").tempfile().unwrap();
    std::fs::write(file.path(), text).unwrap();
    file
}

/// A function without costs of an event type shows zeros, not another event type.
#[test]
fn lines_without_costs_are_zeros() {
    let file = two_events();
    let server = Server::start(&[file.path().to_str().unwrap()]);
    let table = server.answer(&functions(&json!({"filter": "/^main$/"})));
    let main = table["rows"][0]["function"]["id"].clone();
    let mut misses = scope();
    misses["event"] = json!("D1mr");
    let question = json!({"ask": "source", "scope": misses, "function": main, "events": ["D1mr"], "instructions": false});
    let source = server.answer(&question);
    assert_eq!(source["events"][0]["name"], "D1mr");
    let lines = source["files"][0]["lines"].as_array().unwrap();
    let call = lines.iter().find(|line| line["line"] == 2).unwrap();
    assert_eq!((&call["self"][0]["value"], &call["inclusive"][0]["value"]), (&json!(0.0), &json!(7.0)));
    let remarks = source["remarks"].to_string();
    assert!(!remarks.contains("does not have"), "{remarks}");
}

/// The source view shows the whole run, and says so where samples are selected.
#[test]
fn a_filter_that_does_not_apply_is_named() {
    let file = two_events();
    let server = Server::start(&[file.path().to_str().unwrap()]);
    let mut focused = scope();
    focused["focus"] = json!("leaf");
    let table = server.answer(&functions(&json!({"scope": focused})));
    let leaf = table["rows"].as_array().unwrap().iter().find(|row| row["name"] == "leaf").unwrap();
    // The file has calls and no stacks: what is selected is an estimate.
    assert_eq!(leaf["costs"][0]["self"]["mark"], "≈");
    let id = leaf["function"]["id"].clone();
    let question = |scope: Value| json!({"ask": "source", "scope": scope, "function": id, "events": ["Ir"], "instructions": false});
    let (with, without) = (server.answer(&question(focused)), server.answer(&question(scope())));
    assert!(with["remarks"].to_string().contains("do not apply"), "{with}");
    assert_eq!(with["files"], without["files"]);
    assert!(!without["remarks"].to_string().contains("do not apply"));
}

/// With a filter, all views have shares of the whole and say what is left, of the event type that they show.
#[test]
fn shares_under_a_filter_are_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stacks.folded");
    std::fs::write(&file, "main;a;b 1\nmain;a;c 1\nmain;d 6\n").unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    let mut scope = scope();
    scope["focus"] = json!("a");
    scope["ignore"] = json!("d");
    let left = "the filter leaves 25.0 % of the whole (samples); all shares are of the whole";
    let picture = |question: Value| {
        let answer = server.answer(&question);
        assert_eq!(answer["remarks"][0]["message"], left, "{answer}");
        answer
    };
    let table = picture(functions(&json!({"scope": scope, "sort": "inclusive"})));
    for name in ["main", "a"] {
        let row = table["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap();
        assert_eq!(row["costs"][0]["inclusive"]["share_text"], "25.0 %");
    }
    picture(functions(&json!({"scope": scope, "group": "object"})));
    let flame = picture(json!({"ask": "flame", "scope": scope, "direction": "callees", "root": null}));
    assert_eq!(
        (&flame["whole"]["share_text"], &flame["frames"]["share"][0]),
        (&json!("25.0 %"), &json!(1.0))
    );
    let treemap = json!({"ask": "treemap", "scope": scope, "direction": "callees", "root": null, "width": 300.0, "height": 200.0});
    assert_eq!(picture(treemap)["whole"]["share_text"], "25.0 %");
    let graph =
        picture(json!({"ask": "graph", "scope": scope, "function": null, "min_share": 0.0, "nodes": 50}));
    let shares: Vec<&Value> =
        graph["nodes"].as_array().unwrap().iter().map(|node| &node["inclusive"]["share_text"]).collect();
    assert_eq!(shares, ["25.0 %", "25.0 %", "12.5 %", "12.5 %"]);
    // An event type of one's own that adds up is drawn too.
    scope["define"] = json!(["Double = 2 samples"]);
    scope["event"] = json!("Double");
    let own = server.answer(&json!({"ask": "flame", "scope": scope, "direction": "callees", "root": null}));
    assert!(own["remarks"].to_string().contains("25.0 % of the whole (Double)"), "{own}");
    let command = ["profile", "flame", "stacks.folded", "--focus", "a", "--ignore", "d", "-o", "flame.svg"];
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(command)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let svg = std::fs::read_to_string(folder.path().join("flame.svg")).unwrap();
    assert!(svg.contains("(25.0 %)") && svg.contains("(12.5 %)") && !svg.contains("(100"), "{svg}");
}

/// Towards callers, only the first level has self cost, and it is that of the table.
#[test]
fn self_cost_stands_at_its_function() {
    let file = two_events();
    let server = Server::start(&[file.path().to_str().unwrap()]);
    let flame =
        server.answer(&json!({"ask": "flame", "scope": scope(), "direction": "callers", "root": null}));
    let frames = &flame["frames"];
    let column = |name: &str| frames[name].as_array().unwrap();
    let name = |at: usize| {
        let function = column("function")[at].as_u64().unwrap();
        flame["functions"][usize::try_from(function).unwrap()]["name"].clone()
    };
    for at in 0..column("depth").len() {
        let expected = match (column("depth")[at].as_u64().unwrap(), name(at).as_str().unwrap()) {
            (0, "main") => "10",
            (0, "leaf") => "9",
            _ => "",
        };
        assert_eq!(column("self")[at], expected, "{at}");
    }
}

/// What has no end and what has no content is refused at once.
#[test]
fn devices_and_empty_files_are_refused() {
    let server = Server::start(&[PROFILE]);
    let empty = tempfile::NamedTempFile::new().unwrap();
    let paths = [("/dev/zero", "neither a file nor a folder"), (empty.path().to_str().unwrap(), "is empty")];
    for (at, (path, expected)) in paths.into_iter().enumerate() {
        assert_eq!(server.post("/api/open", &json!({"paths": [path], "compare": false})).status, 200);
        let state = server.settled(at + 1);
        let message = state["stage"]["problem"]["message"].as_str().unwrap_or("").to_owned();
        assert!(message.contains(expected), "{path}: {state}");
    }
}
