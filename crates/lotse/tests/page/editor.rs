//! Opening a source line in the editor: only known editors, only files that the page shows.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, fixture, functions, scope};

const PROFILE: &str = "profile/words-list.callgrind";

/// A folder with a program of this name that writes down how it was started.
fn fake_editor(name: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(name);
    let log = folder.path().join("started");
    std::fs::write(&program, format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {}\n", log.display())).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn start(folder: &Path, visual: &str, more: &[&str]) -> Server {
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let args: Vec<&str> =
        [PROFILE, "--source-dir", "profile"].into_iter().chain(more.iter().copied()).collect();
    let environment = [("VISUAL", visual), ("EDITOR", "vim"), ("PATH", path.as_str())];
    Server::start_with(tempfile::tempdir().unwrap(), &args, &environment)
}

fn edit(server: &Server, path: &str, line: u32) -> crate::server::Response {
    let state = server.settled(0);
    let body =
        json!({"document": state["id"], "revision": state["stage"]["revision"], "path": path, "line": line});
    server.post("/api/edit", &body)
}

/// Asks for the source of the hottest function, and gives back where it was found.
fn shown_source(server: &Server) -> String {
    let table = server.answer(&functions(&json!({"filter": "main"})));
    let main = table["rows"].as_array().unwrap().iter().find(|row| row["name"] == "main").unwrap();
    let id = &main["function"]["id"];
    let question =
        json!({"ask": "source", "scope": scope(), "function": id, "events": ["Ir"], "instructions": false});
    server.answer(&question)["files"][0]["found"].as_str().unwrap().to_owned()
}

#[test]
fn a_line_that_is_shown_opens_in_the_editor() {
    let folder = fake_editor("kate");
    let server = start(folder.path(), "kate", &[]);
    assert_eq!(server.get("/api/session").json()["editor"], "kate");
    let before = edit(&server, fixture("profile/words.c").canonicalize().unwrap().to_str().unwrap(), 7);
    assert_eq!(before.status, 422, "the page did not show it yet: {before:?}");
    let path = shown_source(&server);
    let started = edit(&server, &path, 7);
    assert_eq!(started.status, 200, "{started:?}");
    assert!(started.json()["started"].as_str().unwrap().starts_with("kate --line 7"), "{started:?}");
    let log = folder.path().join("started");
    let deadline = Instant::now() + Duration::from_secs(10);
    let complete = |text: &String| text.lines().count() == 3;
    let text = loop {
        if let Some(text) = std::fs::read_to_string(&log).ok().filter(complete) {
            break text;
        }
        assert!(Instant::now() < deadline, "the editor was not started");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(text, format!("--line\n7\n{path}\n"));
}

#[test]
fn other_files_are_not_opened() {
    let folder = fake_editor("kate");
    let server = start(folder.path(), "kate", &[]);
    let path = shown_source(&server);
    for other in
        ["/etc/passwd", "words.c", "", "--version", &format!("{path}/../words.c"), &format!("{path}\n")]
    {
        assert_eq!(edit(&server, other, 1).status, 422, "{other}");
    }
    assert!(!folder.path().join("started").exists());
}

#[test]
fn read_only_starts_nothing() {
    let folder = fake_editor("kate");
    let server = start(folder.path(), "kate", &["--read-only"]);
    assert_eq!(server.get("/api/session").json()["editor"], Value::Null);
    let path = shown_source(&server);
    let refused = edit(&server, &path, 1);
    assert_eq!(refused.status, 422);
    assert!(refused.body.contains("--read-only"), "{}", refused.body);
    assert!(!folder.path().join("started").exists());
}

/// Editors for terminals, shells and commands with other arguments are not started.
#[test]
fn only_known_editors_are_started() {
    let folder = fake_editor("sh");
    for visual in ["sh", "sh -c kate", "kate --exec x"] {
        let server = start(folder.path(), visual, &[]);
        assert_eq!(server.get("/api/session").json()["editor"], Value::Null, "{visual}");
        let path = shown_source(&server);
        assert_eq!(edit(&server, &path, 1).status, 422, "{visual}");
    }
    assert!(!folder.path().join("started").exists());
}
