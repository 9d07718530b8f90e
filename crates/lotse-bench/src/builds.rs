//! Several builds of a program, from a folder or from revisions of a repository.
//!
//! A build is the same program with its functions and data in another order. Comparing many of them with each other judges
//! the change of the source; comparing two files judges the two files.

mod blocks;
mod cache;

use std::path::{Path, PathBuf};

use lotse_host::build::{
    self, BuildError, BuildOptions, Builds, Built, Layouts, Libraries, Link, Method, Origin,
};

pub use blocks::{BlockBuild, build_block, existing_builds};
use cache::{Place, cache_folder, cache_place, sweep};

/// The name of the copy of a repository while a revision is built.
const TREE: &str = "tree";

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

/// The usual build command of a folder, by the file that its build tool reads, in the folder itself or above it in its repository.
pub fn usual_command(folder: &Path) -> Result<Vec<String>, BuildsError> {
    const CARGO: &str = "Cargo.toml";
    const USUAL: [(&str, &str); 5] = [
        (CARGO, "cargo"),
        ("build.ninja", "ninja"),
        ("GNUmakefile", "make"),
        ("makefile", "make"),
        ("Makefile", "make"),
    ];
    let top = build::top(folder).unwrap_or_else(|_| folder.to_owned());
    let mut up = PathBuf::new();
    for above in folder.ancestors() {
        // Cargo finds its manifest from any folder below it, also outside of a repository.
        let known = USUAL
            .iter()
            .find(|(file, _)| above.join(file).exists() && (above.starts_with(&top) || *file == CARGO));
        let words: &[&str] = match known {
            Some((CARGO, _)) => &["cargo", "build", "--release"],
            Some((_, tool)) if above == folder => &[tool],
            Some((_, tool)) => &[tool, "-C", &up.display().to_string()],
            None => {
                up.push("..");
                continue;
            }
        };
        return Ok(words.iter().map(|word| (*word).to_owned()).collect());
    }
    Err(BuildsError::NoCommand { folder: folder.to_owned() })
}

/// Builds all programs of a folder as it is.
pub fn build_folder(request: &BuildRequest, out: &Path) -> Result<BuildProducts, BuildsError> {
    let built = run(request, &request.folder)?;
    let origin = origin(request, &built, &request.folder, None);
    link_all(request, &built, out, &origin)
}

/// Builds all programs of a revision, in a copy of the repository below `out` that is deleted afterwards.
pub fn build_revision(request: &BuildRequest, name: &str, out: &Path) -> Result<BuildProducts, BuildsError> {
    let revision = build::resolve(&request.folder, name)?;
    let tree = RevisionTree::new(request, &revision, out)?;
    let built = run(request, &tree.folder)?;
    let origin = origin(request, &built, &tree.root, Some(revision.commit));
    link_all(request, &built, out, &origin)
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
    let place = Place::lock(place)?;
    let folder = place.folder.join("builds");
    if let Some(builds) = cached_builds(request, &folder) {
        return Ok(BuildProduct { folder, builds });
    }
    place.folder.parent().into_iter().for_each(sweep);
    let built = build_at(request, revision, program, &place);
    if built.is_err() && folder.exists() {
        std::fs::remove_dir_all(&folder)
            .map_err(|source| BuildError::File { path: folder.clone(), source })?;
    }
    Ok(BuildProduct { builds: built?, folder })
}

/// Builds the program that a command names at a revision, in a place of the cache.
fn build_at(
    request: &BuildRequest,
    revision: build::Revision,
    program: &str,
    place: &Place,
) -> Result<Builds, BuildsError> {
    let tree = RevisionTree::new(request, &revision, &place.folder)?;
    let built = run(request, &tree.folder)?;
    let wanted = tree.folder.join(program);
    let link = built.links.iter().find(|link| link.made(&wanted)).ok_or_else(|| BuildsError::NotBuilt {
        program: program.to_owned(),
        linked: built.links.iter().map(|link| linked_as(link, &tree.folder)).collect::<Vec<_>>().join(", "),
    })?;
    let origin = origin(request, &built, &tree.root, Some(revision.commit));
    Ok(Builds::link(link, &place.folder.join("builds"), layouts(request), &origin)?)
}

/// Where a program was linked: relative to the folder of the build, or with the whole path if it is elsewhere.
fn linked_as(link: &Link, folder: &Path) -> String {
    let place = link.output.parent().unwrap_or(Path::new(""));
    // Cargo links in `deps` and puts the program beside that folder.
    let place = if place.ends_with("deps") { place.parent().unwrap_or(place) } else { place };
    let path = place.join(link.name());
    match path.strip_prefix(folder) {
        Ok(inside) => inside.display().to_string(),
        Err(_) => format!("{} (outside of the copy of the repository)", path.display()),
    }
}

fn run(request: &BuildRequest, folder: &Path) -> Result<Built, BuildsError> {
    let compilers = cache_folder().map(|cache| cache.join("compilers"));
    let options = BuildOptions { align: request.align, compilers, quiet: request.quiet };
    Ok(build::build(folder, &request.command, &options)?)
}

fn layouts(request: &BuildRequest) -> Layouts {
    Layouts { count: request.count, seed: request.seed, method: request.method }
}

/// Where builds come from; `root` is the folder of all sources.
fn origin(request: &BuildRequest, built: &Built, root: &Path, commit: Option<String>) -> Origin {
    let libraries = Libraries { made: built.libraries.clone(), root: root.to_owned() };
    Origin { command: request.command.join(" "), commit, align: request.align, libraries: Some(libraries) }
}

/// Links every program again. A program that cannot be linked again is reported and does not stop the others.
fn link_all(
    request: &BuildRequest,
    built: &Built,
    out: &Path,
    origin: &Origin,
) -> Result<BuildProducts, BuildsError> {
    let mut products = BuildProducts::default();
    for link in &built.links {
        let name = link.name();
        let same = products.good.iter().filter(|product| product.builds.name == name).count();
        let folder = out.join(if same == 0 { name } else { format!("{name}-{}", same + 1) });
        match Builds::link(link, &folder, layouts(request), origin) {
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

/// A copy of the repository at a revision, deleted when it is no longer needed.
struct RevisionTree {
    root: PathBuf,
    /// The folder in the copy that corresponds to the folder of the request.
    folder: PathBuf,
}

impl RevisionTree {
    fn new(request: &BuildRequest, revision: &build::Revision, place: &Path) -> Result<Self, BuildsError> {
        let root = place.join(TREE);
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
