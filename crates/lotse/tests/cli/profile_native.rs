//! Profiles of native programs, recorded by valgrind, perf and gprof while the tests run.

use serde_json::Value;

use crate::recorded::{attempted, recorded};
use crate::session::{Session, list};

/// Two functions in a cycle, a recursive one, and work below all of them.
const CYCLE: &str = "
#define NOINLINE __attribute__((noinline))
static volatile long sink;
NOINLINE void spin(int n) { for (int i = 0; i < n; i++) sink += i; }
NOINLINE void b(int d);
NOINLINE void a(int d) { spin(3000); if (d) b(d - 1); __asm__ volatile(\"\"); }
NOINLINE void b(int d) { spin(1000); if (d) a(d - 1); __asm__ volatile(\"\"); }
NOINLINE void walk(int d) { spin(20); if (d > 0) { walk(d - 1); walk(d - 1); } __asm__ volatile(\"\"); }
NOINLINE void light(void) { spin(10000); __asm__ volatile(\"\"); }
int main(void) { for (int i = 0; i < ROUNDS; i++) { a(9); walk(6); light(); } return 0; }
";

fn built(options: &[&str]) -> Option<Session> {
    let session = Session::new();
    session.write("prog.c", CYCLE);
    recorded(&session, &[&["gcc", "-g", "-O1", "-o", "prog", "prog.c"], options].concat())?;
    Some(session)
}

fn callgrind(session: &Session, options: &[&str], out: &str) -> Option<()> {
    let out = format!("--callgrind-out-file={out}");
    recorded(session, &[&["valgrind", "--tool=callgrind", &out], options, &["./prog"]].concat()).map(|_| ())
}

fn json(session: &Session, line: &[&str]) -> Value {
    session.lotse(&[&["profile"], line, &["--json"]].concat()).exits(0).json()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn total(answer: &Value) -> i64 {
    number(&answer["events"][0]["total"])
}

fn inclusive(answer: &Value, name: &str) -> i64 {
    let rows = list(&answer["functions"]);
    let row = rows.iter().find(|row| row["name"] == name);
    number(&row.unwrap_or_else(|| panic!("no {name}: {answer}"))["inclusive"][0])
}

/// The sum that callgrind writes at the end of a file.
fn totals(session: &Session, file: &str) -> i64 {
    let text = session.read(file);
    text.lines().rev().find_map(|line| line.strip_prefix("totals: ")).unwrap().trim().parse().unwrap()
}

#[test]
fn a_dump_named_by_its_number_is_that_dump() {
    let Some(session) = built(&["-DROUNDS=2"]) else { return };
    if callgrind(&session, &["--dump-before=light"], "run").is_none() {
        return;
    }
    let files = ["run.1", "run.2", "run"];
    let sums: Vec<i64> = files.iter().map(|file| totals(&session, file)).collect();
    assert_eq!(total(&json(&session, &["top", "run.1"])), sums[0]);
    assert_eq!(total(&json(&session, &["top", "run.2"])), sums[1]);
    assert_eq!(total(&json(&session, &["top", "run"])), sums.iter().sum::<i64>());
    assert_eq!(total(&json(&session, &["top", "run.1", "--parts", "all"])), sums.iter().sum::<i64>());
    assert_eq!(total(&json(&session, &["top", "run.1", "--parts", "2"])), sums[1]);
    let alone = session.lotse(&["profile", "top", "run.1"]).exits(0);
    assert!(alone.stderr.contains("only run.1 counts, not the 2 other files"), "{}", alone.stderr);
    assert!(alone.stderr.contains("name run or use --parts all"), "{}", alone.stderr);
    let whole = session.lotse(&["profile", "top", "run"]).exits(0);
    assert!(whole.stderr.contains("2 more files of the same run are added up with it"), "{}", whole.stderr);
    let diff = json(&session, &["diff", "run.1", "run.2"]);
    let change = &diff["totals"][0][0];
    assert_eq!((number(&change["old"]), number(&change["new"])), (sums[0], sums[1]));
    session.lotse(&["profile", "convert", "run.2", "--to", "callgrind", "-o", "two.callgrind"]).exits(0);
    assert_eq!(total(&json(&session, &["top", "two.callgrind"])), sums[1]);
    session
        .lotse(&["profile", "convert", "run.2", "--parts", "1", "--to", "collapsed", "-o", "one.folded"])
        .exits(0);
    assert_eq!(total(&json(&session, &["top", "one.folded"])), sums[0]);
}

/// `walk` and the members of the cycle, compared with callgrind_annotate and with each other.
#[test]
fn members_of_cycles_cost_the_same_in_all_views() {
    let Some(session) = built(&["-DROUNDS=2"]) else { return };
    if callgrind(&session, &["--separate-recs=1"], "cg").is_none() {
        return;
    }
    let Some(printed) =
        recorded(&session, &["callgrind_annotate", "--inclusive=yes", "--threshold=100", "cg"])
    else {
        return;
    };
    let stated = |name: &str| -> i64 {
        let line = printed.lines().find(|line| line.contains(&format!("prog.c:{name} ["))).expect(name);
        line.split('(').next().unwrap().trim().replace(',', "").parse().unwrap()
    };
    let top = json(&session, &["top", "cg", "-n", "0"]);
    let callers = |name: &str| json(&session, &["callers", "cg", name]);
    for name in ["main", "light", "spin"] {
        assert_eq!(inclusive(&top, name), stated(name), "{name}\n{printed}");
    }
    for name in ["a", "b", "walk", "main", "spin"] {
        let known = inclusive(&top, name);
        assert!(known <= total(&top) && known <= stated(name), "{name}: {known}\n{printed}");
        assert_eq!(number(&callers(name)["function"]["inclusive"][0]), known, "{name}");
        assert_eq!(
            number(&json(&session, &["tree", "cg", name])["nodes"][0]["inclusive"][0]),
            known,
            "{name}"
        );
        let outside = callers(name);
        let outside = list(&outside["rows"]).iter().filter(|row| row["inside_cycle"] == false);
        assert!(outside.map(|row| number(&row["cost"][0])).sum::<i64>() <= known, "{name}");
    }
    // Only `main` calls `a` and `walk` from outside, so the functions cost what these calls cost.
    for name in ["a", "walk"] {
        let callers = callers(name);
        let main = list(&callers["rows"]).iter().find(|row| row["name"] == "main").unwrap();
        assert_eq!(number(&main["cost"][0]), inclusive(&top, name), "{name}");
    }
    for line in [&["callers", "cg", "a", "--percent", "parent"][..], &["callers", "cg", "walk"]] {
        let shown = session.lotse(&[&["profile"], line].concat()).exits(0).stdout;
        let shares = shown.lines().filter_map(|line| line.split(" %").next()?.split_whitespace().last());
        let shares: Vec<f64> = shares.filter_map(|share| share.parse().ok()).collect();
        assert!(!shares.is_empty() && shares.iter().all(|&share| share <= 100.0), "{shown}");
    }
    let note = session.lotse(&["profile", "top", "cg"]).exits(0).stderr;
    assert!(note.contains("in cycles is a lower bound"), "{note}");
}

#[test]
fn a_file_cut_at_the_end_of_a_line_is_incomplete() {
    let Some(session) = built(&["-DROUNDS=1"]) else { return };
    if callgrind(&session, &[], "cg").is_none() {
        return;
    }
    let cache = ["valgrind", "--tool=cachegrind", "--cachegrind-out-file=cache", "./prog"];
    recorded(&session, &cache).unwrap();
    for file in ["cg", "cache"] {
        session.lotse(&["profile", "top", file]).exits(0);
        let text = session.read(file);
        let lines: Vec<&str> = text.lines().collect();
        for kept in [lines.len() / 2, lines.len() - 4] {
            session.write("cut", &(lines[..kept].join("\n") + "\n"));
            let answer = session.lotse(&["profile", "top", "cut"]).exits(6);
            let is_printed =
                answer.stderr.contains("without the sums") || answer.stderr.contains("costs of the calls");
            assert!(is_printed, "{file} {kept}: {}", answer.stderr);
            let answer = session.lotse(&["profile", "top", "cut", "--json"]).exits(6).json();
            let losses = list(&answer["diagnostics"]).iter().filter(|it| it["loss"] == true).count();
            assert!(losses > 0, "{answer}");
        }
    }
}

/// Shares of gmon.out are those that gprof prints, to a tenth of a percent, and callees add up to their callers.
#[test]
fn samples_of_gmon_are_divided_in_fractions() {
    let Some(session) = built(&["-pg", "-DROUNDS=12000"]) else { return };
    recorded(&session, &["./prog"]).unwrap();
    let Some(graph) = recorded(&session, &["gprof", "-b", "-q", "prog", "gmon.out"]) else { return };
    let answer = json(&session, &["top", "gmon.out", "--binary", "prog", "-n", "0"]);
    let mut compared = 0;
    for line in graph.lines().filter(|line| line.starts_with('[') && !line.contains("<cycle ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (share, name) = (words[1].parse::<f64>().unwrap(), words[words.len() - 2]);
        let mine = 100.0 * inclusive(&answer, name) as f64 / total(&answer) as f64;
        assert!((mine - share).abs() < 0.16, "{name}: {mine}, gprof says {share}\n{graph}");
        compared += 1;
    }
    assert!(compared >= 4, "{graph}");
    let tree = json(&session, &["tree", "gmon.out", "--binary", "prog", "--min-share", "0"]);
    let roots = list(&tree["nodes"]).iter().filter(|node| node["depth"] == 0);
    assert_eq!(roots.map(|node| number(&node["inclusive"][0])).sum::<i64>(), total(&tree));
    let own: i64 = list(&tree["nodes"]).iter().map(|node| number(&node["self"][0])).sum();
    assert_eq!(own, total(&tree));
}

/// A source or a binary that was changed a few seconds after the recording is reported; the usual order is not.
#[test]
fn files_changed_right_after_the_recording_are_reported() {
    let Some(session) = built(&["-pg", "-DROUNDS=2000"]) else { return };
    recorded(&session, &["./prog"]).unwrap();
    // What is built for gprof cannot run under valgrind.
    recorded(&session, &["gcc", "-g", "-O1", "-DROUNDS=2", "-o", "plain", "prog.c"]).unwrap();
    let valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=cg", "./plain"];
    if recorded(&session, &valgrind).is_none() {
        return;
    }
    let top = ["profile", "top", "gmon.out", "--binary", "prog"];
    let annotate = ["profile", "annotate", "cg", "light"];
    for line in [&top[..], &annotate] {
        let printed = session.lotse(line).exits(0).stderr;
        assert!(!printed.contains("was changed"), "{printed}");
    }
    for file in ["gmon.out", "cg"] {
        recorded(&session, &["touch", "-d", "2020-01-01 00:00:00", file]).unwrap();
    }
    for file in ["prog", "prog.c"] {
        recorded(&session, &["touch", "-d", "2020-01-01 00:00:04", file]).unwrap();
    }
    for line in [&top[..], &annotate] {
        let printed = session.lotse(line).exits(0).stderr;
        assert!(printed.contains("was changed 4 seconds after the profile was recorded"), "{printed}");
    }
}

/// Inlined code: a callee has one row on a line, and its cost is never cut off.
#[test]
fn inlined_callees_have_one_row_with_their_cost() {
    let session = Session::new();
    session.write(
        "sort.cpp",
        "#include <algorithm>\n#include <vector>\nstatic inline int mix(int a) { return (a * 1103515245 + 12345) ^ (a >> 7); }\n\
         __attribute__((noinline)) void srt(std::vector<int>& v) { std::sort(v.begin(), v.end(), [](int a, int b) { return mix(a) < mix(b); }); }\n\
         int main() { for (int r = 0; r < 12; r++) { std::vector<int> v(200000); for (size_t i = 0; i < v.size(); i++) v[i] = mix(i + r); srt(v); } }\n",
    );
    if recorded(&session, &["g++", "-g", "-O2", "-o", "sort", "sort.cpp"]).is_none() {
        return;
    }
    let record =
        ["perf", "record", "-e", "cpu-clock", "-F", "997", "--call-graph", "dwarf", "-o", "p.data", "./sort"];
    if attempted(&session, &record).is_none() {
        return;
    }
    let answer = json(&session, &["annotate", "p.data", "srt"]);
    let mut calls = 0;
    for line in list(&answer["files"]).iter().flat_map(|file| list(&file["lines"])) {
        let names: Vec<String> = list(&line["calls"]).iter().map(|it| it["name"].to_string()).collect();
        let mut once = names.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), names.len(), "{line}");
        let cost: i64 = list(&line["calls"]).iter().map(|it| number(&it["cost"][0])).sum();
        assert!(cost <= number(&answer["function"]["inclusive"][0]), "{line}");
        calls += names.len();
    }
    assert!(calls > 0, "{answer}");
    let shown = session.lotse(&["profile", "annotate", "p.data", "srt", "--source"]).exits(0).stdout;
    let rows: Vec<&str> = shown.lines().filter(|line| line.contains("→ ")).collect();
    assert!(!rows.is_empty() && rows.iter().all(|row| row.ends_with(" %)")), "{shown}");
    assert!(rows.iter().all(|row| row.chars().count() <= 80), "{shown}");
    let focus = session.lotse(&["profile", "top", "p.data", "--focus", "^srt$", "-n", "3"]).exits(0);
    assert!(focus.stderr.contains("focus=^srt$ keeps"), "{}", focus.stderr);
    for line in [
        &["top", "p.data", "--focus", "srtt"][..],
        &["top", "p.data", "-F", "srtt"],
        &["tree", "p.data", "--focus", "srtt"],
        &["callers", "p.data", "srt", "--focus", "srtt"],
        &["flame", "p.data", "--focus", "srtt", "-o", "f.svg"],
        &["convert", "p.data", "--focus", "srtt", "--to", "collapsed"],
    ] {
        let answer = session.lotse(&[&["profile"], line].concat()).exits(2);
        assert!(answer.stderr.contains("did you mean srt("), "{line:?}: {}", answer.stderr);
        assert_eq!(answer.stdout, "", "{line:?}");
    }
}

/// Levels of recursion are one row in text, and separate nodes in JSON.
#[test]
fn deep_recursion_is_folded_in_trees() {
    let session = Session::new();
    let stacks: String = (1..=40).map(|depth| format!("main{} 10\n", ";walk".repeat(depth))).collect();
    session.write("deep.folded", &stacks);
    let shown = session.lotse(&["profile", "tree", "deep.folded"]).exits(0).stdout;
    assert!(shown.contains("… 38 more levels of recursion"), "{shown}");
    assert!(shown.lines().count() < 15, "{shown}");
    let nodes = json(&session, &["tree", "deep.folded"]);
    assert_eq!(list(&nodes["nodes"]).len(), 41);
    // A function that is called only at the deepest level is not hidden.
    session.write("deep.folded", &format!("{stacks}main{};work 500\n", ";walk".repeat(40)));
    let shown = session.lotse(&["profile", "tree", "deep.folded"]).exits(0).stdout;
    assert!(shown.contains("work"), "{shown}");
}

/// The levels `walk` and `walk'2` are one function when lines are compared.
#[test]
fn lines_of_all_levels_are_compared() {
    let Some(session) = built(&["-DROUNDS=1"]) else { return };
    if callgrind(&session, &["--separate-recs=2"], "old").is_none() {
        return;
    }
    recorded(&session, &["gcc", "-g", "-O1", "-DROUNDS=3", "-o", "prog", "prog.c"]).unwrap();
    callgrind(&session, &["--separate-recs=2"], "new").unwrap();
    let answer = json(&session, &["diff", "old", "new", "--lines", "walk", "-n", "0", "--min-change", "0"]);
    let old: i64 = list(&answer["lines"]).iter().map(|it| number(&it["versus"][0][0]["old"])).sum();
    let top = json(&session, &["top", "old", "-n", "0"]);
    let levels = list(&top["functions"])
        .iter()
        .filter(|row| row["name"].as_str().unwrap().split('\'').next() == Some("walk"));
    let levels: Vec<i64> = levels.map(|row| number(&row["self"][0])).collect();
    assert!(levels.len() == 2 && old == levels.iter().sum::<i64>(), "{old}, {levels:?}");
}

/// Bytes for the heap's administration, which have no stack in massif's file, stay in the total of an exported file.
#[test]
fn costs_without_a_stack_stay_in_what_is_written() {
    let session = Session::new();
    session.write("heap.c", "#include <stdlib.h>\nint main(void) { for (int i = 0; i < 500; i++) if (!malloc(40 + i)) return 1; return 0; }\n");
    let built = recorded(&session, &["gcc", "-g", "-o", "heap", "heap.c"]);
    let massif = ["valgrind", "--tool=massif", "--massif-out-file=m.out", "./heap"];
    if built.and_then(|_| recorded(&session, &massif)).is_none() {
        return;
    }
    session.lotse(&["profile", "convert", "m.out", "--to", "callgrind", "-o", "m.callgrind"]).exits(0);
    let events = |file: &str| -> Vec<i64> {
        list(&json(&session, &["top", file])["events"]).iter().map(|event| number(&event["total"])).collect()
    };
    let totals = events("m.out");
    assert!(totals[0] > 0 && totals[1] > 0, "{totals:?}");
    assert_eq!(events("m.callgrind"), totals);
    let extra = session.lotse(&["profile", "top", "m.out", "-e", "mem_heap_extra_B"]).exits(0).stderr;
    assert!(extra.contains("100.0 % of mem_heap_extra_B belongs to no function"), "{extra}");
    let dhat = ["valgrind", "--tool=dhat", "--dhat-out-file=d.out", "./heap"];
    recorded(&session, &dhat).unwrap();
    let diff = session.lotse(&["profile", "diff", "d.out", "m.out", "--by", "cost"]).exits(0);
    assert!(diff.stderr.contains("under other names: at_t_gmax_bytes, mem_heap_B"), "{}", diff.stderr);
}
