//! Damaged and truncated histories, paths that are blocked, and unusual names.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking, in its helper functions too")]

use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};

use lotse_model::Fingerprint;
use lotse_model::unit::Unit;
use lotse_store::{MetricPoint, NewResult, ResultFile, ResultId, SourceOrigin, Store, StoreError};
use rusqlite::Connection;

fn point(program: &str) -> MetricPoint {
    MetricPoint {
        program: program.into(),
        command: format!("./{program}"),
        commit: None,
        metric: "wall".into(),
        unit: Unit::Seconds,
        runs: 12,
        failed: 0,
        contended: 0,
        centre: Some(1.25),
        error: Some(0.01),
    }
}

fn result(date: &str) -> NewResult {
    NewResult {
        date: date.into(),
        origin: SourceOrigin::default(),
        machine: Some(Fingerprint::default()),
        primary: Some("wall".into()),
        labels: Vec::new(),
        file: ResultFile { format: "lotse-log".into(), content: date.as_bytes().repeat(2000) },
        points: vec![point("app"), point("other")],
    }
}

struct TestFolder {
    folder: tempfile::TempDir,
}

impl TestFolder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("history.db")
    }

    /// A history of thirty results.
    fn filled(&self) -> PathBuf {
        let mut store = Store::create(&self.path()).unwrap();
        for day in 1..=30 {
            store.add(&result(&format!("2026-11-{day:02}T10:00:00Z"))).unwrap();
        }
        self.path()
    }
}

fn sql(path: &Path, change: &str) {
    Connection::open(path).unwrap().execute_batch(change).unwrap();
}

/// Reads everything in a history; returns the number of results or the first error.
fn read_all(path: &Path) -> Result<usize, StoreError> {
    let store = Store::open(path)?;
    let entries = store.entries()?;
    for entry in &entries {
        let file = store.file(entry.id)?;
        assert_eq!(file.content, entry.date.as_bytes().repeat(2000), "another file than was kept");
    }
    Ok(entries.len())
}

#[test]
fn what_is_cut_off_is_refused_wherever_it_ends() {
    let place = TestFolder::new();
    let path = place.filled();
    let whole = fs::read(&path).unwrap();
    assert_eq!(read_all(&path).unwrap(), 30);
    // SQLite treats a file of one byte as empty, so that length is not among them.
    for kept in [2, 50, 99, 100, 2000, 4096, 4097, whole.len() / 2, whole.len() - 4096] {
        fs::write(&path, &whole[..kept]).unwrap();
        let error = read_all(&path).expect_err(&format!("{kept} of {} bytes", whole.len()));
        assert!(matches!(error, StoreError::Database { .. } | StoreError::Damaged { .. }), "{kept}: {error}");
        // The message names the file; the error of the database is its source.
        assert!(error.to_string().contains("history.db"), "{error}");
    }
}

#[test]
fn overwritten_pages_are_never_taken_for_results() {
    let place = TestFolder::new();
    let path = place.filled();
    let whole = fs::read(&path).unwrap();
    let page = 4096;
    let mut refused = 0;
    for at in (0..whole.len()).step_by(page) {
        let mut damaged = whole.clone();
        damaged[at..at + page].fill(0xA5);
        fs::write(&path, &damaged).unwrap();
        // A damaged page that contains only an index may go unnoticed; all others must be noticed.
        refused += usize::from(read_all(&path).is_err());
    }
    let pages = whole.len() / page;
    assert!(refused + 2 >= pages, "{refused} of {pages} damaged pages were noticed");
}

#[test]
fn values_that_cannot_be_are_refused() {
    let changes = [
        "UPDATE result SET machine = '{' WHERE id = 7",
        "UPDATE point SET unit = 'parsecs' WHERE result = 7",
        "UPDATE point SET runs = -1 WHERE result = 7",
        "UPDATE point SET failed = 5000000000 WHERE result = 7",
        "UPDATE result SET content = x'1f8b08' WHERE id = 7",
        "UPDATE result SET content = substr(content, 1, length(content) - 9) WHERE id = 7",
    ];
    for change in changes {
        let place = TestFolder::new();
        let path = place.filled();
        sql(&path, change);
        let error = read_all(&path).expect_err(change);
        assert!(matches!(error, StoreError::Database { .. } | StoreError::Damaged { .. }), "{error}");
    }
}

#[test]
fn an_error_names_its_cause() {
    let place = TestFolder::new();
    let path = place.filled();
    sql(&path, "UPDATE point SET unit = 'parsecs' WHERE result = 7");
    let error = read_all(&path).unwrap_err();
    assert!(error.source().unwrap().to_string().contains("parsecs"), "{:?}", error.source());
    fs::create_dir(place.folder.path().join("blocked.db")).unwrap();
    let blocked = place.folder.path().join("blocked.db");
    assert!(matches!(Store::open(&blocked), Err(StoreError::Absent { .. })));
    assert!(matches!(Store::create(&blocked), Err(StoreError::Database { doing: "open it", .. })));
    let below_a_file = path.join("history.db");
    let error = Store::create(&below_a_file).unwrap_err();
    assert!(error.to_string().contains("history.db"), "{error}");
    assert_eq!(read_all(&path).unwrap_err().to_string(), error_of_units(&path));
}

fn error_of_units(path: &Path) -> String {
    format!("history `{}`: cannot read it", path.display())
}

#[test]
fn names_are_kept_letter_by_letter() {
    let names =
        ["it's", "\"; DROP TABLE point; --", "two\nlines", "a\0b", "🦀 ü", "", " ", "%s\\", "\u{202e}x"];
    let place = TestFolder::new();
    let mut odd = result("2026-11-17T10:00:00Z");
    odd.points = names.iter().map(|name| point(name)).collect();
    odd.labels = names.iter().map(|name| (*name).to_owned()).collect();
    odd.origin.branch = Some("feature/it's \"new\"".into());
    let mut store = Store::create(&place.path()).unwrap();
    let id = store.add(&odd).unwrap();
    store.label(id, "one'more").unwrap();
    let entry = Store::open(&place.path()).unwrap().entries().unwrap().remove(0);
    assert_eq!(entry.points, odd.points);
    assert_eq!(entry.origin, odd.origin);
    let mut labels = odd.labels.clone();
    labels.push("one'more".into());
    labels.sort();
    assert_eq!(entry.labels, labels);
    assert!(names.iter().all(|name| entry.point(name, "wall").is_some()));
}

#[test]
fn ten_thousand_programs_keep_their_order() {
    let place = TestFolder::new();
    let mut large = result("2026-11-17T10:00:00Z");
    // Backwards, so that an order by name would show.
    large.points = (0..10_000).rev().map(|number| point(&format!("p{number:05}"))).collect();
    Store::create(&place.path()).unwrap().add(&large).unwrap();
    let entries = Store::open(&place.path()).unwrap().entries().unwrap();
    assert_eq!(entries[0].points, large.points);
}

#[test]
fn numbers_come_back_bit_by_bit() {
    let values = [0.1 + 0.2, 1e-300, f64::MAX, f64::MIN_POSITIVE, 0.0, 123_456_789.123_456_78];
    let place = TestFolder::new();
    let mut exact = result("2026-11-17T10:00:00Z");
    exact.points =
        values.map(|value| MetricPoint { centre: Some(value), error: Some(value), ..point("app") }).to_vec();
    exact.points.push(MetricPoint { runs: u32::MAX, failed: u32::MAX, contended: u32::MAX, ..point("most") });
    let mut store = Store::create(&place.path()).unwrap();
    store.add(&exact).unwrap();
    assert_eq!(store.entries().unwrap()[0].points, exact.points);
}

#[test]
fn results_of_one_second_keep_the_order_in_which_they_were_added() {
    let place = TestFolder::new();
    let mut store = Store::create(&place.path()).unwrap();
    let dates =
        ["2026-11-17T10:00:00Z", "2025-01-01T00:00:00Z", "2026-11-17T10:00:00Z", "2026-02-01T00:00:00Z"];
    let ids = dates.map(|date| store.add(&result(date)).unwrap().0);
    let found: Vec<i64> = store.entries().unwrap().iter().map(|entry| entry.id.0).collect();
    assert_eq!(found, [ids[1], ids[3], ids[0], ids[2]]);
}

#[test]
fn a_result_is_stored_completely_or_not_at_all() {
    let place = TestFolder::new();
    let path = place.filled();
    sql(
        &path,
        "CREATE TRIGGER full BEFORE INSERT ON point WHEN NEW.place = 1 BEGIN SELECT RAISE(FAIL, 'full'); END",
    );
    let mut store = Store::open(&path).unwrap();
    let error = store.add(&result("2026-12-01T10:00:00Z")).unwrap_err();
    assert!(error.to_string().contains("cannot keep a result"), "{error}");
    let count = |table: &str| -> i64 {
        let connection = Connection::open(&path).unwrap();
        connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap()
    };
    assert_eq!([count("result"), count("point")], [30, 60]);
}

#[test]
fn what_is_forgotten_leaves_no_rows() {
    let place = TestFolder::new();
    let mut store = Store::open(&place.filled()).unwrap();
    store.label(ResultId(3), "x").unwrap();
    for id in 1..=30 {
        store.forget(&[ResultId(id)]).unwrap();
    }
    assert!(store.entries().unwrap().is_empty());
    let connection = Connection::open(place.path()).unwrap();
    let rows = "SELECT (SELECT count(*) FROM point) + (SELECT count(*) FROM label)";
    assert_eq!(connection.query_row(rows, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn results_are_forgotten_all_or_none() {
    let place = TestFolder::new();
    let mut store = Store::open(&place.filled()).unwrap();
    let error = store.forget(&[ResultId(1), ResultId(99), ResultId(2)]).unwrap_err();
    assert!(matches!(error, StoreError::NoResult { id: 99, .. }), "{error}");
    assert_eq!(store.entries().unwrap().len(), 30);
    store.forget(&[ResultId(1), ResultId(2), ResultId(1)]).unwrap();
    assert_eq!(store.entries().unwrap()[0].id, ResultId(3));
}

#[test]
fn a_folder_that_exists_is_left_as_it_is() {
    let place = TestFolder::new();
    drop(Store::create(&place.path()).unwrap());
    let names: Vec<_> =
        fs::read_dir(place.folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names, ["history.db"]);
}
