//! The rows behind a time-line: messages, critical path and waits.

use serde_json::{Value, json};

use crate::server::Server;

const TRACE: &str = "trace/heat-4";

fn table(server: &Server, from: &Value, to: &Value, lanes: usize) -> Value {
    let question = json!({"ask": "timeline", "from": from, "to": to, "columns": 400, "lanes": lanes,
        "first_lane": 0, "merge": false, "table": true});
    server.answer(&question)
}

fn seconds(row: &Value, field: &str) -> f64 {
    row[field]["seconds"].as_f64().unwrap()
}

fn rows<'v>(answer: &'v Value, kind: &str) -> &'v Vec<Value> {
    answer["table"][kind].as_array().unwrap()
}

/// The rows are those of the picture and of the jumps from wait to wait.
#[test]
fn the_table_has_what_the_picture_stands_for() {
    let server = Server::start(&[TRACE]);
    let runtime = server.settled(0)["stage"]["about"]["trace"]["runtime"].as_f64().unwrap();
    let whole = table(&server, &Value::Null, &Value::Null, 64);
    let waits = rows(&whole, "waits");
    let first = server.answer(&json!({"ask": "next_wait", "begin": 0.0, "end": null, "at": null,
        "backward": false, "location": null, "metric": null, "least": 0.0}));
    let listed = whole["table"]["waits_listed"].as_str().unwrap();
    assert!(listed.contains(&format!("{} waits", first["count"])), "{listed}");
    assert!(waits.iter().any(|wait| !wait["cause"].is_null() && wait["title"] != ""), "{waits:?}");
    let path = rows(&whole, "path");
    let mut until = 0.0;
    for row in path {
        assert!(seconds(row, "begin") >= until - 1e-9, "{row}");
        until = seconds(row, "begin") + seconds(row, "duration");
    }
    assert!(until <= runtime + 1e-9 && path.iter().all(|row| row["region"] != ""));
    let messages = rows(&whole, "messages");
    let drawn = whole["messages"].as_array().unwrap();
    assert_eq!(messages.len(), drawn.len().min(500));
    for (row, line) in messages.iter().zip(drawn) {
        assert_eq!(row["sent"]["seconds"], line["sent"]);
        let lane = |end: &str| &whole["lanes"][line[end].as_u64().unwrap() as usize]["name"];
        assert_eq!((&row["sender"], &row["receiver"]), (lane("from_lane"), lane("to_lane")));
    }
    let late = messages.iter().filter(|row| row["late"] != "");
    assert!(late.clone().count() > 0 && late.clone().all(|row| seconds(row, "waited") > 0.0));
}

/// A window has its own rows, and a part of the lanes is named.
#[test]
fn the_table_is_that_of_the_window_and_its_lanes() {
    let server = Server::start(&[TRACE]);
    let runtime = server.settled(0)["stage"]["about"]["trace"]["runtime"].as_f64().unwrap();
    let (from, to) = (runtime * 0.4, runtime * 0.5);
    let part = table(&server, &json!(from), &json!(to), 2);
    let inside = |begin: f64, end: f64| end >= from - 1e-6 && begin <= to + 1e-6;
    for wait in rows(&part, "waits") {
        assert!(inside(seconds(wait, "begin"), seconds(wait, "end")), "{wait}");
        assert!((0..2).any(|lane| part["lanes"][lane]["name"] == wait["name"]), "{wait}");
    }
    let on_path: f64 = rows(&part, "path").iter().map(|row| seconds(row, "duration")).sum();
    assert!(on_path <= to - from + 1e-6 && on_path > 0.0);
    let listed = part["table"]["waits_listed"].as_str().unwrap();
    assert!(listed.contains("of 2 lanes of 4"), "{listed}");
    let plain = server
        .answer(&json!({"ask": "timeline", "from": null, "to": null, "columns": 400, "lanes": 4,
        "first_lane": 0, "merge": false}));
    assert!(plain["table"].is_null(), "a picture alone is not slowed down by rows");
}

/// Colours follow the rank, so a region has the same one in all windows, and regions of different names have different ranks.
#[test]
fn ranks_of_regions_are_those_of_the_whole_run() {
    let server = Server::start(&[TRACE]);
    let runtime = server.settled(0)["stage"]["about"]["trace"]["runtime"].as_f64().unwrap();
    let regions = |answer: Value| -> std::collections::BTreeMap<String, u64> {
        let regions = answer["regions"].as_array().unwrap().clone();
        regions
            .iter()
            .map(|it| (it["name"].as_str().unwrap().to_owned(), it["rank"].as_u64().unwrap()))
            .collect()
    };
    let whole = regions(table(&server, &Value::Null, &Value::Null, 64));
    let statistics = server.answer(&json!({"ask": "statistics", "from": null, "to": null, "of": "regions",
        "location": null, "row": null}));
    let longest = statistics["rows"].as_array().unwrap().iter().find(|row| row["id"] != "").unwrap();
    assert_eq!(whole[longest["name"].as_str().unwrap()], 0);
    let different: std::collections::BTreeSet<u64> = whole.values().copied().collect();
    assert_eq!(different.len(), whole.len());
    let part = regions(table(&server, &json!(runtime * 0.9), &json!(runtime), 64));
    assert!(!part.is_empty() && part.iter().all(|(name, rank)| whole.get(name).is_none_or(|it| it == rank)));
}
