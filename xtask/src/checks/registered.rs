//! Every file of an extension folder (rules, formats, checks) must be registered in the list of that folder.

use super::Check;
use crate::source::occurrences;
use crate::{Complaint, Repository};

pub(super) const CHECK: Check =
    Check { name: "registered lists", promise: "every extension file is in its list", complaints };

/// A folder of extensions and the file with their list.
struct Extensions {
    folder: &'static str,
    list: &'static str,
    /// The entry of a file in the list, with `{}` for the file name without `.rs`.
    entry: &'static str,
    /// Files of the folder that are not extensions.
    parts: &'static [&'static str],
}

impl Extensions {
    const fn new(folder: &'static str, list: &'static str, entry: &'static str) -> Self {
        Self { folder, list, entry, parts: &[] }
    }

    const fn besides(self, parts: &'static [&'static str]) -> Self {
        Self { parts, ..self }
    }
}

/// All extension folders.
const FOLDERS: &[Extensions] = &[
    Extensions::new("crates/lotse-bench/src/rules", "crates/lotse-bench/src/rules.rs", "{}::RULE")
        .besides(&["fixture"]),
    Extensions::new("crates/lotse-bench/src/runner", "crates/lotse-bench/src/runner.rs", "{}::KIND"),
    // The CSV format of hyperfine is only written, not recognised.
    Extensions::new("crates/lotse-formats/src/bench", "crates/lotse-formats/src/recognise.rs", "{}::FORMAT")
        .besides(&["codespeed", "hyperfine_csv", "summary", "temci_keys", "temci_names", "temci_settings"]),
    Extensions::new(
        "crates/lotse-formats/src/profile",
        "crates/lotse-formats/src/recognise.rs",
        "{}::FORMAT",
    ),
    Extensions::new("crates/lotse-predict/src/rules", "crates/lotse-predict/src/rules.rs", "{}::RULE")
        .besides(&["fixture"]),
    Extensions::new(
        "crates/lotse-predict/src/fit/rules",
        "crates/lotse-predict/src/fit/rules.rs",
        "{}::RULE",
    ),
    Extensions::new("crates/lotse-profile/src/rules", "crates/lotse-profile/src/rules.rs", "{}::RULE")
        .besides(&["fixture"]),
    Extensions::new("crates/lotse-spy/src/rules", "crates/lotse-spy/src/rules.rs", "{}::RULE")
        .besides(&["fixture"]),
    Extensions::new("crates/lotse-trace/src/patterns", "crates/lotse-trace/src/patterns.rs", "{}::PATTERN"),
    // The patterns find waits; `waits` converts them to findings.
    Extensions::new("crates/lotse-trace/src/rules", "crates/lotse-trace/src/rules.rs", "{}::RULE")
        .besides(&["waits"]),
    Extensions::new("crates/lotse-formats/src/write", "crates/lotse-formats/src/write.rs", "{}::WRITER"),
    Extensions::new("crates/lotse-report/src/format", "crates/lotse-report/src/format.rs", "{}::render"),
    Extensions::new(
        "crates/lotse-host/src/quiet/actions",
        "crates/lotse-host/src/quiet/actions.rs",
        "{}::ACTION",
    ),
    Extensions::new("xtask/src/checks", "xtask/src/checks.rs", "{}::CHECK"),
    Extensions::new("xtask/src/commands", "xtask/src/commands.rs", "{}::COMMAND"),
];

fn complaints(repository: &Repository) -> Vec<Complaint> {
    FOLDERS.iter().flat_map(|extensions| unregistered(repository, extensions)).collect()
}

/// Files that the list does not mention, and exceptions that are not needed.
fn unregistered(repository: &Repository, extensions: &Extensions) -> Vec<Complaint> {
    let names: Vec<_> = names(repository, extensions.folder).collect();
    let Some(list) = repository.source(extensions.list) else {
        return vec![Complaint::about(extensions.list, "this list is gone: see FOLDERS of the check")];
    };
    if names.is_empty() {
        return vec![Complaint::about(extensions.folder, "no extension here: see FOLDERS of the check")];
    }
    let is_listed = |name: &str| !occurrences(&list.production, &entry(extensions, name)).is_empty();
    let is_part = |name: &str| extensions.parts.contains(&name);
    let missing = names.iter().filter(|name| !is_listed(name) && !is_part(name));
    let false_parts = extensions.parts.iter().filter(|part| !names.contains(part) || is_listed(part));
    let complain =
        |name: &str, problem: String| Complaint::about(format!("{}/{name}.rs", extensions.folder), problem);
    let unlisted = |name: &&str| {
        complain(
            name,
            format!("is not mentioned: {} should list {}", extensions.list, entry(extensions, name)),
        )
    };
    let misnamed = |part: &&str| {
        complain(part, format!("is called a part, but is listed in {} or gone", extensions.list))
    };
    missing.map(unlisted).chain(false_parts.map(misnamed)).collect()
}

fn entry(extensions: &Extensions, name: &str) -> String {
    extensions.entry.replace("{}", name)
}

/// The names of the files directly in the folder, without test code.
fn names<'a>(repository: &'a Repository, folder: &str) -> impl Iterator<Item = &'a str> {
    let start = folder.len() + 1;
    let stems = repository.under(folder).filter_map(move |path| path[start..].strip_suffix(".rs"));
    stems.filter(|stem| !stem.contains('/') && *stem != "tests")
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::{Extensions, unregistered};
    use crate::{Complaint, Repository};

    fn check(parts: &'static [&'static str], files: &[(&str, &str)]) -> Vec<Complaint> {
        let extensions = Extensions::new("crates/a", "crates/a.rs", "{}::READER").besides(parts);
        unregistered(&Repository::from_files(files), &extensions)
    }

    #[test]
    fn a_file_in_the_list_is_fine() {
        let list = "mod csv; const ALL: &[Reader] = &[csv::READER];";
        let files = [("crates/a.rs", list), ("crates/a/csv.rs", ""), ("crates/a/csv/part.rs", "")];
        assert_complaints(&check(&[], &files), &[]);
    }

    #[test]
    fn a_file_outside_the_list_is_named() {
        let list = "mod csv; mod json; // csv::READER\nconst ALL: &[Reader] = &[json::READER];";
        let files = [("crates/a.rs", list), ("crates/a/csv.rs", ""), ("crates/a/json.rs", "")];
        assert_complaints(
            &check(&[], &files),
            &["crates/a/csv.rs: is not mentioned: crates/a.rs should list csv::READER"],
        );
        assert_complaints(&check(&["csv"], &files), &[]);
    }

    #[test]
    fn parts_exist_and_are_not_listed() {
        let files = [("crates/a.rs", "[csv::READER]"), ("crates/a/csv.rs", "")];
        assert_complaints(
            &check(&["csv", "gone"], &files),
            &[
                "crates/a/csv.rs: is called a part, but is listed in crates/a.rs or gone",
                "crates/a/gone.rs: is called a part, but is listed in crates/a.rs or gone",
            ],
        );
    }

    #[test]
    fn a_row_about_nothing_is_a_complaint() {
        assert_complaints(&check(&[], &[]), &["crates/a.rs: this list is gone: see FOLDERS of the check"]);
        let found = check(&[], &[("crates/a.rs", "")]);
        assert_complaints(&found, &["crates/a: no extension here: see FOLDERS of the check"]);
    }
}
