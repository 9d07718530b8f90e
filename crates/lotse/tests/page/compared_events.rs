//! Comparisons of files whose event types differ in order, in the default one, or in kind.

use serde_json::{Value, json};

use crate::server::{Server, functions, scope};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn callgrind(events: &str, lines: [&str; 3]) -> String {
    let [main, call, work] = lines;
    format!(
        "version: 1\ncreator: callgrind-3.19\npositions: line\nevents: {events}\n\nob=program\nfl=main.c\nfn=main\n1 {main}\ncfn=work\n\
         calls=1 9\n2 {call}\n\nfn=work\n9 {work}\n"
    )
}

/// Ir 100 + 900 and Dr 10 + 40 before, Ir 100 + 400 and Dr 10 + 60 after.
fn reordered(folder: &Folder) -> Server {
    let old = folder.file("callgrind.out.1", &callgrind("Ir Dr", ["100 10", "900 40", "900 40"]));
    let new = folder.file("callgrind.out.2", &callgrind("Dr Ir", ["10 100", "60 400", "60 400"]));
    Server::start(&["--compare", &old, &new])
}

fn sided(side: &str, event: Option<&str>) -> Value {
    let mut scope = scope();
    scope["side"] = json!(side);
    scope["event"] = json!(event);
    scope
}

fn row<'t>(table: &'t Value, name: &str) -> &'t Value {
    table["rows"].as_array().unwrap().iter().find(|row| row["name"] == name).unwrap()
}

#[test]
fn event_types_in_another_order_are_compared_by_name() {
    let folder = Folder::new();
    let server = reordered(&folder);
    let table = server.answer(&functions(&json!({"sort": "difference", "events": ["Ir", "Dr"]})));
    let totals: Vec<_> = (0..2).map(|at| &table["events"][at]).collect();
    assert_eq!((&totals[0]["old_total"], &totals[0]["total"]), (&json!("1,000"), &json!("500")));
    assert_eq!((&totals[1]["old_total"], &totals[1]["total"]), (&json!("50"), &json!("70")));
    let work = row(&table, "work");
    let change = |at: usize| {
        let change = &work["costs"][at]["self_change"];
        (change["old"]["share_text"].clone(), change["difference"]["text"].clone())
    };
    assert_eq!(change(0), (json!("90.0 %"), json!("-500")));
    assert_eq!(change(1), (json!("80.0 %"), json!("+20")));
    let groups =
        server.answer(&functions(&json!({"group": "object", "events": ["Ir", "Dr"], "sort": "difference"})));
    let both = |at: usize| {
        let pair = &groups["rows"][0]["costs"][at];
        (pair["self_change"]["old"]["value"].clone(), pair["self"]["value"].clone())
    };
    assert_eq!((both(0), both(1)), ((json!(1000.0), json!(500.0)), (json!(50.0), json!(70.0))));
}

/// Without a choice every view shows the event type that is compared, not the default one of its profile.
#[test]
fn all_views_show_the_compared_event_type() {
    let folder = Folder::new();
    let server = reordered(&folder);
    let about = server.settled(0)["stage"]["about"].clone();
    assert_eq!(about["profile"]["default_event"], "Ir");
    let table = server.answer(&functions(&json!({"sort": "difference"})));
    assert_eq!(table["events"][0]["name"], "Ir");
    let id = row(&table, "work")["function"]["id"].clone();
    for (side, whole) in [("old", "1,000"), ("new", "500"), ("difference", "500")] {
        let scope = sided(side, None);
        let flame = json!({"ask": "flame", "scope": scope, "direction": "callees", "root": null});
        let map = json!({"ask": "treemap", "scope": scope, "direction": "callees", "root": null, "width": 600, "height": 400});
        for picture in [server.answer(&flame), server.answer(&map)] {
            assert_eq!((&picture["event"]["name"], &picture["whole"]["text"]), (&json!("Ir"), &json!(whole)));
        }
        let graph = server
            .answer(&json!({"ask": "graph", "scope": scope, "function": null, "min_share": 0.0, "nodes": 9}));
        assert_eq!(graph["event"]["name"], "Ir", "{side}");
    }
    let calls = server.answer(&json!({"ask": "calls", "scope": scope(), "function": id, "events": []}));
    let change = &calls["callers"][0]["changes"][0];
    assert_eq!((&change["old"]["text"], &change["difference"]["text"]), (&json!("900"), &json!("-500")));
    assert_eq!(calls["function"]["costs"][0]["self"]["text"], "400");
}

/// Calls of the profile that is shown have its costs, as shares of the function, and no differences.
#[test]
fn calls_of_one_profile_are_not_compared() {
    let folder = Folder::new();
    let server = reordered(&folder);
    let table = server.answer(&functions(&json!({"sort": "difference"})));
    let id = row(&table, "work")["function"]["id"].clone();
    for (side, cost) in [("old", "900"), ("new", "400")] {
        let calls =
            server.answer(&json!({"ask": "calls", "scope": sided(side, None), "function": id, "events": []}));
        let caller = &calls["callers"][0];
        assert_eq!((&caller["costs"][0]["text"], &caller["changes"]), (&json!(cost), &json!(null)), "{side}");
        assert_eq!(caller["function"]["id"], row(&table, "main")["function"]["id"]);
        assert_eq!(calls["function"]["costs"][0]["self_change"]["old"]["text"], "900");
    }
}

/// What costs more or less is a share of the old total in pictures as in tables.
#[test]
fn flames_and_tiles_of_a_difference_have_shares_of_the_old_total() {
    let folder = Folder::new();
    let server = reordered(&folder);
    let scope = sided("difference", Some("Ir"));
    let flame = server.answer(&json!({"ask": "flame", "scope": scope, "direction": "callees", "root": null}));
    let change =
        |column: &Value| column.as_array().unwrap().iter().map(|it| it.as_f64().unwrap()).collect::<Vec<_>>();
    assert_eq!(change(&flame["frames"]["change"]), [-0.5, -0.5]);
    let map = server.answer(
        &json!({"ask": "treemap", "scope": scope, "direction": "callees", "root": null, "width": 600, "height": 400}),
    );
    assert_eq!(change(&map["tiles"]["change"]), [-0.5, -0.5]);
}

/// Costs of different kinds are compared by their shares, in every view.
#[test]
fn other_formats_are_compared_by_share_in_all_views() {
    let folder = Folder::new();
    let old = folder.file("callgrind.out.1", &callgrind("Ir Dr", ["100 10", "900 40", "900 40"]));
    let new = folder.file("new.folded", "main 1\nmain;work 3\n");
    let server = Server::start(&["--compare", &old, &new]);
    let about = server.settled(0)["stage"]["about"].clone();
    let profile = &about["profile"];
    assert_eq!(profile["default_event"], "samples");
    let known = &profile["events"].as_array().unwrap()[..];
    assert_eq!(known.len(), 1, "{known:?}");
    assert_eq!((&known[0]["old_total"], &known[0]["by_share"]), (&json!("1,000"), &json!(true)));
    for event in [None, Some("samples")] {
        let mut scope = scope();
        scope["event"] = json!(event);
        let events: Vec<&str> = event.into_iter().collect();
        let table =
            server.answer(&functions(&json!({"scope": scope, "sort": "difference", "events": events})));
        let work = row(&table, "work");
        let change = &work["costs"][0]["self_change"];
        assert_eq!((&change["old"]["text"], &change["old"]["share_text"]), (&json!("900"), &json!("90.0 %")));
        assert_eq!((&change["difference"]["text"], &change["ratio"]), (&json!("-15.0 %"), &json!("0.833 ×")));
        let id = work["function"]["id"].clone();
        let calls = server.answer(&json!({"ask": "calls", "scope": scope, "function": id, "events": events}));
        let change = &calls["callers"][0]["changes"][0];
        assert_eq!(
            (&change["old"]["text"], &change["difference"]["text"]),
            (&json!("900"), &json!("-15.0 %"))
        );
        let groups = server.answer(&functions(
            &json!({"scope": scope, "group": "class", "events": events, "sort": "difference"}),
        ));
        let change = &groups["rows"][0]["costs"][0]["self_change"];
        assert_eq!(
            (&change["old"]["share_text"], &change["difference"]["text"]),
            (&json!("100.0 %"), &json!("0.0 %"))
        );
        let flame = server.answer(
            &json!({"ask": "flame", "scope": sided("difference", event), "direction": "callees", "root": null}),
        );
        let changes = flame["frames"]["change"].as_array().unwrap();
        assert!((changes[1].as_f64().unwrap() + 0.15).abs() < 1e-9, "{changes:?}");
        assert_eq!(flame["event"]["by_share"], true);
        let graph = server.answer(
            &json!({"ask": "graph", "scope": sided("difference", event), "function": null, "min_share": 0.0, "nodes": 9}),
        );
        let node = graph["nodes"].as_array().unwrap().iter().find(|node| node["label"] == "work").unwrap();
        assert!((node["change"].as_f64().unwrap() + 0.15).abs() < 1e-9, "{node}");
    }
}
