//! A question whose page has gone costs nothing from then on.

use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, functions};

/// Functions and threads of the profile. With a filter, each thread is analysed for itself, which takes seconds for all.
const FUNCTIONS: usize = 9000;
const THREADS: usize = 150;

/// What an answer may go on with after its page has gone, in a build without optimisation.
const MOST_AFTER: Duration = Duration::from_millis(1000);

/// A speedscope file with many threads.
fn big_profile(folder: &tempfile::TempDir) -> String {
    let frames: Vec<Value> = (0..FUNCTIONS).map(|number| json!({"name": format!("f{number}")})).collect();
    let thread = |number: usize| {
        let samples: Vec<Value> =
            (1 + number..FUNCTIONS).step_by(THREADS).map(|leaf| json!([0, leaf])).collect();
        let weights = vec![1; samples.len()];
        json!({"type": "sampled", "name": format!("thread {number}"), "unit": "none", "startValue": 0,
            "endValue": weights.len(), "samples": samples, "weights": weights})
    };
    let profiles: Vec<Value> = (0..THREADS).map(thread).collect();
    let schema = "https://www.speedscope.app/file-format-schema.json";
    let text = json!({"$schema": schema, "shared": {"frames": frames}, "profiles": profiles}).to_string();
    let file = folder.path().join("big.speedscope.json");
    std::fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

/// CPU time of the server.
fn cpu_time(server: &mut Server) -> Duration {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.process().id())).unwrap();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks: u64 = [fields[11], fields[12]].iter().map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Duration::from_millis(ticks * 10)
}

/// Waits until the server does nothing, and returns its CPU time.
fn idle_time(server: &mut Server) -> Duration {
    let deadline = Instant::now() + Duration::from_secs(100);
    loop {
        let before = cpu_time(server);
        std::thread::sleep(Duration::from_millis(300));
        let after = cpu_time(server);
        if after - before <= Duration::from_millis(20) {
            return after;
        }
        assert!(Instant::now() < deadline, "the server does not come to rest");
    }
}

/// Sends a question without waiting for the answer.
fn send(server: &Server, question: &Value) -> TcpStream {
    let state = server.settled(0);
    let body = json!({"document": state["id"], "revision": state["stage"]["revision"], "question": question});
    let body = body.to_string();
    let headers = server.own_headers().map(|(name, value)| format!("{name}: {value}\r\n")).concat();
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let length = body.len();
    write!(stream, "POST /api/ask HTTP/1.1\r\nContent-Length: {length}\r\n{headers}\r\n{body}").unwrap();
    stream
}

#[test]
fn a_closed_connection_ends_its_question_and_not_others() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(&["--no-index", &big_profile(&folder)]);
    let mut slow = functions(&json!({"group": "thread"}));
    slow["scope"]["focus"] = json!("/f[0-9]*1/");
    let other = functions(&json!({"filter": "/^f751$/"}));
    assert_eq!(server.answer(&other)["count"], 1);
    let before = idle_time(&mut server);
    let stream = send(&server, &slow);
    let deadline = Instant::now() + Duration::from_secs(100);
    while cpu_time(&mut server) < before + Duration::from_millis(200) {
        assert!(Instant::now() < deadline, "the question does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(stream);
    let closed = cpu_time(&mut server);
    assert_eq!(server.answer(&other)["count"], 1);
    let after = idle_time(&mut server) - closed;
    assert!(after < MOST_AFTER, "the server went on for {after:?} of CPU time");
    // Nothing of it was kept: the same question has its whole answer, for which it must work much longer.
    let before = cpu_time(&mut server);
    assert_eq!(server.answer(&slow)["count"], THREADS);
    let whole = cpu_time(&mut server) - before;
    assert!(whole > 2 * MOST_AFTER, "{whole:?} is too little to tell whether the question was ended");
}
