//! A folder of builds: the same program, linked several times.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use object::{Object as _, ObjectSymbol as _};
use serde::{Deserialize, Serialize};

use super::{BuildError, Link, Method, Relinker};

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
    /// The program as the build command made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// How layouts were changed: `sections`, `objects` or `padding`.
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

/// Which layouts are asked for.
#[derive(Debug, Clone, Copy)]
pub struct Layouts {
    /// How many.
    pub count: u32,
    /// What they are drawn from.
    pub seed: u32,
    /// How they are changed; without it by the strongest method that works.
    pub method: Option<Method>,
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
    pub fn link(link: &Link, folder: &Path, layouts: Layouts, origin: &Origin) -> Result<Self, BuildError> {
        Self::link_with(&Relinker::new(), link, folder, layouts, origin)
    }

    /// The same with a linker of one's choice. Layouts that turn out the same are drawn again, some times.
    pub fn link_with(
        relinker: &Relinker,
        link: &Link,
        folder: &Path,
        layouts: Layouts,
        origin: &Origin,
    ) -> Result<Self, BuildError> {
        if folder.join(MANIFEST).exists() {
            fs::remove_dir_all(folder).map_err(BuildError::file(folder))?;
        }
        let method = match layouts.method {
            Some(method) => method,
            None => {
                let trial = tempfile::tempdir().map_err(BuildError::file(&std::env::temp_dir()))?;
                relinker.method(link, layouts.count, trial.path())?
            }
        };
        fs::create_dir_all(folder).map_err(BuildError::file(folder))?;
        let (files, seconds) = link_all(relinker, (link, method), folder, layouts)?;
        let Origin { command, commit, align, libraries } = origin.clone();
        let builds = Self {
            schema: SCHEMA.to_owned(),
            name: link.name(),
            command,
            commit,
            output: Some(link.output.clone()),
            method: method.word().to_owned(),
            seed: layouts.seed,
            align,
            libraries,
            seconds,
            files,
        };
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

/// Links into numbered folders; gives back the files below the folder, and how many seconds one takes.
fn link_all(
    relinker: &Relinker,
    (link, method): (&Link, Method),
    folder: &Path,
    layouts: Layouts,
) -> Result<(Vec<PathBuf>, Option<f64>), BuildError> {
    let same = if relinker.moves_functions() { are_equal } else { are_equal_bytes };
    let mut files: Vec<PathBuf> = Vec::new();
    let (start, mut links) = (Instant::now(), 0_u32);
    for attempt in 0..layouts.count.saturating_mul(3) {
        if files.len() == layouts.count as usize {
            break;
        }
        let file = PathBuf::from(files.len().to_string()).join(link.name());
        let path = folder.join(&file);
        let place = path.parent().unwrap_or(folder);
        fs::create_dir_all(place).map_err(BuildError::file(place))?;
        relinker.link(link, method, layouts.seed.wrapping_add(attempt).max(1), &path)?;
        links += 1;
        if !files.iter().any(|known| same(&folder.join(known), &path)) {
            files.push(file);
        }
    }
    let seconds = (links > 0).then(|| start.elapsed().as_secs_f64() / f64::from(links));
    let surplus = folder.join(files.len().to_string());
    if surplus.exists() {
        fs::remove_dir_all(&surplus).map_err(BuildError::file(&surplus))?;
    }
    Ok((files, seconds))
}

fn are_equal_bytes(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// Whether two programs have all functions at the same addresses: order of data alone is no other layout. Programs without symbols are
/// compared byte by byte.
fn are_equal(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (fs::read(one), fs::read(other)) else { return false };
    match (functions(&one), functions(&other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// Addresses and names of the functions of a program; nothing where it has no symbols.
fn functions(program: &[u8]) -> Option<BTreeSet<(u64, &[u8])>> {
    let file = object::File::parse(program).ok()?;
    let functions = file.symbols().filter(|it| it.is_definition() && it.kind() == object::SymbolKind::Text);
    let all: BTreeSet<_> = functions.filter_map(|it| Some((it.address(), it.name_bytes().ok()?))).collect();
    (!all.is_empty()).then_some(all)
}
