//! Whether the licences of all dependencies are compatible with our own.
//!
//! The locked dependencies come from `cargo metadata`, without those that are only for tests; each licence expression is
//! compared with a list of allowed licences. No network is used: if only the dependencies of this platform are downloaded,
//! only those are checked, else those of all platforms.

mod graph;
mod spdx;

use std::path::Path;

pub use self::graph::Package;
use self::spdx::Expression;
use crate::programs::output_of;
use crate::{Complaint, Error};

/// Licences that are compatible with `MIT OR Apache-2.0`. Copyleft licences are not allowed.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "NCSA",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Every package that the workspace is built from, its own members included.
pub fn packages(root: &Path) -> Result<Vec<Package>, Error> {
    let all = ["cargo", "metadata", "--format-version", "1", "--locked", "--offline"];
    let here = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let own = [&all[..], &["--filter-platform", &here]].concat();
    graph::built_packages(&output_of(root, &all).or_else(|_| output_of(root, &own))?)
}

/// The packages whose licences are missing or not allowed.
#[must_use]
pub fn complaints(packages: &[Package]) -> Vec<Complaint> {
    packages
        .iter()
        .filter_map(|package| Some(Complaint::about(package.to_string(), problem(package)?)))
        .collect()
}

fn problem(package: &Package) -> Option<String> {
    let Some(licence) = &package.licence else { return Some("names no licence".to_owned()) };
    match Expression::parse(licence) {
        Ok(expression) if expression.is_met_by(&|name| ALLOWED.contains(&name)) => None,
        Ok(_) => Some(format!("no licence of `{licence}` is allowed")),
        Err(error) => Some(format!("cannot read the licence `{licence}`: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED, Package, complaints};

    #[track_caller]
    fn check(licence: Option<&str>, expected: &[&str]) {
        let package = Package {
            name: "a".to_owned(),
            version: "1.0.0".to_owned(),
            licence: licence.map(str::to_owned),
        };
        let found: Vec<_> = complaints(&[package]).iter().map(ToString::to_string).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_can_be_passed_on() {
        for licence in ["MIT", "Apache-2.0/MIT", "GPL-3.0-only OR MIT", "(MIT OR Apache-2.0) AND Unicode-3.0"]
        {
            check(Some(licence), &[]);
        }
    }

    #[test]
    fn what_cannot() {
        check(Some("MPL-2.0"), &["a 1.0.0: no licence of `MPL-2.0` is allowed"]);
        check(
            Some("MIT AND LGPL-2.1-or-later"),
            &["a 1.0.0: no licence of `MIT AND LGPL-2.1-or-later` is allowed"],
        );
        check(None, &["a 1.0.0: names no licence"]);
        check(
            Some("MIT OR"),
            &["a 1.0.0: cannot read the licence `MIT OR`: a licence is missing at the end"],
        );
    }

    #[test]
    fn copyleft_is_never_on_the_list() {
        assert!(ALLOWED.iter().all(|name| !name.contains("GPL") && !name.contains("MPL")));
    }
}
