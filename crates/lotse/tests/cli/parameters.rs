//! Parameter scans, names and the reference.

use serde_json::json;

use crate::session::{Session, list, texts};

#[test]
fn numbers_from_to() {
    let answer = Session::new().bench(&["--runs", "1", "-P", "n", "1", "3", "echo {n}"]);
    assert_eq!(texts(&answer["programs"], "command"), ["echo 1", "echo 2", "echo 3"]);
    assert_eq!(answer["programs"][1]["parameters"], json!({"n": "2"}));
}

#[test]
fn numbers_with_a_step() {
    let answer = Session::new().bench(&["--runs", "1", "-P", "n", "0", "1", "-D", "0.5", "echo {n}"]);
    assert_eq!(list(&answer["programs"]).len(), 3);
    assert_eq!(answer["programs"][1]["parameters"], json!({"n": "0.5"}));
}

#[test]
fn a_list_of_values() {
    let answer = Session::new().bench(&["--runs", "1", "-L", "word", "left,right side", "echo '{word}'"]);
    assert_eq!(texts(&answer["programs"], "name"), ["echo 'left'", "echo 'right side'"]);
}

#[test]
fn several_at_once() {
    let session = Session::new();
    let args = ["--runs", "1", "-P", "n", "1", "2", "-L", "w", "a,b", "-L", "v", "x,y,z", "echo {n} {w} {v}"];
    let answer = session.bench(&args);
    assert_eq!(list(&answer["programs"]).len(), 12);
    let mut commands = texts(&answer["programs"], "command");
    commands.sort_unstable();
    commands.dedup();
    assert_eq!(commands.len(), 12);
    assert_eq!(answer["programs"][0]["parameters"].as_object().unwrap().len(), 3);
}

#[test]
fn scans_that_make_no_sense() {
    let session = Session::new();
    session.lotse(&["bench", "-P", "n", "3", "1", "echo {n}"]).exits(2).complains("n");
    session.lotse(&["bench", "-P", "n", "1", "x", "echo {n}"]).exits(2).complains("x");
    session.lotse(&["bench", "-P", "n", "1", "2", "-D", "0", "echo {n}"]).exits(2);
    session.lotse(&["bench", "-P", "n", "1", "2", "-D", "1", "-D", "1", "echo {n}"]).exits(2);
    session.lotse(&["bench", "-L", "n", "1,2", "-L", "n", "3", "echo {n}"]).exits(2).complains("given twice");
    session.lotse(&["bench", "-D", "1", "echo"]).exits(2);
}

#[test]
fn names() {
    let session = Session::new();
    let answer = session.bench(&["--runs", "2", "-n", "old", "-n", "new", "true", "true x"]);
    assert_eq!(texts(&answer["programs"], "name"), ["old", "new"]);
    assert_eq!(answer["comparisons"][0]["reference"], "old");
    session.lotse(&["bench", "-n", "a", "-n", "b", "true"]).exits(2).complains("2 names for 1 programs");
}

#[test]
fn the_same_command_twice_has_two_names() {
    let answer = Session::new().bench(&["--runs", "2", "true", "true"]);
    assert_eq!(texts(&answer["programs"], "name"), ["true", "true #2"]);
}

#[test]
fn a_reference_among_the_programs() {
    let session = Session::new();
    for reference in ["b", "true y"] {
        let args = [
            "--runs",
            "2",
            "--metrics",
            "wall",
            "--reference",
            reference,
            "-n",
            "a",
            "-n",
            "b",
            "true x",
            "true y",
        ];
        let answer = session.bench(&args);
        assert_eq!(list(&answer["programs"]).len(), 2);
        let pair = (&answer["comparisons"][0]["reference"], &answer["comparisons"][0]["program"]);
        assert_eq!(pair, (&"b".into(), &"a".into()));
    }
}

#[test]
fn a_reference_of_its_own() {
    let session = Session::new();
    let args = ["--reference", "true z", "--reference-name", "base", "--metrics", "wall", "true x", "true y"];
    let answer = session.bench(&[&["--runs", "2"], &args[..]].concat());
    assert_eq!(list(&answer["programs"]).len(), 3);
    assert_eq!(texts(&answer["comparisons"], "reference"), ["base", "base"]);
    assert_eq!(texts(&answer["comparisons"], "program"), ["true x", "true y"]);
}
