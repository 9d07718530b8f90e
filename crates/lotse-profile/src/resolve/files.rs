//! Access to the binaries and source files that a profile refers to; the command line implements it.

use lotse_model::bytes::Source;
use lotse_model::profile::BuildId;

/// The directory of debug information in distributions.
pub(super) const DEBUG: &str = "/usr/lib/debug";

/// Files by path, and builds by id.
pub trait Files: Sync {
    /// Opens a file; `None` if it cannot be read.
    fn open(&self, path: &str) -> Option<Box<dyn Source>>;

    /// Opens a source file to show its text. Fewer files may be allowed than for binaries, which are only searched for symbols.
    fn open_text(&self, path: &str) -> Result<Box<dyn Source>, TextRefusal> {
        self.open(path).ok_or(TextRefusal::Absent)
    }

    /// When a file was last changed, in nanoseconds since 1970; `None` if unknown.
    fn modified(&self, _path: &str) -> Option<i64> {
        None
    }

    /// The paths at which this machine may store a build, the best first. The files need not exist.
    fn stored(&self, build: &BuildId, file: BuildFile) -> Vec<String> {
        match file {
            BuildFile::Program => Vec::new(),
            BuildFile::Debug => vec![distribution_path(build)],
        }
    }

    /// Downloads a build from a server.
    fn fetch(&self, _build: &BuildId, _piece: BuildFile) -> Fetched {
        Fetched::NoServer
    }

    /// A file in which the kernel of this machine describes itself, such as `/proc/kallsyms`.
    fn kernel_file(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
}

/// Why the text of a source file is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRefusal {
    /// It cannot be read.
    Absent,
    /// It is outside of the folders whose files may be shown: a profile may name any file of the machine.
    Outside,
}

/// The kind of file of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildFile {
    /// The program or library.
    Program,
    Debug,
}

/// The result of a download.
pub enum Fetched {
    /// No server is configured.
    NoServer,
    File(Box<dyn Source>),
    /// The reason why there is no file.
    Nothing(String),
}

/// The path of a build's debug information in distributions.
pub fn distribution_path(build: &BuildId) -> String {
    format!("{DEBUG}/.build-id/{}.debug", split_build_id(build))
}

/// The relative path of a build in a store: the first byte of the id is a directory.
pub fn split_build_id(build: &BuildId) -> String {
    let digits = build.to_string();
    let (first, rest) = digits.split_at(2);
    format!("{first}/{rest}")
}
