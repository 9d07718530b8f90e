//! `lotse bench report A B`: programs of one name across files, pairs inside each.

use crate::session::{Session, WORK, list, texts};

/// The work of a machine that becomes slower and faster again; each program gets its share of it.
fn wave(percent: u32) -> Vec<u32> {
    (0..10).map(|i| (1000 + 100 * i) * percent / 100).collect()
}

fn measured() -> Session {
    let session = Session::new();
    for (file, sort, search) in [("old", 100, 103), ("new", 50, 52)] {
        session.worker(&format!("sort-{file}"), &wave(sort)).worker(&format!("search-{file}"), &wave(search));
        let (sort, search, log) =
            (format!("./sort-{file}"), format!("./search-{file}"), format!("{file}.log"));
        let names = ["-n", "sort", "-n", "search", "--out", &log];
        session.bench(&[&["--seed", "1", "-r", "30"], &WORK[..], &names, &[&sort, &search]].concat());
    }
    session
}

#[test]
fn new_against_old_by_name_and_pairs_inside_each_file() {
    let session = measured();
    let json = session.lotse(&["bench", "report", "--json", "old.log", "new.log"]).json();
    let primary: Vec<_> =
        list(&json["comparisons"]).iter().filter(|row| row["primary"] == true).cloned().collect();
    let rows = serde_json::Value::from(primary);
    assert_eq!(texts(&rows, "program"), ["sort (new)", "search (new)", "search (old)", "search (new)"]);
    assert_eq!(texts(&rows, "reference"), ["sort (old)", "search (old)", "sort (old)", "sort (new)"]);
    // The differences of a few percent inside a file are seen only in pairs.
    assert_eq!(texts(&rows, "verdict"), ["faster", "faster", "slower", "slower"]);
    let alone = session.lotse(&["bench", "report", "--json", "new.log"]).json();
    let inside = list(&alone["comparisons"]).iter().find(|row| row["primary"] == true).unwrap();
    assert_eq!(rows[3]["interval"], inside["interval"]);
    session.lotse(&["bench", "report", "old.log", "new.log"]).exits(0).says("work than sort (old)");
}

#[test]
fn one_reference_for_all() {
    let session = measured();
    let args = ["bench", "report", "--json", "--reference", "sort", "old.log", "new.log"];
    let json = session.lotse(&args).json();
    assert!(texts(&json["comparisons"], "reference").iter().all(|name| *name == "sort (old)"), "{json}");
    session
        .lotse(&["bench", "report", "--reference", "tros", "old.log", "new.log"])
        .exits(2)
        .complains("tros");
}
