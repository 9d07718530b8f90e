//! Groups of functions that call each other.

use serde_json::{Value, json};

use crate::server::{Server, functions};

/// `a` and `b` call each other, and so do `c` and `d`.
const PROFILE: &str = "version: 1
creator: callgrind-3.19
positions: line
events: Ir

fn=main
1 1
cfn=a
calls=1 2
1 60
cfn=c
calls=1 4
1 8

fn=a
2 10
cfn=b
calls=2 3
2 50

fn=b
3 50
cfn=a
calls=1 2
3 5

fn=c
4 3
cfn=d
calls=1 5
4 5

fn=d
5 5
cfn=c
calls=1 4
5 1
";

fn names(table: &Value) -> Vec<&str> {
    table["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn a_cycle_opens_as_its_members() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("callgrind.out.1");
    std::fs::write(&file, PROFILE).unwrap();
    let server = Server::start(&[file.to_str().unwrap()]);
    let groups = server.answer(&functions(&json!({"group": "cycle"})));
    let members = |name: &str| {
        server.answer(&functions(&json!({"within": {"group": "cycle", "name": name}, "sort": "name"})))
    };
    assert_eq!(groups["rows"].as_array().unwrap().len(), 2);
    for (row, expected) in [(0, ["a", "b"]), (1, ["c", "d"])] {
        let row = &groups["rows"][row];
        let table = members(row["name"].as_str().unwrap());
        let mut found: Vec<&str> = names(&table);
        found.sort_unstable();
        assert_eq!((&found[..], &row["size"]), (&expected[..], &json!(2)));
    }
    assert!(names(&members("<cycle 3>")).is_empty());
}

/// The same number means another cycle in the other profile.
#[test]
fn cycles_of_two_profiles_are_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["callgrind.out.1", "callgrind.out.2"].map(|name| {
        let path = folder.path().join(name);
        std::fs::write(&path, PROFILE).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let server = Server::start(&["--compare", &files[0], &files[1]]);
    let about = server.settled(0)["stage"]["about"].clone();
    assert!(!about["profile"]["groupings"].as_array().unwrap().contains(&json!("cycle")));
    assert!(about["profile"]["groupings"].as_array().unwrap().contains(&json!("object")));
    let within = json!({"group": "cycle", "name": "<cycle 1>"});
    for question in [functions(&json!({"group": "cycle"})), functions(&json!({"within": within}))] {
        assert_eq!(server.ask(&question).status, 422);
    }
}
