//! Comma-separated values of every command, read by Python's own reader: one table, no heading twice, plain numbers.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::profile_forms::fixture;
use crate::session::{Session, has, list};
use crate::trace::sample;

/// Reads a table with Python's module, checks it, and prints all rows by heading as JSON.
const READER: &str = r"
import csv, io, json, sys
text = sys.stdin.buffer.read().decode('utf-8')
rows = list(csv.reader(io.StringIO(text, newline=''), strict=True))
head, rows = rows[0], rows[1:]
assert len(set(head)) == len(head), f'a heading twice: {head}'
assert all(title.strip() for title in head), f'a column without heading: {head}'
for row in rows:
    assert len(row) == len(head), f'{len(row)} cells below {len(head)} headings: {row}'
print(json.dumps({'head': head, 'rows': [dict(zip(head, row)) for row in rows]}))
";

/// The table that a command printed.
#[track_caller]
fn table(text: &str) -> Value {
    let mut python = Command::new("python3")
        .args(["-c", READER])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    python.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = python.wait_with_output().unwrap();
    assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Checks that every cell of a column is a number or empty, and that some cell is a number.
#[track_caller]
fn check_numeric(table: &Value, title: &str) {
    let mut numbers = 0;
    for row in list(&table["rows"]) {
        let cell = row[title].as_str().unwrap_or_else(|| panic!("no {title} in {}", table["head"]));
        if !cell.is_empty() {
            cell.parse::<f64>().unwrap_or_else(|_| panic!("{cell:?} under {title}"));
            numbers += 1;
        }
    }
    assert!(numbers > 0, "nothing under {title}");
}

const TEXTS: [&str; 40] = [
    "Anderson-Darling p is",
    "on",
    "function",
    "object",
    "file",
    "group",
    "inclusive is exact",
    "exact",
    "recursive",
    "text",
    "bytes",
    "address",
    "jump",
    "callee",
    "caller",
    "status",
    "allocated in",
    "called from",
    "name",
    "counted",
    "written because",
    "event type",
    "unit",
    "title",
    "formula",
    "format",
    "what it is",
    "written",
    "claim",
    "process",
    "kind",
    "kind of record",
    "metric",
    "call path",
    "location",
    "bound",
    "cause",
    "who",
    "mostly because of",
    "what",
];

/// Checks that every column is numeric, except those that are known to contain text.
#[track_caller]
fn check_all_numeric(table: &Value, texts: &[&str]) {
    let rows = list(&table["rows"]);
    for title in list(&table["head"]).iter().map(|title| title.as_str().unwrap()) {
        let filled = rows.iter().any(|row| row[title] != "");
        if filled && !TEXTS.contains(&title) && !texts.contains(&title) {
            check_numeric(table, title);
        }
    }
}

#[test]
fn profiles() {
    if !has("python3") {
        return;
    }
    let session = crate::profile_forms::session();
    let words = fixture("words.dhat.json");
    for args in [
        &["top", "a.out"][..],
        &["top", "a.out", "-e", "Ir,Ir,Ir / D1mr"],
        &["top", "a.out", "--percent", "off"],
        &["top", "a.out", "--group", "file"],
        &["top", "circle.out", "--group", "cycle"],
        &["callers", "a.out", "leaf", "--all"],
        &["callees", "a.out", "main", "--percent", "parent"],
        &["tree", "a.out"],
        &["tree", "a.out", "leaf", "--callers"],
        &["annotate", "a.out", "run"],
        &["annotate", "a.out", "run", "--table", "calls"],
        &["annotate", "a.out", "run", "--table", "instructions"],
        &["parts", "a.out"],
        &["events", "a.out"],
        &["formats"],
        &["data", &words],
        &["top", &words],
        &["diff", "a.out", "b.out"],
        &["diff", "a.out", "b.out", "b.out"],
        &["diff", "a.out", &words],
        &["diff", "a.out", "b.out", "--calls"],
        &["diff", "a.out", "b.out", "--lines", "leaf"],
    ] {
        let answer = session.lotse(&[&["profile"], args, &["--csv"]].concat()).exits(0);
        check_all_numeric(&table(&answer.stdout), &[]);
    }
    let top = table(&session.lotse(&["profile", "top", "a.out", "--csv"]).stdout);
    assert_eq!(
        top["rows"][0],
        serde_json::json!({
            "function": "work::run(int)", "object": "/bin/prog", "file": "src/main.c", "line": "", "column": "", "calls": "2", "cycle": "", "inclusive is exact": "yes",
            "Ir self": "1000", "Ir self share": "0.9009009009009009",
            "Ir inclusive": "1100", "Ir inclusive share": "0.990990990990991",
            "D1mr self": "10", "D1mr self share": "0.8333333333333334",
            "D1mr inclusive": "11", "D1mr inclusive share": "0.9166666666666666",
        })
    );
    let written = session.lotse(&["profile", "convert", "a.out", "--to", "csv"]).exits(0).stdout;
    check_all_numeric(&table(&written), &["record", "part", "callee_object", "callee_file"]);
}

/// Times of a real profile: all in one unit, which the heading names.
#[test]
fn seconds_of_python() {
    if !has("python3") {
        return;
    }
    let session = Session::new();
    let run = "import cProfile; cProfile.run('sum(i * i for i in range(3000))', 'out.pstats')";
    let made = Command::new("python3").args(["-c", run]).current_dir(session.file("")).status().unwrap();
    assert!(made.success());
    let top = table(&session.lotse(&["profile", "top", "out.pstats", "--csv"]).exits(0).stdout);
    let head: Vec<&str> = list(&top["head"]).iter().map(|title| title.as_str().unwrap()).collect();
    assert!(head.contains(&"time self [ns]") && head.contains(&"time inclusive [ns]"), "{head:?}");
    check_all_numeric(&top, &[]);
    let ask = "import json, pstats; s = pstats.Stats('out.pstats'); print(json.dumps([[k[2], v[2]] for k, v in s.stats.items()]))";
    let output = Command::new("python3").args(["-c", ask]).current_dir(session.file("")).output().unwrap();
    let stats: Value = serde_json::from_slice(&output.stdout).unwrap();
    for row in list(&stats) {
        let name = row[0].as_str().unwrap();
        let own = list(&top["rows"]).iter().find(|it| it["function"] == name).unwrap();
        let nanos: f64 = own["time self [ns]"].as_str().unwrap().parse().unwrap();
        assert!((nanos / 1e9 - row[1].as_f64().unwrap()).abs() < 1e-9, "{name}");
    }
}

#[test]
fn measurements() {
    if !has("python3") {
        return;
    }
    let session = Session::new();
    session.lotse(&[
        "bench",
        "--runs=4",
        "--out",
        "log",
        "--export-csv",
        "h.csv",
        "-n",
        "a,\"x\"",
        "-n",
        "b",
        "true",
        "true",
    ]);
    check_all_numeric(&table(&session.read("h.csv")), &["command"]);
    let read = |more: &[&str]| {
        let args = [&["bench", "report", "log", "--to", "csv"], more].concat();
        table(&session.lotse(&args).stdout)
    };
    let programs = read(&[]);
    assert_eq!(programs["rows"][0]["program"], "a,\"x\"");
    check_numeric(&programs, "mean wall [s]");
    check_all_numeric(&programs, &["program", "command"]);
    let comparisons = read(&["--table", "comparisons"]);
    check_numeric(&comparisons, "ratio");
    check_all_numeric(&comparisons, &["program", "reference", "verdict"]);
    session.lotse(&["bench", "--runs=4", "--order=sequential", "--out", "log2", "true", "true"]);
    let args = ["bench", "report", "log2", "--to", "csv", "--table", "comparisons"];
    let unpaired = table(&session.lotse(&args).stdout);
    check_numeric(&unpaired, "difference of mean wall [s]");
    check_all_numeric(&unpaired, &["program", "reference", "verdict"]);
}

#[test]
fn traces() {
    if !has("python3") {
        return;
    }
    let session = Session::new();
    let (trace, one, even) = (sample("heat-4"), sample("heat-1"), sample("heat-even"));
    for args in [
        &["info", &trace][..],
        &["info", &trace, "--table", "records"],
        &["analyze", &trace],
        &["analyze", &trace, "--table", "losses"],
        &["analyze", &trace, "--table", "path"],
        &["analyze", &trace, "--table", "time"],
        &["analyze", &trace, "--level", "process"],
        &["critical-path", &trace],
        &["diff", &trace, &even],
        &["diff", &trace, &even, "--table", "waits"],
        &["diff", &trace, &even, "--table", "processes"],
        &["diff", &trace, &even, "--table", "efficiencies"],
        &["critical-path", &trace, "--table", "processes"],
        &["critical-path", &trace, "--table", "pairs"],
        &["critical-path", &trace, "--table", "imbalance"],
        &["critical-path", &trace, "--table", "rival"],
        &["what-if", &trace, "--zero", "main/step/stencil"],
        &["what-if", &trace, "--zero", "main/step/stencil", "--table", "changed"],
        &["phases", &trace],
        &["efficiency", &one, &trace],
        &["overheads", "--sequential", &one, "--parallel", &trace],
    ] {
        let answer = session.lotse(&[&["trace"], args, &["--csv"]].concat()).exits(0);
        let texts = [
            "part of",
            "item",
            "run",
            "mostly",
            "begins because of",
            "region",
            "from",
            "to",
            "pair",
            "efficiency",
            "most in",
            "wait",
        ];
        check_all_numeric(&table(&answer.stdout), &texts);
    }
}
