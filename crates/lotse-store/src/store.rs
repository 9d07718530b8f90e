//! An open history.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rusqlite::types::Type;
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use crate::entry::{MetricPoint, NewResult, ResultFile, ResultId, SourceOrigin, StoredResult};
use crate::error::StoreError;
use crate::schema::{self, DatabaseKind};

/// The time to wait for another process that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// The limit for the size of a decompressed result file.
const LARGEST: u64 = 4 << 30;

/// An open history. Several processes may use one file at the same time.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens an existing history.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Absent { path: path.to_owned() });
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens a history, or creates one. A folder that does not exist is created with a `.gitignore`.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        if let Some(folder) =
            path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        {
            let failed = |source| StoreError::Folder { path: folder.to_owned(), source };
            std::fs::create_dir_all(folder).map_err(failed)?;
            std::fs::write(folder.join(".gitignore"), "*\n").map_err(failed)?;
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
    }

    /// Opens the database and creates or upgrades its tables; fails for a newer history and for other databases.
    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Database { path: path.to_owned(), doing: "open it", source };
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(LOCK_TIMEOUT).map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        match schema::kind_in_transaction(&mut connection).map_err(failed)? {
            DatabaseKind::History(found) if found > schema::VERSION => {
                return Err(StoreError::Newer { path: path.to_owned(), found, known: schema::VERSION });
            }
            DatabaseKind::History(schema::VERSION) => {}
            DatabaseKind::History(found) => schema::upgrade(&mut connection, found).map_err(failed)?,
            DatabaseKind::Empty => schema::upgrade(&mut connection, 0).map_err(failed)?,
            DatabaseKind::Foreign => return Err(StoreError::Foreign { path: path.to_owned() }),
        }
        Ok(Self { connection, path: path.to_owned() })
    }

    /// The path of the database.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stores a result with its labels and points, in one transaction.
    pub fn add(&mut self, result: &NewResult) -> Result<ResultId, StoreError> {
        let failed = self.failure("keep a result");
        let change = self.connection.transaction().map_err(&failed)?;
        let machine = result.machine.as_ref().map(serde_json::to_string).transpose();
        let machine =
            machine.map_err(|error| failed(rusqlite::Error::ToSqlConversionFailure(error.into())))?;
        let content = compressed(&result.file.content);
        let content =
            content.map_err(|error| failed(rusqlite::Error::ToSqlConversionFailure(error.into())))?;
        let SourceOrigin { commit, branch, changed } = &result.origin;
        change
            .execute(
                "INSERT INTO result (date, commit_id, branch, changed, machine, primary_metric, format, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    result.date,
                    commit,
                    branch,
                    changed,
                    machine,
                    result.primary,
                    result.file.format,
                    content
                ],
            )
            .map_err(&failed)?;
        let id = change.last_insert_rowid();
        for name in &result.labels {
            change
                .execute("INSERT OR IGNORE INTO label VALUES (?1, ?2)", params![id, name])
                .map_err(&failed)?;
        }
        for (place, point) in result.points.iter().enumerate() {
            add_point(&change, id, place, point).map_err(&failed)?;
        }
        change.commit().map_err(&failed)?;
        Ok(ResultId(id))
    }

    /// All results, the oldest first, with their labels and points.
    pub fn entries(&self) -> Result<Vec<StoredResult>, StoreError> {
        let failed = self.failure("read it");
        // All three tables are read in one transaction, since another process may be deleting a result.
        let _snapshot = self.connection.unchecked_transaction().map_err(&failed)?;
        let mut entries = self.result_rows().map_err(&failed)?;
        let by_id: HashMap<i64, usize> =
            entries.iter().enumerate().map(|(at, entry)| (entry.id.0, at)).collect();
        let mut labels =
            self.connection.prepare("SELECT result, name FROM label ORDER BY name").map_err(&failed)?;
        let rows = labels.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).map_err(&failed)?;
        for row in rows {
            let (id, name): (i64, String) = row.map_err(&failed)?;
            if let Some(&at) = by_id.get(&id) {
                entries[at].labels.push(name);
            }
        }
        let mut points = self
            .connection
            .prepare(
                "SELECT result, program, command, commit_id, metric, unit, runs, failed, contended, centre, error
                 FROM point ORDER BY result, place",
            )
            .map_err(&failed)?;
        let rows = points.query_map([], |row| Ok((row.get(0)?, point(row)?))).map_err(&failed)?;
        for row in rows {
            let (id, point): (i64, MetricPoint) = row.map_err(&failed)?;
            if let Some(&at) = by_id.get(&id) {
                entries[at].points.push(point);
            }
        }
        Ok(entries)
    }

    /// All rows of the table of results, the oldest first, without labels and points.
    fn result_rows(&self) -> Result<Vec<StoredResult>, rusqlite::Error> {
        let mut statement = self.connection.prepare(
            "SELECT id, date, commit_id, branch, changed, machine, primary_metric FROM result ORDER BY date, id",
        )?;
        let rows = statement.query_map([], stored_result)?;
        rows.collect()
    }

    /// The file of a result.
    pub fn file(&self, id: ResultId) -> Result<ResultFile, StoreError> {
        let failed = self.failure("read a result");
        let found: Option<(String, Vec<u8>)> = self
            .connection
            .query_row("SELECT format, content FROM result WHERE id = ?1", [id.0], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .optional()
            .map_err(&failed)?;
        let (format, content) = found.ok_or_else(|| self.no_result(id))?;
        let damaged = |error: std::io::Error| StoreError::Damaged {
            path: self.path.clone(),
            id: id.0,
            problem: format!("its file cannot be unpacked: {error}"),
        };
        Ok(ResultFile { format, content: decompressed(&content).map_err(damaged)? })
    }

    /// Adds a label to a result.
    pub fn label(&mut self, id: ResultId, name: &str) -> Result<(), StoreError> {
        self.check_exists(id)?;
        let failed = self.failure("name a result");
        self.connection
            .execute("INSERT OR IGNORE INTO label VALUES (?1, ?2)", params![id.0, name])
            .map_err(failed)?;
        Ok(())
    }

    /// Removes a label from a result. It is no error if the result does not have the label.
    pub fn unlabel(&mut self, id: ResultId, name: &str) -> Result<(), StoreError> {
        self.check_exists(id)?;
        let failed = self.failure("name a result");
        let delete = "DELETE FROM label WHERE result = ?1 AND name = ?2";
        self.connection.execute(delete, params![id.0, name]).map_err(failed)?;
        Ok(())
    }

    /// Deletes results, in one transaction.
    pub fn forget(&mut self, ids: &[ResultId]) -> Result<(), StoreError> {
        ids.iter().try_for_each(|id| self.check_exists(*id))?;
        let failed = self.failure("delete results");
        let change = self.connection.transaction().map_err(&failed)?;
        for id in ids {
            change.execute("DELETE FROM result WHERE id = ?1", [id.0]).map_err(&failed)?;
        }
        change.commit().map_err(&failed)
    }

    /// An error if there is no result with this number.
    fn check_exists(&self, id: ResultId) -> Result<(), StoreError> {
        let count: i64 = self
            .connection
            .query_row("SELECT count(*) FROM result WHERE id = ?1", [id.0], |row| row.get(0))
            .map_err(self.failure("read it"))?;
        if count == 1 { Ok(()) } else { Err(self.no_result(id)) }
    }

    fn no_result(&self, id: ResultId) -> StoreError {
        StoreError::NoResult { path: self.path.clone(), id: id.0 }
    }

    fn failure(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> StoreError + use<> {
        let path = self.path.clone();
        move |source| StoreError::Database { path: path.clone(), doing, source }
    }
}

/// Inserts a row into the table of points; `place` is the position of the point in its result.
fn add_point(
    change: &Connection,
    id: i64,
    place: usize,
    point: &MetricPoint,
) -> Result<usize, rusqlite::Error> {
    let unit = serde_json::to_value(point.unit).ok().and_then(|unit| unit.as_str().map(str::to_owned));
    change.execute(
        "INSERT INTO point VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        params![
            id,
            place as i64,
            point.program,
            point.command,
            point.commit,
            point.metric,
            unit,
            point.runs,
            point.failed,
            point.contended,
            point.centre,
            point.error
        ],
    )
}

/// A row of the table of results, without labels and points.
fn stored_result(row: &Row<'_>) -> Result<StoredResult, rusqlite::Error> {
    let machine: Option<String> = row.get(5)?;
    let machine = machine
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| conversion_error(5, error))?;
    Ok(StoredResult {
        id: ResultId(row.get(0)?),
        date: row.get(1)?,
        origin: SourceOrigin { commit: row.get(2)?, branch: row.get(3)?, changed: row.get(4)? },
        machine,
        primary: row.get(6)?,
        labels: Vec::new(),
        points: Vec::new(),
    })
}

/// A row of the table of points.
fn point(row: &Row<'_>) -> Result<MetricPoint, rusqlite::Error> {
    let unit: String = row.get(5)?;
    Ok(MetricPoint {
        program: row.get(1)?,
        command: row.get(2)?,
        commit: row.get(3)?,
        metric: row.get(4)?,
        unit: serde_json::from_value(unit.into()).map_err(|error| conversion_error(5, error))?,
        runs: row.get(6)?,
        failed: row.get(7)?,
        contended: row.get(8)?,
        centre: row.get(9)?,
        error: row.get(10)?,
    })
}

fn conversion_error(column: usize, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

fn compressed(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    encoder.finish()
}

fn decompressed(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(content).take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
