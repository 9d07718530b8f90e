//! `go tool pprof` is the oracle for profiles that `convert` writes, and for focus, ignore, hide and show.

use std::collections::BTreeMap;
use std::process::Command;

use crate::session::{Session, has, list};

/// Flat and cumulative cost by function.
type Costs = BTreeMap<String, (i64, i64)>;

/// A program in which `sum` is called in two ways and `fib` calls itself.
const C: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static volatile long sink;
__attribute__((noinline)) static long sum(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ sink; return s; }
__attribute__((noinline)) static long light(long n) { return sum(n) + 1; }
__attribute__((noinline)) static long heavy(long n) { long s = 0; for (int i = 0; i < 3; i++) s += sum(n); return s + 2; }
__attribute__((noinline)) static long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static void order(int n) {
    int *values = malloc(n * sizeof *values);
    for (int i = 0; i < n; i++) values[i] = (i * 7919) % 1009;
    qsort(values, n, sizeof *values, compare);
    free(values);
}
int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 0; i < rounds; i++) { sink += light(20000) + heavy(20000) + fib(18); order(3000); }
    printf("%ld\n", sink);
    return 0;
}
"#;

const PYTHON: &str = "\
class Base:\n    def __init__(self, n):\n        self.n = n\n\
class Child(Base):\n    def __init__(self, n):\n        super().__init__(n)\n        self.s = work(n)\n\
def work(n):\n    return sum(i * i for i in range(n))\n\
def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n\
def main():\n    for i in range(60):\n        Child(300)\n    fib(12)\n\
if __name__ == '__main__':\n    import cProfile\n    cProfile.run('main()', 'out.pstats')\n";

const SCRIPT: &str = "\
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i ^ s); return s; }\n\
function left(n) { return inner(n) + 1; }\nfunction right(n) { return inner(2 * n) + inner(n); }\n\
function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }\n\
let s = 0; for (let i = 0; i < 30; i++) { s += left(200000) + right(200000) + fib(20); }\nconsole.log(s);\n";

const GO: &str = r#"
package main

import ("os"; "runtime/pprof"; "sort"; "strings")

func leaf(n int) (s int) { for i := 0; i < n; i++ { s += i ^ s }; return }
func left(n int) int { return leaf(n) }
func right(n int) int { return leaf(2 * n) }
func text(n int) int { b := make([]string, 0); for i := 0; i < n; i++ { b = append(b, strings.Repeat("x", i%50)) }; sort.Strings(b); return len(b) }

func main() {
    out, _ := os.Create("go.pb.gz")
    pprof.StartCPUProfile(out)
    s := 0
    for i := 0; i < 60; i++ { s += left(2000000) + right(2000000) + text(20000) }
    pprof.StopCPUProfile()
    out.Close()
    println(s)
}
"#;

/// Runs a command in the session's directory; prints the reason if it fails.
fn shell(session: &Session, command: &str) -> bool {
    let output = Command::new("sh").args(["-c", command]).current_dir(session.file("")).output().unwrap();
    if !output.status.success() {
        test_support::skip_here(format!("{command}:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    output.status.success()
}

fn has_go() -> bool {
    let found = Command::new("go").arg("version").output().is_ok_and(|output| output.status.success());
    if !found {
        test_support::skip_missing("go is not installed");
    }
    found
}

/// Costs by `go tool pprof -top`, in the unit of the file.
fn pprof(session: &Session, file: &str, options: &[&str]) -> Costs {
    let mut command = Command::new("go");
    command.args(["tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-edgefraction=0"]);
    command.args(options).arg(file).current_dir(session.file(""));
    let output = command.env("PPROF_TMPDIR", session.file("")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let rows = text.lines().skip_while(|line| !line.contains("flat%")).skip(1);
    let costs: Costs = rows.map(row).collect();
    assert!(!costs.is_empty() || options.len() > 1, "{text}{}", String::from_utf8_lossy(&output.stderr));
    costs
}

/// The lines of `go tool pprof -raw` that begin with one of some words.
fn raw(session: &Session, file: &str, words: &[&str]) -> Vec<String> {
    let command = format!("PPROF_TMPDIR=. go tool pprof -raw {file}");
    let output = Command::new("sh").args(["-c", &command]).current_dir(session.file("")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("Samples:"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let begins = |line: &&str| words.iter().any(|word| line.starts_with(word));
    text.lines().filter(begins).map(str::to_owned).collect()
}

/// `300ns 96.77% 96.77%  300ns 96.77%  f (inline)`
fn row(line: &str) -> (String, (i64, i64)) {
    let mut rest = line.trim_start();
    let mut words = Vec::new();
    for _ in 0..5 {
        let (word, more) = rest.split_once(' ').unwrap();
        words.push(word);
        rest = more.trim_start();
    }
    let number = |text: &str| {
        let digits = text.trim_end_matches(|letter: char| letter.is_alphabetic());
        digits.parse().unwrap_or_else(|_| panic!("{text} in {line}"))
    };
    let name = rest.trim_end_matches(" (inline)").trim_end_matches(" (partial-inline)");
    (name.to_owned(), (number(words[0]), number(words[3])))
}

/// Costs by `lotse profile top`, of the functions whose names occur once.
fn top(session: &Session, file: &str, options: &[&str]) -> Costs {
    let line = [&["profile", "top", file, "--json", "--limit=0", "--no-findings"], options].concat();
    let answer = session.lotse(&line).exits(0).json();
    let mut costs: BTreeMap<String, Vec<(i64, i64)>> = BTreeMap::new();
    let default = list(&answer["events"]).iter().position(|event| event["name"] == answer["default_event"]);
    for row in list(&answer["functions"]) {
        let cost = |kind: &str| row[kind][default.unwrap_or(0)].as_i64().unwrap();
        let name = row["display"].as_str().unwrap().to_owned();
        costs.entry(name).or_default().push((cost("self"), cost("inclusive")));
    }
    let once = costs.into_iter().filter(|(_, rows)| rows.len() == 1);
    once.map(|(name, rows)| (name, rows[0])).filter(|(_, costs)| *costs != (0, 0)).collect()
}

/// Checks that flat costs are equal, and that cumulative costs differ by at most `tolerance`, a share of the total, which is
/// above 0 where stacks are estimated.
#[track_caller]
fn check_agreement(own: &Costs, other: &Costs, tolerance: f64, least: usize) {
    let total: i64 = other.values().map(|(flat, _)| flat).sum();
    let mut compared = 0;
    for (name, (flat, cumulative)) in own {
        let Some(&(other_flat, other_cumulative)) = other.get(name) else { panic!("pprof lacks {name}") };
        assert_eq!(*flat, other_flat, "flat cost of {name}");
        let off = (cumulative - other_cumulative).abs() as f64;
        assert!(off <= tolerance * total as f64, "{name}: {cumulative} and {other_cumulative} of {total}");
        compared += 1;
    }
    assert!(compared >= least, "only {compared} functions in {own:?}");
}

fn converted(session: &Session, file: &str) -> String {
    session.lotse(&["profile", "convert", file, "--to", "pprof", "-o", "out.pb.gz"]).exits(0).stderr
}

#[test]
fn callgrind() {
    if !has_go() || !has("valgrind") || !has("gcc") {
        return;
    }
    let session = Session::new();
    session.write("prog.c", C);
    let run = "gcc -O1 -g -o prog prog.c && valgrind --tool=callgrind --callgrind-out-file=cg.out ./prog 2";
    assert!(shell(&session, run));
    assert!(converted(&session, "cg.out").contains("the stacks are an estimate"));
    let (own, other) = (top(&session, "cg.out", &[]), pprof(&session, "out.pb.gz", &[]));
    check_agreement(&own, &other, 0.001, 50);
    let near = |a: i64, b: i64| (a - b).abs() as f64 <= 0.001 * b as f64;
    for name in ["main", "light", "heavy", "sum", "order"] {
        assert!(near(other[name].1, own[name].1), "{name}: {:?} {:?}", own[name], other[name]);
    }
    // The share of `sum` that comes from `light` is known: one call of four.
    let focused = top(&session, "cg.out", &["--focus", "^light$"]);
    assert!(near(focused["light"].1, own["light"].1), "{:?} {:?}", focused["light"], own["light"]);
    assert!(near(focused["sum"].0, own["sum"].0 / 4), "{:?} {:?}", focused["sum"], own["sum"]);
    assert!(!focused.contains_key("heavy"));
}

#[test]
fn perf() {
    if !has_go() || !has("perf") || !has("gcc") {
        return;
    }
    let session = Session::new();
    session.write("prog.c", C);
    let run = "gcc -O1 -g -fno-omit-frame-pointer -o prog prog.c && \
               perf record -q -e cpu-clock -F 999 -g -o perf.data ./prog 300";
    if !shell(&session, run) {
        return;
    }
    converted(&session, "perf.data");
    check_agreement(&top(&session, "perf.data", &[]), &pprof(&session, "out.pb.gz", &["-unit=ns"]), 0.0, 5);
}

#[test]
fn pstats() {
    if !has_go() || !has("python3") {
        return;
    }
    let session = Session::new();
    session.write("script.py", PYTHON);
    assert!(shell(&session, "python3 script.py"));
    converted(&session, "out.pstats");
    let event =
        list(&session.lotse(&["profile", "events", "out.pstats", "--json"]).exits(0).json()["events"])
            .iter()
            .map(|event| event["name"].as_str().unwrap().to_owned())
            .find(|name| name.contains("time"));
    let Some(event) = event else { panic!("pstats without time") };
    let index = format!("-sample_index={event}");
    let own = top(&session, "out.pstats", &["-e", &event]);
    check_agreement(&own, &pprof(&session, "out.pb.gz", &[&index, "-unit=ns"]), 0.02, 4);
}

/// gprof prints hundredths of a second; they are kept in microseconds, a unit that pprof knows.
#[test]
fn gprof() {
    if !has_go() || !has("gprof") || !has("gcc") {
        return;
    }
    let session = Session::new();
    session.write("prog.c", C);
    if !shell(&session, "gcc -O1 -g -pg -fno-omit-frame-pointer -o prog prog.c") {
        return;
    }
    let busy = sampled_by_gprof(&session);
    converted(&session, "out.gprof");
    // What gprof states for a function with its callees is rounded twice.
    check_agreement(&busy, &pprof(&session, "out.pb.gz", &["-unit=us"]), 0.2, 1);
}

/// The functions with samples of their own, of a run with at least 20 ticks: a machine may be fast and its ticks few.
fn sampled_by_gprof(session: &Session) -> Costs {
    for rounds in [1_200, 6_000, 30_000] {
        assert!(shell(session, &format!("./prog {rounds} && gprof prog > out.gprof")));
        let own = top(session, "out.gprof", &[]);
        let busy: Costs = own.into_iter().filter(|(_, (flat, _))| *flat > 0).collect();
        if busy.values().map(|(flat, _)| flat).sum::<i64>() >= 200_000 {
            return busy;
        }
    }
    panic!("gprof has fewer than 20 ticks of a run of seconds")
}

#[test]
fn cpuprofile() {
    if !has_go() || !has("node") {
        return;
    }
    let session = Session::new();
    session.write("script.js", SCRIPT);
    if !shell(&session, "node --cpu-prof --cpu-prof-name=out.cpuprofile script.js") {
        return;
    }
    converted(&session, "out.cpuprofile");
    let own = top(&session, "out.cpuprofile", &[]);
    let other = pprof(&session, "out.pb.gz", &["-unit=ns"]);
    check_agreement(&own, &other, 0.0, 4);
    // Node counts time from the start of the machine, which is no date.
    assert_eq!(raw(&session, "out.pb.gz", &["Time:"]), [""; 0]);
    assert_eq!(raw(&session, "out.pb.gz", &["Duration:"]).len(), 1);
}

/// Every kind of selection on a profile that Go wrote, compared with `go tool pprof`.
#[test]
fn focus_ignore_hide_and_show_mean_what_they_mean_in_pprof() {
    if !has_go() {
        return;
    }
    let session = Session::new();
    session.write("main.go", GO);
    let home = session.file("go").display().to_string();
    if !shell(&session, &format!("HOME={home} GOCACHE={home} GOFLAGS=-mod=mod go run main.go")) {
        return;
    }
    converted(&session, "go.pb.gz");
    let head = ["PeriodType:", "Period:", "Time:", "Duration:"];
    let stated = raw(&session, "go.pb.gz", &head);
    assert!(stated.iter().any(|line| line.starts_with("Period: ")), "{stated:?}");
    assert_eq!(raw(&session, "out.pb.gz", &head), stated);
    let own = |options: &[&str]| top(&session, "go.pb.gz", &[&["-e", "cpu"], options].concat());
    let judge = |options: &[&str]| {
        pprof(&session, "go.pb.gz", &[&["-sample_index=cpu", "-unit=ns"], options].concat())
    };
    check_agreement(&own(&[]), &judge(&[]), 0.0, 8);
    for (option, expression, least) in [
        ("focus", "main.left", 2),
        ("focus", "^main\\.(left|text)$", 4),
        ("focus", "sort", 3),
        ("ignore", "leaf", 3),
        ("ignore", "asyncPreempt|Builder", 3),
        ("ignore", "runtime", 0),
        ("hide", "leaf|sort", 3),
        ("hide", "^runtime\\.", 3),
        ("show", "^main\\.", 4),
        ("focus", "main.go", 3),
    ] {
        let (ours, theirs) =
            (own(&[&format!("--{option}={expression}")]), judge(&[&format!("-{option}={expression}")]));
        check_agreement(&ours, &theirs, 0.0, least);
        assert_eq!(
            ours.len(),
            theirs.values().filter(|costs| **costs != (0, 0)).count(),
            "{option} {expression}"
        );
    }
    let both = (
        own(&["--focus=main", "--ignore=sort", "--hide=leaf"]),
        judge(&["-focus=main", "-ignore=sort", "-hide=leaf"]),
    );
    check_agreement(&both.0, &both.1, 0.0, 3);
}

#[test]
fn every_verb_takes_a_selection() {
    let session = Session::new();
    session.write("x.folded", "main;parse;malloc 3\nmain;run;malloc 5\nmain;run 7\n");
    let says = |args: &[&str], text: &str| {
        session.lotse(&[&["profile"], args, &["--focus", "parse"]].concat()).exits(0).says(text)
    };
    assert!(!says(&["top", "x.folded"], "malloc").stdout.contains("run"));
    assert!(!says(&["tree", "x.folded"], "malloc").stdout.contains("run"));
    says(&["callers", "x.folded", "malloc"], "parse");
    says(&["callees", "x.folded", "main"], "parse");
    for picture in ["flame", "treemap", "graph"] {
        let drawn = says(&[picture, "x.folded"], "malloc");
        assert!(!drawn.stdout.contains(">run"), "{picture}: {}", drawn.stdout);
    }
    let written = says(&["convert", "x.folded", "--to", "collapsed"], "main;parse;malloc 3");
    assert_eq!(written.stdout, "main;parse;malloc 3\n");
    let top = session.lotse(&["profile", "top", "x.folded", "--focus", "parse", "--json"]).exits(0).json();
    assert_eq!((&top["events"][0]["total"], &top["functions"][0]["self"][0]), (&15.into(), &3.into()));
    session
        .lotse(&["profile", "top", "x.folded", "--focus", "("])
        .exits(2)
        .complains("is not a regular expression");
    session
        .lotse(&["profile", "top", "x.folded", "--hide", "none"])
        .exits(0)
        .complains("no function on a stack");
}
