//! A folder of builds: the same program, linked several times.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::{BuildError, Link, Relinker};

/// The file that makes a folder a folder of builds.
const MANIFEST: &str = "builds.json";
/// What its first field says.
const SCHEMA: &str = "lotse.builds/1";

/// What a folder of builds has.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Builds {
    schema: String,
    /// The program's name.
    pub name: String,
    /// The command that built it.
    pub command: String,
    /// The commit, where it came from version control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// How layouts were changed: `sections` or `objects`.
    pub method: String,
    /// What the orders were drawn from.
    pub seed: u32,
    /// Functions begin at multiples of so many bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align: Option<u32>,
    /// Shared libraries that the build made; their layout is the same in all builds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
    /// Seconds that one link took on average: what one more build costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The programs, below the folder.
    pub files: Vec<PathBuf>,
}

/// Where builds come from, for the record.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    /// The command that built them.
    pub command: String,
    /// The commit.
    pub commit: Option<String>,
    /// How functions were aligned.
    pub align: Option<u32>,
    /// Shared libraries that the build made.
    pub libraries: Vec<String>,
}

impl Builds {
    /// Links a program so many times into a folder, with everything in another order that can be.
    pub fn link(
        link: &Link,
        folder: &Path,
        numbers: (u32, u32),
        origin: &Origin,
    ) -> Result<Self, BuildError> {
        Self::link_with(&Relinker::new(), link, folder, numbers, origin)
    }

    /// The same with a linker of one's choice. Orders that turn out the same are drawn again, some times.
    pub fn link_with(
        relinker: &Relinker,
        link: &Link,
        folder: &Path,
        (count, seed): (u32, u32),
        origin: &Origin,
    ) -> Result<Self, BuildError> {
        if folder.join(MANIFEST).exists() {
            fs::remove_dir_all(folder).map_err(BuildError::file(folder))?;
        }
        fs::create_dir_all(folder).map_err(BuildError::file(folder))?;
        let trial = tempfile::tempdir().map_err(BuildError::file(&std::env::temp_dir()))?;
        let method = relinker.method(link, trial.path())?;
        let mut files: Vec<PathBuf> = Vec::new();
        let (start, mut links) = (Instant::now(), 0_u32);
        for attempt in 0..count.saturating_mul(3) {
            if files.len() == count as usize {
                break;
            }
            let file = PathBuf::from(files.len().to_string()).join(link.name());
            let path = folder.join(&file);
            let place = path.parent().unwrap_or(folder);
            fs::create_dir_all(place).map_err(BuildError::file(place))?;
            relinker.link(link, method, seed.wrapping_add(attempt).max(1), &path)?;
            links += 1;
            if !files.iter().any(|known| are_equal(&folder.join(known), &path)) {
                files.push(file);
            }
        }
        let seconds = (links > 0).then(|| start.elapsed().as_secs_f64() / f64::from(links));
        let surplus = folder.join(files.len().to_string());
        if surplus.exists() {
            fs::remove_dir_all(&surplus).map_err(BuildError::file(&surplus))?;
        }
        let Origin { command, commit, align, libraries } = origin.clone();
        let (name, method) = (link.name(), method.word().to_owned());
        let schema = SCHEMA.to_owned();
        let builds = Self { schema, name, command, commit, method, seed, align, libraries, seconds, files };
        let path = folder.join(MANIFEST);
        let text = serde_json::to_vec_pretty(&builds).map_err(std::io::Error::from);
        text.and_then(|text| fs::write(&path, text)).map_err(BuildError::file(&path))?;
        Ok(builds)
    }

    /// The builds of a folder; `None` where it is no folder of builds.
    pub fn read(folder: &Path) -> Option<Self> {
        let text = fs::read_to_string(folder.join(MANIFEST)).ok()?;
        let builds: Self = serde_json::from_str(&text).ok()?;
        (builds.schema == SCHEMA).then_some(builds)
    }

    /// The paths of all programs.
    pub fn paths(&self, folder: &Path) -> Vec<PathBuf> {
        self.files.iter().map(|file| folder.join(file)).collect()
    }
}

fn are_equal(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}
