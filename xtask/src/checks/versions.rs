//! Versions of dependencies are stated in `[workspace.dependencies]` only.

use toml::{Table, Value};

use super::Check;
use crate::{Complaint, Repository};

pub(super) const CHECK: Check =
    Check { name: "versions", promise: "members take dependencies with workspace = true", complaints };

const KINDS: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

fn complaints(repository: &Repository) -> Vec<Complaint> {
    let manifests = repository.crates.iter().map(|member| format!("{}/Cargo.toml", member.folder));
    manifests.flat_map(|path| manifest_complaints(repository, &path)).collect()
}

fn manifest_complaints(repository: &Repository, path: &str) -> Vec<Complaint> {
    let Some(Some(text)) = repository.files.get(path) else {
        return vec![Complaint::about(path, "cargo names this manifest, git does not")];
    };
    match text.parse::<Table>() {
        Ok(manifest) => own_versions(&manifest)
            .into_iter()
            .map(|name| Complaint::about(path, format!("{name} must be `{name}.workspace = true`")))
            .collect(),
        Err(error) => vec![Complaint::about(path, error.message())],
    }
}

/// Dependencies without `workspace = true`, including those of `[target.….dependencies]`.
fn own_versions(manifest: &Table) -> Vec<&str> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let platforms = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    let tables = std::iter::once(manifest).chain(platforms);
    let sections = tables.flat_map(|table| KINDS.iter().filter_map(|kind| table.get(*kind)?.as_table()));
    let entries = sections.flat_map(Table::iter);
    entries.filter(|(_, value)| !is_from_workspace(value)).map(|(name, _)| name.as_str()).collect()
}

fn is_from_workspace(dependency: &Value) -> bool {
    dependency.get("workspace").and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::complaints;
    use crate::Repository;
    use crate::workspace::Crate;

    fn check(manifest: &str, expected: &[&str]) {
        let member = Crate { name: "a".to_owned(), folder: "a".to_owned(), dependencies: Vec::new() };
        assert_complaints(
            &complaints(&Repository::with_crates(&[("a/Cargo.toml", manifest)], vec![member])),
            expected,
        );
    }

    #[test]
    fn from_the_workspace() {
        check("[dependencies]\nb.workspace = true\nc = { workspace = true, features = [\n\"x\"] }\n", &[]);
    }

    #[test]
    fn of_their_own() {
        check(
            "[dependencies]\nb = \"1\"\n[dev-dependencies.c]\npath = \"../c\"\n[target.'cfg(unix)'.dependencies]\nd = { version = \"2\" }\n",
            &[
                "a/Cargo.toml: b must be `b.workspace = true`",
                "a/Cargo.toml: c must be `c.workspace = true`",
                "a/Cargo.toml: d must be `d.workspace = true`",
            ],
        );
    }

    #[test]
    fn a_missing_manifest_is_no_silence() {
        let member = Crate { name: "a".to_owned(), folder: "a".to_owned(), dependencies: Vec::new() };
        let found = complaints(&Repository::with_crates(&[], vec![member]));
        assert_complaints(&found, &["a/Cargo.toml: cargo names this manifest, git does not"]);
    }
}
