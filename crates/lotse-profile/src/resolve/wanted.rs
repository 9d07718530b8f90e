//! The identity of a binary that a profile refers to.

use lotse_model::Profile;
use lotse_model::id::ObjectId;
use lotse_model::profile::BuildId;

/// A program or library as a profile names it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WantedBinary<'a> {
    /// Its path; `None` for the program of a profile that does not name it.
    pub(crate) path: Option<&'a str>,
    /// Its build, if the profile states it.
    pub(crate) build: Option<&'a BuildId>,
    /// When the profile was recorded, in nanoseconds since 1970.
    pub(crate) recorded: Option<i64>,
}

impl<'a> WantedBinary<'a> {
    /// The binary of an object of a profile.
    pub(crate) fn object(profile: &'a Profile, object: ObjectId) -> Self {
        // callgrind writes question marks for an unknown object.
        let path = profile.object_name(object).filter(|path| *path != "???");
        let path = path.map(without_mark);
        Self { path, build: profile.build(object), recorded: profile.recorded }
    }

    /// The binary of a memory mapping.
    pub(crate) fn mapped(path: &'a str, build: Option<&'a BuildId>, recorded: Option<i64>) -> Self {
        Self { path: Some(without_mark(path)), build, recorded }
    }

    /// Whether it is a file, unlike the vdso or anonymous memory. A store may have a copy of these, too.
    pub(crate) fn is_file(&self) -> bool {
        let memory = |path: &str| {
            path.starts_with(['[', '(']) || path.starts_with("//") || path.starts_with("anon_inode:")
        };
        self.path.is_none_or(|path| !memory(path))
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> &'a str {
        self.path.unwrap_or("the program")
    }
}

/// A path without perf's mark for files that were deleted or replaced while the program ran.
fn without_mark(path: &str) -> &str {
    path.strip_suffix(" (deleted)").unwrap_or(path)
}
