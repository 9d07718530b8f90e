//! The default event type: that of the file, else time rather than samples and costs rather than calls; never a sum of unrelated
//! event types.

use std::collections::HashMap;

use serde_json::Value;

use crate::recorded::{attempted, recorded};
use crate::session::{Session, has, list};

fn top(session: &Session, file: &str) -> Value {
    session.lotse(&["profile", "top", file, "--json", "-n", "0", "--no-findings"]).exits(0).json()
}

fn events(answer: &Value) -> Vec<&str> {
    list(&answer["events"]).iter().map(|event| event["name"].as_str().unwrap()).collect()
}

/// The answer and the position of the default event type in it. Checks that rows are sorted by its self cost.
#[track_caller]
fn check(session: &Session, file: &str, default: &str) -> (Value, usize) {
    let answer = top(session, file);
    assert_eq!(answer["default_event"], default, "{file}");
    let at = events(&answer).iter().position(|event| *event == default).unwrap();
    let costs: Vec<i64> =
        list(&answer["functions"]).iter().map(|row| row["self"][at].as_i64().unwrap()).collect();
    assert!(costs.is_sorted_by(|one, next| one >= next), "{file}: {costs:?}");
    session.lotse(&["profile", "top", file]).exits(0).says(default);
    (answer, at)
}

/// The default decides in every command, also where only one weight can be written or drawn.
#[track_caller]
fn check_commands(session: &Session, file: &str, (answer, at): (&Value, usize)) {
    let default = answer["default_event"].as_str().unwrap();
    let total = &answer["events"][at]["total"];
    let name = answer["functions"][0]["name"].as_str().unwrap();
    let json = |line: &[&str]| session.lotse(&[&["profile"], line, &["--json"]].concat()).exits(0).json();
    for line in
        [&["tree", file][..], &["top", file, "--group", "file"], &["callers", file, name], &["events", file]]
    {
        assert_eq!(json(line)["default_event"], default, "{line:?}");
    }
    assert_eq!(json(&["diff", file, file])["files"][0]["default_event"], default);
    session.lotse(&["profile", "tree", file]).exits(0).says(default);
    session.lotse(&["profile", "diff", file, file]).exits(0).says(default);
    for verb in ["flame", "treemap", "graph"] {
        session.lotse(&["profile", verb, file, "-o", "x.svg"]).exits(0);
        assert!(session.read("x.svg").contains(&format!("{default}: ")), "{verb}");
    }
    session.lotse(&["profile", "convert", file, "--to", "collapsed", "-o", "x.folded"]).exits(0);
    assert_eq!(&top(session, "x.folded")["events"][0]["total"], total, "collapsed {default}");
    session.lotse(&["profile", "convert", file, "--to", "pprof", "-o", "x.pb.gz"]).exits(0);
    assert_eq!(top(session, "x.pb.gz")["default_event"], default);
}

#[test]
fn python_is_ranked_by_time() {
    let session = Session::new();
    session.write("a.py", "def f(n): return sum(range(n))\nfor i in range(300): f(i)\nf(3000000)\n");
    if recorded(&session, &["python3", "-m", "cProfile", "-o", "a.pstats", "a.py"]).is_none() {
        return;
    }
    let (answer, at) = check(&session, "a.pstats", "time");
    assert_eq!(events(&answer), ["calls", "time", "primitive_calls"]);
    // Stacks are estimated from calls, so that a picture or a list of stacks can lose a little.
    let line = ["profile", "convert", "a.pstats", "--to", "collapsed", "-o", "a.folded"];
    session.lotse(&line).exits(0);
    let (total, written) = (&answer["events"][at]["total"], &top(&session, "a.folded")["events"][0]["total"]);
    let (total, written) = (total.as_f64().unwrap(), written.as_f64().unwrap());
    assert!((total - written).abs() < 0.01 * total, "{total} {written}");
}

/// Callers do not inherit numbers of calls, so that these have no inclusive costs: neither in lists nor as pictures.
#[test]
fn numbers_of_calls_of_python_have_self_costs_only() {
    let session = Session::new();
    session.write("a.py", "def f(n): return sum(range(n))\nfor i in range(300): f(i)\n");
    if recorded(&session, &["python3", "-m", "cProfile", "-o", "a.pstats", "a.py"]).is_none() {
        return;
    }
    let answer = top(&session, "a.pstats");
    let f = list(&answer["functions"]).iter().find(|row| row["name"] == "f").unwrap();
    assert_eq!((&f["self"][0], &f["inclusive"][0]), (&Value::from(300), &Value::Null));
    assert!(f["inclusive"][1].is_number(), "{f}");
    let line = ["profile", "callers", "a.pstats", "f", "--json"];
    let callers = session.lotse(&line).exits(0).json();
    assert_eq!(
        (&callers["rows"][0]["cost"][0], &callers["rows"][0]["calls"]),
        (&Value::Null, &Value::from(300))
    );
    session.lotse(&["profile", "top", "a.pstats", "-e", "calls", "--sort", "inclusive"]).exits(0).says("–");
    session.lotse(&["profile", "callers", "a.pstats", "f", "-e", "calls"]).exits(0).says("–");
    session
        .lotse(&["profile", "tree", "a.pstats", "-e", "calls"])
        .exits(2)
        .complains("callers do not inherit it");
    let line = ["profile", "diff", "a.pstats", "a.pstats", "-e", "calls", "--inclusive"];
    session.lotse(&line).exits(2).complains("callers do not inherit it");
}

#[test]
fn javascript_is_ranked_by_time() {
    let session = Session::new();
    session
        .write("a.js", "let s = 0; for (let i = 0; i < 5e7; i++) s += i % 3; if (s < 0) console.log(s);\n");
    let line = ["node", "--cpu-prof", "--cpu-prof-name", "a.cpuprofile", "a.js"];
    if attempted(&session, &line).is_none() {
        return;
    }
    let (answer, at) = check(&session, "a.cpuprofile", "time");
    assert_eq!(events(&answer), ["samples", "time"]);
    check_commands(&session, "a.cpuprofile", (&answer, at));
}

const HEAP: &str = "package main

import (
\t\"os\"
\t\"runtime\"
\t\"runtime/pprof\"
)

var kept [][]byte
var last []int

func keep(n int) {
\tfor i := 0; i < n; i++ {
\t\tkept = append(kept, make([]byte, 1<<16))
\t}
}

func waste(n int) {
\tfor i := 0; i < n; i++ {
\t\tlast = make([]int, 64)
\t}
}

func main() {
\truntime.MemProfileRate = 512
\tkeep(100)
\twaste(100000)
\truntime.GC()
\tfile, _ := os.Create(os.Args[1])
\tpprof.Lookup(os.Args[2]).WriteTo(file, 0)
\tfile.Close()
}
";

/// The event type that `go tool pprof` shows, and the function with the highest cost.
fn shown_by_pprof(session: &Session, file: &str) -> Option<(String, String)> {
    let printed = attempted(session, &["go", "tool", "pprof", "-top", file])?;
    let kind = printed.lines().find_map(|line| line.strip_prefix("Type: ")).unwrap().to_owned();
    let first = printed.lines().skip_while(|line| !line.contains("flat%")).nth(1).unwrap();
    Some((kind, first.split_whitespace().nth(5).unwrap().to_owned()))
}

#[test]
fn go_heaps_are_ranked_as_pprof_does() {
    let session = Session::new();
    session.write("heap.go", HEAP);
    // The profile `heap` names no default type, `allocs` does.
    for (profile, expected, most) in
        [("heap", "inuse_space", "main.keep"), ("allocs", "alloc_space", "main.waste")]
    {
        let file = format!("{profile}.pb.gz");
        if attempted(&session, &["go", "run", "heap.go", &file, profile]).is_none() {
            return;
        }
        let Some(printed) = shown_by_pprof(&session, &file) else { return };
        assert_eq!(printed, (expected.to_owned(), most.to_owned()));
        let (answer, at) = check(&session, &file, expected);
        assert_eq!(events(&answer), ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"]);
        assert_eq!(answer["functions"][0]["name"], most);
        check_commands(&session, &file, (&answer, at));
        // pprof shows the same for the file that Lotse writes.
        assert_eq!(shown_by_pprof(&session, "x.pb.gz").unwrap(), printed);
    }
}

const PROGRAM: &str = "
#include <stdlib.h>
#include <string.h>
volatile unsigned sink;
void spin(void) { for (unsigned i = 0; i < 60000000; i++) sink += i % 7; }
void touch(void) { for (int i = 0; i < 200; i++) { char *p = malloc(1 << 20); memset(p, i, 1 << 20); sink += p[i]; } }
int main(void) { spin(); touch(); return 0; }
";

/// Two event types of perf are two costs; the first is the default, and they are never added.
#[test]
fn the_first_event_of_perf_is_the_default() {
    if !has("gcc") || !has("perf") {
        return;
    }
    let session = Session::new();
    session.write("two.c", PROGRAM);
    recorded(&session, &["gcc", "-g", "-O1", "-fno-omit-frame-pointer", "-o", "two", "two.c"]).unwrap();
    let record =
        ["perf", "record", "-e", "cpu-clock,page-faults", "-F", "499", "-g", "-o", "perf.data", "./two"];
    if attempted(&session, &record).is_none() {
        return;
    }
    let script = ["perf", "script", "-i", "perf.data", "-F", "event,period", "-G"];
    let Some(printed) = attempted(&session, &script) else { return };
    let mut totals: HashMap<String, u64> = HashMap::new();
    for line in printed.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [period, event] = words[..] else { continue };
        let event = event.split(':').next().unwrap().to_owned();
        *totals.entry(event).or_default() += period.parse::<u64>().unwrap();
    }
    let answer = top(&session, "perf.data");
    let plain: Vec<&str> = events(&answer).iter().map(|it| it.split(':').next().unwrap()).collect();
    assert_eq!(plain, ["samples", "cpu-clock", "page-faults"]);
    let default = answer["default_event"].as_str().unwrap().to_owned();
    assert!(default.starts_with("cpu-clock"), "{default}");
    let (answer, at) = check(&session, "perf.data", &default);
    assert_eq!(answer["events"][at]["total"], totals["cpu-clock"], "{printed}");
    assert_eq!(answer["events"][at + 1]["total"], totals["page-faults"]);
    assert_eq!(answer["functions"][0]["name"], "spin");
    check_commands(&session, "perf.data", (&answer, at));
    let others = session.lotse(&["profile", "top", "perf.data"]).exits(0);
    others.complains("other event types: page-faults");
    check_texts(&session, &default);
}

/// The text of perf has its samples in any order: with a header the first event listed is the default, without one the
/// event that perf records by itself.
#[track_caller]
fn check_texts(session: &Session, default: &str) {
    for header in [&["--header"][..], &[]] {
        let script = [&["perf", "script", "-i", "perf.data"], header].concat();
        let text = recorded(session, &script).unwrap();
        let (head, samples) = text.split_at(text.find("\ntwo").map_or(0, |at| at + 1));
        let mut samples: Vec<&str> = samples.trim_end().split("\n\n").collect();
        samples.sort_by_key(|sample| !sample.contains("page-faults"));
        session.write("perf.txt", &format!("{head}{}\n\n", samples.join("\n\n")));
        assert!(samples[0].contains("page-faults"), "{}", samples[0]);
        assert_eq!(top(session, "perf.txt")["default_event"], default, "{header:?}");
        let others = session.lotse(&["profile", "top", "perf.txt"]).exits(0);
        others.complains("other event types: page-faults");
    }
}

#[test]
fn heap_and_instruction_counters_keep_their_first_cost() {
    let session = Session::new();
    session.write("x.c", PROGRAM.replace("60000000", "60000").replace("1 << 20", "1 << 10").as_str());
    if !has("gcc") || !has("valgrind") {
        return;
    }
    recorded(&session, &["gcc", "-g", "-O1", "-o", "x", "x.c"]).unwrap();
    let tools = [
        (&["--tool=callgrind", "--callgrind-out-file=x.callgrind"][..], "x.callgrind", "Ir"),
        (&["--tool=dhat", "--dhat-out-file=x.dhat"], "x.dhat", "total_bytes"),
        (&["--tool=massif", "--massif-out-file=x.massif"], "x.massif", "useful_heap"),
    ];
    for (options, file, expected) in tools {
        if recorded(&session, &[&["valgrind", "-q"], options, &["./x"]].concat()).is_some() {
            let answer = top(&session, file);
            assert_eq!(answer["default_event"], events(&answer)[0], "{file}");
            assert!(file == "x.massif" || answer["default_event"] == expected, "{answer}");
        }
    }
}
