//! Folders as sources and sinks of many named files.
//!
//! A file brings along the files that share its stem, and only these: `traces.otf2` brings `traces.def` and the folder `traces`,
//! but not the rest of its folder. Files are opened on demand and stay open. Large files are mapped, not read, so they must not
//! be truncated meanwhile.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::OnceLock;

use lotse_model::bytes::{Folder, FolderSink};

use crate::source::{Content, FileError};

/// A file with those that share its stem, or a folder.
#[derive(Debug)]
pub struct FolderSource {
    name: String,
    main: String,
    directory: PathBuf,
    names: Vec<String>,
    /// In the order of `names`; opened on demand.
    contents: Vec<OnceLock<Result<Content, FileError>>>,
}

impl FolderSource {
    /// Opens a file (`-`: standard input) with those that share its stem, or a folder with its files and those of its direct
    /// subfolders.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Ok(Self::with_one_file("stdin", Content::from_stdin()?));
        }
        let about = fs::metadata(path).map_err(FileError::new("read", path))?;
        if about.is_dir() {
            let names = listed(path, |_| true)?;
            return Ok(Self::new(path, path.to_path_buf(), String::new(), names));
        }
        let (Some(main), Some(directory)) = (path.file_name(), path.parent()) else {
            return Ok(Self::with_one_file(&path.to_string_lossy(), Content::from_path(path)?));
        };
        let main = main.to_string_lossy().into_owned();
        let directory = if directory == Path::new("") { Path::new(".") } else { directory };
        Self::with_same_stem(path, &main, directory)
    }

    /// A file and those of its directory with the same stem. The main file is opened at once, because nothing can be read without it.
    fn with_same_stem(path: &Path, main: &str, directory: &Path) -> Result<Self, FileError> {
        let content = Content::from_path(path)?;
        let stem = stem(main);
        let belongs = |name: &str| name.strip_prefix(stem).is_some_and(|rest| rest.starts_with('.'));
        let mut names = listed(directory, |name| name == main || name == stem || belongs(name))?;
        // The bare stem matches a folder only; a file needs an extension unless it is the main file.
        names.retain(|name| name.contains('/') || name == main || belongs(name));
        // A main file that is not a regular file, such as a pipe, or whose name is not Unicode, is not listed.
        if let Err(place) = names.binary_search_by(|name| name.as_str().cmp(main)) {
            names.insert(place, main.to_owned());
        }
        let source = Self::new(path, directory.to_path_buf(), main.to_owned(), names);
        if let Some(index) = source.index_of(main) {
            source.contents[index].get_or_init(|| Ok(content));
        }
        Ok(source)
    }

    fn new(path: &Path, directory: PathBuf, main: String, names: Vec<String>) -> Self {
        let contents = names.iter().map(|_| OnceLock::new()).collect();
        Self { name: path.to_string_lossy().into_owned(), main, directory, names, contents }
    }

    fn with_one_file(name: &str, content: Content) -> Self {
        let contents = vec![OnceLock::from(Ok(content))];
        let names = vec![name.to_owned()];
        Self { name: name.to_owned(), main: name.to_owned(), directory: PathBuf::new(), names, contents }
    }

    fn index_of(&self, name: &str) -> Option<usize> {
        self.names.binary_search_by(|it| it.as_str().cmp(name)).ok()
    }

    /// The errors of files that could not be read.
    pub fn problems(&self) -> impl Iterator<Item = &FileError> {
        self.contents.iter().filter_map(|content| content.get()?.as_ref().err())
    }
}

impl Folder for FolderSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn main(&self) -> &str {
        &self.main
    }

    fn names(&self) -> &[String] {
        &self.names
    }

    fn bytes(&self, name: &str) -> Option<&[u8]> {
        let index = self.index_of(name)?;
        let content = self.contents[index].get_or_init(|| Content::from_path(&self.directory.join(name)));
        content.as_ref().ok().map(Content::bytes)
    }
}

/// The stem of a name: without `.gz` or `.zst`, and without its last extension.
fn stem(main: &str) -> &str {
    let plain = [".gz", ".zst"].into_iter().find_map(|end| main.strip_suffix(end)).unwrap_or(main);
    match plain.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => plain,
    }
}

/// The sorted paths of the files of a folder and of its direct subfolders whose first component is wanted.
fn listed(directory: &Path, wanted: impl Fn(&str) -> bool) -> Result<Vec<String>, FileError> {
    let mut names = Vec::new();
    for (name, path) in entries(directory)? {
        if !wanted(&name) {
            continue;
        }
        if path.is_file() {
            names.push(name);
        } else if path.is_dir() {
            let inner = entries(&path)?.into_iter().filter(|(_, path)| path.is_file());
            names.extend(inner.map(|(file, _)| format!("{name}/{file}")));
        }
    }
    names.sort();
    Ok(names)
}

/// Names and paths in a folder. Names that are not Unicode are omitted: no format has them, and `bytes` cannot request them.
fn entries(directory: &Path) -> Result<Vec<(String, PathBuf)>, FileError> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).map_err(FileError::new("list", directory))? {
        let entry = entry.map_err(FileError::new("list", directory))?;
        found.extend(entry.file_name().into_string().ok().map(|name| (name, entry.path())));
    }
    Ok(found)
}

/// Writes files below a folder, which is created with the first file.
#[derive(Debug)]
pub struct FolderFiles {
    directory: PathBuf,
}

impl FolderFiles {
    /// A sink for a folder, which need not exist.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into() }
    }
}

impl FolderSink for FolderFiles {
    fn create(&self, name: &str) -> io::Result<Box<dyn Write + Send + '_>> {
        let plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if name.is_empty() || !Path::new(name).components().all(plain) {
            let message = format!("`{name}` is not the name of a file below `{}`", self.directory.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let path = self.directory.join(name);
        let created = || {
            fs::create_dir_all(path.parent().unwrap_or(&self.directory))?;
            fs::File::create(&path)
        };
        let file = created().map_err(FileError::new("create", &path))?;
        Ok(Box::new(BufWriter::new(file)))
    }
}

#[cfg(test)]
mod tests {
    use super::{FolderFiles, FolderSource, stem};
    use lotse_model::bytes::{Folder, FolderSink};
    use std::fs;
    use std::path::Path;

    fn filled(names: &[&str]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for name in names {
            let path = directory.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }
        directory
    }

    const MANY: &[&str] = &[
        "traces.otf2",
        "traces.def",
        "traces/1.evt",
        "traces/0.evt",
        "traces/deep/2.evt",
        "other.prv",
        "o/a",
    ];

    #[test]
    fn a_file_brings_what_shares_its_name() {
        let directory = filled(MANY);
        let source = FolderSource::open(directory.path().join("traces.otf2")).unwrap();
        assert_eq!(source.names(), ["traces.def", "traces.otf2", "traces/0.evt", "traces/1.evt"]);
        assert_eq!(source.main(), "traces.otf2");
        assert!(Path::new(source.name()).ends_with("traces.otf2"));
        for name in source.names() {
            assert_eq!(source.bytes(name), Some(name.as_bytes()));
        }
        assert_eq!(source.bytes("other.prv"), None);
        assert_eq!(source.bytes("../traces.def"), None);
        let paraver = filled(&["a.prv", "a.pcf", "a.row", "ab.pcf", "a", "b.prv"]);
        let source = FolderSource::open(paraver.path().join("a.prv")).unwrap();
        assert_eq!(source.names(), ["a.pcf", "a.prv", "a.row"]);
    }

    #[test]
    fn a_folder_brings_one_level_below() {
        let directory = filled(MANY);
        let source = FolderSource::open(directory.path()).unwrap();
        let names = ["o/a", "other.prv", "traces.def", "traces.otf2", "traces/0.evt", "traces/1.evt"];
        assert_eq!((source.names(), source.main()), (names.map(str::to_owned).as_slice(), ""));
        assert_eq!(source.bytes("o/a"), Some(&b"o/a"[..]));
    }

    #[test]
    fn stems_are_without_the_extension_of_packing() {
        let cases =
            [("a.prv", "a"), ("a.b.json.gz", "a.b"), ("t.json.zst", "t"), (".x", ".x"), ("plain", "plain")];
        for (name, expected) in cases {
            assert_eq!(stem(name), expected, "{name}");
        }
    }

    #[test]
    fn big_files_are_mapped_and_deleted_files_are_reported() {
        let directory = filled(&["a.otf2", "a.def", "a/0.evt"]);
        fs::write(directory.path().join("a/0.evt"), vec![7; (1 << 20) + 3]).unwrap();
        let source = FolderSource::open(directory.path().join("a.otf2")).unwrap();
        assert_eq!(source.bytes("a/0.evt").map(<[u8]>::len), Some((1 << 20) + 3));
        fs::remove_file(directory.path().join("a.def")).unwrap();
        assert_eq!(source.bytes("a.def"), None);
        let problems: Vec<_> = source.problems().map(ToString::to_string).collect();
        assert!(problems.len() == 1 && problems[0].contains("a.def`"), "{problems:?}");
    }

    #[test]
    fn bad_paths_are_named() {
        for path in ["/nonexistent/traces.otf2", "/nonexistent"] {
            let error = FolderSource::open(path).unwrap_err().to_string();
            assert!(error.contains(&format!("`{path}`")), "{error}");
        }
    }

    #[test]
    fn a_file_without_extension_brings_only_its_namesakes() {
        let directory = filled(&["trace", "x/trace/0", "trace.old"]);
        let source = FolderSource::open(directory.path().join("trace")).unwrap();
        assert_eq!(source.names(), ["trace", "trace.old"]);
        let link = FolderSource::open("/dev/null").unwrap();
        assert_eq!(link.bytes(link.main()), Some(&b""[..]));
    }

    #[test]
    fn files_are_made_below_and_nowhere_else() {
        let directory = tempfile::tempdir().unwrap();
        let files = FolderFiles::new(directory.path().join("out"));
        for name in ["traces.otf2", "traces/0.evt", "traces/1.evt"] {
            let mut file = files.create(name).unwrap();
            file.write_all(name.as_bytes()).unwrap();
            file.flush().unwrap();
        }
        let source = FolderSource::open(directory.path().join("out/traces.otf2")).unwrap();
        assert_eq!(source.names(), ["traces.otf2", "traces/0.evt", "traces/1.evt"]);
        assert_eq!(source.bytes("traces/1.evt"), Some(&b"traces/1.evt"[..]));
        for name in ["../x", "/etc/x", "a/../../x", "", ".", ".."] {
            let error = files.create(name).err().unwrap();
            assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{name}");
        }
        let error = FolderFiles::new("/dev/null").create("x").err().unwrap().to_string();
        assert!(error.contains("`/dev/null/x`"), "{error}");
    }
}
