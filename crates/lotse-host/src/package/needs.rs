//! What a program needs of the system: other programs and libraries, and the packages that they belong to.

use std::path::{Path, PathBuf};
use std::process::Command;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::sha256;

/// A file of the system that a measurement needs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Need {
    /// Where it is.
    pub path: String,
    /// Its digest; absent where it cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The package of the system that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// That package's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What is to be known of a file of the system.
pub fn need(path: &Path) -> Need {
    let (package, version) = owner(path).unzip();
    Need { path: path.display().to_string(), sha256: sha256(path).ok(), package, version }
}

/// The libraries that the loader maps for a program; none for a script, a static program, or where `ldd` is missing.
pub fn libraries(program: &Path) -> Vec<PathBuf> {
    let Some(said) = output("ldd", &[&program.display().to_string()]) else { return Vec::new() };
    let place = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let path = match words[..] {
            [_, "=>", path, ..] => path,
            [path, ..] => path,
            [] => return None,
        };
        path.starts_with('/').then(|| PathBuf::from(path))
    };
    said.lines().filter_map(place).collect()
}

/// The package that a file belongs to, and its version, as dpkg or rpm say.
fn owner(path: &Path) -> Option<(String, String)> {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let candidates = [Some(path.to_owned()), Some(real.clone()), merged(&real)];
    candidates.into_iter().flatten().find_map(|path| of_dpkg(&path).or_else(|| of_rpm(&path)))
}

/// Where a system has merged /lib into /usr/lib, its packages may still have the old name.
fn merged(path: &Path) -> Option<PathBuf> {
    path.strip_prefix("/usr").ok().map(|rest| Path::new("/").join(rest))
}

fn of_dpkg(path: &Path) -> Option<(String, String)> {
    let said = output("dpkg-query", &["--search", &path.display().to_string()])?;
    // `libc6:amd64: /lib/x86_64-linux-gnu/libc.so.6`
    let package = said.lines().next()?.split(": ").next()?.to_owned();
    let version = output("dpkg-query", &["--show", "--showformat=${Version}", &package])?;
    Some((package.split(':').next()?.to_owned(), version))
}

fn of_rpm(path: &Path) -> Option<(String, String)> {
    let said = output(
        "rpm",
        &["-qf", "--queryformat", "%{NAME} %{VERSION}-%{RELEASE}", &path.display().to_string()],
    )?;
    let (package, version) = said.trim().split_once(' ')?;
    Some((package.to_owned(), version.to_owned()))
}

/// What a tool says; none where it is missing or fails.
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
