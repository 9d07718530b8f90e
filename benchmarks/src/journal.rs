//! Results as JSON Lines: a header, then a record for each trial as soon as it ends.
//!
//! A journal can be continued by a run with the same benchmark, machine, versions and parameters; otherwise the error names the field
//! that differs. An incomplete line after a kill is removed. Facts that are measured once (calibrated steps) are kept from the
//! first run. The number of trials is not a parameter, so that more can be added later.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::date;
use crate::error::Error;
use crate::machine::{Machine, Versions, load_average};

/// The first line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// Which benchmark.
    pub benchmark: String,
    pub date: String,
    pub machine: Machine,
    pub versions: Versions,
    /// Values that must be equal for trials to be comparable.
    pub parameters: Value,
    /// Values that were measured at the beginning and hold for all trials.
    pub facts: Value,
}

/// Why a journal cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// A line is not a valid record.
    #[error("line {line} of {} is damaged: give another --journal", path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// Which line, from 1.
        line: usize,
        /// Why.
        source: serde_json::Error,
    },
    /// The journal belongs to another benchmark, machine, version or set of parameters.
    #[error("{} was begun with {what} {old}, now it is {new}: give another --journal", path.display())]
    Differs {
        /// Which file.
        path: PathBuf,
        /// What differs.
        what: &'static str,
        /// In the journal.
        old: String,
        /// Now.
        new: String,
    },
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The first line, as it was written.
    pub header: Header,
    records: Vec<Value>,
}

/// A line after the header.
#[derive(Serialize, Deserialize)]
struct JournalRecord<T> {
    kind: String,
    #[serde(flatten)]
    content: T,
}

impl Journal {
    /// Opens or begins a journal; `facts` is called only for a new one.
    pub fn open(
        path: &Path,
        wanted: Header,
        facts: impl FnOnce() -> Result<Value, Error>,
    ) -> Result<Self, Error> {
        let text = read(path)?;
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut lines = parse(path, whole)?.into_iter();
        let old = lines.next().map(|line| header(path, line)).transpose()?;
        if let Some(old) = &old {
            same(path, old, &wanted)?;
        }
        let is_new = old.is_none();
        let header = match old {
            Some(old) => old,
            None => Header { facts: facts()?, ..wanted },
        };
        let file = open_at(path, whole.len()).map_err(Error::file("write", path))?;
        let mut journal = Self { path: path.to_owned(), file, header, records: lines.collect() };
        if is_new {
            journal.write(&journal.header.clone(), "header")?;
        }
        journal.write(&json!({"date": date::now(), "load_average": load_average()}), "session")?;
        Ok(journal)
    }

    /// Appends a record.
    pub fn append<T: Serialize>(&mut self, kind: &str, record: &T) -> Result<(), Error> {
        let value = self.write(record, kind)?;
        self.records.push(value);
        Ok(())
    }

    /// All records of a kind, in order.
    pub fn records<T: DeserializeOwned>(&self, kind: &str) -> Result<Vec<T>, Error> {
        let ours = self.records.iter().zip(2..).filter(|(record, _)| record["kind"] == kind);
        let typed = |(record, line): (&Value, usize)| {
            let damaged = |source| JournalError::Damaged { path: self.path.clone(), line, source };
            serde_json::from_value(record.clone()).map_err(|source| damaged(source).into())
        };
        ours.map(typed).collect()
    }

    /// Facts of the header.
    pub fn facts<T: DeserializeOwned>(&self) -> Result<T, Error> {
        let damaged = |source| JournalError::Damaged { path: self.path.clone(), line: 1, source };
        Ok(serde_json::from_value(self.header.facts.clone()).map_err(damaged)?)
    }

    /// How many records there are, notes of sessions not counted.
    pub fn len(&self) -> usize {
        self.records.iter().filter(|record| record["kind"] != "session").count()
    }

    /// Whether nothing was measured yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn write<T: Serialize>(&mut self, record: &T, kind: &str) -> Result<Value, Error> {
        let line = serde_json::to_value(JournalRecord { kind: kind.to_owned(), content: record });
        let line = line.map_err(|source| Error::Json { tool: "this benchmark", source })?;
        // One write call, so that after a kill at most the last line is incomplete.
        let text = format!("{line}\n");
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(Error::file("write", &self.path))?;
        Ok(line)
    }
}

fn read(path: &Path) -> Result<String, Error> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        read => read.map_err(Error::file("read", path)),
    }
}

/// Truncates a file to `length`, without an incomplete line, and opens it for appending.
fn open_at(path: &Path, length: usize) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let file = OpenOptions::new().create(true).append(true).open(path)?;
    file.set_len(length as u64)?;
    Ok(file)
}

fn parse(path: &Path, text: &str) -> Result<Vec<Value>, JournalError> {
    let line = |(text, line): (&str, usize)| {
        let damaged = |source| JournalError::Damaged { path: path.to_owned(), line, source };
        serde_json::from_str(text).map_err(damaged)
    };
    text.lines().zip(1..).map(line).collect()
}

fn header(path: &Path, line: Value) -> Result<Header, JournalError> {
    let damaged = |source| JournalError::Damaged { path: path.to_owned(), line: 1, source };
    Ok(serde_json::from_value::<JournalRecord<Header>>(line).map_err(damaged)?.content)
}

fn same(path: &Path, old: &Header, new: &Header) -> Result<(), JournalError> {
    let shown = |header: &Header| {
        [
            ("benchmark", json!(header.benchmark)),
            ("machine", json!(header.machine)),
            ("versions", json!(header.versions)),
            ("parameters", header.parameters.clone()),
        ]
    };
    let difference = shown(old).into_iter().zip(shown(new)).find(|(old, new)| old.1 != new.1);
    let Some(((what, old), (_, new))) = difference else { return Ok(()) };
    Err(JournalError::Differs { path: path.to_owned(), what, old: old.to_string(), new: new.to_string() })
}

#[cfg(test)]
mod tests;
