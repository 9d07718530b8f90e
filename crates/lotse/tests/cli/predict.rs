//! `lotse predict`: answers, refusals, and remarks about parts that are left out.

use serde_json::Value;

use crate::session::{Session, list};

const MACHINE: &str = "name = \"test\"\n[[cache]]\nname = \"L1\"\ncapacity = 32768\nline = 64\nways = 8\n\
    [[cache]]\nname = \"L2\"\ncapacity = 1048576\nline = 64\nways = 16\n";

const SUM: &str = "double sum(int n, const double *a) {\n    double s = 0;\n    for (int i = 0; i < n; i++)\n        s += a[i];\n    return s;\n}\n";

fn session() -> Session {
    let session = Session::new();
    session.write("m.toml", MACHINE).write("sum.c", SUM);
    session
}

fn answer(session: &Session, words: &[&str]) -> Value {
    let answer = session.lotse(&[&["predict"], words, &["--machine", "m.toml", "--json"]].concat());
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    serde_json::from_str(&answer.stdout).unwrap()
}

#[test]
fn one_function_has_every_key() {
    let answer = answer(&session(), &["sum.c", "--function", "sum", "-D", "n=1000"]);
    assert_eq!(
        (&answer["schema"], &answer["assumes"], &answer["cache"]),
        (&"lotse.predict/1".into(), &"gcc -O2".into(), &"warm".into())
    );
    assert_eq!(answer["parameters"], serde_json::json!({ "n": 1000 }));
    for key in [
        "machine", "function", "seconds", "interval", "level", "coverage", "limit", "loops", "formula",
        "findings",
    ] {
        assert!(!answer[key].is_null(), "{key}");
    }
    let inner = &list(&answer["loops"])[0];
    assert_eq!((&inner["site"]["line"], &inner["limit"]), (&3.into(), &"chain".into()));
    assert_eq!((&inner["iterations"], &inner["operations"]), (&1000.0.into(), &1000.0.into()));
    assert_eq!((&inner["footprint_bytes"], &inner["misses"]["L1"]), (&8000.0.into(), &0.0.into()));
    // Additions of 4 cycles at 3 GHz.
    let seconds = answer["seconds"].as_f64().unwrap();
    assert!((seconds * 1e9 / 1000.0 - 4.0 / 3.0).abs() < 0.01, "{seconds}");
    assert_eq!(answer["findings"][0]["rule"]["id"], "predict-reduction-chain");
}

#[test]
fn all_functions_are_listed_and_missing_values_are_named() {
    let session = session();
    let open = answer(&session, &["sum.c"]);
    assert_eq!(open["functions"][0]["missing"], serde_json::json!(["n"]));
    assert!(open["functions"][0]["seconds"].is_null());
    let given = answer(&session, &["sum.c", "-D", "n=10"]);
    assert!(given["functions"][0]["seconds"].as_f64().unwrap() > 0.0);
}

/// Findings of a list are those of its functions, on the terminal and in the answer that is saved.
#[test]
fn a_list_has_the_findings_of_its_functions() {
    let session = session();
    let one = answer(&session, &["sum.c", "--function", "sum", "-D", "n=1000"]);
    let all = answer(&session, &["sum.c", "-D", "n=1000"]);
    assert_eq!(list(&all["findings"]), list(&one["findings"]));
    assert_eq!(all["findings"][0]["sites"][0]["function"], "sum");
    let shown = session.lotse(&["predict", "sum.c", "-D", "n=1000", "--machine", "m.toml"]);
    assert!(shown.stdout.contains("predict-reduction-chain"), "{}", shown.stdout);
    assert_eq!(list(&answer(&session, &["sum.c"])["findings"]).len(), 0, "without a time there is none");
}

#[test]
fn lists_mark_functions_without_a_time_and_lower_bounds() {
    let session = session();
    let source = "void half(int n, double *x) { for (int i = 1; i < n; i *= 2) x[i] = 0; }\n\
                  double part(int n, double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; \
                  for (double *p = x; *p > 0; p = p + (int)*p) s += *p; return s; }\n";
    session.write("parts.c", source);
    let shown = session.lotse(&["predict", "--machine", "m.toml", "parts.c", "-D", "n=100"]);
    let line = |name: &str| shown.stdout.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    assert!(line("half").contains("not analysed: --function says why"), "{}", shown.stdout);
    assert!(line("part").contains("at least"), "{}", shown.stdout);
    assert!(shown.stdout.contains("is part: at least"), "{}", shown.stdout);
    let one = session.lotse(&["predict", "--machine", "m.toml", "parts.c", "-f", "part", "-D", "n=100"]);
    assert!(one.stdout.contains("with a probability of 90 %"), "{}", one.stdout);
}

#[test]
fn questions_that_make_no_sense() {
    let session = session();
    session.write("a.f90", "").write("bad.rs", "fn f( {").write("bad.toml", "name = 3");
    session.write("read.c", "void f(int n, double *a) { n = a[0]; for (int i = 0; i < n; i++) a[i] = 0; }");
    let cases: &[(&[&str], i32, &str)] = &[
        (&["sum.c", "--function", "sum"], 2, "depends on n; give values, such as -D n=1000"),
        (
            &["read.c", "--function", "f", "-D", "n=1"],
            2,
            "n#1 is n after it got a value that the source does not",
        ),
        (&["sum.c", "--function", "smu", "-D", "n=1"], 2, "sum.c has no function smu"),
        (&["sum.c", "-D", "m=1"], 2, "no function of sum.c has a parameter of this name"),
        (&["sum.c", "-D", "n"], 2, "expected a name and a whole number"),
        (&["sum.c", "--sweep", "n=9..1"], 2, "expected a name and a range"),
        (&["sum.c", "--tile", "-D", "n=1"], 2, "no loop of sum has a named step"),
        (&["sum.c", "--svg", "x.svg"], 2, "add --sweep or --tile"),
        (&["a.f90"], 2, "predict reads C and Rust"),
        (&["bad.rs"], 6, "bad.rs: line 1"),
        (&["gone.c"], 6, "gone.c"),
    ];
    for (words, status, text) in cases {
        let answer = session.lotse(&[&["predict", "--machine", "m.toml"], *words].concat());
        assert_eq!(answer.status, *status, "{words:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(text), "{words:?}: {}", answer.stderr);
    }
    let answer = session.lotse(&["predict", "sum.c", "--machine", "bad.toml"]);
    assert_eq!(answer.status, 6, "{}", answer.stderr);
}

/// One array of doubles fits 32 KiB up to 4096 elements.
#[test]
fn sweeps_mark_where_data_leave_a_cache() {
    let session = session();
    let swept = answer(&session, &["sum.c", "--sweep", "n=100..500000", "--svg", "x.svg"]);
    assert_eq!(swept["leaves"], serde_json::json!({ "L1": 4096, "L2": 131_072 }));
    assert!(session.read("x.svg").starts_with("<svg") && session.read("x.svg").contains("leaves L2"));
}

#[test]
fn comparisons_name_the_faster_one() {
    let session = session();
    session.write("twice.c", &SUM.replace("i < n", "i < 2 * n"));
    let words = ["predict", "sum.c", "--compare", "twice.c", "-D", "n=1000", "--machine", "m.toml"];
    let answer = session.lotse(&words);
    assert!(
        answer.stdout.contains("sum of sum.c is predicted to be 2.00 times as fast"),
        "{}",
        answer.stdout
    );
}

/// Refused parts are listed with line and reason, and the coverage falls.
#[test]
fn what_is_not_understood_is_named() {
    let session = session();
    session.write("odd.c", "void odd(int n, double *a) {\n for (int i = 0; i < n; i++) a[i] = 1;\n while (a[0] > 0)\n  a[0] -= 1;\n}\n");
    let found = answer(&session, &["odd.c", "--function", "odd", "-D", "n=100"]);
    assert_eq!(found["refused"][0]["site"]["line"], 3);
    assert!(found["coverage"].as_f64().unwrap() < 0.5, "{found}");
    let text =
        session.lotse(&["predict", "odd.c", "--function", "odd", "-D", "n=100", "--machine", "m.toml"]);
    assert!(text.stdout.contains("line 3: the loop ends on a condition of data"), "{}", text.stdout);
    assert!(text.stdout.contains("at least about"), "{}", text.stdout);
}

/// The preprocessor decides which code is analysed; names given with -D stay names.
#[test]
fn preprocessed_sources_keep_names() {
    if std::process::Command::new("cc").arg("--version").output().is_err() {
        test_support::skip_missing("cc is not there");
        return;
    }
    let session = session();
    let source = "#include \"size.h\"\n#ifdef FAST\nvoid f(real *a) { for (int i = 0; i < N; i++) a[i] = 2 * a[i]; }\n#endif\n";
    session
        .write("pre.c", source)
        .write("include/size.h", "typedef float real;\n#ifndef N\n#define N 7\n#endif\n");
    let words = ["pre.c", "--function", "f", "-D", "N=1000", "--cpp", "-Iinclude -DFAST"];
    let found = answer(&session, &words);
    assert_eq!(
        (&found["parameters"]["N"], &found["loops"][0]["footprint_bytes"]),
        (&1000.into(), &4000.0.into())
    );
    assert_eq!(found["loops"][0]["site"]["line"], 3);
}

#[test]
fn models_are_fitted_to_tables() {
    let session = session();
    session
        .write("t.csv", "iterations,misses,time\n1,5,17\n2,5,19\n3,1,9\n9,9,45\n")
        .write("bad.csv", "x1,time\n1,0\n");
    let words = ["predict", "fit", "t.csv", "--model", "analytic", "--json"];
    let answer: Value = serde_json::from_str(&session.lotse(&words).stdout).unwrap();
    assert!((answer["constants"]["misses"].as_f64().unwrap() - 3.0).abs() < 1e-6, "{answer}");
    let bad = session.lotse(&["predict", "fit", "bad.csv"]);
    assert_eq!(bad.status, 6);
    assert!(bad.stderr.contains("line 2: time is '0'"), "{}", bad.stderr);
}

/// Measured constants are written as a description that can be read; those of an optimised build are kept.
#[test]
fn calibrated_constants_are_written() {
    let session = session();
    let answer = session.lotse(&["predict", "calibrate", "--repetitions", "4", "--out", "own.toml"]);
    if answer.status == 4 {
        test_support::skip_here(&answer.stderr);
        return;
    }
    assert_eq!(answer.status, 0, "{}", answer.stderr);
    assert!(session.read("own.toml").contains("[calibration.spread]"));
    let question = ["predict", "sum.c", "--function", "sum", "-D", "n=10", "--json"];
    let calibrated = |words: &[&str]| {
        let found: Value = serde_json::from_str(&session.lotse(words).stdout).unwrap();
        found["machine"]["calibrated"].is_string()
    };
    assert!(calibrated(&[&question[..], &["--machine", "own.toml"]].concat()));
    assert_eq!(calibrated(&question), !answer.stderr.contains("this build of Lotse is not optimised"));
}
