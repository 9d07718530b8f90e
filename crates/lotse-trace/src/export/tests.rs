//! What is written is read back as the same trace.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;

use lotse_formats::trace::open::open;
use lotse_model::bytes::{Folder, FolderSink};
use lotse_model::work::Sequential;

use super::{Events, chrome, csv, otf2};
use crate::answer::Facts;
use crate::fixture::Script;
use crate::store::{Trace, load};

fn script() -> Script {
    let mut script = Script::processes(2);
    script.enter(0, 0, "main").call(0, 10, 700, "work").send(0, 750, 760, 1, 3);
    script.barrier(0, 800, 900).leave(0, 1000, "main");
    script.enter(1, 0, "main").recv(1, 500, 770, 0, 3).barrier(1, 790, 900).leave(1, 1000, "main");
    script
}

#[derive(Default)]
struct Files(Mutex<BTreeMap<String, Vec<u8>>>);

struct File<'f>(&'f Files, String);

impl Write for File<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().entry(self.1.clone()).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl FolderSink for Files {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        self.0.lock().unwrap().insert(name.to_owned(), Vec::new());
        Ok(Box::new(File(self, name.to_owned())))
    }
}

/// Files that were written, as a folder to read.
struct Shelf {
    main: String,
    names: Vec<String>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Shelf {
    fn new(main: &str, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { main: main.to_owned(), names: files.keys().cloned().collect(), files }
    }

    fn read(&self) -> Trace {
        load(open(self, None).unwrap(), &Sequential)
    }
}

impl Folder for Shelf {
    fn name(&self) -> &str {
        &self.main
    }

    fn main(&self) -> &str {
        &self.main
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }
}

#[test]
fn an_archive_is_read_back_as_the_same_trace() {
    let trace = script().trace();
    let files = Files::default();
    let written = otf2(Events::Analysed(&trace), &files, "t").unwrap();
    assert!(written.whole && written.dropped == 0);
    let shelf = Shelf::new("t.otf2", files.0.into_inner().unwrap());
    let (before, after) = (Facts::of(&trace), Facts::of(&shelf.read()));
    assert_eq!(after.repairs, []);
    assert_eq!(Facts { format: before.format.clone(), ..after }, before);
    // And as recorded, from the archive to another one.
    let again = Files::default();
    let input = open(&shelf, None).unwrap();
    assert!(otf2(Events::Recorded(&input), &again, "t").unwrap().whole);
    let second = Shelf::new("t.otf2", again.0.into_inner().unwrap());
    assert_eq!(Facts { format: before.format.clone(), ..Facts::of(&second.read()) }, before);
}

#[test]
fn chrome_has_calls_and_messages() {
    let trace = script().trace();
    let mut bytes = Vec::new();
    chrome(Events::Analysed(&trace), &mut bytes).unwrap();
    let shelf = Shelf::new("t.json", [("t.json".to_owned(), bytes)].into());
    let facts = Facts::of(&shelf.read());
    let before = Facts::of(&trace);
    assert_eq!((facts.visits, facts.messages, facts.runtime), (before.visits, 1, 1.0));
}

#[test]
fn values_have_a_row_for_each_event() {
    let trace = script().trace();
    let mut bytes = Vec::new();
    csv(Events::Analysed(&trace), &mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    assert_eq!(text.lines().count() as u64, 1 + Facts::of(&trace).events);
    assert!(text.contains(",MpiSend,"), "{text}");
}

#[test]
#[cfg(feature = "parquet")]
fn a_table_for_other_programs_begins_and_ends_as_parquet_does() {
    let trace = script().trace();
    let mut bytes = Vec::new();
    super::parquet(Events::Analysed(&trace), &mut bytes).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}
