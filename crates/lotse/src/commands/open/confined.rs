//! The files that the page may show.
//!
//! A profile names its source files, and a hostile one may name any file of the machine: a private key, for example, which an
//! exported page would then carry to others. So text is shown only from folders that have to do with the program: the current one,
//! that of the profile, those of `--source-dir`, and those of system headers and package sources. Links are resolved first, and
//! hidden files and folders (`.ssh`) are never shown. Binaries are read from anywhere, since only symbols and code come out of them.

use std::path::{Component, Path, PathBuf};

use lotse_model::bytes::Source;
use lotse_model::profile::BuildId;
use lotse_profile::resolve::{BuildFile, Fetched, Files, TextRefusal};

use crate::commands::profile::binaries::Disk;

/// Sources of compilers and packages.
const SYSTEM: &[&str] = &["/usr/include", "/usr/src", "/usr/lib", "/usr/share", "/usr/local"];
/// Hidden folders below which package managers keep sources.
const PACKAGES: &[&str] = &[".cargo/registry", ".cargo/git", ".rustup"];

/// The files of this machine, of which only some are shown.
pub(super) struct ConfinedFiles {
    disk: Disk,
    /// Without links.
    roots: Vec<PathBuf>,
}

impl ConfinedFiles {
    /// Allows the current folder, those of the profiles, and others.
    pub(super) fn new(profiles: &[&Path], source_dirs: &[String]) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let packages = home.iter().flat_map(|home| PACKAGES.iter().map(|folder| home.join(folder)));
        let own = [std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."))];
        let beside = profiles.iter().filter_map(|profile| Some(profile.parent()?.to_path_buf()));
        let given = source_dirs.iter().map(PathBuf::from);
        let system = SYSTEM.iter().map(PathBuf::from);
        let all = own.into_iter().chain(beside).chain(given).chain(packages).chain(system);
        // A folder that does not exist allows nothing.
        Self { disk: Disk::new(), roots: all.filter_map(|root| root.canonicalize().ok()).collect() }
    }

    /// Whether a path without links is below one of the roots, and nothing on the way is hidden.
    fn allows(&self, path: &Path) -> bool {
        let is_hidden =
            |part: Component<'_>| part.as_os_str().to_str().is_none_or(|part| part.starts_with('.'));
        let below = self.roots.iter().filter_map(|root| path.strip_prefix(root).ok());
        below.into_iter().any(|rest| !rest.components().any(is_hidden))
    }
}

impl Files for ConfinedFiles {
    fn open(&self, path: &str) -> Option<Box<dyn Source>> {
        self.disk.open(path)
    }

    fn open_text(&self, path: &str) -> Result<Box<dyn Source>, TextRefusal> {
        let real = std::fs::canonicalize(path).map_err(|_| TextRefusal::Absent)?;
        if !self.allows(&real) {
            return Err(TextRefusal::Outside);
        }
        // The path without links is opened, so that a link that changes now leads nowhere else.
        let real = real.to_str().ok_or(TextRefusal::Outside)?;
        self.disk.open(real).ok_or(TextRefusal::Absent)
    }

    fn modified(&self, path: &str) -> Option<i64> {
        self.disk.modified(path)
    }

    fn stored(&self, build: &BuildId, file: BuildFile) -> Vec<String> {
        self.disk.stored(build, file)
    }

    fn fetch(&self, build: &BuildId, piece: BuildFile) -> Fetched {
        self.disk.fetch(build, piece)
    }

    fn kernel_file(&self, path: &str) -> Option<Vec<u8>> {
        self.disk.kernel_file(path)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use lotse_profile::resolve::{Files as _, TextRefusal};

    use super::ConfinedFiles;
    use crate::commands::profile::binaries::Disk;

    /// A folder `in` that is allowed, beside a folder `out` that is not.
    fn stage() -> (tempfile::TempDir, ConfinedFiles) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["in/src/a.c", "in/.ssh/key", "in/.env", "out/secret", "inside/b.c"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, name).unwrap();
        }
        let root = folder.path().join("in").canonicalize().unwrap();
        (folder, ConfinedFiles { disk: Disk::new(), roots: vec![root] })
    }

    fn outcome(files: &ConfinedFiles, path: PathBuf) -> Result<(), TextRefusal> {
        files.open_text(path.to_str().unwrap()).map(|_| ())
    }

    #[test]
    fn only_files_below_a_root_are_shown() {
        let (folder, files) = stage();
        let at = |name: &str| outcome(&files, folder.path().join(name));
        assert_eq!(at("in/src/a.c"), Ok(()));
        assert_eq!(at("in/src/../src/a.c"), Ok(()));
        for outside in ["out/secret", "in/../out/secret", "in/src/../../out/secret", "inside/b.c"] {
            assert_eq!(at(outside), Err(TextRefusal::Outside), "{outside}");
        }
        for hidden in ["in/.ssh/key", "in/.env"] {
            assert_eq!(at(hidden), Err(TextRefusal::Outside), "{hidden}");
        }
        for absent in ["in/src/gone.c", "in/%2e%2e/out/secret", "gone/a.c"] {
            assert_eq!(at(absent), Err(TextRefusal::Absent), "{absent}");
        }
        assert_eq!(at("in/src"), Err(TextRefusal::Absent), "a folder has no text");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_before_they_are_judged() {
        let (folder, files) = stage();
        let link = |from: &str, to: &str| {
            std::os::unix::fs::symlink(folder.path().join(to), folder.path().join(from)).unwrap();
        };
        link("in/leads_out", "out/secret");
        link("in/folder_out", "out");
        link("out/leads_in", "in/src/a.c");
        let at = |name: &str| outcome(&files, folder.path().join(name));
        assert_eq!(at("in/leads_out"), Err(TextRefusal::Outside));
        assert_eq!(at("in/folder_out/secret"), Err(TextRefusal::Outside));
        assert_eq!(at("out/leads_in"), Ok(()));
    }

    #[test]
    fn binaries_are_read_from_anywhere() {
        let (folder, files) = stage();
        assert!(files.open(folder.path().join("out/secret").to_str().unwrap()).is_some());
    }

    #[test]
    fn the_folder_of_the_profile_and_given_ones_are_roots() {
        let (folder, _) = stage();
        let given = [folder.path().join("out").display().to_string()];
        let files = ConfinedFiles::new(&[&folder.path().join("inside/profile")], &given);
        let at = |name: &str| outcome(&files, folder.path().join(name));
        assert_eq!((at("inside/b.c"), at("out/secret")), (Ok(()), Ok(())));
        assert_eq!(at("in/src/a.c"), Err(TextRefusal::Outside));
        assert!(!files.allows(Path::new("/etc/passwd")));
    }
}
