//! The index of a big profile, which the server writes behind the page and reads at the next start.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::server::{Server, functions, scope};

/// A chain of functions that ends in a cycle, in a file of more than 16 MiB, most of it comments.
fn big() -> String {
    let comment = format!("# {}\n", "x".repeat(1021)).repeat(430);
    let function = |number: u32| {
        let (below, next) = (5 * (41 - number), number + 1);
        format!("fn=f{number:02}\n{next} 5\ncfn=f{next:02}\ncalls=1 1\n1 {below}\n{comment}")
    };
    let chain: String = (0..40).map(function).collect();
    format!(
        "# callgrind format\nversion: 1\nevents: Ir\n\nfl=big.c\n{chain}fn=f40\n1 5\ncfn=f39\ncalls=1 1\n1 3\n"
    )
}

fn index(state: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(state.join("lotse")).into_iter().flatten();
    let mut paths = files.map(|entry| entry.unwrap().path());
    paths.find(|path| path.extension().is_some_and(|end| end == "lotse-index"))
}

fn questions() -> [Value; 5] {
    let tree =
        |direction: &str| json!({"ask": "flame", "scope": scope(), "direction": direction, "root": null});
    [
        functions(&json!({})),
        functions(&json!({"filter": "/f.9/", "sort": "inclusive"})),
        tree("callees"),
        tree("callers"),
        json!({"ask": "graph", "scope": scope(), "function": null, "min_share": 0.01, "nodes": 60}),
    ]
}

#[test]
fn answers_from_the_index_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.out");
    std::fs::write(&path, big()).unwrap();
    let args = [path.to_str().unwrap()];
    let mut server = Server::start(&args);
    let answers = questions().map(|question| server.answer(&question));
    let about = server.settled(0)["stage"]["about"].clone();
    let deadline = Instant::now() + Duration::from_secs(60);
    while index(server.state.path()).is_none() {
        assert!(Instant::now() < deadline, "no index was written");
        std::thread::sleep(Duration::from_millis(20));
    }
    server.process().kill().unwrap();
    server.process().wait().unwrap();
    let state = std::mem::replace(&mut server.state, tempfile::tempdir().unwrap());
    let again = Server::start_in(state, &args);
    assert_eq!(questions().map(|question| again.answer(&question)), answers);
    assert_eq!(again.settled(0)["stage"]["about"], about);
}

#[test]
fn no_index_is_written_if_none_is_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big.out");
    std::fs::write(&path, big()).unwrap();
    let server = Server::start(&["--no-index", path.to_str().unwrap()]);
    server.answer(&questions()[4]);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(index(server.state.path()), None);
}
