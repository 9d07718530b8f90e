//! Results come back as they were, also from several writers; files that are no history are rejected.

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use rusqlite::Connection;

use super::Store;
use crate::entry::{MetricPoint, NewResult, ResultFile, ResultId, SourceOrigin};
use crate::error::StoreError;

fn result(date: &str) -> NewResult {
    let point = MetricPoint {
        program: "app".into(),
        command: "./app 1".into(),
        commit: Some("f00".into()),
        metric: "wall".into(),
        unit: Unit::Seconds,
        runs: 12,
        failed: 1,
        contended: 2,
        centre: Some(0.1 + 0.2),
        error: Some(0.001),
    };
    let empty =
        MetricPoint { metric: "swaps".into(), unit: Unit::Count, centre: None, error: None, ..point.clone() };
    NewResult {
        date: date.into(),
        origin: SourceOrigin { commit: Some("abc".into()), branch: Some("main".into()), changed: true },
        machine: Some(Fingerprint { processor: Some("X".into()), ..Fingerprint::default() }),
        primary: Some("wall".into()),
        labels: vec!["v1".into(), "good".into(), "v1".into()],
        file: ResultFile { format: "lotse-log".into(), content: b"line\n".repeat(1000) },
        points: vec![point, empty],
    }
}

#[test]
fn a_result_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/history.db");
    let mut store = Store::create(&path).unwrap();
    let new = result("2026-11-17T10:00:00Z");
    let id = store.add(&new).unwrap();
    let earlier = store.add(&NewResult { labels: vec![], ..result("2026-11-16T10:00:00Z") }).unwrap();
    let store = Store::open(&path).unwrap();
    let entries = store.entries().unwrap();
    // By date, not by when they were added.
    assert_eq!(entries.iter().map(|entry| entry.id).collect::<Vec<_>>(), [earlier, id]);
    let entry = &entries[1];
    assert_eq!((&entry.origin, &entry.machine, &entry.points), (&new.origin, &new.machine, &new.points));
    assert_eq!(entry.labels, ["good", "v1"]);
    assert_eq!(store.file(id).unwrap(), new.file);
    assert_eq!(entry.point("app", "wall").unwrap().centre, Some(0.1 + 0.2));
    // Version control does not see it.
    assert_eq!(std::fs::read_to_string(folder.path().join("deep/er/.gitignore")).unwrap(), "*\n");
}

#[test]
fn numbers_are_never_given_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = Store::create(&folder.path().join("history.db")).unwrap();
    let first = store.add(&result("2026-11-17T10:00:00Z")).unwrap();
    store.label(first, "base").unwrap();
    store.unlabel(first, "base").unwrap();
    assert_eq!(store.entries().unwrap()[0].labels, ["good", "v1"]);
    store.forget(&[first]).unwrap();
    assert!(matches!(store.forget(&[first]), Err(StoreError::NoResult { .. })));
    assert!(matches!(store.label(first, "x"), Err(StoreError::NoResult { .. })));
    assert!(matches!(store.file(first), Err(StoreError::NoResult { .. })));
    let second = store.add(&result("2026-11-17T11:00:00Z")).unwrap();
    assert_ne!(first, second);
    // All or nothing.
    assert!(store.forget(&[second, first]).is_err());
    assert_eq!(store.entries().unwrap().len(), 1);
    // What belonged to the deleted one went with it.
    assert_eq!(store.entries().unwrap()[0].labels, ["good", "v1"]);
}

#[test]
fn files_that_are_no_history_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let absent = folder.path().join("none.db");
    assert!(matches!(Store::open(&absent), Err(StoreError::Absent { .. })));
    assert!(!absent.exists());

    let text = folder.path().join("text.db");
    std::fs::write(&text, "no database, but a text that is long enough to be one").unwrap();
    assert!(matches!(Store::open(&text), Err(StoreError::Database { .. })));

    let foreign = folder.path().join("foreign.db");
    Connection::open(&foreign).unwrap().execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    assert!(matches!(Store::create(&foreign), Err(StoreError::Foreign { .. })));

    let newer = folder.path().join("newer.db");
    drop(Store::create(&newer).unwrap());
    Connection::open(&newer).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    let error = Store::open(&newer).unwrap_err().to_string();
    assert!(error.contains("newer Lotse (version 99"), "{error}");
}

#[test]
fn a_damaged_row_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.db");
    let mut store = Store::create(&path).unwrap();
    let id = store.add(&result("2026-11-17T10:00:00Z")).unwrap();
    Connection::open(&path).unwrap().execute_batch("UPDATE result SET content = x'00ff'").unwrap();
    let error = store.file(id).unwrap_err().to_string();
    assert!(error.contains("result 1: its file cannot be unpacked"), "{error}");
}

#[test]
fn several_processes_may_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("history.db");
    std::thread::scope(|scope| {
        for worker in 0..4 {
            let path = &path;
            scope.spawn(move || {
                for turn in 0..5 {
                    let date = format!("2026-11-17T1{worker}:0{turn}:00Z");
                    Store::create(path).unwrap().add(&result(&date)).unwrap();
                }
            });
        }
    });
    let entries = Store::open(&path).unwrap().entries().unwrap();
    assert_eq!(entries.len(), 20);
    assert!(entries.iter().all(|entry| entry.points.len() == 2));
    assert_eq!(entries.last().unwrap().id.max(ResultId(20)), ResultId(20));
}
