//! Comparing functions whose names were changed by compilers or by people.

use std::process::Command;

use serde_json::Value;

use crate::session::{Session, has, list};

/// A function with its self cost and its calls with their inclusive costs.
type Function<'a> = (&'a str, u64, &'a [(&'a str, u64)]);

/// A file of callgrind.
fn callgrind(functions: &[Function<'_>]) -> String {
    let call = |(callee, cost): &(&str, u64)| format!("cfn={callee}\ncalls=1 1\n1 {cost}\n");
    let function = |(name, own, calls): &Function<'_>| {
        format!("fn={name}\n1 {own}\n{}", calls.iter().map(call).collect::<String>())
    };
    let body: String = functions.iter().map(function).collect();
    format!("# callgrind format\nversion: 1\nevents: Ir\n\nob=/bin/prog\nfl=a.c\n{body}")
}

fn row<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let found = list(&answer["functions"]).iter().find(|row| row["display"] == name);
    found.unwrap_or_else(|| panic!("no {name} in {}", answer["functions"]))
}

fn change(row: &Value, kind: &str) -> (i64, i64) {
    let change = &row["versus"][0][kind][0];
    (change["old"].as_i64().unwrap(), change["new"].as_i64().unwrap())
}

const ALL: [&str; 4] = ["--json", "--min-change=0", "--no-findings", "--limit=0"];

fn diff(session: &Session, more: &[&str]) -> Value {
    let args = [&["profile", "diff", "old.out", "new.out"], &ALL[..], more].concat();
    session.lotse(&args).exits(0).json()
}

#[test]
fn suffixes_of_compilers_make_no_other_function() {
    let session = Session::new();
    let old = [
        ("main", 10, &[("parse.constprop.0", 90), ("weather.cold", 5)][..]),
        ("parse.constprop.0", 40, &[("parse.part.0", 50)]),
        ("parse.part.0", 45, &[("parse.cold", 5)]),
        ("parse.cold", 5, &[]),
        ("weather.cold", 5, &[]),
    ];
    let new = [
        ("main", 10, &[("parse.isra.0", 60), ("weather.cold", 5)][..]),
        ("parse.isra.0", 60, &[]),
        ("weather.cold", 5, &[]),
    ];
    session.write("old.out", &callgrind(&old)).write("new.out", &callgrind(&new));
    let answer = diff(&session, &[]);
    // `parse.cold` is half of a `parse`; there is no `weather` that `weather.cold` could be half of.
    let parse = row(&answer, "parse");
    assert_eq!((change(parse, "self"), change(parse, "inclusive")), ((90, 60), (90, 60)));
    assert_eq!(
        parse["names"],
        serde_json::json!(["parse.cold", "parse.constprop.0", "parse.isra.0", "parse.part.0"])
    );
    assert_eq!(parse["variants"], 3);
    assert_eq!(change(row(&answer, "weather.cold"), "self"), (5, 5));
    assert_eq!((&answer["counts"]["gone"], &answer["counts"]["new"]), (&0.into(), &0.into()));
    let notes = list(&answer["diagnostics"]).iter().filter_map(|note| note["message"].as_str());
    assert!(
        notes.clone().any(|note| note.starts_with("1 function is the sum of variants")),
        "{:?}",
        notes.collect::<Vec<_>>()
    );
}

#[test]
fn renamed_functions_are_matched_on_request() {
    let session = Session::new();
    let old = [
        ("main", 10, &[("old::parse(int)", 90)][..]),
        ("old::parse(int)", 90, &[]),
        ("f1", 7, &[]),
        ("f2", 9, &[]),
    ];
    let new = [
        ("main", 10, &[("fresh::read(int)", 60)][..]),
        ("fresh::read(int)", 60, &[]),
        ("g1", 8, &[]),
        ("g2", 9, &[]),
    ];
    session.write("old.out", &callgrind(&old)).write("new.out", &callgrind(&new));
    assert_eq!(diff(&session, &[])["counts"]["gone"], 3);
    let renames = ["--rename", "old::=fresh::", "--rename", "parse=read", "--rename", "/^f(.)$/=g$1"];
    let answer = diff(&session, &renames);
    assert_eq!(answer["counts"], serde_json::json!({"matched": 4, "gone": 0, "new": 0}));
    assert_eq!(change(row(&answer, "fresh::read(int)"), "self"), (90, 60));
    assert_eq!(row(&answer, "g1")["names"], serde_json::json!(["f1", "g1"]));
    let line = ["profile", "diff", "old.out", "new.out", "--rename", "typo=x", "--rename", "f1=nothing"];
    let answer = session.lotse(&line).exits(0);
    answer
        .complains("typo=x: no function of old.out has that name")
        .complains("f1=nothing: 1 of 1 functions");
    session.lotse(&["profile", "diff", "old.out", "new.out", "--rename", "f1"]).exits(2).complains("OLD=NEW");
}

/// The self cost of `scale` and its variants, by callgrind_annotate.
fn annotated(session: &Session, file: &str) -> i64 {
    let mut command = Command::new("callgrind_annotate");
    let output = command.args(["--threshold=100", "--auto=no", file]).current_dir(session.file("")).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let rows = text.lines().filter(|line| line.contains(":scale"));
    let cost = |line: &str| line.split_whitespace().next().unwrap().replace(',', "").parse::<i64>().unwrap();
    rows.map(cost).sum()
}

/// GCC itself names the variants: one build with optimisation, one without.
#[test]
fn builds_of_gcc_are_compared_by_function() {
    if !has("gcc") || !has("valgrind") {
        return;
    }
    let session = Session::new();
    session.write(
        "work.c",
        "#include <stdio.h>\n#include <stdlib.h>\n\
         static __attribute__((noinline)) long scale(long x, long by) { long s = 0; for (long i = 0; i < by; i++) s += x ^ i; return s; }\n\
         int main(int argc, char **argv) { long n = argc > 9 ? atol(argv[1]) : 20000, s = 0;\n\
         for (long i = 0; i < n; i++) s += scale(i, 12); printf(\"%ld\\n\", s); return 0; }\n",
    );
    for (level, name) in [("-O0", "old.out"), ("-O2", "new.out")] {
        let build = format!(
            "gcc {level} -g -o work work.c && valgrind --tool=callgrind --callgrind-out-file={name} ./work"
        );
        let output = Command::new("sh").args(["-c", &build]).current_dir(session.file("")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let optimised = session.lotse(&["profile", "top", "new.out", "--json", "--no-findings"]).exits(0).json();
    let variant = list(&optimised["functions"]).iter().any(|row| row["display"] == "scale.constprop.0");
    if !variant {
        test_support::skip_here("this gcc makes no .constprop of the function");
        return;
    }
    let answer = diff(&session, &[]);
    let scale = row(&answer, "scale");
    assert_eq!(scale["status"], "matched");
    assert_eq!(change(scale, "self"), (annotated(&session, "old.out"), annotated(&session, "new.out")));
}
