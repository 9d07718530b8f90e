//! What the repository promises about itself. A new check is one file beside the others and one line in [`CHECKS`].

mod dead_links;
mod layers;
mod module_docs;
mod private_words;
mod registered;
mod sizes;
mod smells;
mod versions;

use crate::{Complaint, Repository};

/// One promise and the function that looks for breaches of it.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    pub name: &'static str,
    /// What must hold.
    pub promise: &'static str,
    /// Finds what breaks the promise.
    pub complaints: fn(&Repository) -> Vec<Complaint>,
}

/// All checks, in the order of the report.
pub const CHECKS: &[Check] = &[
    layers::CHECK,
    registered::CHECK,
    module_docs::CHECK,
    sizes::CHECK,
    smells::CHECK,
    versions::CHECK,
    dead_links::CHECK,
    private_words::CHECK,
];

/// What all checks have to say, each complaint with its check's name in front.
#[must_use]
pub fn complaints(repository: &Repository) -> Vec<String> {
    let of = |check: &Check| {
        let found = (check.complaints)(repository);
        found.into_iter().map(|complaint| format!("{}: {complaint}", check.name)).collect::<Vec<_>>()
    };
    CHECKS.iter().flat_map(of).collect()
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
        let said = complaints(&repository);
        assert!(said.iter().any(|line| line.starts_with("module docs: crates/lotse/src/a.rs")), "{said:?}");
    }

    /// What the tests of a check compare: the complaints as lines.
    #[track_caller]
    pub(super) fn assert_says(complaints: &[Complaint], expected: &[&str]) {
        let lines: Vec<_> = complaints.iter().map(ToString::to_string).collect();
        assert_eq!(lines, expected);
    }
}
