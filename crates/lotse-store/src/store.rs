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

use crate::entry::{StoredResult, NewResult, SourceOrigin, MetricPoint, ResultFile, ResultId};
use crate::error::StoreError;
use crate::schema::{self, DatabaseKind};

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);
/// A result file that is larger than this when unpacked is damaged.
const LARGEST: u64 = 4 << 30;

/// An open history. Several processes may use one file at once.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Opens a history that exists.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        if !path.is_file() {
            return Err(StoreError::Absent { path: path.to_owned() });
        }
        Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
    }

    /// Opens a history, or begins one. Its folder is made too, with a note that keeps it out of version control.
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

    fn connect(path: &Path, flags: OpenFlags) -> Result<Self, StoreError> {
        let failed = |source| StoreError::Database { path: path.to_owned(), doing: "open it", source };
        let mut connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.busy_timeout(PATIENCE).map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        match schema::kind_now(&mut connection).map_err(failed)? {
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

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Keeps a result, all of it or nothing.
    pub fn add(&mut self, result: &NewResult) -> Result<ResultId, StoreError> {
        let failed = self.failure("keep a result");
        let change = self.connection.transaction().map_err(&failed)?;
        let machine = result.machine.as_ref().map(serde_json::to_string).transpose();
        let machine =
            machine.map_err(|error| failed(rusqlite::Error::ToSqlConversionFailure(error.into())))?;
        let content = packed(&result.file.content);
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

    /// All results, the oldest first.
    pub fn entries(&self) -> Result<Vec<StoredResult>, StoreError> {
        let failed = self.failure("read it");
        // One moment for all three tables: another process may be deleting a result.
        let _moment = self.connection.unchecked_transaction().map_err(&failed)?;
        let mut entries = self.heads().map_err(&failed)?;
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

    fn heads(&self) -> Result<Vec<StoredResult>, rusqlite::Error> {
        let mut heads = self.connection.prepare(
            "SELECT id, date, commit_id, branch, changed, machine, primary_metric FROM result ORDER BY date, id",
        )?;
        let rows = heads.query_map([], head)?;
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
        Ok(ResultFile { format, content: unpacked(&content).map_err(damaged)? })
    }

    /// Gives a result one more name.
    pub fn label(&mut self, id: ResultId, name: &str) -> Result<(), StoreError> {
        self.known(id)?;
        let failed = self.failure("name a result");
        self.connection
            .execute("INSERT OR IGNORE INTO label VALUES (?1, ?2)", params![id.0, name])
            .map_err(failed)?;
        Ok(())
    }

    /// Takes a name away from a result. One that it does not have is no failure.
    pub fn unlabel(&mut self, id: ResultId, name: &str) -> Result<(), StoreError> {
        self.known(id)?;
        let failed = self.failure("name a result");
        let taken = "DELETE FROM label WHERE result = ?1 AND name = ?2";
        self.connection.execute(taken, params![id.0, name]).map_err(failed)?;
        Ok(())
    }

    /// Deletes results, all of them or none.
    pub fn forget(&mut self, ids: &[ResultId]) -> Result<(), StoreError> {
        ids.iter().try_for_each(|id| self.known(*id))?;
        let failed = self.failure("delete results");
        let change = self.connection.transaction().map_err(&failed)?;
        for id in ids {
            change.execute("DELETE FROM result WHERE id = ?1", [id.0]).map_err(&failed)?;
        }
        change.commit().map_err(&failed)
    }

    fn known(&self, id: ResultId) -> Result<(), StoreError> {
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

fn add_point(change: &Connection, id: i64, place: usize, point: &MetricPoint) -> Result<usize, rusqlite::Error> {
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

fn head(row: &Row<'_>) -> Result<StoredResult, rusqlite::Error> {
    let machine: Option<String> = row.get(5)?;
    let machine =
        machine.map(|text| serde_json::from_str(&text)).transpose().map_err(|error| wrong(5, error))?;
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

fn point(row: &Row<'_>) -> Result<MetricPoint, rusqlite::Error> {
    let unit: String = row.get(5)?;
    Ok(MetricPoint {
        program: row.get(1)?,
        command: row.get(2)?,
        commit: row.get(3)?,
        metric: row.get(4)?,
        unit: serde_json::from_value(unit.into()).map_err(|error| wrong(5, error))?,
        runs: row.get(6)?,
        failed: row.get(7)?,
        contended: row.get(8)?,
        centre: row.get(9)?,
        error: row.get(10)?,
    })
}

fn wrong(column: usize, error: serde_json::Error) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
}

fn packed(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(content)?;
    packer.finish()
}

fn unpacked(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    GzDecoder::new(content).take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests;
