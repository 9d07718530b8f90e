//! The files that a profile leads to. Which there are, the edge knows.

use lotse_model::bytes::Source;
use lotse_model::profile::BuildId;

/// Where distributions put debug information.
pub(super) const DEBUG: &str = "/usr/lib/debug";

/// Files by path, and builds by id.
pub trait Files {
    /// A file; `None` where there is none that can be read.
    fn open(&self, path: &str) -> Option<Box<dyn Source>>;

    /// When a file was last changed, in nanoseconds since 1970; `None` where that is not known.
    fn modified(&self, _path: &str) -> Option<i64> {
        None
    }

    /// The paths at which this machine may keep a build, the best first. Nothing need be there.
    fn stored(&self, build: &BuildId, piece: Piece) -> Vec<String> {
        match piece {
            Piece::Program => Vec::new(),
            Piece::Debug => vec![distributed(build)],
        }
    }

    /// Asks servers for a build.
    fn fetch(&self, _build: &BuildId, _piece: Piece) -> Fetched {
        Fetched::NoServer
    }

    /// A file in which the kernel of this machine describes itself, such as `/proc/kallsyms`.
    fn of_kernel(&self, _path: &str) -> Option<Vec<u8>> {
        None
    }
}

/// Which file of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece {
    /// The program or library.
    Program,
    /// Its debug information.
    Debug,
}

/// What a server gave.
pub enum Fetched {
    /// Nobody named a server.
    NoServer,
    /// The file.
    File(Box<dyn Source>),
    /// Nothing, and why.
    Nothing(String),
}

/// Where distributions put the debug information of a build.
pub fn distributed(build: &BuildId) -> String {
    format!("{DEBUG}/.build-id/{}.debug", split(build))
}

/// The name of a build in a store: the first byte is the name of a directory.
pub fn split(build: &BuildId) -> String {
    let digits = build.to_string();
    let (first, rest) = digits.split_at(2);
    format!("{first}/{rest}")
}
