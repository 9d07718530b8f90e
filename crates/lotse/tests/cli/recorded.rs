//! Files recorded by the real tools while tests run.

use std::process::Command;

use crate::session::Session;

/// What a tool prints; `None`, and a word about it, where it is missing or fails.
pub(crate) fn recorded(session: &Session, words: &[&str]) -> Option<String> {
    let output = Command::new(words[0]).args(&words[1..]).current_dir(session.file("")).output();
    match output {
        Ok(output) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Ok(output) => {
            println!("skipped: {} fails here: {}", words[0], String::from_utf8_lossy(&output.stderr));
            None
        }
        Err(error) => {
            println!("skipped: {} does not run here: {error}", words[0]);
            None
        }
    }
}
