//! Files that are a profile and a trace.

use serde_json::Value;

use crate::exports::{data, export};
use crate::server::{Server, fixture};

const FILE: &str = "samples/chrome-trace/relay.json";

fn kinds(server: &Server) -> Vec<Value> {
    let documents = server.get("/api/session").json()["documents"].clone();
    documents.as_array().unwrap().iter().map(|it| it["stage"]["about"]["kind"].clone()).collect()
}

fn remarks(about: &Value) -> String {
    about["remarks"].to_string()
}

/// Both documents, each with its views, and both say that there is the other.
#[test]
fn one_file_is_two_documents() {
    let server = Server::start(&[FILE]);
    let profile = server.settled(0);
    let trace = server.settled(1);
    assert_eq!(kinds(&server), ["profile", "trace"]);
    assert_eq!((&profile["name"], &trace["name"]), (&"relay.json".into(), &"relay.json (trace)".into()));
    for (document, kind) in [(&profile, "profile"), (&trace, "trace")] {
        let about = &document["stage"]["about"];
        assert!(about[kind].is_object(), "{about}");
        let remarks = remarks(about);
        assert!(remarks.contains("is a profile and a trace"), "{remarks}");
        assert!(remarks.contains(&format!("this one is the {kind}")), "{remarks}");
    }
    let recent = server.get("/api/session").json()["recent"].clone();
    assert_eq!(recent.as_array().unwrap().len(), 1, "the file is listed once: {recent}");
    assert_eq!(recent[0]["kind"], "profile");
}

#[test]
fn one_kind_can_be_chosen() {
    for (kind, rest) in [("profile", "trace"), ("trace", "profile")] {
        let server = Server::start(&["--as", kind, FILE]);
        let about = server.settled(0)["stage"]["about"].clone();
        assert_eq!(about["kind"], kind);
        assert!(about[rest].is_null());
        assert_eq!(kinds(&server).len(), 1);
    }
    let server = Server::start(&["--as", "trace", "profile/words-list.callgrind"]);
    let stage = server.settled(0)["stage"].clone();
    assert_eq!(stage["stage"], "failed", "{stage}");
    assert!(stage["problem"]["message"].as_str().unwrap().contains("lotse profile"), "{stage}");
}

/// An exported page has both, with answers of their own, and findings of both.
#[test]
fn an_exported_page_has_both_documents() {
    let folder = tempfile::tempdir().unwrap();
    let file = fixture(FILE);
    let output = export(&[file.to_str().unwrap()], folder.path());
    assert!(output.status.success(), "{output:?}");
    let both = data(&folder.path().join("relay.json.html"));
    let documents = both["session"]["documents"].as_array().unwrap();
    let kinds: Vec<&Value> = documents.iter().map(|it| &it["stage"]["about"]["kind"]).collect();
    assert_eq!(kinds, ["profile", "trace"]);
    assert!(both["answers"]["functions|self|-"]["rows"].is_array());
    assert!(both["answers"]["2|timeline"]["lanes"].is_array());
    let output = export(&["--as", "trace", file.to_str().unwrap()], folder.path());
    assert!(output.status.success(), "{output:?}");
    let one = data(&folder.path().join("relay.json.html"));
    assert_eq!(one["session"]["documents"].as_array().unwrap().len(), 1);
    assert!(one["answers"]["timeline"]["lanes"].is_array());
}

/// A file with samples only has no time-line: the profile is shown, and the trace says why it is not.
#[test]
fn a_kind_that_cannot_be_shown_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("samples.json");
    let events =
        r#""traceEvents": [{"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "t"}}]"#;
    let frames = r#""stackFrames": {"1": {"name": "main"}}, "samples": [{"cpu": 0, "tid": 1, "ts": 1, "name": "x", "sf": "1", "weight": 1}]"#;
    std::fs::write(&file, format!("{{{events}, {frames}}}")).unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    assert_eq!(server.settled(0)["stage"]["about"]["kind"], "profile");
    let problem = server.settled(1)["stage"]["problem"]["message"].clone();
    assert!(problem.as_str().unwrap().contains("no time-line"), "{problem}");
    let output = export(&[file.to_str().unwrap()], folder.path());
    let remark = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && remark.contains("samples.json (trace) is left out"), "{remark}");
}
