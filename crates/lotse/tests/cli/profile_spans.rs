//! How often functions are called where a file has spans of time: those at top level are calls too.

use crate::recorded::recorded;
use crate::session::{Session, list};

/// Spans at top level have no caller in the file.
const MIXED: &str = r#"[{"name":"f","ph":"X","ts":0,"dur":100,"pid":1,"tid":1},
{"name":"f","ph":"X","ts":200,"dur":100,"pid":1,"tid":1},{"name":"f","ph":"X","ts":400,"dur":100,"pid":1,"tid":1},
{"name":"g","ph":"X","ts":600,"dur":300,"pid":1,"tid":1},{"name":"f","ph":"X","ts":700,"dur":100,"pid":1,"tid":1}]"#;

fn calls(session: &Session, file: &str, function: &str) -> u64 {
    let answer =
        session.lotse(&["profile", "top", file, "--json", "--limit=0", "--no-findings"]).exits(0).json();
    let row = list(&answer["functions"]).iter().find(|row| row["name"] == function);
    row.unwrap_or_else(|| panic!("{function} in {answer}"))["calls"].as_u64().unwrap()
}

#[test]
fn spans_at_top_level_are_calls() {
    let session = Session::new();
    session.write("mixed.json", MIXED);
    let file = "mixed.json";
    assert_eq!((calls(&session, file, "f"), calls(&session, file, "g")), (4, 1));
    let table = session.lotse(&["profile", "top", file, "-e", "time/calls"]).exits(0).stdout;
    assert!(table.contains("100.0 µs  100.0 µs      4  f"), "{table}");
    let table = session.lotse(&["profile", "top", file, "-e", "time/calls", "--csv"]).exits(0).stdout;
    assert!(table.lines().any(|line| line.contains("100000") && line.contains(",4,")), "{table}");
}

#[test]
fn collections_of_garbage_are_counted_as_node_traces_them() {
    let session = Session::new();
    session.write(
        "work.js",
        "let kept = []; for (let i = 0; i < 3e6; i++) kept[i % 1000] = { i, text: 'x' + i };",
    );
    let words = ["node", "--max-semi-space-size=1", "--trace-event-categories", "v8", "work.js"];
    if recorded(&session, &words).is_none() {
        return;
    }
    let events = session.read_json("node_trace.1.log");
    let begins = |event: &&serde_json::Value| {
        event["name"] == "MinorGC" && matches!(event["ph"].as_str(), Some("B" | "X"))
    };
    let begun = list(&events["traceEvents"]).iter().filter(begins).count() as u64;
    assert!(begun > 0, "node collected no garbage");
    assert_eq!(calls(&session, "node_trace.1.log", "MinorGC"), begun);
}
