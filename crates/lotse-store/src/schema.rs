//! The tables, and how older ones become them.

use rusqlite::{Connection, Error};

/// "Lots" in ASCII: tells a history of ours from other databases.
pub(crate) const APPLICATION: i64 = 0x4C6F_7473;

/// Each step makes one version from the one before. Steps are never changed, only added.
const STEPS: &[&str] = &["
    CREATE TABLE result (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        date TEXT NOT NULL,
        commit_id TEXT,
        branch TEXT,
        changed INTEGER NOT NULL,
        machine TEXT,
        primary_metric TEXT,
        format TEXT NOT NULL,
        content BLOB NOT NULL
    ) STRICT;
    CREATE INDEX result_by_date ON result (date, id);
    CREATE TABLE label (
        result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        PRIMARY KEY (result, name)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE point (
        result INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
        place INTEGER NOT NULL,
        program TEXT NOT NULL,
        command TEXT NOT NULL,
        commit_id TEXT,
        metric TEXT NOT NULL,
        unit TEXT NOT NULL,
        runs INTEGER NOT NULL,
        failed INTEGER NOT NULL,
        contended INTEGER NOT NULL,
        centre REAL,
        error REAL,
        PRIMARY KEY (result, place)
    ) STRICT, WITHOUT ROWID;
"];

/// The version of the tables that this Lotse knows.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// What a database is.
pub(crate) enum DatabaseKind {
    /// One without any table.
    Empty,
    /// A history, with the version of its tables.
    History(i64),
    Foreign,
}

/// What a database is, as one moment has it: another process may be making it a history.
pub(crate) fn kind_now(connection: &mut Connection) -> Result<DatabaseKind, Error> {
    let moment = connection.transaction()?;
    kind(&moment)
}

fn kind(connection: &Connection) -> Result<DatabaseKind, Error> {
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0));
    if number("application_id")? == APPLICATION {
        return number("user_version").map(DatabaseKind::History);
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(if tables == 0 { DatabaseKind::Empty } else { DatabaseKind::Foreign })
}

/// Brings the tables from a version to ours, all or nothing.
pub(crate) fn upgrade(connection: &mut Connection, from: i64) -> Result<(), Error> {
    let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)?;
    // Another process may have done it while this one waited.
    let from = match kind(&change)? {
        DatabaseKind::History(version) => version,
        _ => from,
    };
    for step in STEPS.iter().skip(usize::try_from(from).unwrap_or(0)) {
        change.execute_batch(step)?;
    }
    change
        .execute_batch(&format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"))?;
    change.commit()
}
