//! The reasons why a binary cannot be used, and hints how to get the right one.

use lotse_model::profile::BuildId;

use super::wanted::WantedBinary;

/// Why there is no binary for an object.
#[derive(Debug, Default)]
pub(crate) struct MissingBinary {
    /// Files that were found but are not used, in the order of the search.
    pub(super) refused: Vec<RefusedFile>,
    /// Why servers did not help; `None` if none was asked.
    pub(super) servers: Option<String>,
}

/// A file that was found and is not used.
#[derive(Debug)]
pub(super) struct RefusedFile {
    pub(super) path: String,
    pub(super) why: RefusalReason,
}

/// Why a file is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RefusalReason {
    /// It is not a binary, or damaged.
    Unreadable(String),
    /// It is another build, with this id or without one.
    OtherBuild(Option<String>),
}

impl RefusedFile {
    /// A text that says why the file is not used.
    pub(super) fn describe(&self, wanted: &BuildId) -> String {
        let path = &self.path;
        match &self.why {
            RefusalReason::Unreadable(why) => format!("{path}: {why}"),
            RefusalReason::OtherBuild(Some(id)) => {
                format!("{path} is another build than the recorded one (build id {id}, recorded {wanted})")
            }
            RefusalReason::OtherBuild(None) => {
                format!("{path} has no build id, so it is not the recorded build {wanted}")
            }
        }
    }
}

impl MissingBinary {
    /// A text that says why there is no binary.
    pub(crate) fn reason(&self, wanted: &WantedBinary<'_>) -> String {
        let known = match (wanted.path, wanted.build) {
            (None, _) => "the profile does not name its program".to_owned(),
            (Some(path), None) => format!("{path} is not there"),
            (Some(path), Some(build)) => format!("{path} is not there (build id {build})"),
        };
        let found: Vec<String> = match wanted.build {
            Some(build) => self.refused.iter().map(|refused| refused.describe(build)).collect(),
            None => self.refused.iter().map(|refused| refused.unreadable()).collect(),
        };
        let found = if found.is_empty() { known } else { found.join("; ") };
        match &self.servers {
            Some(why) => format!("{found}; {why}"),
            None => found,
        }
    }

    /// A hint how to get it.
    pub(crate) fn remedy(&self, wanted: &WantedBinary<'_>) -> &'static str {
        match (wanted.path, wanted.build, self.servers.is_some()) {
            (None, ..) => "give it with --binary FILE",
            (Some(_), None, _) if self.refused.is_empty() => "--binary FILE tells where it is",
            (Some(_), None, _) => "--binary FILE names another file",
            (Some(_), Some(_), true) => {
                "restore that build, give it with --binary FILE, or keep it with `perf buildid-cache --add FILE`"
            }
            (Some(_), Some(_), false) => {
                "restore that build, give it with --binary FILE, keep it with `perf buildid-cache --add FILE`, or name a \
                 debuginfod server in DEBUGINFOD_URLS"
            }
        }
    }
}

impl RefusedFile {
    /// The same as [`describe`](Self::describe), if the recorded build is unknown.
    fn unreadable(&self) -> String {
        match &self.why {
            RefusalReason::Unreadable(why) => format!("{}: {why}", self.path),
            RefusalReason::OtherBuild(_) => self.path.clone(),
        }
    }
}
