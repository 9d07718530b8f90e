//! Every line of the security list, against the running server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::server::{Server, functions};

const PROFILE: &str = "profile/words-list.callgrind";

#[test]
fn only_loopback_hosts_are_answered() {
    let server = Server::start(&[PROFILE]);
    let port = server.port;
    for host in
        [format!("127.0.0.1:{port}"), format!("localhost:{port}"), "localhost:1".into(), "[::1]:80".into()]
    {
        assert_eq!(server.request("GET", "/", &[("Host", &host)], "").status, 200, "{host}");
    }
    let bad =
        ["evil.com", "127.0.0.1.evil.com", "0.0.0.0", "", "localhost.evil.com", "127.0.0.1@evil.com", "[::]"];
    for host in bad {
        assert_eq!(server.request("GET", "/", &[("Host", host)], "").status, 421, "{host}");
    }
    assert_eq!(server.raw(b"GET / HTTP/1.0\r\n\r\n").status, 421);
    assert_eq!(server.request("GET", "/", &[("Host", "localhost"), ("Host", "evil.com")], "").status, 421);
    // The name in the request line counts as the host for some servers; here the header decides.
    let absolute =
        format!("GET http://evil.com/ HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n");
    assert!(!server.raw(absolute.as_bytes()).body.contains("token"));
}

#[test]
fn other_addresses_of_the_machine_are_not_listened_on() {
    let server = Server::start(&[PROFILE]);
    let listening = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let port = format!(":{:04X}", server.port);
    let mine: Vec<&str> =
        listening.lines().filter(|line| line.contains(&port) && line.contains(" 0A ")).collect();
    assert_eq!(mine.len(), 1, "{mine:?}");
    assert!(mine[0].contains("0100007F:"), "{mine:?}");
}

#[test]
fn pages_of_others_are_refused() {
    let server = Server::start(&[PROFILE]);
    let host = format!("127.0.0.1:{}", server.port);
    let token = server.token.clone();
    let origin = format!("http://{host}");
    for (name, value, expected) in [
        ("Origin", origin.as_str(), 200),
        ("Origin", "null", 403),
        ("Origin", "http://evil.com", 403),
        ("Origin", "http://127.0.0.1:1", 403),
        ("Sec-Fetch-Site", "same-origin", 200),
        ("Sec-Fetch-Site", "cross-site", 403),
        ("Sec-Fetch-Site", "same-site", 403),
    ] {
        let headers = [("Host", host.as_str()), ("X-Lotse-Token", token.as_str()), (name, value)];
        assert_eq!(server.request("GET", "/api/session", &headers, "").status, expected, "{name}: {value}");
    }
}

#[test]
fn every_question_needs_the_token() {
    let server = Server::start(&[PROFILE]);
    let host = format!("127.0.0.1:{}", server.port);
    let wrong = ["".to_owned(), "0".repeat(32), server.token[..31].to_owned(), format!("{}0", server.token)];
    let paths =
        ["/api/session", "/api/changes", "/api/ask", "/api/open", "/api/close", "/api/layout", "/api/none"];
    for path in paths {
        assert_eq!(server.request("GET", path, &[("Host", &host)], "").status, 401, "{path}");
        for token in &wrong {
            let headers =
                [("Host", host.as_str()), ("X-Lotse-Token", token), ("Content-Type", "application/json")];
            assert_eq!(server.request("POST", path, &headers, "{}").status, 401, "{path} {token}");
        }
    }
    // The token is no part of any page, and no address may carry it.
    for path in ["/", "/app.js", "/app.css"] {
        let page = server.request("GET", path, &[("Host", &host)], "");
        assert_eq!(page.status, 200);
        assert!(!page.body.contains(&server.token));
    }
    let address = format!("/api/session?token={}", server.token);
    assert_eq!(server.request("GET", &address, &[("Host", &host)], "").status, 401);
}

#[test]
fn changes_are_post_with_json_only() {
    let server = Server::start(&[PROFILE]);
    let host = format!("127.0.0.1:{}", server.port);
    let with = |method: &str, path: &str, kind: &str| {
        let headers =
            [("Host", host.as_str()), ("X-Lotse-Token", server.token.as_str()), ("Content-Type", kind)];
        server.request(method, path, &headers, r#"{"document":1}"#).status
    };
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        assert_eq!(with("POST", "/api/close", kind), 415, "{kind}");
    }
    assert_eq!(with("GET", "/api/close", "application/json"), 405);
    assert_eq!(with("PUT", "/api/close", "application/json"), 405);
    assert_eq!(server.settled(0)["id"], 1, "nothing was closed");
}

#[test]
fn no_path_leads_out_of_the_page() {
    let server = Server::start(&[PROFILE]);
    let host = format!("127.0.0.1:{}", server.port);
    for path in [
        "/../Cargo.toml",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/etc/passwd",
        "/app.js/../../Cargo.toml",
        "/app.js%00.html",
        "/file:///etc/passwd",
        "/index.html",
        "/src/main.ts",
    ] {
        assert_eq!(server.request("GET", path, &[("Host", &host)], "").status, 404, "{path}");
    }
}

#[test]
fn browsers_are_told_to_load_nothing_else() {
    let server = Server::start(&[PROFILE]);
    for path in ["/", "/app.js", "/api/session", "/nowhere"] {
        let head = server.get(path).head.to_ascii_lowercase();
        for expected in [
            "content-security-policy: default-src 'none'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cross-origin-opener-policy: same-origin",
        ] {
            assert!(head.contains(expected), "{path} lacks {expected}: {head}");
        }
        assert!(!head.contains("access-control-allow"), "{head}");
    }
}

/// Only sources that the profile names are shown, and only as text of that function: there is no way to ask for a path.
#[test]
fn questions_cannot_name_files() {
    let server = Server::start(&[PROFILE]);
    let question = json!({"ask": "source", "scope": crate::server::scope(), "function": 0, "events": [],
        "instructions": false, "path": "/etc/passwd"});
    assert_eq!(server.ask(&question).status, 400);
    let out_of_range = json!({"ask": "source", "scope": crate::server::scope(), "function": 999_999, "events": [],
        "instructions": false});
    assert_eq!(server.ask(&out_of_range).status, 422);
}

#[test]
fn large_and_wrong_bodies_are_refused() {
    let server = Server::start(&[PROFILE]);
    let long = json!({"layout": "x".repeat(2 << 20)});
    assert_eq!(server.post("/api/layout", &long).status, 413);
    let host = format!("127.0.0.1:{}", server.port);
    let headers = [
        ("Host", host.as_str()),
        ("X-Lotse-Token", server.token.as_str()),
        ("Content-Type", "application/json"),
    ];
    for body in ["", "{", "[]", "{\"document\":-1}", "{\"document\":1,\"more\":2}", &"[".repeat(100_000)] {
        let status = server.request("POST", "/api/close", &headers, body).status;
        assert_eq!(status, 400, "{:.40}", body);
    }
    assert_eq!(server.settled(0)["id"], 1);
}

/// Names with markup and a name of a megabyte come back as text.
#[test]
fn hostile_names_are_only_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.folded");
    let long = "x".repeat(1 << 20);
    let names =
        ["<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "</style>", "\u{202e}evil", &long];
    let lines: Vec<String> =
        names.iter().enumerate().map(|(at, name)| format!("main;{name} {}\n", at + 1)).collect();
    std::fs::write(&file, lines.concat()).unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    let answer = server.answer(&functions(&json!({"sort": "self"})));
    let shown: Vec<&str> =
        answer["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect();
    for name in names {
        assert!(shown.contains(&name), "{:.40}", name);
    }
    let head = server.get("/api/session").head.to_ascii_lowercase();
    assert!(head.contains("content-type: application/json"), "{head}");
}

/// Ten thousand questions from many clients at once: all are answered, and the server is as before.
#[test]
fn many_requests_in_parallel_are_answered() {
    let server = Server::start(&[PROFILE]);
    server.settled(0);
    let clients = 50;
    std::thread::scope(|scope| {
        for _ in 0..clients {
            scope.spawn(|| {
                let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
                let request = format!(
                    "GET /api/session HTTP/1.1\r\nHost: localhost\r\nX-Lotse-Token: {}\r\n\r\n",
                    server.token
                );
                for _ in 0..10_000 / clients {
                    stream.write_all(request.as_bytes()).unwrap();
                    assert_eq!(status_of_next(&mut stream), 200);
                }
            });
        }
    });
    assert_eq!(server.get("/api/session").status, 200);
}

/// Reads one response with a known length.
fn status_of_next(stream: &mut TcpStream) -> u16 {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap().parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Clients that send nothing, or a byte a second, do not keep others from being served, and are dropped.
#[test]
fn slow_clients_do_not_block_others() {
    let server = Server::start(&[PROFILE]);
    server.settled(0);
    let mut slow: Vec<TcpStream> =
        (0..100).map(|_| TcpStream::connect(("127.0.0.1", server.port)).unwrap()).collect();
    slow.iter_mut().for_each(|stream| stream.write_all(b"GET / HT").unwrap());
    assert_eq!(server.get("/api/session").status, 200);
    let begun = Instant::now();
    slow[0].set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut rest = Vec::new();
    // The server closes the connection, with or without an answer.
    drop(slow[0].read_to_end(&mut rest));
    assert!(begun.elapsed() < Duration::from_secs(30));
}

#[cfg(unix)]
#[test]
fn a_socket_file_is_only_for_its_user_and_goes_away() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lotse.socket");
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_lotse"))
        .args(["open", "--no-open", "--socket"])
        .arg(&path)
        .env("XDG_STATE_HOME", folder.path())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while !path.exists() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let mut stream = std::os::unix::net::UnixStream::connect(&path).unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    assert!(!path.exists());
}

/// A profile that names a file outside of the folders of the program does not get its text, neither in the page nor in an export.
#[test]
fn files_elsewhere_are_not_shown() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let secret = elsewhere.path().join("key.c");
    std::fs::write(&secret, "the secret\n").unwrap();
    std::os::unix::fs::symlink(&secret, folder.path().join("link.c")).unwrap();
    std::fs::write(folder.path().join("own.c"), "the source\n").unwrap();
    for (name, is_shown) in [
        (secret.display().to_string(), false),
        (path(&folder, "link.c"), false),
        (path(&folder, "own.c"), true),
    ] {
        let profile = folder.path().join("callgrind.out.1");
        std::fs::write(&profile, format!("events: Ir\nfl={name}\nfn=main\n1 10\n")).unwrap();
        let server = Server::start(&[profile.to_str().unwrap()]);
        let question = json!({"ask": "source", "scope": crate::server::scope(), "function": 0, "events": ["Ir"],
            "instructions": false});
        let answer = server.answer(&question).to_string();
        assert_eq!(answer.contains("the source"), is_shown, "{name}: {answer}");
        assert_eq!(answer.contains("outside of the folders"), !is_shown, "{name}: {answer}");
        assert!(!answer.contains("the secret"), "{name}: {answer}");
    }
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}
