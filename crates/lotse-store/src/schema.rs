//! The tables of the database, and the upgrade of older versions.

use rusqlite::{Connection, Error};

/// "Lots" in ASCII, the application id that distinguishes a history from other databases.
pub(crate) const APPLICATION: i64 = 0x4C6F_7473;

/// Step n upgrades the tables from version n to n + 1. Steps are never changed, only added.
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

/// The current version of the tables.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// The kind of a database.
pub(crate) enum DatabaseKind {
    /// Without any table.
    Empty,
    /// A history, with the version of its tables.
    History(i64),
    Foreign,
}

/// The kind of a database, read in one transaction, since another process may be creating the tables.
pub(crate) fn kind_in_transaction(connection: &mut Connection) -> Result<DatabaseKind, Error> {
    let snapshot = connection.transaction()?;
    kind(&snapshot)
}

fn kind(connection: &Connection) -> Result<DatabaseKind, Error> {
    let number = |pragma: &str| connection.query_row(&format!("PRAGMA {pragma}"), [], |row| row.get(0));
    if number("application_id")? == APPLICATION {
        return number("user_version").map(DatabaseKind::History);
    }
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(if tables == 0 { DatabaseKind::Empty } else { DatabaseKind::Foreign })
}

/// Upgrades the tables from a version to the current one, in one transaction.
pub(crate) fn upgrade(connection: &mut Connection, from: i64) -> Result<(), Error> {
    let change = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Exclusive)?;
    // Another process may have upgraded them while this one waited for the lock.
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
