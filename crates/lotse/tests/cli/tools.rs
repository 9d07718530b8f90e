//! Runs other tools in the directory of a session; a missing one is reported.

use std::process::Command;

use crate::session::Session;

/// Runs a tool and returns what it printed; prints a remark and returns `None` if the tool does not work here.
pub(crate) fn tool(session: &Session, program: &str, words: &[&str]) -> Option<String> {
    let done = Command::new(program).args(words).current_dir(session.file("")).output();
    match done {
        Ok(output) if output.status.success() => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        _ => {
            test_support::skip_here(format!("{program} does not work here"));
            None
        }
    }
}

/// Whether the tools that tests of builds need are installed; prints a remark if not.
pub(crate) fn has_build_tools() -> bool {
    test_support::have_programs(&["git", "make", "cc"])
}

/// Runs git as a user of the session's directory.
pub(crate) fn git(session: &Session, words: &[&str]) {
    let user = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let status = Command::new("git").current_dir(session.file("")).args(user).args(words).status();
    assert!(status.unwrap().success(), "{words:?}");
}
