//! Published sources, downloaded into a folder of the user's choice.
//!
//! ```text
//! debian    C: source packages by apt-get, with lists and state of its own; the machine's configuration is only read
//! crates    Rust: crates in fixed versions by cargo vendor
//! headers   what the preprocessor needs to read a file of a package
//! ```

pub mod crates;
pub mod debian;
mod headers;

use std::fs;
use std::path::{Path, PathBuf};

pub use headers::Headers;

use crate::error::Error;
use crate::workshop::Workshop;

/// A package or crate and where its sources are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub folder: PathBuf,
}

/// Downloads everything that is not there yet.
pub fn fetch(workshop: &mut Workshop, folder: &Path) -> Result<Vec<Package>, Error> {
    fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
    let folder = fs::canonicalize(folder).map_err(Error::file("find", folder))?;
    let mut packages = debian::fetch(workshop, &folder.join("c"), &debian::PACKAGES)?;
    packages.extend(crates::fetch(workshop, &folder.join("rust"), &crates::CRATES)?);
    Ok(packages)
}

/// All files below a path whose names end in one of these, in order. Symbolic links to folders are not followed, and hidden folders,
/// where Debian's packages keep what their patches changed, are left out.
pub fn files(path: &Path, endings: &[&str]) -> Result<Vec<PathBuf>, Error> {
    let mut found = Vec::new();
    collect(path, endings, &mut found)?;
    found.sort();
    Ok(found)
}

fn collect(path: &Path, endings: &[&str], found: &mut Vec<PathBuf>) -> Result<(), Error> {
    if !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(Error::file("read", path))? {
        let inner = entry.map_err(Error::file("read", path))?.path();
        let is_known = inner.extension().and_then(|it| it.to_str()).is_some_and(|it| endings.contains(&it));
        let is_hidden = inner.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if inner.is_dir() && !inner.is_symlink() && !is_hidden || inner.is_file() && is_known {
            collect(&inner, endings, found)?;
        }
    }
    Ok(())
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{crates, debian, fetch, files};
    use crate::workshop::Workshop;

    #[test]
    fn files_are_found_by_their_endings() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("inner")).unwrap();
        std::fs::create_dir(folder.path().join(".pc")).unwrap();
        for name in ["b.c", "inner/a.c", "inner/a.h", "c.txt", ".pc/a.c"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = files(folder.path(), &["c", "rs"]).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.strip_prefix(folder.path()).unwrap()).collect();
        assert_eq!(names, [std::path::Path::new("b.c"), std::path::Path::new("inner/a.c")]);
    }

    /// With all folders there, neither apt-get nor cargo is started.
    #[test]
    fn what_is_there_is_not_downloaded_again() {
        let folder = tempfile::tempdir().unwrap();
        for name in debian::PACKAGES {
            std::fs::create_dir_all(folder.path().join("c").join(name)).unwrap();
        }
        for (name, version) in crates::CRATES {
            let own = format!("rust/vendor/{name}-{version}");
            std::fs::create_dir_all(folder.path().join(own)).unwrap();
        }
        let packages = fetch(&mut Workshop::open().unwrap(), folder.path()).unwrap();
        assert_eq!(packages.len(), debian::PACKAGES.len() + crates::CRATES.len());
        assert!(packages.iter().all(|package| package.folder.is_dir()));
        let named = |name: &str| packages.iter().any(|package| package.name == name);
        assert!(named("zlib") && named("rustfft"));
    }
}
