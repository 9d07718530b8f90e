//! A Gecko profile as in the file: processes with threads, each thread with tables of rows.

use crate::diagnostics::Diagnostics;
use crate::json::{Fill, Number, fill};
use crate::profile::firefox::{Lib, Meta};

/// A process, with other processes nested in it.
#[derive(Debug, Default)]
pub(super) struct GeckoProcess {
    pub(super) meta: Meta,
    pub(super) libs: MaybeQuoted<Vec<Lib>>,
    pub(super) threads: Vec<MaybeQuoted<GeckoThread>>,
    processes: Vec<MaybeQuoted<GeckoProcess>>,
}

impl Fill for GeckoProcess {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "profile" => Some(self),
            "meta" => Some(&mut self.meta),
            "libs" => Some(&mut self.libs),
            "threads" => Some(&mut self.threads),
            "processes" => Some(&mut self.processes),
            _ => None,
        }
    }
}

impl GeckoProcess {
    /// This process and all nested ones, outer ones first, with all strings of JSON parsed.
    pub(super) fn unpack(self, diagnostics: &mut Diagnostics) -> Vec<Self> {
        let mut processes = vec![self];
        let mut next = 0;
        while next < processes.len() {
            let process = &mut processes[next];
            process.libs.unpack(diagnostics, "libs");
            process.threads.iter_mut().for_each(|thread| thread.unpack(diagnostics, "threads"));
            let mut inside = std::mem::take(&mut process.processes);
            inside.iter_mut().for_each(|process| process.unpack(diagnostics, "processes"));
            processes.extend(inside.into_iter().map(|packed| packed.value));
            next += 1;
        }
        processes
    }
}

/// A value that may be JSON in a string. It is parsed later, so that strings in strings need no recursion.
#[derive(Debug, Default)]
pub(super) struct MaybeQuoted<T> {
    pub(super) value: T,
    text: String,
}

impl<T: Fill> MaybeQuoted<T> {
    fn unpack(&mut self, diagnostics: &mut Diagnostics, path: &str) {
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() && fill(&text, &mut self.value).is_err() {
            diagnostics
                .loss_kind("the JSON inside a text is damaged; what came before is kept", || path.to_owned());
        }
    }
}

impl<T: Fill> Fill for MaybeQuoted<T> {
    fn text(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    fn element(&mut self) -> Option<&mut dyn Fill> {
        self.value.element()
    }

    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        self.value.field(key)
    }
}

#[derive(Debug, Default)]
pub(super) struct GeckoThread {
    pub(super) name: String,
    pub(super) process_name: String,
    pub(super) pid: Number,
    pub(super) tid: Number,
    pub(super) samples: RowTable,
    pub(super) stacks: RowTable,
    pub(super) frames: RowTable,
    pub(super) strings: Vec<String>,
}

impl Fill for GeckoThread {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "name" => Some(&mut self.name),
            "processName" => Some(&mut self.process_name),
            "pid" => Some(&mut self.pid),
            "tid" => Some(&mut self.tid),
            "samples" => Some(&mut self.samples),
            "stackTable" => Some(&mut self.stacks),
            "frameTable" => Some(&mut self.frames),
            "stringTable" => Some(&mut self.strings),
            _ => None,
        }
    }
}

/// A table of numbers by row; cells missing at the end of a row are [`Number::Missing`].
#[derive(Debug, Default)]
pub(super) struct RowTable {
    schema: RowSchema,
    data: RowData,
}

#[derive(Debug, Default)]
struct RowSchema(Vec<(String, Number)>);

#[derive(Debug, Default)]
struct RowData {
    cells: Vec<Number>,
    /// The first cell of each row.
    starts: Vec<usize>,
}

impl RowTable {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.data.starts.len()
    }

    /// The numbers of a column, row by row.
    pub(super) fn column(&self, name: &str) -> Vec<Number> {
        let column =
            self.schema.0.iter().find(|(known, _)| known == name).and_then(|(_, column)| column.id());
        let cell = |row: usize| self.data.cell(row, usize::try_from(column?).ok()?);
        (0..self.len()).map(|row| cell(row).unwrap_or(Number::Missing)).collect()
    }
}

impl RowData {
    fn cell(&self, row: usize, column: usize) -> Option<Number> {
        let end = self.starts.get(row + 1).copied().unwrap_or(self.cells.len());
        self.cells.get(self.starts[row]..end)?.get(column).copied()
    }
}

impl Fill for RowTable {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        match key {
            "schema" => Some(&mut self.schema),
            "data" => Some(&mut self.data),
            _ => None,
        }
    }
}

impl Fill for RowSchema {
    fn field(&mut self, key: &str) -> Option<&mut dyn Fill> {
        self.0.push((key.to_owned(), Number::Missing));
        self.0.last_mut().map(|(_, column)| -> &mut dyn Fill { column })
    }
}

impl Fill for RowData {
    fn element(&mut self) -> Option<&mut dyn Fill> {
        self.starts.push(self.cells.len());
        Some(&mut self.cells)
    }
}
