//! Environment, input, directory, shell and output of programs.

use crate::session::{Session, list};

#[test]
fn variables_for_all_or_for_each() {
    let session = Session::new();
    session.script("show", "echo \"$COLOUR $SIZE\" >> seen");
    session.bench(&["--runs", "1", "--env", "COLOUR='dark red' SIZE=3", "./show"]);
    assert_eq!(session.lines("seen"), ["dark red 3"]);
    session.bench(&["--runs", "1", "--env", "COLOUR=a", "--env", "COLOUR=b", "./show", "./show"]);
    let mut seen = session.lines("seen");
    seen.sort();
    assert_eq!(seen, ["a ", "b ", "dark red 3"]);
    session.lotse(&["bench", "--env", "COLOUR", "./show"]).exits(2).complains("not of the form NAME=VALUE");
}

#[test]
fn the_environment_is_passed_on() {
    let session = Session::new();
    session.script("show", "echo \"$OUTSIDE\" >> seen");
    let mut command = session.command(&["bench", "--runs", "1", "./show"]);
    assert!(command.env("OUTSIDE", "kept").output().unwrap().status.success());
    assert_eq!(session.lines("seen"), ["kept"]);
}

#[test]
fn input_from_nowhere_or_from_a_file() {
    let session = Session::new();
    session.script("copy", "cat >> seen").write("letters", "abc\n");
    session.bench(&["--runs", "1", "./copy"]);
    assert!(session.lines("seen").is_empty());
    session.bench(&["--runs", "2", "--input", "letters", "./copy"]);
    assert_eq!(session.lines("seen"), ["abc", "abc"]);
}

#[test]
fn an_input_that_does_not_exist_is_named() {
    let session = Session::new();
    let answer = session.lotse(&["bench", "--runs", "3", "--input", "lettres", "cat"]);
    assert!(matches!(answer.status, 2 | 6), "status {}: {}", answer.status, answer.stderr);
    assert!(format!("{}{}", answer.stdout, answer.stderr).contains("lettres"), "{}", answer.stderr);
}

#[test]
fn output_is_not_shown_unless_asked_for() {
    let session = Session::new();
    let shown = |args: &[&str]| {
        let answer = session.lotse(&[&["bench", "--runs", "2"], args, &["echo visible"]].concat()).exits(0);
        answer.stdout.lines().filter(|line| *line == "visible").count()
    };
    assert_eq!(shown(&[]), 0);
    assert_eq!(shown(&["--show-output"]), 2);
    assert_eq!(shown(&["--output", "inherit"]), 2);
}

#[test]
fn output_to_a_pipe_or_a_file() {
    let session = Session::new();
    session.script(
        "kind",
        "test -p /dev/stdout && echo pipe >> seen; test -f /dev/stdout && echo file >> seen; echo text",
    );
    session.bench(&["--runs", "1", "--output", "pipe", "./kind"]);
    assert_eq!(session.lines("seen"), ["pipe"]);
    session.bench(&["--runs", "1", "--output", "printed", "./kind"]);
    assert_eq!(session.lines("seen"), ["pipe", "file"]);
    assert_eq!(session.read("printed"), "text\n");
    session.bench(&["--runs", "1", "--output", "null", "./kind"]);
    assert_eq!(session.lines("seen").len(), 2);
}

#[test]
fn in_another_directory() {
    let session = Session::new();
    session.write("below/here", "");
    let answer = session.bench(&["--runs", "2", "--cwd", "below", "ls here"]);
    assert!(list(&answer["runs"]).iter().all(|run| run["status"] == "ok"), "{}", answer["runs"]);
}

#[test]
fn a_directory_that_does_not_exist_is_named() {
    let answer = Session::new().lotse(&["bench", "--runs", "3", "--cwd", "abvoe", "ls"]).exits(2);
    answer.complains("abvoe");
}

fn check_needs_shell(command: &str, sign: &str) {
    let answer = Session::new().lotse(&["bench", "--runs", "2", command]);
    assert_eq!(answer.status, 2, "{command}: {}", answer.stderr);
    assert!(answer.stderr.contains(&format!("'{sign}'")), "{}", answer.stderr);
    assert!(answer.stderr.contains("add -S"), "{}", answer.stderr);
}

#[test]
fn shell_syntax_needs_a_shell() {
    for (command, sign) in
        [("echo a | cat", "|"), ("true && true", "&&"), ("echo a > b", ">"), ("true ; true", ";")]
    {
        check_needs_shell(command, sign);
    }
}

#[test]
fn shell_syntax_is_found_without_spaces_around_it() {
    for (command, sign) in [("true; true", ";"), ("echo a|cat", "|"), ("echo a >b", ">")] {
        check_needs_shell(command, sign);
    }
}

#[test]
fn commands_that_cannot_be_split() {
    let session = Session::new();
    session.lotse(&["bench", "--runs", "2", "echo 'open"]).exits(2).complains("a quote is not closed");
    session.lotse(&["bench", "--runs", "2", ""]).exits(2).complains("empty");
}

#[test]
fn quoted_shell_syntax_is_taken_literally() {
    let session = Session::new();
    session.script("say", "echo \"$@\" >> seen");
    session.bench(&["--runs", "1", "./say 'a && b' '|' \">\""]);
    assert_eq!(session.lines("seen"), ["a && b | >"]);
}

#[test]
fn a_shell_is_measured_and_subtracted() {
    let session = Session::new();
    let answer = session.bench(&["-S", "--runs", "3", "echo a | cat > seen; test 1 -lt 2"]);
    assert_eq!(session.lines("seen"), ["a"]);
    assert!(answer["shell_cost"].as_f64().unwrap() > 0.0, "{}", answer["shell_cost"]);
    let plain = session.bench(&["--runs", "3", "true"]);
    assert!(plain.get("shell_cost").is_none());
}

#[test]
fn a_shell_of_the_user() {
    let session = Session::new();
    session.script("mysh", "echo \"$@\" >> calls; exec sh \"$@\"");
    session.bench(&["--shell", "./mysh", "--runs", "2", "echo a >> seen"]);
    assert_eq!(session.lines("seen"), ["a", "a"]);
    assert_eq!(session.lines("calls").iter().filter(|call| *call == "-c echo a >> seen").count(), 2);
    session.lotse(&["bench", "--shell", "none", "--runs", "2", "echo a | cat"]).exits(2);
    session
        .lotse(&["bench", "--shell", "no-such-shell-here", "--runs", "2", "true"])
        .exits(4)
        .complains("no-such-shell-here");
}
