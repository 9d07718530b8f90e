//! Errors that reach standard error in one line although the answer is JSON or goes to a file.

use crate::profile_forms::CALLS;
use crate::session::Session;

/// Checks that standard error is one line, an error with this text.
#[track_caller]
fn one_error(stderr: &str, text: &str) {
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(stderr.starts_with("error: ") && stderr.contains(text), "{stderr}");
}

#[test]
fn costs_that_were_lost() {
    let session = Session::new();
    session.write("a.out", &CALLS.replace("40 100 1\n", "40 100 1\n40 nonsense\n41 nonsense\n"));
    for verb in [&["top", "a.out"][..], &["tree", "a.out"], &["parts", "a.out"], &["diff", "a.out", "a.out"]]
    {
        let answer = session.lotse(&[&["profile"], verb, &["--json"]].concat()).exits(6);
        answer.json();
        let files = if verb[0] == "diff" { 2 } else { 1 };
        assert_eq!(answer.stderr.lines().count(), files, "{}", answer.stderr);
        one_error(answer.stderr.lines().next().unwrap(), "a.out: line");
    }
    let whole = Session::new();
    whole.write("a.out", CALLS);
    assert_eq!(whole.lotse(&["profile", "top", "a.out", "--json"]).exits(0).stderr, "");
}

#[test]
fn files_and_names_that_are_not_there() {
    let session = Session::new();
    session.write("a.out", CALLS);
    for args in [
        &["profile", "top", "missing", "--json"][..],
        &["profile", "flame", "missing", "-o", "x.svg"],
        &["profile", "callers", "a.out", "no\nbody", "--json"],
        &["profile", "flame", "a.out", "-o", "no/such/place.svg"],
        &["profile", "convert", "a.out", "--to", "pprof", "-o", "no/such/place"],
        &["trace", "analyze", "missing", "--json"],
        &["trace", "export", "missing", "--to", "csv", "-o", "x.csv"],
    ] {
        let answer = session.lotse(args);
        assert_ne!(answer.status, 0, "{args:?}");
        let errors: Vec<&str> = answer.stderr.lines().filter(|line| !line.starts_with("note: ")).collect();
        assert_eq!(errors.len(), 1, "{args:?}: {}", answer.stderr);
        one_error(errors[0], "");
    }
}
