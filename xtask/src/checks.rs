//! The checks of the repository. A new check is a new file in this folder and a line in [`CHECKS`].

mod dead_links;
mod documented;
mod layers;
mod module_docs;
mod private_words;
mod registered;
mod sizes;
mod smells;
mod versions;

use crate::{Complaint, Repository};

/// A rule of the repository and the function that finds violations of it.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    pub name: &'static str,
    /// The rule.
    pub promise: &'static str,
    /// Finds violations.
    pub complaints: fn(&Repository) -> Vec<Complaint>,
}

/// All checks, in the order of the report.
pub const CHECKS: &[Check] = &[
    layers::CHECK,
    registered::CHECK,
    module_docs::CHECK,
    documented::CHECK,
    sizes::CHECK,
    smells::CHECK,
    versions::CHECK,
    dead_links::CHECK,
    private_words::CHECK,
];

/// The complaints of all checks, each with the name of its check.
#[must_use]
pub fn complaints(repository: &Repository) -> Vec<String> {
    let named_complaints = |check: &Check| {
        let found = (check.complaints)(repository);
        found.into_iter().map(|complaint| format!("{}: {complaint}", check.name)).collect::<Vec<_>>()
    };
    CHECKS.iter().flat_map(named_complaints).collect()
}

#[cfg(test)]
mod tests {
    use super::{CHECKS, complaints};
    use crate::{Complaint, Repository};
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let names: BTreeSet<_> = CHECKS.iter().map(|check| check.name).collect();
        assert_eq!(names.len(), CHECKS.len());
    }

    #[test]
    fn complaints_carry_the_name_of_their_check() {
        let repository = Repository::from_files(&[("crates/lotse/src/a.rs", "fn undocumented() {}")]);
        let found = complaints(&repository);
        assert!(found.iter().any(|line| line.starts_with("module docs: crates/lotse/src/a.rs")), "{found:?}");
    }

    /// Compares complaints, as lines of text.
    #[track_caller]
    pub(super) fn assert_complaints(complaints: &[Complaint], expected: &[&str]) {
        let lines: Vec<_> = complaints.iter().map(ToString::to_string).collect();
        assert_eq!(lines, expected);
    }
}
