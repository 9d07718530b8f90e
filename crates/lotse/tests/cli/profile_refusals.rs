//! What `lotse profile` refuses: for every mistake the message, the remedy and the exit status.

use expect_test::{Expect, expect};

use crate::profile_forms::CALLS;
use crate::session::Session;

fn session() -> Session {
    let session = Session::new();
    session.write("a.out", CALLS).write("empty", "").write("noise.txt", "this is no profile\n");
    session.write("stacks.txt", "main;work 3\nmain 1\n").write("folder/inside", "x");
    session
}

/// Checks the status and all of standard error, and that standard output is empty.
#[expect(clippy::needless_pass_by_value, reason = "as the macro makes it")]
#[track_caller]
fn refused(status: i32, args: &[&str], expected: Expect) {
    let answer = session().lotse(&[&["profile"], args].concat()).exits(status);
    assert_eq!(answer.stdout, "", "{args:?}");
    expected.assert_eq(&answer.stderr);
}

/// Verbs that need a file and a function.
const OF_FUNCTIONS: [&str; 3] = ["callers", "callees", "annotate"];
/// Verbs that need a file alone.
const OF_FILES: [&str; 8] = ["top", "tree", "flame", "treemap", "graph", "parts", "data", "events"];

/// Runs every verb on a file.
fn everywhere(file: &str, mut check: impl FnMut(&[&str])) {
    OF_FILES.iter().for_each(|verb| check(&[verb, file]));
    OF_FUNCTIONS.iter().for_each(|verb| check(&[verb, file, "main"]));
    check(&["convert", file, "--to", "csv"]);
    check(&["diff", file, "a.out"]);
    check(&["diff", "a.out", file]);
    check(&["formats", file]);
}

#[test]
fn a_file_that_is_not_there() {
    everywhere("gone", |args| {
        refused(
            6,
            args,
            expect![[r#"
            error: cannot read `gone`: No such file or directory (os error 2)
        "#]],
        );
    });
}

#[test]
fn a_directory() {
    everywhere("folder", |args| {
        refused(
            6,
            args,
            expect![[r#"
            error: cannot read `folder`: Is a directory (os error 21)
        "#]],
        );
    });
}

#[test]
fn an_empty_file() {
    everywhere("empty", |args| {
        refused(
            6,
            args,
            expect![[r#"
            error: empty is empty: its profiler was stopped early or still runs
        "#]],
        );
    });
}

#[test]
fn no_profile_at_all() {
    let session = session();
    everywhere("noise.txt", |args| {
        let answer = session.lotse(&[&["profile"], args].concat()).exits(6);
        assert_eq!(answer.stdout, "", "{args:?}");
        let mend = if args[0] == "formats" { "`lotse profile formats` lists all" } else { "with --format" };
        assert!(answer.stderr.contains(mend), "{args:?}: {}", answer.stderr);
    });
}

#[test]
fn formats_that_do_not_fit() {
    refused(
        6,
        &["top", "a.out", "--format", "dhat"],
        expect![[r#"
        error: a.out: line 1, column 1: expected value
    "#]],
    );
    refused(
        6,
        &["top", "stacks.txt", "--format", "massif"],
        expect![[r#"
        error: stacks.txt: line 3: expected snapshots, found none
    "#]],
    );
    let unknown = session().lotse(&["profile", "top", "a.out", "--format", "cobol"]).exits(2);
    assert!(unknown.stderr.starts_with("error: there is no format \"cobol\"; there are callgrind, "));
}

#[test]
fn several_formats_that_fit() {
    let session = session();
    let both = r#"{"$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "main"}]},
        "profiles": [{"type": "sampled", "name": "one", "unit": "none", "startValue": 0, "endValue": 3,
            "samples": [[0]], "weights": [3]}],
        "traceEvents": [{"ph": "X", "name": "load", "ts": 0, "dur": 5, "pid": 1, "tid": 1}]}"#;
    session.write("both", both);
    let answer = session.lotse(&["profile", "top", "both"]).exits(2);
    assert_eq!(
        answer.stderr,
        "error: both could be any of speedscope, chrome-trace: choose one with --format\n"
    );
    session.lotse(&["profile", "formats", "both"]).exits(0).says("speedscope").says("chrome-trace");
    session.lotse(&["profile", "top", "both", "--format", "speedscope"]).exits(0).says("main");
    session.lotse(&["profile", "top", "both", "--format", "chrome-trace"]).exits(0).says("load");
}

#[test]
fn functions_nobody_knows() {
    for verb in OF_FUNCTIONS.iter().chain(&["tree", "flame", "treemap", "graph"]) {
        refused(
            2,
            &[verb, "a.out", "zzzzzz"],
            expect![[r#"
            error: no function is called "zzzzzz"; `lotse profile top --limit 0` lists all
        "#]],
        );
        refused(
            2,
            &[verb, "a.out", "laef"],
            expect![[r#"
            error: no function is called "laef"; did you mean leaf?
        "#]],
        );
    }
}

#[test]
fn names_that_fit_several_functions() {
    let answer = session().lotse(&["profile", "callers", "a.out", "a"]).exits(0);
    expect![[r#"
        note: "a" fits 2 functions; this is main (main.c), the costliest; the others are leaf (main.c); to choose one, give it as listed: "leaf (main.c)"
        note: nothing calls main
    "#]]
    .assert_eq(&answer.stderr);
}

#[test]
fn event_types_nobody_counted() {
    for verb in ["top", "tree", "events"] {
        refused(
            2,
            &[verb, "a.out", "-e", "Cycles"],
            expect![[r#"
            error: in "Cycles", column 1: there is no event type "Cycles"; there are Ir, D1mr
        "#]],
        );
    }
    refused(
        2,
        &["top", "a.out", "-e", "Ir +"],
        expect![[r#"
        error: in "Ir +", column 5: expected a number, a name or '('
    "#]],
    );
    refused(
        2,
        &["top", "a.out", "-d", "Cost"],
        expect![[r#"
        error: in "Cost", column 1: expected NAME = EXPRESSION
    "#]],
    );
    refused(
        2,
        &["top", "a.out", "-d", "Cost = Ir", "-d", "Cost = D1mr"],
        expect![[r#"
        error: in "Cost = D1mr": the event type Cost exists already
    "#]],
    );
    refused(
        2,
        &["convert", "a.out", "--to", "csv", "-d", "X = Ir + 1", "-e", "X"],
        expect![[r#"
        error: X is derived; only event types of the file can be written
    "#]],
    );
}

#[test]
fn patterns_and_parts() {
    refused(
        2,
        &["top", "a.out", "--filter", "/(/"],
        expect![[r#"
        error: the pattern "/(/" is not a regular expression: unclosed group
    "#]],
    );
    refused(
        2,
        &["top", "a.out", "--parts", "9"],
        expect![[r#"
        error: there is no part "9"; there are 1, numbered from 1 (lotse profile parts lists them)
    "#]],
    );
    refused(
        2,
        &["top", "a.out", "--parts", "3-2"],
        expect![[r#"
        error: there is no part "3-2"; there are 1, numbered from 1 (lotse profile parts lists them)
    "#]],
    );
}

#[test]
fn programs_that_are_not_there() {
    refused(
        6,
        &["top", "a.out", "--binary", "gone"],
        expect![[r#"
        error: --binary gone: No such file or directory (os error 2)
    "#]],
    );
    refused(
        2,
        &["top", "a.out", "--binary", "folder"],
        expect![[r#"
        error: --binary folder: it is no file
    "#]],
    );
}

#[test]
fn data_structures_nobody_recorded() {
    refused(
        4,
        &["data", "a.out"],
        expect![[r#"
            error: a profile in the format callgrind holds nothing about data structures; DHAT, heaptrack and Massif do
        "#]],
    );
}

#[test]
fn conversions_without_a_format() {
    refused(
        2,
        &["convert", "a.out"],
        expect![[r#"
        error: say what to write with --to: callgrind, collapsed, pprof, speedscope, csv
    "#]],
    );
    refused(
        2,
        &["convert", "a.out", "-o", "out.xyz"],
        expect![[r#"
            error: the ending of out.xyz names no format; say what to write with --to: callgrind, collapsed, pprof, speedscope, csv
        "#]],
    );
    refused(
        2,
        &["convert", "a.out", "--to", "word"],
        expect![[r#"
        error: profiles are not written as "word"; there are callgrind, collapsed, pprof, speedscope, csv
    "#]],
    );
}

#[test]
fn places_that_cannot_be_written() {
    refused(
        4,
        &["flame", "stacks.txt", "-o", "no/such/flame.svg"],
        expect![[r#"
        error: cannot write `no/such/flame.svg`: No such file or directory (os error 2)
    "#]],
    );
    let answer = session().lotse(&["profile", "convert", "a.out", "-o", "no/such/a.csv"]).exits(4);
    assert!(answer.stderr.contains("cannot write `no/such/a.csv`"), "{}", answer.stderr);
}

#[test]
fn raster_pictures() {
    for verb in ["flame", "treemap", "graph"] {
        refused(
            2,
            &[verb, "a.out", "-o", "a.PNG"],
            expect![[r#"
            error: a.PNG: pictures are written as SVG, not as png; choose a name with .svg
        "#]],
        );
    }
}

#[test]
fn the_option_for_the_file_to_write_has_the_same_names_everywhere() {
    let session = session();
    for (number, option) in ["-o", "--out", "--output"].into_iter().enumerate() {
        let (picture, table) = (format!("{number}.svg"), format!("{number}.csv"));
        session.lotse(&["profile", "flame", "stacks.txt", option, &picture]).exits(0);
        session.lotse(&["profile", "convert", "stacks.txt", option, &table]).exits(0);
        assert!(session.read(&picture).starts_with("<svg "));
        assert_eq!(session.read(&table), session.read("0.csv"));
    }
}

#[test]
fn command_lines_that_make_no_sense() {
    for args in [
        &["top"][..],
        &["callers", "a.out"],
        &["diff", "a.out"],
        &["top", "a.out", "--json", "--csv"],
        &["top", "a.out", "--limit", "-1"],
        &["top", "a.out", "--sort", "beauty"],
        &["tree", "a.out", "--min-share", "200%"],
        &["graph", "a.out", "--depth", "2"],
        &["graph", "a.out", "--to", "png"],
        &["formats", "a.out", "b.out"],
        &["nonsense"],
    ] {
        let answer = session().lotse(&[&["profile"], args].concat()).exits(2);
        assert!(
            answer.stdout.is_empty() && answer.stderr.starts_with("error: "),
            "{args:?}: {}",
            answer.stderr
        );
    }
}

/// In a text of another format every line is odd: ten remarks are printed, further ones are counted.
#[test]
fn many_remarks_are_counted() {
    let session = session();
    let lines: String = (0..40).map(|line| format!("main;work{line}\n")).collect();
    session.write("odd", &format!("main;work 3\n{lines}"));
    let answer = session.lotse(&["profile", "top", "odd", "--format", "collapsed"]).exits(6);
    let remarks: Vec<&str> = answer.stderr.lines().collect();
    assert!(remarks.len() <= 11, "{remarks:#?}");
    let json = session.lotse(&["profile", "top", "odd", "--format", "collapsed", "--json"]).exits(6).json();
    let all = json["diagnostics"].as_array().unwrap().len();
    if all > 10 {
        let last = format!("note: odd: {} more such remarks; `lotse profile top --json` lists all", all - 10);
        assert_eq!(remarks[10], last);
    }
}
