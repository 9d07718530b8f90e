//! Files of the system that a program needs, such as libraries, and the distribution packages that they belong to.

use std::path::{Path, PathBuf};
use std::process::Command;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::sha256;

/// A file of the system that a measurement needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Need {
    pub path: String,
    /// Absent if the file cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The distribution package that the file belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// Digest and package of a file of the system.
pub fn need(path: &Path) -> Need {
    let (package, version) = owner(path).unzip();
    Need { path: path.display().to_string(), sha256: sha256(path).ok(), package, version }
}

/// The libraries that the loader maps for a program; empty for a script or a static program, or if `ldd` is missing.
pub fn libraries(program: &Path) -> Vec<PathBuf> {
    let Some(listing) = output("ldd", &[&program.display().to_string()]) else { return Vec::new() };
    let place = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let path = match words[..] {
            [_, "=>", path, ..] => path,
            [path, ..] => path,
            [] => return None,
        };
        path.starts_with('/').then(|| PathBuf::from(path))
    };
    listing.lines().filter_map(place).collect()
}

/// The package that a file belongs to and its version, according to dpkg or rpm.
fn owner(path: &Path) -> Option<(String, String)> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let candidates = [Some(path.to_owned()), Some(real.clone()), merged(&real)];
    candidates.into_iter().flatten().find_map(|path| dpkg_package(&path).or_else(|| rpm_package(&path)))
}

/// The path without `/usr`: if /lib is merged into /usr/lib, packages may still list the old path.
fn merged(path: &Path) -> Option<PathBuf> {
    path.strip_prefix("/usr").ok().map(|rest| Path::new("/").join(rest))
}

fn dpkg_package(path: &Path) -> Option<(String, String)> {
    let answer = output("dpkg-query", &["--search", &path.display().to_string()])?;
    // `libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6`
    let package = answer.lines().next()?.split(": ").next()?.to_owned();
    let version = output("dpkg-query", &["--show", "--showformat=${Version}", &package])?;
    Some((package.split(':').next()?.to_owned(), version))
}

fn rpm_package(path: &Path) -> Option<(String, String)> {
    let answer = output(
        "rpm",
        &["-qf", "--queryformat", "%{NAME} %{VERSION}-%{RELEASE}", &path.display().to_string()],
    )?;
    let (package, version) = answer.trim().split_once(' ')?;
    Some((package.to_owned(), version.to_owned()))
}

/// The output of a tool; `None` if it is missing or fails.
fn output(tool: &str, arguments: &[&str]) -> Option<String> {
    let found = Command::new(tool).args(arguments).env("LC_ALL", "C").output().ok()?;
    found.status.success().then(|| String::from_utf8_lossy(&found.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{libraries, need};

    #[test]
    fn a_program_of_the_system_has_libraries_and_packages() {
        let shell = Path::new("/bin/sh").canonicalize().unwrap();
        let found = need(&shell);
        assert_eq!(found.sha256.unwrap().len(), 64);
        if Path::new("/usr/bin/dpkg-query").exists() {
            assert!(found.package.is_some() && found.version.is_some());
        }
        if Path::new("/usr/bin/ldd").exists() {
            assert!(libraries(&shell).iter().any(|path| path.to_string_lossy().contains("libc")));
        }
        assert!(libraries(Path::new("/etc/passwd")).is_empty());
        assert_eq!(need(Path::new("/no/such/file")).sha256, None);
    }
}
