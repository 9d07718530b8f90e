//! A running `lotse open`, and requests to it written by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server, which ends with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    pub(crate) token: String,
    pub(crate) state: tempfile::TempDir,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Response {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Server {
    /// Opens files, which are relative to the repository's fixtures.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), args)
    }

    /// The same with a given state directory.
    pub(crate) fn start_in(state: tempfile::TempDir, args: &[&str]) -> Self {
        Self::start_with(state, args, &[("VISUAL", ""), ("EDITOR", "")])
    }

    /// The same with variables of the environment.
    pub(crate) fn start_with(state: tempfile::TempDir, args: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_lotse"))
            .args(["open", "--no-open"])
            .args(args)
            .env("XDG_STATE_HOME", state.path())
            .env("XDG_CACHE_HOME", state.path())
            .envs(environment.iter().copied())
            .current_dir(fixture(""))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let address =
            lines.find_map(|line| line.unwrap().split_once("http://127.0.0.1:").map(|it| it.1.to_owned()));
        let address = address.expect("the server prints its address");
        let (port, token) = address.split_once("/#token=").unwrap();
        Self { child, port: port.parse().unwrap(), token: token.to_owned(), state }
    }

    /// Sends bytes and reads until the server closes the connection.
    pub(crate) fn raw(&self, request: &[u8]) -> Response {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream.write_all(request).unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        parsed(&bytes)
    }

    /// A request with headers.
    pub(crate) fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        );
        self.raw(request.as_bytes())
    }

    /// The headers of the page itself.
    pub(crate) fn own_headers(&self) -> [(&'static str, String); 4] {
        [
            ("Host", format!("127.0.0.1:{}", self.port)),
            ("Origin", format!("http://127.0.0.1:{}", self.port)),
            ("X-Lotse-Token", self.token.clone()),
            ("Content-Type", "application/json".to_owned()),
        ]
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        let headers = self.own_headers();
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.request("GET", path, &headers, "")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Response {
        let headers = self.own_headers();
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.request("POST", path, &headers, &body.to_string())
    }

    /// The state once the document is ready or failed.
    pub(crate) fn settled(&self, document: usize) -> Value {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let state = self.get("/api/session").json()["documents"][document].clone();
            if state["stage"]["stage"] != "opening" && !state.is_null() {
                return state;
            }
            assert!(Instant::now() < deadline, "{state}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Asks the first document.
    pub(crate) fn ask(&self, question: &Value) -> Response {
        let state = self.settled(0);
        let body = json!({
            "document": state["id"],
            "revision": state["stage"]["revision"],
            "question": question,
        });
        self.post("/api/ask", &body)
    }

    /// The answer to a question that has one.
    pub(crate) fn answer(&self, question: &Value) -> Value {
        let response = self.ask(question);
        assert_eq!(response.status, 200, "{question}: {response:?}");
        response.json()
    }

    pub(crate) fn process(&mut self) -> &mut Child {
        &mut self.child
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn parsed(bytes: &[u8]) -> Response {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let body = match head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        true => unchunked(body),
        false => body.to_owned(),
    };
    Response { status, head: head.to_owned(), body }
}

/// Joins the pieces of a body.
fn unchunked(body: &str) -> String {
    let mut text = String::new();
    let mut rest = body;
    while let Some((length, after)) = rest.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        text += after.get(..length).unwrap_or("");
        rest = after.get(length + 2..).unwrap_or("");
    }
    text
}

/// A file of the repository.
pub(crate) fn fixture(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(path)
}

/// A scope that changes nothing.
pub(crate) fn scope() -> Value {
    json!({"event": null, "define": [], "parts": null, "focus": null, "ignore": null, "hide": null, "side": null})
}

/// The question for the first rows of the table of functions, with changes.
pub(crate) fn functions(changes: &Value) -> Value {
    let mut question = json!({
        "ask": "functions", "scope": scope(), "events": [], "sort": "self", "ascending": false,
        "filter": "", "group": null, "within": null, "offset": 0, "limit": 50,
    });
    for (key, value) in changes.as_object().unwrap() {
        question[key] = value.clone();
    }
    question
}
