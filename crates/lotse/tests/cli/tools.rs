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
