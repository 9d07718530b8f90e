//! Files that change, servers that are killed, two pages at once.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, fixture, functions};

const PROFILE: &str = "profile/words-list.callgrind";

/// Reads the stream of changes.
struct Changes(BufReader<TcpStream>);

impl Changes {
    fn of(server: &Server) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let token = &server.token;
        let request =
            format!("GET /api/changes HTTP/1.1\r\nHost: localhost\r\nX-Lotse-Token: {token}\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        Self(BufReader::new(stream))
    }

    /// The next state for which a condition holds.
    fn until(&mut self, holds: impl Fn(&Value) -> bool) -> Value {
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            if let Some(state) = line.strip_prefix("data: ") {
                let state: Value = serde_json::from_str(state).unwrap();
                if holds(&state) {
                    return state;
                }
            }
        }
    }
}

#[test]
fn changes_reach_two_pages() {
    let server = Server::start(&[]);
    let (mut one, mut other) = (Changes::of(&server), Changes::of(&server));
    let empty = one.until(|_| true);
    assert_eq!(empty["documents"], json!([]));
    let path = fixture(PROFILE).canonicalize().unwrap();
    let opened = server.post("/api/open", &json!({"paths": [path], "compare": false})).json();
    let ready = |state: &Value| state["documents"][0]["stage"]["stage"] == "ready";
    assert_eq!(one.until(ready)["documents"][0]["id"], opened["document"]);
    assert_eq!(other.until(ready)["documents"][0]["id"], opened["document"]);
    assert_eq!(server.post("/api/close", &json!({"document": opened["document"]})).status, 200);
    other.until(|state| state["documents"] == json!([]));
}

#[test]
fn a_file_that_changes_is_noticed_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("stacks.folded");
    std::fs::write(&file, "main;a 1\n").unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    let count = |server: &Server| server.answer(&functions(&json!({})))["count"].clone();
    assert_eq!(count(&server), 2);
    // Growing in place, as a profiler that still writes.
    std::fs::write(&file, "main;a 1\nmain;b 2\n").unwrap();
    let mut changes = Changes::of(&server);
    changes.until(|state| state["documents"][0]["outdated"] == true);
    assert_eq!(server.ask(&functions(&json!({}))).status, 409);
    assert_eq!(server.post("/api/reload", &json!({"document": 1})).status, 200);
    changes.until(|state| state["documents"][0]["stage"]["stage"] == "ready");
    assert_eq!(count(&server), 3);
    // Replaced by another file.
    let other = folder.path().join("other");
    std::fs::write(&other, "x;y;z 5\n").unwrap();
    std::fs::rename(&other, &file).unwrap();
    changes.until(|state| state["documents"][0]["outdated"] == true);
    // Gone.
    std::fs::remove_file(&file).unwrap();
    server.post("/api/reload", &json!({"document": 1}));
    changes.until(|state| state["documents"][0]["stage"]["stage"] == "failed");
}

/// Ids of an earlier reading are refused, since they may mean other functions.
#[test]
fn questions_about_an_earlier_reading_are_refused() {
    let server = Server::start(&[PROFILE]);
    let before = server.settled(0)["stage"]["revision"].clone();
    server.post("/api/reload", &json!({"document": 1}));
    server.settled(0);
    let body = json!({"document": 1, "revision": before, "question": functions(&json!({}))});
    assert_eq!(server.post("/api/ask", &body).status, 409);
}

/// The layout and the files survive kill -9, and a layout that is being written is never half there.
#[test]
fn what_is_remembered_survives_a_kill() {
    let mut server = Server::start(&[PROFILE]);
    server.settled(0);
    let layout = json!({"panes": ["functions", "flame"]});
    assert_eq!(server.post("/api/layout", &json!({"layout": layout})).status, 200);
    server.process().kill().unwrap();
    server.process().wait().unwrap();
    let state = std::mem::replace(&mut server.state, tempfile::tempdir().unwrap());
    let again = Server::start_in(state, &[]);
    let session = again.get("/api/session").json();
    assert_eq!(session["layout"], layout);
    let path = fixture(PROFILE).canonicalize().unwrap();
    assert_eq!(session["recent"][0]["paths"], json!([path]));
}

#[test]
fn opening_can_be_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("big.folded");
    let lines: Vec<String> =
        (0..400_000).map(|number| format!("main;a{};b{number} 1\n", number % 1000)).collect();
    std::fs::write(&file, lines.concat()).unwrap();
    let server = Server::start(&[]);
    server.post("/api/open", &json!({"paths": [file], "compare": false}));
    let cancelled = server.post("/api/cancel", &json!({"document": 1}));
    let begun = Instant::now();
    let state = server.settled(0);
    // On a fast machine it may be ready before the request arrives.
    if cancelled.status == 200 && state["stage"]["stage"] == "failed" {
        assert_eq!(state["stage"]["problem"]["message"], "cancelled");
    }
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert_eq!(server.get("/api/session").status, 200);
}

#[cfg(unix)]
#[test]
fn the_server_ends_when_asked_to() {
    let mut server = Server::start(&[PROFILE]);
    let id = rustix::process::Pid::from_child(server.process());
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    assert!(server.process().wait().unwrap().success());
}

/// Files that the page cannot hold are refused at the start, not left out.
#[test]
fn more_files_than_a_page_holds_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files: Vec<_> = (0..65).map(|number| folder.path().join(format!("{number}.folded"))).collect();
    files.iter().for_each(|file| std::fs::write(file, "a;b 1\n").unwrap());
    let mut lotse = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"));
    let output =
        lotse.args(["open", "--no-open"]).args(&files).env("XDG_STATE_HOME", folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("64 documents"), "{output:?}");
}
