//! Installs the programs that some tests need from Debian packages, and reports those that cannot be installed.
//!
//! A missing program is no failure: tests that need it report that they are skipped.

use std::path::Path;

use xtask::programs::is_installed;

use crate::failure::Failure;
use crate::shell;

/// A needed program or file, the package that contains it, and its purpose.
struct Package {
    /// A program on the search path, or a file by its absolute path.
    what: &'static str,
    package: &'static str,
    purpose: &'static str,
}

const PACKAGES: &[Package] = &[
    Package { what: "g++", package: "g++", purpose: "the fuzzer's own library" },
    Package { what: "gcc", package: "gcc", purpose: "sample programs in C" },
    Package { what: "/usr/include/stdio.h", package: "libc6-dev", purpose: "sample programs in C" },
    Package { what: "chromium", package: "chromium", purpose: "the page in a browser" },
    Package { what: "debuginfod", package: "debuginfod", purpose: "a server of builds on loopback" },
    Package { what: "dot", package: "graphviz", purpose: "graphs as DOT" },
    Package { what: "eztrace", package: "eztrace", purpose: "traces of real programs" },
    Package { what: "go", package: "golang-go", purpose: "profiles of Go programs" },
    Package { what: "fish", package: "fish", purpose: "completions" },
    Package { what: "git", package: "git", purpose: "builds of revisions" },
    Package { what: "heaptrack_print", package: "heaptrack", purpose: "heap profiles to compare with" },
    Package { what: "make", package: "make", purpose: "builds in other orders" },
    Package { what: "mpicc", package: "libopenmpi-dev", purpose: "sample programs with MPI" },
    Package { what: "mpirun", package: "openmpi-bin", purpose: "sample programs with MPI" },
    Package { what: "node", package: "nodejs", purpose: "profiles of JavaScript" },
    Package { what: "npm", package: "npm", purpose: "the bundle of the page and its tests" },
    Package { what: "objdump", package: "binutils", purpose: "symbols and disassembly to compare with" },
    Package { what: "otf2-print", package: "otf2-tools", purpose: "OTF2 archives to compare with" },
    Package {
        what: "/usr/include/otf2/otf2.h",
        package: "libopen-trace-format2-dev",
        purpose: "the OTF2 library to compare with",
    },
    Package {
        what: "/usr/lib/python3/dist-packages/otf2/__init__.py",
        package: "python3-otf2",
        purpose: "OTF2 archives read and written by others",
    },
    Package { what: "perf", package: "linux-perf", purpose: "the counters of perf stat" },
    Package { what: "protoc", package: "protobuf-compiler", purpose: "pprof files to compare with" },
    Package {
        what: "python3",
        package: "python3",
        purpose: "profiles of Python, and the check of all fixtures",
    },
    Package { what: "time", package: "time", purpose: "GNU time, to compare resource usage with" },
    Package { what: "valgrind", package: "valgrind", purpose: "instruction counts" },
    Package { what: "zsh", package: "zsh", purpose: "completions" },
];

/// Prevents apt-get from asking questions.
const QUIET: &[(&str, &str)] = &[("DEBIAN_FRONTEND", "noninteractive")];

pub(super) fn install_missing(root: &Path) -> Result<(), Failure> {
    let missing: Vec<_> = PACKAGES.iter().filter(|package| !package.is_there()).collect();
    if missing.is_empty() {
        println!("all there");
        return Ok(());
    }
    if let Err(failure) = shell::run(root, QUIET, &["apt-get", "update", "-q"]) {
        println!("the list of packages could not be brought up to date: {failure}");
    }
    missing.into_iter().for_each(|package| install(root, package));
    Ok(())
}

/// Installs one package at a time, so that an unknown package does not prevent the installation of the others.
fn install(root: &Path, wanted: &Package) {
    let line = ["apt-get", "install", "-y", "-q", "--no-install-recommends", wanted.package];
    if let Err(failure) = shell::run(root, QUIET, &line) {
        println!("{}: {failure}", wanted.lack());
    } else if !wanted.is_there() {
        println!("{}, although that is installed", wanted.lack());
    }
}

impl Package {
    /// Works for files too, since joining an absolute path to a folder gives that path.
    fn is_there(&self) -> bool {
        is_installed(self.what)
    }

    fn lack(&self) -> String {
        let Self { what, package, purpose } = self;
        format!("missing: {what} ({purpose}), of the Debian package {package}")
    }
}

#[cfg(test)]
mod tests {
    use super::Package;

    fn package(what: &'static str) -> Package {
        Package { what, package: "p", purpose: "to see" }
    }

    #[test]
    fn programs_and_files_are_looked_for() {
        assert!(package("sh").is_there());
        assert!(package("/etc/passwd").is_there());
        assert!(!package("/etc/no-such-file").is_there());
        assert!(!package("no-such-program").is_there());
    }

    #[test]
    fn what_is_missing_is_named_with_its_package() {
        assert_eq!(package("x").lack(), "missing: x (to see), of the Debian package p");
    }
}
