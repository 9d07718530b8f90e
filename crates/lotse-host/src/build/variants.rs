//! A folder of builds: the same program, linked several times.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use object::{Object as _, ObjectSymbol as _};
use serde::{Deserialize, Serialize};

use super::libraries::{self, Kept};
use super::{BuildError, Link, Method, Relinker};

/// The file that describes a folder of builds.
const MANIFEST: &str = "builds.json";
/// Name and version of its format.
const SCHEMA: &str = "lotse.builds/1";

/// The description of a folder of builds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Builds {
    schema: String,
    pub name: String,
    pub command: String,
    /// Absent if the sources did not come from version control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The program as the build command made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<PathBuf>,
    /// How layouts were changed: `sections`, `objects` or `padding`.
    pub method: String,
    pub seed: u32,
    /// Alignment of functions in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub align: Option<u32>,
    /// Shared libraries that the build made and the program loads, kept in the folder `libraries`; their layout is the same in all builds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub libraries: Vec<String>,
    /// Further shared libraries of the build, for a program that can open libraries while it runs (`dlopen`). They are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<String>,
    /// Whether the linker generates code. Then another order of objects changes instructions, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optimised_at_link: bool,
    /// Mean seconds per link: the cost of one more layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Paths of the programs relative to the folder.
    pub files: Vec<PathBuf>,
}

/// How many layouts to make, and how.
#[derive(Debug, Clone, Copy)]
pub struct Layouts {
    pub count: u32,
    pub seed: u32,
    /// If absent, the first method that gives all layouts.
    pub method: Option<Method>,
}

/// Where builds come from, for their description.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    pub command: String,
    pub commit: Option<String>,
    /// Alignment of functions in bytes.
    pub align: Option<u32>,
    /// If present, the libraries that the program uses are kept with its builds.
    pub libraries: Option<Libraries>,
}

/// Shared libraries of a build.
#[derive(Debug, Clone)]
pub struct Libraries {
    /// Those that the build linked.
    pub made: Vec<PathBuf>,
    /// The folder of the sources: libraries in it belong to the build, whatever made them.
    pub root: PathBuf,
}

impl Builds {
    /// Links a program `layouts.count` times into a folder, with as much in another order as the linker permits.
    pub fn link(link: &Link, folder: &Path, layouts: Layouts, origin: &Origin) -> Result<Self, BuildError> {
        Self::link_with(&Relinker::new(), link, folder, layouts, origin)
    }

    /// As [`Builds::link`], with a given relinker. A layout equal to an earlier one is replaced by one of another seed, up to a
    /// number of trials.
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
        fs::create_dir_all(folder).map_err(BuildError::file(folder))?;
        let kept = match &origin.libraries {
            Some(Libraries { made, root }) => libraries::keep(link, made, root, folder)?,
            None => Kept { link: link.clone(), used: Vec::new(), opened: Vec::new() },
        };
        let (method, Linked { files, seconds }) = with_most_layouts(relinker, &kept.link, folder, layouts)?;
        strip_like(&link.output, folder, &files)?;
        if let Some(first) = files.first() {
            libraries::check(&folder.join(first), &kept.used, folder)?;
        }
        let Origin { command, commit, align, libraries: _ } = origin.clone();
        let builds = Self {
            schema: SCHEMA.to_owned(),
            name: link.name(),
            command,
            commit,
            output: Some(link.output.clone()),
            method: method.word().to_owned(),
            seed: layouts.seed,
            align,
            libraries: kept.used,
            opened: kept.opened,
            optimised_at_link: link.is_optimised(),
            seconds,
            files,
        };
        let path = folder.join(MANIFEST);
        let text = serde_json::to_vec_pretty(&builds).map_err(std::io::Error::from);
        text.and_then(|text| fs::write(&path, text)).map_err(BuildError::file(&path))?;
        Ok(builds)
    }

    /// Reads the description of a folder; `None` if it is not a folder of builds.
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

/// Programs that were linked with one method.
#[derive(Debug)]
struct Linked {
    /// The programs, relative to the folder of builds.
    files: Vec<PathBuf>,
    /// Mean seconds per link.
    seconds: Option<f64>,
}

/// Links with the method of the user, else with the first one that gives all layouts, else with the one that gives the most.
fn with_most_layouts(
    relinker: &Relinker,
    link: &Link,
    folder: &Path,
    layouts: Layouts,
) -> Result<(Method, Linked), BuildError> {
    let link_all = |method: Method| Ok((method, link_all(relinker, (link, method), folder, layouts)?));
    let methods = layouts.method.map_or_else(|| relinker.methods(link), |method| vec![method]);
    let mut best: Option<(Method, usize)> = None;
    let mut failed = None;
    for method in &methods {
        match link_all(*method) {
            Ok((method, linked)) if linked.files.len() == layouts.count as usize || methods.len() == 1 => {
                return Ok((method, linked));
            }
            Ok((method, linked)) => {
                let count = linked.files.len();
                best = best.filter(|(_, most)| *most >= count).or(Some((method, count)));
            }
            // The error of the program's own linker tells more than that of lld.
            Err(error) => failed = Some(error),
        }
        delete_numbered(folder, layouts.count)?;
    }
    match (best, failed) {
        (Some((method, _)), _) => link_all(method),
        (None, Some(error)) => Err(error),
        (None, None) => {
            Err(BuildError::Relink { output: link.output.clone(), message: "no method works".to_owned() })
        }
    }
}

/// Removes the symbols of builds if the program itself has none: the build command removed them after the link.
fn strip_like(program: &Path, folder: &Path, files: &[PathBuf]) -> Result<(), BuildError> {
    let has_symbols = |path: &Path| fs::read(path).is_ok_and(|bytes| functions(&bytes).is_some());
    if has_symbols(program) {
        return Ok(());
    }
    for path in files.iter().map(|file| folder.join(file)).filter(|path| has_symbols(path)) {
        let output = Command::new("strip").arg(&path).output();
        let output = output.map_err(|source| BuildError::Start { program: "strip".to_owned(), source })?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(BuildError::Relink { output: path, message });
        }
    }
    Ok(())
}

/// Deletes the folders of the builds of one method.
fn delete_numbered(folder: &Path, count: u32) -> Result<(), BuildError> {
    for place in (0..count).map(|number| folder.join(number.to_string())).filter(|place| place.exists()) {
        fs::remove_dir_all(&place).map_err(BuildError::file(&place))?;
    }
    Ok(())
}

/// Links into numbered folders.
fn link_all(
    relinker: &Relinker,
    (link, method): (&Link, Method),
    folder: &Path,
    layouts: Layouts,
) -> Result<Linked, BuildError> {
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
    Ok(Linked { files, seconds })
}

fn are_equal_bytes(one: &Path, other: &Path) -> bool {
    matches!((fs::read(one), fs::read(other)), (Ok(one), Ok(other)) if one == other)
}

/// Whether two programs have all functions at the same addresses: another order of data alone does not count as another layout.
/// Programs without symbols are compared byte by byte.
fn are_equal(one: &Path, other: &Path) -> bool {
    let (Ok(one), Ok(other)) = (fs::read(one), fs::read(other)) else { return false };
    match (functions(&one), functions(&other)) {
        (Some(one), Some(other)) => one == other,
        _ => one == other,
    }
}

/// Addresses and names of the functions of a program; `None` if it has no symbols.
fn functions(program: &[u8]) -> Option<BTreeSet<(u64, &[u8])>> {
    let file = object::File::parse(program).ok()?;
    let functions = file.symbols().filter(|it| it.is_definition() && it.kind() == object::SymbolKind::Text);
    let all: BTreeSet<_> = functions.filter_map(|it| Some((it.address(), it.name_bytes().ok()?))).collect();
    (!all.is_empty()).then_some(all)
}
