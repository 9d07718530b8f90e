//! Why a binary cannot be used, and how to get the right one.

use lotse_model::profile::BuildId;

use super::wanted::Wanted;

/// Why a binary cannot be used.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    /// What was found at the places looked at, in their order.
    pub(super) refused: Vec<Refused>,
    /// Why servers did not help; `None` where none was asked.
    pub(super) servers: Option<String>,
}

/// A file that was found and is not used.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) path: String,
    pub(super) why: Reason,
}

/// Why a file is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reason {
    /// It is no binary, or damaged.
    Unreadable(String),
    /// It is another build, with this id or none.
    OtherBuild(Option<String>),
}

impl Refused {
    /// What is wrong with it.
    pub(super) fn describe(&self, wanted: &BuildId) -> String {
        let path = &self.path;
        match &self.why {
            Reason::Unreadable(why) => format!("{path}: {why}"),
            Reason::OtherBuild(Some(id)) => {
                format!("{path} is another build than the recorded one (build id {id}, recorded {wanted})")
            }
            Reason::OtherBuild(None) => {
                format!("{path} has no build id, so it is not the recorded build {wanted}")
            }
        }
    }
}

impl Missing {
    /// Why there is no binary.
    pub(crate) fn reason(&self, wanted: &Wanted<'_>) -> String {
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

    /// How to get it.
    pub(crate) fn remedy(&self, wanted: &Wanted<'_>) -> &'static str {
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

impl Refused {
    /// Without a build to compare with, only damage is a reason.
    fn unreadable(&self) -> String {
        match &self.why {
            Reason::Unreadable(why) => format!("{}: {why}", self.path),
            Reason::OtherBuild(_) => self.path.clone(),
        }
    }
}
