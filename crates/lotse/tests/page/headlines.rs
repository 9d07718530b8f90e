//! The sentence above the views is about what they show.

use serde_json::{Value, json};

use crate::server::{Server, scope};

const FILE: &str =
    "# callgrind format\nevents: Ir Dr\n\nfl=a.c\nfn=main\n1 10 1\nfn=count\n2 80 2\nfn=load\n3 10 47\n";

fn sentence(server: &Server, changes: &Value) -> String {
    let mut scope = scope();
    for (key, value) in changes.as_object().unwrap() {
        scope[key] = value.clone();
    }
    let answer = server.answer(&json!({"ask": "headline", "scope": scope}));
    answer["sentence"].as_str().unwrap().to_owned()
}

#[test]
fn a_headline_is_about_the_event_type_and_the_filter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("callgrind.out.1");
    std::fs::write(&path, FILE).unwrap();
    let server = Server::start(&[path.to_str().unwrap()]);
    assert_eq!(sentence(&server, &json!({})), "count takes 80.0 % of 100 Ir (self)");
    assert_eq!(sentence(&server, &json!({"event": "Dr"})), "load takes 94.0 % of 50 Dr (self)");
    let derived = json!({"event": "work", "define": ["work = Ir + 10 Dr"]});
    assert_eq!(sentence(&server, &derived), "load takes 80.0 % of 600 work (self)");
    // The file has no stacks, so that what a filter leaves is an estimate.
    let left = sentence(&server, &json!({"ignore": "count"}));
    assert!(left.starts_with("By estimate: ") && left.ends_with(" takes 10.0 % of 100 Ir (self)"), "{left}");
    // What the views refuse is refused here, too.
    let mut unknown = scope();
    unknown["event"] = json!("nothing");
    assert_eq!(server.ask(&json!({"ask": "headline", "scope": unknown})).status, 422);
}

#[test]
fn a_headline_of_a_comparison_is_about_the_event_type() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (old, new) =
        (write("old", FILE), write("new", &FILE.replace("3 10 47", "3 10 7").replace("2 80 2", "2 40 2")));
    let server = Server::start(&["--compare", &old, &new]);
    assert!(sentence(&server, &json!({})).ends_with("most changed count (-40.0 % of the old total)"));
    let derived = json!({"event": "work", "define": ["work = Ir + 10 Dr"]});
    let text = sentence(&server, &derived);
    assert!(
        text.ends_with("600 work became 160 work; most changed load (-66.7 % of the old total)"),
        "{text}"
    );
}
