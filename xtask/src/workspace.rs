//! The crates of the workspace and their declared dependencies, from `cargo metadata --no-deps`.

use std::path::Path;

use serde::Deserialize;

use crate::Error;
use crate::programs::output_of;

/// One member of the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Crate {
    pub(crate) name: String,
    /// Its folder, relative to the repository.
    pub(crate) folder: String,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A declared dependency, on a crate of the workspace or another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Whether it is a dev-dependency.
    pub(crate) only_for_tests: bool,
}

/// Reads the crates from cargo, without the network and without an up-to-date lock file.
pub(crate) fn load(root: &Path) -> Result<Vec<Crate>, Error> {
    let line = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--offline"];
    parse(&output_of(root, &line)?)
}

fn parse(json: &[u8]) -> Result<Vec<Crate>, Error> {
    let metadata: Metadata = serde_json::from_slice(json)?;
    Ok(metadata.packages.iter().map(|package| to_crate(package, &metadata.workspace_root)).collect())
}

fn to_crate(package: &Package, root: &str) -> Crate {
    let folder = package.manifest_path.strip_prefix(root).unwrap_or(&package.manifest_path);
    let folder = folder.trim_start_matches('/').trim_end_matches("Cargo.toml").trim_end_matches('/');
    let dependencies = package.dependencies.iter().map(|declared| Dependency {
        name: declared.name.clone(),
        only_for_tests: declared.kind.as_deref() == Some("dev"),
    });
    Crate { name: package.name.clone(), folder: folder.to_owned(), dependencies: dependencies.collect() }
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: String,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Declared>,
}

#[derive(Deserialize)]
struct Declared {
    name: String,
    kind: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::{Crate, Dependency, parse};

    #[test]
    fn names_folders_and_kinds_are_read() {
        let json = br#"{"workspace_root": "/r", "packages": [{
            "name": "a", "manifest_path": "/r/crates/a/Cargo.toml",
            "dependencies": [{"name": "b", "kind": null}, {"name": "c", "kind": "dev"}]}]}"#;
        let b = Dependency { name: "b".to_owned(), only_for_tests: false };
        let c = Dependency { name: "c".to_owned(), only_for_tests: true };
        let expected =
            Crate { name: "a".to_owned(), folder: "crates/a".to_owned(), dependencies: vec![b, c] };
        assert_eq!(parse(json).unwrap(), [expected]);
    }
}
