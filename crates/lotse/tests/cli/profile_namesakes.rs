//! Functions with the same name: they are distinguished by line and column, shown with these, and chosen by these.

use std::collections::HashMap;

use serde_json::Value;

use crate::recorded::{attempted, recorded};
use crate::session::{Session, list};

/// Two methods of one name on different lines, two functions of one name in one line, evaluated ones without a file.
const SCRIPT: &str = "
class A { run(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; } }
class B { run(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sin(i); return s; } }
const two = [function (n) { let s = 0; for (let i = 0; i < n; i++) s += Math.cos(i); return s; }, function (n) { let s = 0; for (let i = 0; i < n; i++) s += Math.tan(i); return s; }];
const one = eval('(function (n) { let s = 0; for (let i = 0; i < n; i++) s += Math.log(i + 1); return s; })');
const other = eval('(function (n) { let s = 0; for (let i = 0; i < n; i++) s += Math.exp(1 / i); return s; })');
let sum = 0;
for (let round = 0; round < 20; round++) {
  sum += new A().run(6e5) + new B().run(6e5) + two[0](6e5) + two[1](6e5) + one(6e5) + other(6e5);
}
if (sum === 1) console.log(sum);
";

/// File, line and column from 1, name; 0 and empty where unknown.
type Key = (String, u64, u64, String);

fn recording() -> Option<(Session, Value)> {
    let session = Session::new();
    session.write("app.js", SCRIPT);
    attempted(&session, &["node", "--cpu-prof", "--cpu-prof-name", "run.cpuprofile", "app.js"])?;
    let profile = session.read_json("run.cpuprofile");
    Some((session, profile))
}

/// Self and inclusive time of every function, computed directly from the file, in nanoseconds.
fn summed(profile: &Value) -> HashMap<Key, (u64, u64)> {
    let nodes: HashMap<u64, &Value> =
        list(&profile["nodes"]).iter().map(|node| (node["id"].as_u64().unwrap(), node)).collect();
    let mut parents: HashMap<u64, u64> = HashMap::new();
    for (&id, node) in &nodes {
        let children = node["children"].as_array().into_iter().flatten();
        parents.extend(children.map(|child| (child.as_u64().unwrap(), id)));
    }
    let mut at = profile["startTime"].as_i64().unwrap();
    let mut samples: Vec<(i64, u64)> = Vec::new();
    for (sample, delta) in list(&profile["samples"]).iter().zip(list(&profile["timeDeltas"])) {
        at += delta.as_i64().unwrap();
        samples.push((at, sample.as_u64().unwrap()));
    }
    samples.sort_by_key(|&(at, _)| at);
    let mut sums: HashMap<Key, (u64, u64)> = HashMap::new();
    // A sample lasts until the next one, the last one until the end, as in Chrome's DevTools.
    let ends: Vec<i64> =
        samples.iter().skip(1).map(|&(at, _)| at).chain(profile["endTime"].as_i64()).collect();
    for ((at, node), end) in samples.into_iter().zip(ends) {
        let time = u64::try_from(end - at).unwrap_or(0) * 1000;
        sums.entry(key(nodes[&node])).or_default().0 += time;
        let mut way: Vec<Key> = std::iter::successors(Some(node), |id| parents.get(id).copied())
            .map(|id| key(nodes[&id]))
            .collect();
        way.sort();
        way.dedup();
        way.into_iter().for_each(|key| sums.entry(key).or_default().1 += time);
    }
    sums.retain(|_, (_, inclusive)| *inclusive > 0);
    sums
}

fn key(node: &Value) -> Key {
    let frame = &node["callFrame"];
    let text = |key: &str| frame[key].as_str().unwrap().to_owned();
    let from_one = |key: &str| u64::try_from(frame[key].as_i64().unwrap() + 1).unwrap();
    let name = if text("functionName").is_empty() { "(anonymous)".to_owned() } else { text("functionName") };
    let (line, script) = (from_one("lineNumber"), text("scriptId"));
    let evaluated = text("url").is_empty() && line > 0 && script != "0";
    let file = if evaluated { format!("(script {script})") } else { text("url") };
    if file.is_empty() { (file, 0, 0, name) } else { (file, line, from_one("columnNumber"), name) }
}

fn row_key(row: &Value) -> Key {
    let number = |key: &str| row[key].as_u64().unwrap_or(0);
    let text = |key: &str| row[key].as_str().unwrap_or("").to_owned();
    (text("file"), number("line"), number("column"), text("name"))
}

fn top(session: &Session, file: &str) -> Value {
    session.lotse(&["profile", "top", file, "--json", "-n", "0"]).exits(0).json()
}

fn times(answer: &Value) -> HashMap<Key, (u64, u64)> {
    let event = list(&answer["events"]).iter().position(|event| event["name"] == "time").unwrap();
    let cost = |row: &Value, kind: &str| row[kind][event].as_u64().unwrap();
    let rows = list(&answer["functions"]).iter();
    let costs = rows.map(|row| (row_key(row), (cost(row, "self"), cost(row, "inclusive"))));
    let mut times = HashMap::new();
    for (key, costs) in costs.filter(|(_, (_, inclusive))| *inclusive > 0) {
        assert_eq!(times.insert(key.clone(), costs), None, "{key:?} comes twice");
    }
    times
}

#[test]
fn functions_of_one_name_are_summed_by_place() {
    let Some((session, profile)) = recording() else { return };
    let expected = summed(&profile);
    let named = |name: &str| expected.keys().filter(|key| key.3 == name).count();
    assert!(named("run") == 2 && named("(anonymous)") >= 4, "{expected:?}");
    assert_eq!(times(&top(&session, "run.cpuprofile")), expected);
}

#[test]
fn an_ambiguous_name_lists_the_candidates_and_how_to_choose() {
    let Some((session, _)) = recording() else { return };
    let ask = |function: &str| session.lotse(&["profile", "callers", "run.cpuprofile", function, "--json"]);
    let answer = ask("run").exits(0).json();
    let diagnostics = answer["diagnostics"].to_string();
    assert!(
        diagnostics.contains("fits 2 functions") && diagnostics.contains("run (app.js:2:14)"),
        "{diagnostics}"
    );
    assert!(
        diagnostics.contains("run (app.js:3:14)") && diagnostics.contains("give it as listed"),
        "{diagnostics}"
    );
    for (asked, line) in
        [("run (app.js:2:14)", 2), ("run (app.js:3:14)", 3), ("app.js:3:14", 3), ("app.js:2:14", 2)]
    {
        let answer = ask(asked).exits(0).json();
        assert_eq!(
            (&answer["function"]["line"], &answer["diagnostics"]),
            (&line.into(), &Value::Array(vec![]))
        );
    }
    for verb in [&["tree"][..], &["annotate"], &["flame", "-o", "x.svg"], &["graph", "-o", "x.svg"]] {
        let line = [&["profile", verb[0], "run.cpuprofile", "run"], &verb[1..]].concat();
        session.lotse(&line).exits(0).complains("give it as listed");
    }
    session.lotse(&["profile", "flame", "run.cpuprofile", "-o", "x.svg"]).exits(0);
    let picture = session.read("x.svg");
    assert!(picture.contains("run (app.js:2:14)") && picture.contains("run (app.js:3:14)"), "{picture}");
}

#[test]
fn places_are_kept_in_every_format_and_in_comparisons() {
    let Some((session, _)) = recording() else { return };
    let runs = |answer: &Value| -> Vec<u64> {
        let event = list(&answer["events"]).iter().position(|event| event["name"] == "time").unwrap_or(0);
        let is_run = |row: &&Value| row["name"].as_str().is_some_and(|name| name.starts_with("run"));
        let rows = list(&answer["functions"]).iter().filter(is_run);
        let mut costs: Vec<u64> = rows.map(|row| row["self"][event].as_u64().unwrap()).collect();
        costs.sort_unstable();
        costs
    };
    let expected = runs(&top(&session, "run.cpuprofile"));
    assert_eq!(expected.len(), 2);
    for format in ["pprof", "speedscope", "callgrind", "collapsed"] {
        session
            .lotse(&["profile", "convert", "run.cpuprofile", "--to", format, "-o", "again"])
            .exits(0)
            .complains("their place was added");
        assert_eq!(runs(&top(&session, "again")), expected, "{format}");
    }
    let line =
        ["profile", "diff", "run.cpuprofile", "run.cpuprofile", "--json", "-n", "0", "--min-change", "0"];
    let diff = session.lotse(&line).exits(0).json();
    let rows = list(&diff["functions"]).iter().filter(|row| row["name"] == "run");
    let lines: Vec<u64> = rows.map(|row| row["line"].as_u64().unwrap()).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
}

/// V8 counts samples by line but gives no times by line: the counts are shown for lines.
#[test]
fn lines_have_the_costs_that_the_file_has() {
    let Some((session, profile)) = recording() else { return };
    let ticks = list(&profile["nodes"]).iter().filter_map(|node| node["positionTicks"].as_array()).flatten();
    assert!(ticks.count() > 0, "{profile}");
    session
        .lotse(&["profile", "annotate", "run.cpuprofile", "app.js:2:14"])
        .exits(0)
        .says("samples")
        .complains("the file does not have time by line; samples is shown");
    let line = [
        "profile",
        "diff",
        "run.cpuprofile",
        "run.cpuprofile",
        "--lines",
        "app.js:2:14",
        "--min-change",
        "0",
    ];
    session.lotse(&line).exits(0).says("samples").says("app.js");
}

#[test]
fn methods_of_one_name_in_one_file_show_their_lines() {
    let session = Session::new();
    session.write(
        "two.py",
        "class A:\n    def __init__(self): self.x = sum(range(20000))\nclass B:\n    def __init__(self): \
         self.y = list(range(40000))\nfor _ in range(9): A(); B()\n",
    );
    if recorded(&session, &["python3", "-m", "cProfile", "-o", "two.pstats", "two.py"]).is_none() {
        return;
    }
    session.lotse(&["profile", "top", "two.pstats"]).exits(0).says("two.py:2").says("two.py:4");
    let answer =
        session.lotse(&["profile", "callees", "two.pstats", "__init__ (two.py:2)", "--json"]).exits(0);
    assert_eq!(answer.json()["function"]["line"], 2);
}
