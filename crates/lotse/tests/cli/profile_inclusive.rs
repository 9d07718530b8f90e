//! Inclusive costs that a file states are the ones shown: every function against Python's `pstats` and GNU gprof.

use std::collections::HashMap;

use serde_json::Value;

use crate::recorded::recorded;
use crate::session::{Session, has, list};

/// Mutual and direct recursion, two functions of the same name, and calls of the standard library.
const SCRIPT: &str = "
import ast, json, re
class A:
    def __init__(self, n): self.sum = sum(i * i for i in range(n))
class B:
    def __init__(self, n): self.rest = [i % 7 for i in range(n)]
def walk(node):
    count = 1
    for child in ast.iter_child_nodes(node): count += visit(child)
    return count
def visit(node): return walk(node)
def fibonacci(n): return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
def main():
    with open(json.__file__) as file: walk(ast.parse(file.read()))
    A(2000); B(3000); fibonacci(12); re.compile('(a|b)*c+'); json.dumps([{'a': [1, 2]}] * 50)
main()
";

/// Every function as `pstats` has it: a JSON list of [key, calls, primitive, own, cumulative, callers].
const PRINT: &str = "
import json, pstats, sys
key = lambda it: ['' if it[0] == '~' else it[0], it[1], it[2]]
ns = lambda seconds: round(seconds * 1e9)
rows = []
for name, (cc, nc, tt, ct, callers) in pstats.Stats(sys.argv[1]).stats.items():
    timed = [[key(caller), it[0], ns(it[3])] for caller, it in callers.items() if isinstance(it, tuple)]
    rows.append([key(name), nc, cc, ns(tt), ns(ct), timed])
print(json.dumps(rows))
";

/// File, line and name.
type Key = (String, u64, String);

fn key(file: &Value, line: &Value, name: &Value) -> Key {
    let file = file.as_str().unwrap_or("").to_owned();
    (file, line.as_u64().unwrap_or(0), name.as_str().unwrap().to_owned())
}

fn row_key(row: &Value) -> Key {
    key(&row["file"], &row["line"], &row["name"])
}

fn stated_key(row: &Value) -> Key {
    key(&row[0], &row[1], &row[2])
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

/// Runs the script under one of Python's profilers.
const RECORD: &str = "
import importlib, sys
everything = {'__name__': '__main__'}
run = 'exec(compile(open(\"plain.py\").read(), \"plain.py\", \"exec\"))'
importlib.import_module(sys.argv[1]).runctx(run, everything, everything, 'out.pstats')
";

/// A recording by one of Python's profilers, and its functions as `pstats` lists them.
fn python(module: &str) -> Option<(Session, Vec<Value>)> {
    let session = Session::new();
    session.write("plain.py", SCRIPT).write("print.py", PRINT).write("record.py", RECORD);
    recorded(&session, &["python3", "record.py", module])?;
    let printed = recorded(&session, &["python3", "print.py", "out.pstats"])?;
    let Value::Array(rows) = serde_json::from_str(&printed).unwrap() else { panic!("{printed}") };
    assert!(rows.len() > 50, "{}", rows.len());
    Some((session, rows))
}

fn top(session: &Session, file: &str, more: &[&str]) -> Value {
    session.lotse(&[&["profile", "top", file, "--json", "-n", "0"], more].concat()).exits(0).json()
}

/// Compares calls and times of all functions. Times are rounded to nanoseconds, so a sum of rounded times may differ from a
/// rounded sum.
fn check_functions(answer: &Value, rows: &[Value]) {
    let found: HashMap<Key, &Value> =
        list(&answer["functions"]).iter().map(|row| (row_key(row), row)).collect();
    assert_eq!(found.len(), rows.len());
    let rounding = rows.len() as i64;
    for row in rows {
        let key = stated_key(&row[0]);
        let mine = found.get(&key).unwrap_or_else(|| panic!("no {key:?}"));
        // Events: calls, time, primitive calls.
        assert_eq!((&mine["self"][0], &mine["self"][2]), (&row[1], &row[2]), "calls of {key:?}");
        assert_eq!(mine["calls"], row[1], "{key:?}");
        assert_eq!(mine["self"][1], row[3], "own time of {key:?}");
        let (mine, stated) = (number(&mine["inclusive"][1]), number(&row[4]));
        assert!(
            (mine - stated).abs() <= rounding,
            "cumulative time of {key:?}: {mine}, Python says {stated}"
        );
    }
}

#[test]
fn every_function_costs_what_pstats_says() {
    let Some((session, rows)) = python("cProfile") else { return };
    let answer = top(&session, "out.pstats", &[]);
    check_functions(&answer, &rows);
    assert_eq!(answer["inclusive_from"], "file");
    // The inclusive cost of `walk` contains the calls inside its cycle, and so most of what `visit` itself costs.
    let named = |name: &str| list(&answer["functions"]).iter().find(|row| row["name"] == name).unwrap();
    let (walk, visit) = (named("walk"), named("visit"));
    assert!(walk["cycle"].is_u64() && walk["cycle"] == visit["cycle"], "{walk} {visit}");
    let callees = session.lotse(&["profile", "callees", "out.pstats", "walk", "--json"]).exits(0).json();
    let outside = list(&callees["rows"]).iter().filter(|row| row["inside_cycle"] == false);
    let folded = number(&walk["self"][1]) + outside.map(|row| number(&row["cost"][1])).sum::<i64>();
    let more = number(&walk["inclusive"][1]) - folded;
    assert!(more > number(&visit["self"][1]) / 2, "{folded} and {more}, {visit}");
}

#[test]
fn callers_and_trees_agree_with_the_list() {
    let Some((session, rows)) = python("cProfile") else { return };
    for name in ["walk", "visit", "fibonacci", "iter_child_nodes"] {
        let row = rows.iter().find(|row| row[0][2] == name).unwrap();
        let asked = format!("{}:{}", row[0][0].as_str().unwrap(), row[0][1]);
        let line = ["profile", "callers", "out.pstats", &asked, "--json", "-n", "0"];
        let answer = session.lotse(&line).exits(0).json();
        assert_eq!(row_key(&answer["function"]), stated_key(&row[0]));
        let mut mine: Vec<(Key, i64, i64)> = list(&answer["rows"])
            .iter()
            .map(|row| (row_key(row), number(&row["calls"]), number(&row["cost"][1])))
            .collect();
        let callers = list(&row[5]).iter();
        let mut stated: Vec<(Key, i64, i64)> =
            callers.map(|it| (stated_key(&it[0]), number(&it[1]), number(&it[2]))).collect();
        mine.sort();
        stated.sort();
        assert_eq!(mine, stated, "callers of {name}");
        let tree = ["profile", "tree", "out.pstats", &asked, "--json"];
        let tree = session.lotse(&tree).exits(0).json();
        assert_eq!(tree["nodes"][0]["inclusive"], answer["function"]["inclusive"], "{name}");
    }
}

#[test]
fn other_cycle_modes_keep_their_meaning_and_diffs_use_stated_costs() {
    let Some((session, rows)) = python("cProfile") else { return };
    let raw = top(&session, "out.pstats", &["--cycles", "raw"]);
    let spread = top(&session, "out.pstats", &["--cycles", "gprof"]);
    assert_eq!((&raw["inclusive_from"], &raw["cycles"]), (&"calls".into(), &"raw".into()));
    assert_eq!((&spread["inclusive_from"], &spread["cycles"]), (&"counts".into(), &"gprof".into()));
    let diff = ["profile", "diff", "out.pstats", "out.pstats", "--json", "-n", "0", "--min-change", "0"];
    let diff = session.lotse(&diff).exits(0).json();
    let walk = list(&diff["functions"]).iter().find(|row| row["name"] == "walk").unwrap();
    let stated = rows.iter().find(|row| row[0][2] == "walk").unwrap();
    assert!(
        (number(&walk["versus"][0]["inclusive"][1]["old"]) - number(&stated[4])).abs() <= rows.len() as i64
    );
    session
        .lotse(&["profile", "convert", "out.pstats", "--to", "callgrind", "-o", "out.callgrind"])
        .exits(0)
        .complains("the inclusive costs that the file states are not written");
    let total = |answer: &Value, name: &str| {
        let events = list(&answer["events"]).iter();
        number(&events.clone().find(|event| event["name"] == name).unwrap()["total"])
    };
    let (old, new) = (top(&session, "out.pstats", &[]), top(&session, "out.callgrind", &[]));
    assert_eq!(total(&old, "time"), total(&new, "time"));
}

/// `python3 -m profile` names the top level of a script by its source code.
#[test]
fn a_script_whose_name_is_code_is_read() {
    let session = Session::new();
    session.write("plain.py", SCRIPT);
    if recorded(&session, &["python3", "-m", "profile", "-o", "out.pstats", "plain.py"]).is_none() {
        return;
    }
    let count = "import pstats; print(len(pstats.Stats('out.pstats').stats))";
    let count: u64 = recorded(&session, &["python3", "-c", count]).unwrap().trim().parse().unwrap();
    let answer = top(&session, "out.pstats", &[]);
    // The profiler itself counts as a function: it has no calls and no cost, but it is a caller.
    assert_eq!(answer["function_count"], count);
    let named = |name: &str| list(&answer["functions"]).iter().filter(|row| row["name"] == name).count();
    assert_eq!((named("walk"), named("visit"), named("fibonacci")), (1, 1, 1));
    assert!(named("<module>") >= 1, "{answer}");
}

/// The module `profile`, which is pure Python, writes cumulative times of functions, but no times of calls.
#[test]
fn the_old_profiler_states_cumulative_times_too() {
    let Some((session, rows)) = python("profile") else { return };
    let answer = top(&session, "out.pstats", &[]);
    check_functions(&answer, &rows);
    let diagnostics = answer["diagnostics"].to_string();
    assert!(diagnostics.contains("the file does not say what calls cost"), "{diagnostics}");
}

const PROGRAM: &str = "
#include <stdlib.h>
volatile unsigned sink;
void leaf(int n) { for (int i = 0; i < n; i++) sink += i * 7u % 13; }
void odd(int n);
void even(int n) { leaf(90000); if (n > 0) odd(n - 1); }
void odd(int n) { leaf(40000); if (n > 0) even(n - 1); }
void deep(int n) { leaf(50000); if (n > 0) deep(n - 1); }
void flat(int n) { leaf(n); }
int main(void) { for (int i = 0; i < 40; i++) { even(20); deep(20); flat(400000); } return 0; }
";

/// The last cumulative time of a flat profile, in hundredths of a second.
fn number_of_seconds(flat: &str) -> i64 {
    let mut rows = flat.lines().rev().filter_map(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    (rows.next().unwrap() * 100.0).round() as i64
}

/// Self time and time with children of every entry of gprof's call graph, in hundredths of a second.
fn entries(graph: &str) -> HashMap<String, (i64, i64)> {
    let mut entries = HashMap::new();
    let hundredths = |text: &str| (text.parse::<f64>().unwrap() * 100.0).round() as i64;
    for line in graph.lines().filter(|line| line.starts_with('[') && !line.contains("as a whole>")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = words.iter().rev().nth(1).filter(|word| !word.ends_with('>'));
        let name = name.unwrap_or_else(|| words.iter().rev().nth(3).unwrap());
        let (own, children) = (hundredths(words[2]), hundredths(words[3]));
        entries.insert((*name).to_owned(), (own, own + children));
    }
    entries
}

/// For each member of a cycle: the cost of calls from outside the cycle in gprof's call graph, in hundredths of a second.
/// These are the lines of callers that have times.
fn entering(graph: &str) -> HashMap<String, i64> {
    let mut entering = HashMap::new();
    for entry in graph.split("\n-----") {
        let lines: Vec<&str> = entry.lines().collect();
        let Some(at) = lines.iter().position(|line| line.starts_with('[') && line.contains(" <cycle "))
        else {
            continue;
        };
        let times = lines[..at].iter().filter(|line| line.contains('/')).map(|line| {
            let words = line.split_whitespace().take(2);
            words.map(|word| (word.parse::<f64>().unwrap() * 100.0).round() as i64).sum::<i64>()
        });
        let name = lines[at].split_whitespace().rev().nth(3).unwrap();
        entering.insert(name.to_owned(), times.sum());
    }
    entering
}

#[test]
fn every_function_costs_what_gprof_says() {
    if !has("gcc") || !has("gprof") {
        return;
    }
    let session = Session::new();
    session.write("prog.c", PROGRAM);
    let built = recorded(&session, &["gcc", "-pg", "-O0", "-no-pie", "-o", "prog", "prog.c"]);
    let Some(graph) = built.and_then(|_| {
        recorded(&session, &["./prog"])?;
        recorded(&session, &["gprof", "-b", "-q", "prog", "gmon.out"])
    }) else {
        return;
    };
    let both = recorded(&session, &["gprof", "-b", "prog", "gmon.out"]).unwrap();
    let flat = recorded(&session, &["gprof", "-b", "-p", "prog", "gmon.out"]).unwrap();
    session.write("graph.txt", &graph).write("both.txt", &both).write("flat.txt", &flat);
    let stated = entries(&graph);
    let entering = entering(&graph);
    assert!(stated.contains_key("odd") && stated.contains_key("deep") && stated["main"].1 > 10, "{graph}");
    assert!(entering["even"] > stated["even"].1 && entering["odd"] == 0, "{graph}");
    // The file has hundredths of a second, the profile millionths that add up to the total of the file.
    let near = |mine: &Value, printed: i64| (number(mine) - printed * 10_000).abs() <= 10_000;
    let flat_total = number_of_seconds(&flat);
    for file in ["graph.txt", "both.txt"] {
        let answer = top(&session, file, &[]);
        assert_eq!((&answer["inclusive_from"], &answer["default_event"]), (&"file".into(), &"time".into()));
        let total = number(&answer["events"][0]["total"]);
        assert_eq!(total, flat_total * 10_000, "{flat}");
        let mut compared = 0;
        for row in list(&answer["functions"]) {
            let name = row["name"].as_str().unwrap();
            let Some(&(own, inclusive)) = stated.get(name) else { panic!("{name}\n{graph}") };
            let inclusive = inclusive.max(entering.get(name).copied().unwrap_or(0));
            assert!(near(&row["self"][0], own), "{name} {row}\n{graph}");
            assert!(near(&row["inclusive"][0], inclusive.min(total / 10_000)), "{name} {row}\n{graph}");
            compared += 1;
        }
        assert!(compared >= 6, "{file}: {answer}");
    }
    // The flat profile states rounded totals per call. Without one, the inclusive cost is the self cost.
    let answer = top(&session, "flat.txt", &[]);
    for row in list(&answer["functions"]) {
        let name = row["name"].as_str().unwrap();
        let (own, inclusive) = (number(&row["self"][0]), number(&row["inclusive"][0]));
        let stated = stated[name];
        assert!(near(&row["self"][0], stated.0), "{name} {row}\n{flat}");
        let agrees = (inclusive - stated.1 * 10_000).abs() <= 20_000 + stated.1 * 200;
        assert!(agrees || inclusive == own, "{name}: {inclusive}, gprof says {}\n{flat}", stated.1);
    }
}
