//! Several builds of a program, from a folder or from revisions of a repository.
//!
//! A build is the same program with its functions and data in another order. Comparing many of them with each other judges
//! the change of the source; comparing two files judges the two files.

mod blocks;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};

use lotse_host::build::{self, BuildError, BuildOptions, Builds, Built, Layouts, Link, Method, Origin};

pub use blocks::{BlockBuild, build_block, existing_builds};

/// What to build, and how often.
#[derive(Debug, Clone)]
pub struct BuildRequest {
    /// Where the build command runs; for a revision the same folder in a separate copy of the repository.
    pub folder: PathBuf,
    pub command: Vec<String>,
    /// Builds of each program.
    pub count: u32,
    /// Seed of the layouts.
    pub seed: u32,
    /// How layouts are changed; `None` for the strongest method that works for a program.
    pub method: Option<Method>,
    /// Alignment of functions in bytes.
    pub align: Option<u32>,
    /// The build's output is shown only if it fails.
    pub quiet: bool,
}

/// A folder of builds.
#[derive(Debug, Clone)]
pub struct BuildProduct {
    /// Its path, which can be used as the program of a command.
    pub folder: PathBuf,
    pub builds: Builds,
}

/// All programs that a build command linked.
#[derive(Debug, Default)]
pub struct BuildProducts {
    /// Programs that were linked again; at least one.
    pub good: Vec<BuildProduct>,
    /// Why the other programs were not linked again.
    pub failed: Vec<BuildError>,
}

/// Why there are no builds.
#[derive(Debug, thiserror::Error)]
pub enum BuildsError {
    /// Building or linking failed.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The program of a command was not built.
    #[error("{program} was not linked by the build; it linked {linked}")]
    NotBuilt {
        /// As the user named it.
        program: String,
        /// What was linked.
        linked: String,
    },
    /// There is no build command.
    #[error("no build command is known for {}: give one, such as --build 'make'", folder.display())]
    NoCommand { folder: PathBuf },
    /// A program that is not to be built has no complete builds.
    #[error("there are no builds of {name} in {}: measure without --no-build to build it", folder.display())]
    NoBuilds { name: String, folder: PathBuf },
    /// The directory of the user's cache is not known.
    #[error("there is no folder for caches; set XDG_CACHE_HOME or HOME")]
    NoCache,
}

/// The usual build command of a folder, by the file that its build tool reads.
pub fn usual_command(folder: &Path) -> Result<Vec<String>, BuildsError> {
    const USUAL: [(&str, &[&str]); 4] = [
        ("Cargo.toml", &["cargo", "build", "--release"]),
        ("build.ninja", &["ninja"]),
        ("Makefile", &["make"]),
        ("makefile", &["make"]),
    ];
    // Cargo finds its manifest from any folder below it.
    let above =
        |file: &str| file == "Cargo.toml" && folder.ancestors().any(|above| above.join(file).exists());
    let known = USUAL.iter().find(|(file, _)| folder.join(file).exists() || above(file));
    let none = || BuildsError::NoCommand { folder: folder.to_owned() };
    known.map(|(_, words)| words.iter().map(|word| (*word).to_owned()).collect()).ok_or_else(none)
}

/// Builds all programs of a folder as it is.
pub fn build_folder(request: &BuildRequest, out: &Path) -> Result<BuildProducts, BuildsError> {
    let built = run(request, &request.folder)?;
    link_all(request, &built, out, None)
}

/// Builds all programs of a revision, in a copy of the repository below `out` that is deleted afterwards.
pub fn build_revision(request: &BuildRequest, name: &str, out: &Path) -> Result<BuildProducts, BuildsError> {
    let revision = build::resolve(&request.folder, name)?;
    let tree = RevisionTree::new(request, &revision, out)?;
    let built = run(request, &tree.folder)?;
    link_all(request, &built, out, Some(revision.commit))
}

/// Whether [`build_program`] would build nothing.
pub fn is_built(request: &BuildRequest, name: &str, program: &str) -> bool {
    let place =
        build::resolve(&request.folder, name).map(|revision| cache_place(request, &revision.commit, program));
    place
        .is_ok_and(|place| place.is_some_and(|place| cached_builds(request, &place.join("builds")).is_some()))
}

fn cached_builds(request: &BuildRequest, folder: &Path) -> Option<Builds> {
    Builds::read(folder).filter(|builds| builds.files.len() == request.count as usize)
}

/// Builds of the one program of a revision that a command names. They are kept in the user's cache, and used again for the
/// same commit, command, options and compilers.
pub fn build_program(request: &BuildRequest, name: &str, program: &str) -> Result<BuildProduct, BuildsError> {
    let revision = build::resolve(&request.folder, name)?;
    let place = cache_place(request, &revision.commit, program).ok_or(BuildsError::NoCache)?;
    let folder = place.join("builds");
    if let Some(builds) = cached_builds(request, &folder) {
        return Ok(BuildProduct { folder, builds });
    }
    let tree = RevisionTree::new(request, &revision, &place)?;
    let built = run(request, &tree.folder)?;
    let wanted = tree.folder.join(program);
    let link = built.links.iter().find(|link| link.made(&wanted)).ok_or_else(|| BuildsError::NotBuilt {
        program: program.to_owned(),
        linked: built.links.iter().map(Link::name).collect::<Vec<_>>().join(", "),
    })?;
    let origin = origin(request, &built, Some(revision.commit));
    let builds = Builds::link(link, &folder, layouts(request), &origin)?;
    Ok(BuildProduct { folder, builds })
}

fn run(request: &BuildRequest, folder: &Path) -> Result<Built, BuildsError> {
    let compilers = cache_folder().map(|cache| cache.join("compilers"));
    let options = BuildOptions { align: request.align, compilers, quiet: request.quiet };
    Ok(build::build(folder, &request.command, &options)?)
}

fn layouts(request: &BuildRequest) -> Layouts {
    Layouts { count: request.count, seed: request.seed, method: request.method }
}

fn origin(request: &BuildRequest, built: &Built, commit: Option<String>) -> Origin {
    let name = |path: &PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let libraries = built.libraries.iter().filter_map(name).collect();
    Origin { command: request.command.join(" "), commit, align: request.align, libraries }
}

/// Links every program again. A program that cannot be linked again is reported and does not stop the others.
fn link_all(
    request: &BuildRequest,
    built: &Built,
    out: &Path,
    commit: Option<String>,
) -> Result<BuildProducts, BuildsError> {
    let origin = origin(request, built, commit);
    let mut products = BuildProducts::default();
    for link in &built.links {
        let name = link.name();
        let same = products.good.iter().filter(|product| product.builds.name == name).count();
        let folder = out.join(if same == 0 { name } else { format!("{name}-{}", same + 1) });
        match Builds::link(link, &folder, layouts(request), &origin) {
            Ok(builds) => products.good.push(BuildProduct { folder, builds }),
            Err(error @ BuildError::Relink { .. }) => products.failed.push(error),
            Err(error) => return Err(error.into()),
        }
    }
    match products.failed.pop() {
        Some(error) if products.good.is_empty() => Err(error.into()),
        last => {
            products.failed.extend(last);
            Ok(products)
        }
    }
}

/// The cache folder of Lotse.
fn cache_folder() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(base.join("lotse"))
}

/// The cache folder for builds of a program, named after the commit and a hash of all that influences the build.
fn cache_place(request: &BuildRequest, commit: &str, program: &str) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    let BuildRequest { folder, command, count, seed, method, align, quiet: _ } = request;
    let compilers = build::compilers(folder);
    (folder, command, count, seed, method, align, program, commit, compilers).hash(&mut hasher);
    environment().hash(&mut hasher);
    let short = commit.get(..12).unwrap_or(commit);
    Some(cache_folder()?.join("builds").join(format!("{short}-{:016x}", hasher.finish())))
}

/// Environment variables that build tools and compilers read, recognised by their prefixes.
fn environment() -> Vec<(String, String)> {
    const STARTS: [&str; 12] = [
        "CARGO",
        "RUST",
        "CC",
        "CXX",
        "CPP",
        "CFLAGS",
        "LD",
        "AR",
        "MAKE",
        "CMAKE",
        "PKG_CONFIG",
        "SOURCE_DATE_EPOCH",
    ];
    // The place of cargo and whether it was started by cargo do not influence the build.
    const IGNORED: [&str; 3] = ["CARGO", "CARGO_HOME", "CARGO_TERM_COLOR"];
    let text = |value: std::ffi::OsString| value.to_string_lossy().into_owned();
    let all = std::env::vars_os().map(|(name, value)| (text(name), text(value)));
    let read = |name: &str| STARTS.iter().any(|start| name.starts_with(start)) && !IGNORED.contains(&name);
    let mut found: Vec<(String, String)> = all.filter(|(name, _)| read(name)).collect();
    found.sort();
    found
}

/// A copy of the repository at a revision, deleted when it is no longer needed.
struct RevisionTree {
    root: PathBuf,
    /// The folder in the copy that corresponds to the folder of the request.
    folder: PathBuf,
}

impl RevisionTree {
    fn new(request: &BuildRequest, revision: &build::Revision, place: &Path) -> Result<Self, BuildsError> {
        let root = place.join("tree");
        build::checkout(&request.folder, revision, &root)?;
        let inside = build::place_in_repository(&request.folder)?;
        let tree = Self { folder: root.join(&inside), root };
        if tree.folder.is_dir() {
            return Ok(tree);
        }
        let what = format!("revision {}", revision.name);
        Err(BuildError::Git { what, message: format!("it has no folder {}", inside.display()) }.into())
    }
}

impl Drop for RevisionTree {
    fn drop(&mut self) {
        // What cannot be deleted stays in the cache; nothing depends on it.
        drop(std::fs::remove_dir_all(&self.root));
    }
}

#[cfg(test)]
mod tests {
    use super::usual_command;

    #[test]
    fn build_tools_are_known_by_their_files() {
        let folder = tempfile::tempdir().unwrap();
        let error = usual_command(folder.path()).unwrap_err().to_string();
        assert!(error.contains("--build 'make'"), "{error}");
        std::fs::write(folder.path().join("Makefile"), "").unwrap();
        assert_eq!(usual_command(folder.path()).unwrap(), ["make"]);
        std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(usual_command(folder.path()).unwrap(), ["cargo", "build", "--release"]);
    }
}
