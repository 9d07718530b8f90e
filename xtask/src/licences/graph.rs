//! The packages that the workspace is built from: all that its members depend on, except only for tests.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Deserialize;

use crate::Error;

/// A package and its licence.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    /// Its licence expression.
    #[serde(rename = "license")]
    pub licence: Option<String>,
}

impl fmt::Display for Package {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

/// The packages that are reached from the members, sorted by name.
pub(super) fn built_packages(json: &[u8]) -> Result<Vec<Package>, Error> {
    let metadata: Metadata = serde_json::from_slice(json)?;
    let nodes = metadata.resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let reached = reached(&metadata.workspace_members, &nodes);
    let built = metadata.packages.into_iter().filter(|identified| reached.contains(&identified.id));
    let mut packages: Vec<_> = built.map(|identified| identified.package).collect();
    packages.sort();
    Ok(packages)
}

fn reached(members: &[String], nodes: &BTreeMap<&str, &Node>) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<&str> = members.iter().map(String::as_str).collect();
    while let Some(id) = waiting.pop() {
        if reached.insert(id.to_owned()) {
            let arrows = nodes.get(id).into_iter().flat_map(|node| &node.deps);
            waiting.extend(arrows.filter(|arrow| arrow.is_built()).map(|arrow| arrow.pkg.as_str()));
        }
    }
    reached
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Identified>,
    workspace_members: Vec<String>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Identified {
    id: String,
    #[serde(flatten)]
    package: Package,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Arrow>,
}

#[derive(Deserialize)]
struct Arrow {
    pkg: String,
    dep_kinds: Vec<ArrowKind>,
}

#[derive(Deserialize)]
struct ArrowKind {
    kind: Option<String>,
}

impl Arrow {
    fn is_built(&self) -> bool {
        self.dep_kinds.iter().any(|kind| kind.kind.as_deref() != Some("dev"))
    }
}

#[cfg(test)]
mod tests {
    use super::built_packages;

    #[test]
    fn test_dependencies_are_not_followed() {
        let json = br#"{
            "packages": [
                {"id": "d", "name": "d", "version": "4", "license": "GPL-3.0"},
                {"id": "a", "name": "a", "version": "1", "license": "MIT"},
                {"id": "c", "name": "c", "version": "3", "license": null},
                {"id": "b", "name": "b", "version": "2", "license": "MIT"}],
            "workspace_members": ["a"],
            "resolve": {"nodes": [
                {"id": "a", "deps": [
                    {"pkg": "b", "dep_kinds": [{"kind": "dev"}, {"kind": null}]},
                    {"pkg": "d", "dep_kinds": [{"kind": "dev"}]}]},
                {"id": "b", "deps": [{"pkg": "c", "dep_kinds": [{"kind": "build"}]},
                    {"pkg": "a", "dep_kinds": [{"kind": null}]}]},
                {"id": "c", "deps": []}, {"id": "d", "deps": []}]}}"#;
        let names: Vec<_> = built_packages(json).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(names, ["a 1", "b 2", "c 3"]);
    }
}
