//! Programs some tests need, from Debian packages: installed where that is possible, named where it is not.
//!
//! A missing program is no failure: the tests that need it say so and the others run.

use std::path::Path;

use xtask::programs::is_installed;

use crate::failure::Failure;
use crate::shell;

/// A program, the package it comes from, and what it is for.
struct Package {
    program: &'static str,
    package: &'static str,
    purpose: &'static str,
}

const PACKAGES: &[Package] = &[
    Package { program: "g++", package: "g++", purpose: "the fuzzer's own library" },
    Package { program: "gcc", package: "gcc", purpose: "sample programs in C" },
    Package { program: "perf", package: "linux-perf", purpose: "the counters of perf stat" },
    Package { program: "time", package: "time", purpose: "GNU time, to compare resource usage with" },
    Package { program: "valgrind", package: "valgrind", purpose: "instruction counts" },
];

/// Lets apt-get ask nothing: nobody would answer.
const QUIET: &[(&str, &str)] = &[("DEBIAN_FRONTEND", "noninteractive")];

pub(super) fn install_missing(root: &Path) -> Result<(), Failure> {
    let missing: Vec<_> = PACKAGES.iter().filter(|package| !is_installed(package.program)).collect();
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

/// One at a time, so that one unknown package does not keep the others away.
fn install(root: &Path, wanted: &Package) {
    let Package { program, package, purpose } = wanted;
    let line = ["apt-get", "install", "-y", "-q", "--no-install-recommends", *package];
    if let Err(failure) = shell::run(root, QUIET, &line) {
        println!("missing: {program} ({purpose}); install the Debian package {package} as root. {failure}");
    }
}
