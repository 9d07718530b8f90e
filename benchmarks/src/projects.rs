//! Projects of others that `lotse bench build` builds as they are.
//!
//! ```text
//! symbols   where the functions of a program lie
//! trial     builds a project, puts each build in the place of its programs and runs the project's own tests
//! ```

pub mod symbols;
pub mod trial;

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::predict::sources::{Package, crates, debian};
use crate::workshop::Workshop;

/// Where sources come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A source package of Debian.
    Debian,
    /// A crate in this version.
    Crate(&'static str),
}

/// A project, and how its authors build and test it.
#[derive(Debug, Clone, Copy)]
pub struct Project {
    /// The name of the package or crate.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// C, C++ or Rust.
    pub language: &'static str,
    /// make, cmake or cargo.
    pub tool: &'static str,
    /// Builds programs and tests.
    pub build: &'static str,
    /// Runs the tests.
    pub test: &'static str,
    /// Methods beside `sections`.
    pub methods: &'static [&'static str],
}

/// CMake 4 refuses projects that ask for a version before 3.5 without the first option.
macro_rules! cmake {
    ($options:literal) => {
        concat!(
            "cmake -DCMAKE_POLICY_VERSION_MINIMUM=3.5 ",
            $options,
            " -S . -B build && cmake --build build -j 2"
        )
    };
}

const CTEST: &str = "ctest --test-dir build";
const CARGO_BUILD: &str = "cargo test --tests --no-run";
const CARGO_TEST: &str = "cargo test --tests --offline";

const fn c(name: &'static str, tool: &'static str, build: &'static str, test: &'static str) -> Project {
    Project { name, source: Source::Debian, language: "C", tool, build, test, methods: &[] }
}

const fn cpp(name: &'static str, tool: &'static str, build: &'static str, test: &'static str) -> Project {
    Project { language: "C++", ..c(name, tool, build, test) }
}

const fn rust(name: &'static str, version: &'static str) -> Project {
    let (source, tool) = (Source::Crate(version), "cargo");
    Project { name, source, language: "Rust", tool, build: CARGO_BUILD, test: CARGO_TEST, methods: &[] }
}

const fn all_methods(project: Project) -> Project {
    Project { methods: &["objects", "padding"], ..project }
}

/// For programs of one object.
const fn with_padding(project: Project) -> Project {
    Project { methods: &["padding"], ..project }
}

/// All of them. popt and xz link by libtool, cJSON compiles with -Werror, bzip2 and zlib have a Makefile written by hand.
pub const PROJECTS: [Project; 15] = [
    with_padding(c("bzip2", "make", "make bzip2 bzip2recover", "make test")),
    all_methods(c("zlib", "make", "./configure --static && make", "make test")),
    c("ed", "make", "./configure && make", "make check"),
    all_methods(c("popt", "make", "./configure --disable-shared && make && make check TESTS=", "make check")),
    c("xz-utils", "make", "./configure --disable-doc && make -j2 && make check TESTS=", "make check"),
    c("cjson", "cmake", cmake!("-DBUILD_SHARED_AND_STATIC_LIBS=OFF -DBUILD_SHARED_LIBS=OFF"), CTEST),
    c("json-c", "cmake", cmake!("-DBUILD_SHARED_LIBS=OFF"), CTEST),
    all_methods(cpp("lzip", "make", "./configure && make", "make check")),
    cpp("tinyxml2", "cmake", cmake!("-DBUILD_SHARED_LIBS=OFF"), CTEST),
    cpp("libjsoncpp", "cmake", cmake!("-DBUILD_SHARED_LIBS=OFF"), CTEST),
    all_methods(cpp("pugixml", "cmake", cmake!("-DPUGIXML_BUILD_TESTS=ON"), CTEST)),
    all_methods(rust("semver", "1.0.28")),
    rust("smallvec", "1.16.4"),
    all_methods(rust("itoa", "1.0.18")),
    rust("ryu", "1.0.23"),
];

/// Downloads the sources of some projects; gives back each project with the folder that has its sources.
pub fn fetch(
    workshop: &mut Workshop,
    folder: &Path,
    projects: &[Project],
) -> Result<Vec<(Project, PathBuf)>, Error> {
    let names: Vec<&str> =
        projects.iter().filter(|it| it.source == Source::Debian).map(|it| it.name).collect();
    let mut packages = Vec::new();
    if !names.is_empty() {
        packages.extend(debian::fetch(workshop, &folder.join("c"), &names)?);
    }
    let versions: Vec<(&str, &str)> = projects.iter().filter_map(named_version).collect();
    if !versions.is_empty() {
        packages.extend(crates::fetch(workshop, &folder.join("rust"), &versions)?);
    }
    projects.iter().map(|project| Ok((*project, sources(project, &packages)?))).collect()
}

fn named_version(project: &Project) -> Option<(&'static str, &'static str)> {
    match project.source {
        Source::Crate(version) => Some((project.name, version)),
        Source::Debian => None,
    }
}

/// The folder with the sources of a project. apt-get unpacks into a folder beside the archives.
fn sources(project: &Project, packages: &[Package]) -> Result<PathBuf, Error> {
    let missing = || Error::Answer { tool: "apt-get source", what: project.name.to_owned() };
    let package = packages.iter().find(|package| package.name == project.name).ok_or_else(missing)?;
    if project.source != Source::Debian {
        return Ok(package.folder.clone());
    }
    let entries = std::fs::read_dir(&package.folder).map_err(Error::file("read", &package.folder))?;
    for entry in entries {
        let path = entry.map_err(Error::file("read", &package.folder))?.path();
        if path.is_dir() {
            return Ok(path);
        }
    }
    Err(missing())
}

#[cfg(test)]
mod tests {
    use super::{PROJECTS, Package, sources};

    #[test]
    fn there_are_enough_of_every_kind() {
        let count =
            |is_one: &dyn Fn(&super::Project) -> bool| PROJECTS.iter().filter(|it| is_one(it)).count();
        for language in ["C", "C++", "Rust"] {
            assert!(count(&|it| it.language == language) >= 3, "{language}");
        }
        for tool in ["make", "cmake", "cargo"] {
            assert!(count(&|it| it.tool == tool) >= 3, "{tool}");
        }
        assert!(count(&|it| it.methods.contains(&"objects")) >= 4);
    }

    #[test]
    fn sources_are_the_folder_beside_the_archives() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("bzip2_1.0.orig.tar.gz"), "").unwrap();
        let package = Package { name: "bzip2".into(), folder: folder.path().to_owned() };
        assert!(sources(&PROJECTS[0], std::slice::from_ref(&package)).is_err());
        std::fs::create_dir(folder.path().join("bzip2-1.0")).unwrap();
        assert_eq!(sources(&PROJECTS[0], &[package]).unwrap(), folder.path().join("bzip2-1.0"));
    }
}
