//! Finds the archives of the shared fixtures.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lotse_model::bytes::MemoryFolder;

/// The archive of an anchor, with all files of its folder.
pub(crate) fn archive(anchor: &Path) -> MemoryFolder {
    let mut files = BTreeMap::new();
    let root = anchor.parent().unwrap();
    add_files(root, root, &mut files);
    MemoryFolder::new(anchor.file_name().unwrap().to_str().unwrap(), files)
}

fn add_files(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, std::fs::read(path).unwrap());
        }
    }
}

/// The anchors of all archives below a folder of the shared fixtures; none, with a message, if the fixtures are absent.
pub(crate) fn anchors(below: &str) -> Vec<PathBuf> {
    let Some(root) = test_support::shared(&format!("fixtures/{below}")) else { return Vec::new() };
    let (mut anchors, mut folders) = (Vec::new(), vec![root]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "otf2") {
                anchors.push(path);
            }
        }
    }
    anchors.sort();
    anchors
}
