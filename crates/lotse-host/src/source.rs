//! Files as sources and sinks of named bytes.
//!
//! Large files are mapped, not read: they must not be truncated while Lotse reads them.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use lotse_model::bytes::{Sink, Source};
use memmap2::Mmap;

/// Smaller files are read: that is as fast, and safe if another program changes the file.
const MAP_FROM: u64 = 1 << 20;

/// An error with the path of its file.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} `{}`: {source}", path.display())]
pub struct FileError {
    /// The operation, as an infinitive.
    pub doing: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    pub(crate) fn new(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { doing, path: path.to_path_buf(), source }
    }
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        Self::new(error.source.kind(), error)
    }
}

/// A file (`-`: standard input) with access to the files in its directory.
#[derive(Debug)]
pub struct FileSource {
    name: String,
    directory: Option<PathBuf>,
    content: Content,
    stamp: Option<FileStamp>,
    named_with: Vec<String>,
}

/// Size and modification time, which tell whether a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStamp {
    /// In bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub modified: u64,
}

/// The bytes of a file.
#[derive(Debug)]
pub(crate) enum Content {
    Read(Vec<u8>),
    Mapped(Mmap),
}

impl Content {
    /// The bytes of a file, mapped if it is large.
    pub(crate) fn from_path(path: &Path) -> Result<Self, FileError> {
        content(path).map(|(content, _)| content).map_err(FileError::new("read", path))
    }

    /// All bytes of standard input.
    pub(crate) fn from_stdin() -> Result<Self, FileError> {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map_err(FileError::new("read", Path::new("stdin")))?;
        Ok(Self::Read(bytes))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(bytes) => bytes,
        }
    }
}

impl FileSource {
    /// Opens a file, or reads all of standard input for `-`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        if path == Path::new("-") {
            let content = Content::from_stdin()?;
            return Ok(Self {
                name: "stdin".into(),
                directory: None,
                content,
                stamp: None,
                named_with: Vec::new(),
            });
        }
        let (content, stamp) = content(path).map_err(FileError::new("read", path))?;
        let directory = path.parent().map(|it| if it == Path::new("") { Path::new(".") } else { it });
        let name = path.to_string_lossy().into_owned();
        let directory = directory.map(Path::to_path_buf);
        Ok(Self { name, directory, content, stamp, named_with: Vec::new() })
    }

    /// The same file, named together with others of its folder.
    pub fn named_with(self, names: Vec<String>) -> Self {
        Self { named_with: names, ..self }
    }

    /// Size and modification time; `None` if it is not a regular file.
    pub fn stamp(&self) -> Option<FileStamp> {
        self.stamp
    }

    fn sibling_path(&self, name: &str) -> io::Result<PathBuf> {
        let invalid = |why| io::Error::new(io::ErrorKind::InvalidInput, format!("`{name}` {why}"));
        let directory = self.directory.as_ref().ok_or_else(|| invalid("cannot lie beside standard input"))?;
        // A name that was read from a file must not lead out of the directory.
        if Path::new(name).file_name() != Some(name.as_ref()) {
            return Err(invalid("is not the name of a file beside this one"));
        }
        Ok(directory.join(name))
    }
}

impl Source for FileSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> &[u8] {
        self.content.bytes()
    }

    fn get(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = self.sibling_path(name)?;
        std::fs::read(&path).map_err(|source| FileError::new("read", &path)(source).into())
    }

    fn siblings(&self) -> io::Result<Vec<String>> {
        let Some(directory) = &self.directory else { return Ok(Vec::new()) };
        let failed = |source| io::Error::from(FileError::new("list", directory)(source));
        let mut names = Vec::new();
        for entry in std::fs::read_dir(directory).map_err(failed)? {
            // Names that are not Unicode cannot be passed to `get` either.
            names.extend(entry.map_err(failed)?.file_name().into_string());
        }
        names.retain(|name| Path::new(&self.name).file_name() != Some(name.as_ref()));
        names.sort();
        Ok(names)
    }

    fn named_with(&self) -> &[String] {
        &self.named_with
    }
}

fn stamp(about: &std::fs::Metadata) -> Option<FileStamp> {
    let since = about.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    let modified = u64::try_from(since.as_nanos()).ok()?;
    about.is_file().then_some(FileStamp { size: about.len(), modified })
}

fn content(path: &Path) -> io::Result<(Content, Option<FileStamp>)> {
    let mut file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_file() && about.len() >= MAP_FROM {
        // SAFETY: the map is only read. If another program truncates the file meanwhile, Lotse ends by SIGBUS, and if one writes into
        // it, Lotse reads other bytes; the documentation of the module forbids both.
        return Ok((Content::Mapped(unsafe { Mmap::map(&file)? }), stamp(&about)));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok((Content::Read(bytes), stamp(&about)))
}

/// A file that is replaced atomically.
#[derive(Debug)]
pub struct FileSink {
    path: PathBuf,
}

impl FileSink {
    /// A sink for a file, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Checks whether the file can be written, before the work whose result it shall contain. Does not change the file.
    pub fn check(&self) -> Result<(), FileError> {
        let tried = || match std::fs::metadata(&self.path) {
            Ok(about) if about.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(about) if !about.is_file() => Ok(()),
            _ => temporary_file_for(&std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone()))
                .map(drop),
        };
        tried().map_err(FileError::new("write", &self.path))
    }

    /// Writes the file in parts; other programs see the old file until all is written. For files that can be regenerated: does not
    /// wait for the disk.
    pub fn stream(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), FileError> {
        let streamed = || {
            let mut file = temporary_file_for(&self.path)?;
            write(&mut file)?;
            file.persist(&self.path).map_err(|error| error.error)?;
            Ok(())
        };
        streamed().map_err(FileError::new("write", &self.path))
    }

    fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = temporary_file_for(path)?;
        file.write_all(bytes)?;
        file.as_file().sync_data()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// A temporary file in the same directory, to be renamed to `path`.
fn temporary_file_for(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let directory = path.parent().filter(|it| *it != Path::new("")).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".lotse-");
    #[cfg(unix)]
    builder.permissions(permissions(path));
    std::fs::metadata(directory)?;
    // The error shall be about the requested file, not about the temporary one.
    builder.tempfile_in(directory).map_err(|error| io::Error::from(error.kind()))
}

impl Sink for FileSink {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        // A symbolic link is followed, so that it stays a link. A new file has none.
        let path = std::fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let special = std::fs::metadata(&path).is_ok_and(|about| !about.is_file() && !about.is_dir());
        let written = if special { std::fs::write(&path, bytes) } else { Self::replace(&path, bytes) };
        written.map_err(|source| FileError::new("write", &self.path)(source).into())
    }
}

/// The permissions of the file to be replaced, else the default ones according to the user's umask.
#[cfg(unix)]
fn permissions(path: &Path) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    let usual = || std::fs::Permissions::from_mode(0o666);
    std::fs::metadata(path).map_or_else(|_| usual(), |about| about.permissions())
}

#[cfg(test)]
mod tests {
    use super::{FileSink, FileSource, MAP_FROM};
    use lotse_model::bytes::{Sink, Source};
    use std::fs;

    #[test]
    fn files_are_read_or_mapped() {
        let directory = tempfile::tempdir().unwrap();
        for length in [0, 5, MAP_FROM as usize, MAP_FROM as usize + 7] {
            let (path, bytes) = (directory.path().join("f"), vec![b'x'; length]);
            fs::write(&path, &bytes).unwrap();
            assert!(FileSource::open(&path).unwrap().bytes() == bytes);
        }
    }

    #[test]
    fn siblings_are_listed_and_read_but_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["main", "b", "a"] {
            fs::write(directory.path().join(name), name).unwrap();
        }
        let source = FileSource::open(directory.path().join("main")).unwrap();
        assert_eq!(source.siblings().unwrap(), ["a", "b"]);
        assert_eq!(source.get("a").unwrap(), b"a");
        for name in ["../a", "/etc/passwd", "..", ""] {
            assert_eq!(source.get(name).unwrap_err().kind(), std::io::ErrorKind::InvalidInput, "{name}");
        }
        assert!(source.get("c").unwrap_err().to_string().contains("/c`"));
    }

    #[test]
    fn errors_name_the_file() {
        let error = FileSource::open("/nonexistent/file").unwrap_err().to_string();
        assert!(error.contains("`/nonexistent/file`"), "{error}");
        let error = FileSink::new("/nonexistent/file").put(b"").unwrap_err().to_string();
        assert!(error.contains("`/nonexistent/file`"), "{error}");
    }

    #[test]
    fn what_cannot_be_written_is_known_before() {
        let directory = tempfile::tempdir().unwrap();
        let (path, missing) = (directory.path().join("out"), directory.path().join("no/out"));
        FileSink::new(&path).check().unwrap();
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        for unwritable in [missing.as_path(), directory.path()] {
            let error = FileSink::new(unwritable).check().unwrap_err().to_string();
            assert!(error.contains(&unwritable.display().to_string()), "{error}");
        }
        FileSink::new("/dev/null").check().unwrap();
    }

    #[test]
    fn a_sink_replaces_the_file_and_leaves_no_other_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        for text in ["first and long", "second"] {
            FileSink::new(&path).put(text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_stream_that_fails_leaves_the_old_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("out");
        FileSink::new(&path)
            .stream(|out| out.write_all(b"one").and_then(|()| out.write_all(b"two")))
            .unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "onetwo");
        let failing = FileSink::new(&path).stream(|_| Err(std::io::Error::other("full")));
        assert!(failing.unwrap_err().to_string().ends_with("full"));
        assert_eq!(fs::read_to_string(&path).unwrap(), "onetwo");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
        assert_eq!(FileSource::open(&path).unwrap().stamp().unwrap().size, 6);
    }

    #[test]
    #[cfg(unix)]
    fn a_sink_keeps_links_and_modes() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let (path, link) = (directory.path().join("out"), directory.path().join("link"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        FileSink::new(&link).put(b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        FileSink::new("/dev/null").put(b"gone").unwrap();
    }
}
