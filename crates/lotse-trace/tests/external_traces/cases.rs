//! The external traces and their expected results.

use std::path::PathBuf;

use lotse_host::FolderSource;
use lotse_model::work::Sequential;
use lotse_trace::open;
use lotse_trace::store::Trace;
use serde_json::Value;

/// A trace and its expected results.
pub(crate) struct Case {
    /// Its folder, relative to that of all traces.
    pub(crate) name: String,
    pub(crate) anchor: PathBuf,
    pub(crate) expected: Value,
}

impl Case {
    pub(crate) fn read(&self) -> Trace {
        open::read(&FolderSource::open(&self.anchor).unwrap(), None, &Sequential).unwrap()
    }
}

/// The folder of all traces, if it exists.
pub(crate) fn root() -> Option<PathBuf> {
    test_support::shared("fixtures/trace")
}

/// All traces with expected results; none if the folder does not exist.
pub(crate) fn all() -> Option<Vec<Case>> {
    let root = root()?;
    let mut folders = vec![root.join("recorded"), root.join("synthetic")];
    let mut cases = Vec::new();
    while let Some(folder) = folders.pop() {
        let files: Vec<PathBuf> =
            std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let name = folder.strip_prefix(&root).unwrap().display().to_string();
        cases.extend(case(name, &files));
        folders.extend(files.into_iter().filter(|file| file.is_dir()));
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Some(cases)
}

fn case(name: String, files: &[PathBuf]) -> Option<Case> {
    let named = |name: &str| files.iter().find(|file| file.file_name().is_some_and(|it| it == name));
    let anchor = files.iter().find(|file| file.extension().is_some_and(|it| it == "otf2"))?.clone();
    let expected = named("reference.json").or(named("expected.json"))?;
    let expected = serde_json::from_slice(&std::fs::read(expected).unwrap()).unwrap();
    Some(Case { name, anchor, expected })
}
