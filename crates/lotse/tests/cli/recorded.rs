//! Files recorded by the real tools while tests run.

use std::process::Command;

use crate::session::Session;

/// What a tool prints; `None` and a remark if it is not installed. An installed tool must not fail.
#[track_caller]
pub(crate) fn recorded(session: &Session, words: &[&str]) -> Option<String> {
    match run(session, words)? {
        Ok(printed) => Some(printed),
        Err(complaint) => panic!("{words:?} fails: {complaint}"),
    }
}

/// As [`recorded`], but also `None` if the machine forbids the tool, as many containers forbid perf.
pub(crate) fn attempted(session: &Session, words: &[&str]) -> Option<String> {
    run(session, words)?
        .inspect_err(|complaint| test_support::skip_here(format!("{words:?} fails here: {complaint}")))
        .ok()
}

fn run(session: &Session, words: &[&str]) -> Option<Result<String, String>> {
    let output = Command::new(words[0]).args(&words[1..]).current_dir(session.file("")).output();
    let output = output
        .inspect_err(|error| test_support::skip_here(format!("{} does not run: {error}", words[0])))
        .ok()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(if output.status.success() { Ok(text(&output.stdout)) } else { Err(text(&output.stderr)) })
}
