//! `lotse trace` on bad input: wrong names, damaged files, what-if without a change.

use std::fs;
use std::path::Path;

use crate::session::Session;
use crate::trace::sample;

/// The status and the error of a command.
fn refused(line: &[&str]) -> (i32, String) {
    let answer = Session::new().lotse(&[&["trace"], line].concat());
    (answer.status, answer.stderr)
}

#[track_caller]
fn assert_refused(line: &[&str], status: i32, words: &str) {
    let (found, message) = refused(line);
    assert!(found == status && message.contains(words), "{line:?} ended with {found}: {message}");
}

#[test]
fn errors_say_what_to_do() {
    let heat = sample("heat-4");
    assert_refused(&["analyze", "no-such-trace"], 6, "no-such-trace");
    assert_refused(&["analyze", &heat, "--phase", "99"], 2, "`lotse trace phases` lists");
    assert_refused(&["analyze", &heat, "--metric", "lateness"], 2, "there are late_sender");
    assert_refused(&["analyze", &heat, "--metric", "late_sendr"], 2, "near are late_sender (`lotse explain`");
    let level = ["analyze", &heat, "--level", "process", "--metric", "mpi_colective"];
    assert_refused(&level, 2, "near are mpi_collective");
    assert_refused(&["info", &heat, "--csv", "--table", "rows"], 2, "[possible values: locations, records]");
    assert_refused(&["info", &heat, "--table", "records"], 2, "--csv");
    assert_refused(&["analyze", &heat, "--format", "otf9"], 2, "otf2, chrome-trace, paraver");
    assert_refused(&["analyze", &heat, "--threads", "0"], 2, "--threads");
    assert_refused(
        &["what-if", &heat],
        2,
        "--zero, --scale, --balance, --latency, --remove or --outside-lock",
    );
    assert_refused(&["what-if", &heat, "--zero", "solve"], 2, "no call path is or ends with 'solve'");
    assert_refused(&["what-if", &heat, "--remove", "lateness"], 2, "there is no metric 'lateness'");
    assert_refused(&["what-if", &heat, "--remove", "wait_at_nxm"], 2, "near are wait_at_nxn");
    assert_refused(&["what-if", &heat, "--remove", "early_scan"], 2, "no wait 'early_scan'");
    assert_refused(&["what-if", &heat, "--latency", "5us"], 2, "+5us");
    assert_refused(&["phases", &heat, "--threshold", "3"], 2, "from 0 to 1");
    assert_refused(&["phases", &heat, "--window", "0"], 2, "--window");
    assert_refused(&["efficiency"], 2, "TRACE");
    assert_refused(&["overheads", "--parallel", &heat], 2, "--sequential");
}

#[test]
fn what_is_no_trace_is_named() {
    let session = Session::new();
    session.write("notes.txt", "not a trace\n");
    let answer = session.lotse(&["trace", "info", "notes.txt"]);
    assert_eq!(answer.status, 6);
    assert!(answer.stderr.contains("notes.txt is in none of the formats"), "{}", answer.stderr);
    session.write("empty.json", "");
    let empty = session.lotse(&["trace", "info", "empty.json"]);
    let expected = "empty.json: the whole input: it is empty: expected an OTF2 archive";
    assert!(empty.status == 6 && empty.stderr.contains(expected), "{}", empty.stderr);
}

#[test]
fn exports_need_a_format_and_a_free_place() {
    let session = Session::new();
    let heat = sample("heat-4");
    let export = |rest: &[&str]| session.lotse(&[&["trace", "export", &heat], rest].concat());
    for (rest, status, words) in [
        (&["-o", "x.txt"][..], 2, "say what to write with --to"),
        (&["--to", "otf2", "-o", "-"], 2, "cannot go to standard output"),
        (&["-o", "/proc/no/x.json"], 4, "cannot write /proc/no/x.json"),
    ] {
        let answer = export(rest);
        assert!(answer.status == status && answer.stderr.contains(words), "{rest:?}: {}", answer.stderr);
    }
    assert_eq!(export(&["-o", "x.otf2"]).status, 0);
    let again = export(&["-o", "x.otf2"]);
    assert!(again.status == 2 && again.stderr.contains("choose another name"), "{}", again.stderr);
}

#[cfg(not(feature = "parquet"))]
#[test]
fn without_parquet_the_error_names_the_feature() {
    assert_refused(&["export", &sample("heat-4"), "-o", "x.parquet"], 4, "--features parquet");
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(source, target).unwrap();
        }
    }
}

/// Of a damaged trace the rest is analysed, the loss is reported, and the exit status says so.
#[test]
fn a_damaged_trace_is_analysed_as_far_as_it_goes() {
    let session = Session::new();
    copy(Path::new(&sample("heat-4")), &session.file("cut"));
    let events = session.file("cut/traces/2.evt");
    let bytes = fs::read(&events).unwrap();
    fs::write(&events, &bytes[..bytes.len() / 2]).unwrap();
    let answer = session.lotse(&["trace", "analyze", "cut"]);
    assert!(answer.stdout.contains("The recording is incomplete"), "{}", answer.stdout);
    assert_eq!(answer.status, 6, "{}", answer.stderr);
    assert!(answer.stderr.contains("rank 2"), "{}", answer.stderr);
    assert!(answer.stdout.contains("trace-incomplete"), "{}", answer.stdout);
    let json = session.lotse(&["trace", "analyze", "cut", "--json"]);
    assert_eq!(json.status, 6);
    assert_eq!(json.json()["incomplete_locations"], serde_json::json!([2]));
    let export = session.lotse(&["trace", "export", "cut", "-o", "copy.otf2"]);
    assert!(export.status == 6 && export.stderr.contains("lotse trace info"), "{}", export.stderr);
    fs::remove_file(&events).unwrap();
    assert_eq!(session.lotse(&["trace", "info", "cut"]).status, 6);
    copy(Path::new(&sample("heat-4")), &session.file("nameless"));
    fs::remove_file(session.file("nameless/traces.def")).unwrap();
    assert_eq!(session.lotse(&["trace", "info", "nameless"]).status, 6, "names are lost");
    fs::write(session.file("cut/traces.otf2"), "").unwrap();
    let rest = session.lotse(&["trace", "info", "cut"]);
    assert_eq!(rest.status, 6, "{}{}", rest.stdout, rest.stderr);
}
