//! A measurement packed with everything needed to repeat it elsewhere, and whether the repetition gives the same result.

mod collect;
mod compare;
mod damage;
mod differences;
mod report;
mod snapshot;

use std::collections::BTreeMap;

use lotse_host::package::{Need, PackedFile};
use lotse_model::Fingerprint;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use collect::{CollectError, Collected};
pub use compare::{
    ReplayAnswer, ReplayOutcome, ReplayedComparison, ReplayedRatio, ReplayedTimes, SCHEMA as REPLAY_SCHEMA,
    compare,
};
pub use report::replayed;
pub use snapshot::{FileChanges, Snapshot};

/// The schema of the manifest.
pub const SCHEMA: &str = "lotse.package/1";
/// The manifest's name in the archive.
pub const MANIFEST: &str = "manifest.json";
/// The name of the manifest's checksum in the archive, as `sha256sum` writes it. Older packages have none.
pub const CHECKSUM: &str = "manifest.sha256";
/// The result's name in the archive.
pub const RESULT: &str = "result.jsonl";
/// The folder of files in the archive.
pub const FILES: &str = "files";

/// The content of [`CHECKSUM`] for a manifest.
pub fn checksum(manifest: &str) -> String {
    format!("{}  {MANIFEST}\n", lotse_host::package::digest(manifest.as_bytes()))
}

/// What a package holds.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Manifest {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Version of Lotse that made it.
    pub lotse: String,
    /// When (UTC, RFC 3339).
    pub date: String,
    /// The words after `lotse bench`, for a shell: commands, options and the seed.
    pub arguments: String,
    /// Settings that were in force.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The machine.
    #[serde(default)]
    pub machine: Option<Fingerprint>,
    /// The commit that the folder was at, with a `+` where files differed from it.
    #[serde(default)]
    pub commit: Option<String>,
    /// Digest of the result.
    pub result_sha256: String,
    /// Files of the folder.
    pub files: Vec<PackedFile>,
    /// Files of the system that it needs: programs, interpreters, libraries, inputs.
    #[serde(default)]
    pub needs: Vec<Need>,
}

/// A needed file that is missing or different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unmet {
    /// The file is not there.
    Missing(Need),
    /// The file has other content.
    Other { packed: Need, here: Need },
}

impl Manifest {
    /// All needed files that are missing or different on this machine.
    pub fn unmet(&self) -> Vec<Unmet> {
        let look = |packed: &Need| {
            let here = lotse_host::package::need(std::path::Path::new(&packed.path));
            match (&here.sha256, &packed.sha256) {
                (None, _) => Some(Unmet::Missing(packed.clone())),
                (found, wanted) if found == wanted => None,
                _ => Some(Unmet::Other { packed: packed.clone(), here }),
            }
        };
        self.needs.iter().filter_map(look).collect()
    }
}
