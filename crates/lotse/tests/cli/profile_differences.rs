//! Profiles with costs above and below zero, as `go tool pprof -diff_base` writes them.

use crate::recorded::recorded;
use crate::session::{Session, list};

/// `grew` has more than before, `shrank` less, by different amounts.
fn difference() -> Option<Session> {
    let session = Session::new();
    session.write("old.collapsed", "main;shrank 900\nmain;grew 100\nmain;same 50\n");
    session.write("new.collapsed", "main;shrank 200\nmain;grew 400\nmain;same 50\n");
    for name in ["old", "new"] {
        let (from, to) = (format!("{name}.collapsed"), format!("{name}.pb"));
        session
            .lotse(&["profile", "convert", &from, "--unit", "samples", "--to", "pprof", "-o", &to])
            .exits(0);
    }
    let words = ["go", "tool", "pprof", "-proto", "-diff_base=old.pb", "-output=d.pb.gz", "new.pb"];
    recorded(&session, &words)?;
    Some(session)
}

#[test]
fn functions_are_sorted_by_magnitude_and_have_no_shares() {
    let Some(session) = difference() else { return };
    let names = |answer: &serde_json::Value| -> Vec<(String, i64)> {
        let row = |row: &serde_json::Value| {
            (row["name"].as_str().unwrap().to_owned(), row["self"][0].as_i64().unwrap())
        };
        list(&answer["functions"]).iter().map(row).collect()
    };
    let answer = session.lotse(&["profile", "top", "d.pb.gz", "--json", "-n", "2"]).exits(0).json();
    // The order and the numbers of `go tool pprof -top`.
    let judge = recorded(&session, &["go", "tool", "pprof", "-top", "d.pb.gz"]).unwrap();
    let rows = judge.lines().skip_while(|line| !line.contains("flat%")).skip(1).take(2);
    let judged = rows.map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        (words[5].to_owned(), words[0].parse().unwrap())
    });
    assert_eq!(names(&answer), judged.collect::<Vec<_>>(), "{judge}");
    let top = session.lotse(&["profile", "top", "d.pb.gz"]).exits(0);
    assert!(!top.stdout.contains('%'), "{}", top.stdout);
    top.complains("costs above and below zero");
    let callees = session.lotse(&["profile", "callees", "d.pb.gz", "main"]).exits(0).stdout;
    assert!(callees.find("shrank") < callees.find("grew"), "{callees}");
}

#[test]
fn pictures_and_trees_of_differences_are_refused() {
    let Some(session) = difference() else { return };
    for verb in ["flame", "treemap", "graph", "tree"] {
        session.lotse(&["profile", verb, "d.pb.gz"]).exits(2).complains("costs above and below zero");
    }
}
