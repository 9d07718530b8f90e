//! `lotse profile diff`: two runs of a program before and after a change, as callgrind and perf see them.

use std::process::Command;

use serde_json::Value;

use crate::session::{Session, list};

/// A program whose only difference between the versions is how much `checksum` does; the other functions stay as
/// they are.
const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
enum { SIZE = 400 };
static int matrix[SIZE * SIZE];

__attribute__((noinline)) void prepare(void) {
    for (int i = 0; i < SIZE * SIZE; i++) matrix[i] = i % 7;
}

__attribute__((noinline)) long checksum(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds * ROUNDS; round++)
        for (int i = 0; i < SIZE; i++) sum += matrix[i] ^ round;
    return sum;
}

__attribute__((noinline)) long finish(int rounds) {
    long sum = 0;
    for (int round = 0; round < rounds; round++)
        for (int i = 0; i < SIZE * SIZE; i++) sum += matrix[i] & 3;
    return sum;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 1;
    prepare();
    printf("%ld %ld\n", checksum(rounds), finish(rounds));
    return 0;
}
"#;

/// Whether a tool is installed; prints a note if not.
fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        test_support::skip_missing(format!("{tool} is not installed"));
    }
    found
}

/// Runs a command in the session's directory.
fn shell(session: &Session, command: &str) -> bool {
    let directory = session.file("x.c").parent().unwrap().to_owned();
    let output = Command::new("sh").args(["-c", command]).current_dir(directory).output().unwrap();
    if !output.status.success() {
        println!("{command}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    output.status.success()
}

/// Builds the program before the change and after it (an eighth of the rounds), each in a folder of its own.
fn built() -> Option<Session> {
    let session = Session::new();
    if !has("cc") {
        return None;
    }
    for (version, rounds) in [("before", 1600), ("after", 200)] {
        session.write(&format!("{version}/program.c"), PROGRAM);
        let build = format!("cc -O1 -g -DROUNDS={rounds} -o {version}/program {version}/program.c");
        assert!(shell(&session, &build));
    }
    Some(session)
}

fn compared(session: &Session, args: &[&str]) -> Value {
    session.lotse(&[&["profile", "diff", "--json"], args].concat()).exits(0).json()
}

fn function<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let found = list(&answer["functions"]).iter().find(|row| row["display"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {answer:#}"))
}

#[test]
fn callgrind_before_and_after_a_change() {
    let Some(session) = built().filter(|_| has("valgrind")) else { return };
    for version in ["before", "after"] {
        let run = format!(
            "valgrind --tool=callgrind --callgrind-out-file={version}.out {version}/program 2>{version}.log"
        );
        assert!(shell(&session, &run), "{}", session.read(&format!("{version}.log")));
    }
    let answer = compared(&session, &["before.out", "after.out", "--min-change", "0", "--limit", "0"]);
    let first = &answer["functions"][0];
    assert_eq!(first["display"], "checksum");
    let change = &first["versus"][0]["self"][0];
    assert_eq!(
        change["difference"].as_i64(),
        Some(change["new"].as_i64().unwrap() - change["old"].as_i64().unwrap())
    );
    assert!(change["difference"].as_i64().unwrap() < -1_000_000, "{change}");
    assert!((change["ratio"].as_f64().unwrap() - 0.125).abs() < 0.01, "{change}");
    for unchanged in ["prepare", "finish", "main"] {
        let change = &function(&answer, unchanged)["versus"][0]["self"][0];
        assert_eq!((&change["ratio"], &change["difference"]), (&1.0.into(), &0.into()), "{unchanged}");
    }
    let text = session.lotse(&["profile", "diff", "before.out", "after.out"]).exits(0).stdout;
    println!("{text}");
    assert!(text.contains("checksum") && !text.contains("prepare"), "{text}");
    let lines = compared(&session, &["before.out", "after.out", "--lines", "checksum"]);
    assert!(!list(&lines["lines"]).is_empty());
    let calls = compared(&session, &["before.out", "after.out", "--calls"]);
    let pairs: Vec<(&str, &str)> = list(&calls["calls"])
        .iter()
        .map(|row| (row["caller"]["display"].as_str().unwrap(), row["callee"]["display"].as_str().unwrap()))
        .collect();
    assert!(pairs.contains(&("main", "checksum")), "{pairs:?}");
}

#[test]
fn perf_before_and_after_a_change() {
    let Some(session) = built().filter(|_| has("perf")) else { return };
    for version in ["before", "after"] {
        let record =
            format!("perf record -q -e cpu-clock -F 2000 -g -o {version}.data {version}/program 300");
        if !shell(&session, &record) {
            test_support::skip_here("perf may not record here");
            return;
        }
        assert!(shell(&session, &format!("perf script -i {version}.data > {version}.script")));
    }
    let answer = compared(&session, &["before.script", "after.script"]);
    check_samples(&answer);
    let answer = compared(&session, &["before.data", "after.data"]);
    if answer["functions"][0]["display"].as_str().unwrap().starts_with("0x") {
        test_support::skip_here("the addresses of perf.data have no names without their binary");
    } else {
        check_samples(&answer);
    }
    let shown = session.lotse(&["profile", "diff", "before.script", "after.script"]).exits(0);
    println!("{}{}", shown.stdout, shown.stderr);
    assert!(shown.stderr.contains("counts are samples"), "{}", shown.stderr);
}

/// Checks that `checksum` changed, and that the change is significant.
fn check_samples(answer: &Value) {
    assert_eq!(answer["functions"][0]["display"], "checksum", "{answer:#}");
    let change = &answer["functions"][0]["versus"][0]["self"][0];
    assert!(change["difference"].as_i64().unwrap() < 0, "{change}");
    assert!(change["uncertainty"].as_f64().unwrap() > 0.0 && change["noise"].is_null(), "{change}");
}

const OLD: &str = "events: Ir Dr\nfn=main\n1 10 1\ncfn=parse_header\ncalls=5 1\n2 500 50\nfn=parse_header\n\
                   3 500 50\nfn=helper\n9 100000 5\ntotals: 100510 56\n";
const NEW: &str = "events: Ir Dr\nfn=main\n1 10 1\ncfn=parse_header_fast\ncalls=5 1\n2 400 40\n\
                   fn=parse_header_fast\n3 400 40\nfn=helper\n9 60000 5\nfn=extra\n1 39000 2\ntotals: 99410 48\n";

fn written() -> Session {
    let session = Session::new();
    session.write("old.out", OLD).write("new.out", NEW);
    session
}

#[test]
fn text_names_totals_changes_renames_and_moved_cost() {
    let answer = written().lotse(&["profile", "diff", "old.out", "new.out"]).exits(0);
    for expected in [
        "100,510",
        "-40,000",
        "perhaps renamed: parse_header → parse_header_fast",
        "not shown: 1 function that did not change",
        "warning: 40.3 % of the old total was saved",
        "profile-cost-moved",
    ] {
        assert!(answer.stdout.contains(expected), "no {expected:?} in\n{}", answer.stdout);
    }
    let silent = written().lotse(&["profile", "diff", "old.out", "new.out", "--no-findings"]).exits(0);
    assert!(!silent.stdout.contains("profile-cost-moved"), "{}", silent.stdout);
}

#[test]
fn json_has_every_event_type_and_csv_every_digit() {
    let session = written();
    let answer = compared(&session, &["old.out", "new.out"]);
    assert_eq!((&answer["schema"], &answer["by"]), (&"lotse.profile.diff/1".into(), &"cost".into()));
    assert_eq!(list(&function(&answer, "helper")["versus"][0]["self"]).len(), 2);
    assert_eq!(answer["counts"], serde_json::json!({ "matched": 2, "gone": 1, "new": 2 }));
    let csv = session.lotse(&["profile", "diff", "old.out", "new.out", "--csv", "-e", "Ir"]).exits(0).stdout;
    assert!(
        csv.lines().any(|line| line.starts_with("helper,,,,,matched,yes,100000,60000,-40000,0.6")),
        "{csv}"
    );
}

#[test]
fn other_formats_are_compared_by_share() {
    let session = written();
    session.write("stacks.txt", "main;parse_header 30\nmain;helper 70\n");
    let answer = session.lotse(&["profile", "diff", "old.out", "stacks.txt"]).exits(0);
    assert!(answer.stderr.contains("so shares of the total are compared"), "{}", answer.stderr);
    let json = compared(&session, &["old.out", "stacks.txt"]);
    assert_eq!(json["by"], "share");
    let helper = &function(&json, "helper")["versus"][0]["self"][0];
    assert!((helper["new_share"].as_f64().unwrap() - 0.7).abs() < 1e-9, "{helper}");
}

#[test]
fn a_third_profile_gets_columns() {
    let session = written();
    let answer = session.lotse(&["profile", "diff", "old.out", "new.out", "old.out"]).exits(0);
    assert!(answer.stdout.contains("[2]") && answer.stdout.contains("[3]"), "{}", answer.stdout);
}

#[test]
fn a_function_nobody_knows_is_a_usage_error() {
    let answer = written().lotse(&["profile", "diff", "old.out", "new.out", "--lines", "nowhere"]).exits(2);
    assert!(answer.stderr.contains("no function is called"), "{}", answer.stderr);
}
