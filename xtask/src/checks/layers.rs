//! Dependencies between crates must point to a lower layer, and never from one engine to another.
//!
//! `LAYERS` assigns each crate to a layer; `may_use` states which layer may use which. Dev-dependencies are not checked.

use super::Check;
use crate::workspace::Crate;
use crate::{Complaint, Repository};

pub(super) const CHECK: Check = Check {
    name: "layers",
    promise: "dependencies between our crates point down, as ARCHITECTURE.md draws them",
    complaints,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layer {
    /// Code that runs beside or inside the user's program.
    Target,
    Base,
    Services,
    Engines,
    Edges,
    /// Development tools, benchmarks, examples: no crate may depend on them.
    Dev,
}

/// The layer of each crate, including planned ones.
const LAYERS: &[(Layer, &[&str])] = &[
    (Layer::Target, &["lotse-wire", "lotse-launch", "lotse-heap", "lotse-spy-rt"]),
    (Layer::Base, &["lotse-model", "lotse-stats", "lotse-report"]),
    (Layer::Services, &["lotse-formats", "lotse-symbols", "lotse-host", "lotse-store"]),
    (Layer::Engines, &["lotse-bench", "lotse-profile", "lotse-trace", "lotse-spy", "lotse-predict"]),
    (Layer::Edges, &["lotse", "lotse-serve"]),
    (Layer::Dev, &["xtask", "benchmarks", "test-support", "two-sorts", "lotse-fuzz"]),
];

/// Allowed dependencies within a layer.
const SIDEWAYS: &[(&str, &str)] = &[
    ("lotse-report", "lotse-model"),
    ("lotse-spy-rt", "lotse-wire"),
    // `lotse open` starts the server.
    ("lotse", "lotse-serve"),
];

/// The only engine that may access the history.
const ENGINE_WITH_STORE: &str = "lotse-bench";

fn complaints(repository: &Repository) -> Vec<Complaint> {
    let crates = &repository.crates;
    crates.iter().flat_map(|member| forbidden_dependencies(member, crates)).collect()
}

/// The dependencies of a crate that its layer does not allow.
fn forbidden_dependencies(member: &Crate, crates: &[Crate]) -> Vec<Complaint> {
    let Some(from) = layer(&member.name) else {
        let message = format!("stands in no layer: add it to LAYERS in {}", file!());
        return vec![Complaint::about(&member.name, message)];
    };
    let is_ours = |name: &str| crates.iter().any(|other| other.name == name);
    let used = member.dependencies.iter().filter(|used| !used.only_for_tests && is_ours(&used.name));
    used.filter_map(|used| {
        let to = layer(&used.name)?;
        let forbidden = !may_use((&member.name, from), (&used.name, to));
        forbidden
            .then(|| Complaint::about(&member.name, format!("{from:?} may not use {} ({to:?})", used.name)))
    })
    .collect()
}

fn layer(name: &str) -> Option<Layer> {
    LAYERS.iter().find(|(_, names)| names.contains(&name)).map(|(layer, _)| *layer)
}

fn may_use((user, from): (&str, Layer), (used, to): (&str, Layer)) -> bool {
    use Layer::{Base, Dev, Edges, Engines, Services, Target};
    match (from, to) {
        (Dev, _) => true,
        (Engines, Services) => used != "lotse-store" || user == ENGINE_WITH_STORE,
        (Services, Base | Target) | (Engines, Base | Target) => true,
        (Edges, Base | Services | Engines | Target) => true,
        _ => SIDEWAYS.contains(&(user, used)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::{LAYERS, complaints};
    use crate::Repository;
    use crate::workspace::{Crate, Dependency};

    fn member(name: &str, used: Option<(&str, bool)>) -> Crate {
        let dependency =
            |(name, only_for_tests): (&str, bool)| Dependency { name: name.to_owned(), only_for_tests };
        Crate {
            name: name.to_owned(),
            folder: name.to_owned(),
            dependencies: used.map(dependency).into_iter().collect(),
        }
    }

    fn allows(user: &str, used: &str) -> bool {
        let crates = vec![member(user, Some((used, false))), member(used, None)];
        complaints(&Repository::with_crates(&[], crates)).is_empty()
    }

    #[test]
    fn arrows_down_are_fine() {
        for (user, used) in [
            ("lotse", "lotse-bench"),
            ("lotse", "lotse-serve"),
            ("lotse-bench", "lotse-store"),
            ("lotse-bench", "lotse-formats"),
            ("lotse-host", "lotse-launch"),
            ("lotse-report", "lotse-model"),
            ("benchmarks", "lotse-stats"),
        ] {
            assert!(allows(user, used), "{user} -> {used}");
        }
    }

    #[test]
    fn other_arrows_are_not() {
        for (user, used) in [
            ("lotse-bench", "lotse-profile"),
            ("lotse-model", "lotse-host"),
            ("lotse-formats", "lotse-host"),
            ("lotse-stats", "lotse-model"),
            ("lotse-model", "lotse-report"),
            ("lotse-profile", "lotse-store"),
            ("lotse-launch", "lotse-model"),
            ("lotse-bench", "lotse"),
            ("lotse-serve", "lotse"),
            ("lotse-bench", "test-support"),
        ] {
            assert!(!allows(user, used), "{user} -> {used}");
        }
    }

    #[test]
    fn tests_may_use_what_they_like() {
        let crates = vec![member("lotse-stats", Some(("xtask", true))), member("xtask", None)];
        assert_complaints(&complaints(&Repository::with_crates(&[], crates)), &[]);
    }

    #[test]
    fn an_unknown_crate_and_a_wrong_arrow_are_named() {
        let crates = vec![member("new-crate", None), member("lotse-stats", Some(("lotse-model", false)))];
        let crates = [crates, vec![member("lotse-model", None)]].concat();
        let found = complaints(&Repository::with_crates(&[], crates));
        assert_complaints(
            &found,
            &[
                "new-crate: stands in no layer: add it to LAYERS in xtask/src/checks/layers.rs",
                "lotse-stats: Base may not use lotse-model (Base)",
            ],
        );
    }

    #[test]
    fn a_crate_stands_in_one_layer() {
        let mut names: Vec<_> = LAYERS.iter().flat_map(|(_, names)| names.iter()).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
