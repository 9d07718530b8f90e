//! Files in memory as a folder.

use std::collections::BTreeMap;

use lotse_model::bytes::Folder;

/// Named bytes, one of them the main piece.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    pub(crate) main: String,
    names: Vec<String>,
    pub(crate) files: BTreeMap<String, Vec<u8>>,
}

impl Made {
    /// Of files by name.
    pub(crate) fn of(main: &str, files: BTreeMap<String, Vec<u8>>) -> Self {
        Self { main: main.to_owned(), names: files.keys().cloned().collect(), files }
    }
}

impl Folder for Made {
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
