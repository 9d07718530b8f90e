//! Other people's tools in the directory of a session; where one is missing, that is said.

use std::process::Command;

use crate::session::Session;

/// Runs a tool; gives what it printed, or `None`, and a word about it, where it does not work here.
pub(crate) fn tool(session: &Session, program: &str, words: &[&str]) -> Option<String> {
    let done = Command::new(program).args(words).current_dir(session.file("")).output();
    match done {
        Ok(output) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        _ => {
            println!("skipped: {program} does not work here");
            None
        }
    }
}

/// Whether what tests of builds need is here; says so if not.
pub(crate) fn has_build_tools() -> bool {
    let is_there = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let missing = ["git", "make", "cc"].into_iter().find(|name| !is_there(name));
    if let Some(missing) = missing {
        println!("skipped: there is no {missing}");
    }
    missing.is_none()
}

/// Runs git as a user of the session's directory.
pub(crate) fn git(session: &Session, words: &[&str]) {
    let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let status = Command::new("git").current_dir(session.file("")).args(user).args(words).status();
    assert!(status.unwrap().success(), "{words:?}");
}
