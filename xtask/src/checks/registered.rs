//! A file of a folder of extensions must be mentioned in the list of that folder, else nobody would ever run it.

use super::Check;
use crate::source::occurrences;
use crate::{Complaint, Repository};

pub(super) const CHECK: Check =
    Check { name: "registered lists", promise: "every extension file is in its list", complaints };

/// A folder of extensions and the file with their list.
struct Extensions {
    folder: &'static str,
    list: &'static str,
    /// How the list names a file, with `{}` for the file's name without its ending.
    entry: &'static str,
}

/// All such folders: one line for a new one.
const FOLDERS: &[Extensions] = &[
    Extensions { folder: "xtask/src/checks", list: "xtask/src/checks.rs", entry: "{}::CHECK" },
    Extensions { folder: "xtask/src/commands", list: "xtask/src/commands.rs", entry: "{}::COMMAND" },
];

fn complaints(repository: &Repository) -> Vec<Complaint> {
    FOLDERS.iter().flat_map(|extensions| unregistered(repository, extensions)).collect()
}

fn unregistered(repository: &Repository, extensions: &Extensions) -> Vec<Complaint> {
    let names: Vec<_> = names(repository, extensions.folder).collect();
    let Some(list) = repository.source(extensions.list) else {
        return vec![Complaint::about(extensions.list, "this list is gone: see FOLDERS of the check")];
    };
    if names.is_empty() {
        return vec![Complaint::about(extensions.folder, "no extension here: see FOLDERS of the check")];
    }
    let entry = |name: &str| extensions.entry.replace("{}", name);
    let is_missing = |name: &&str| occurrences(&list.production, &entry(name)).is_empty();
    let complaint = |name| {
        let place = format!("{}/{name}.rs", extensions.folder);
        Complaint::about(place, format!("{} does not mention {}", extensions.list, entry(name)))
    };
    names.into_iter().filter(is_missing).map(complaint).collect()
}

/// The files of the folder itself, without those of its folders and without test code.
fn names<'a>(repository: &'a Repository, folder: &str) -> impl Iterator<Item = &'a str> {
    let start = folder.len() + 1;
    let stems = repository.under(folder).filter_map(move |path| path[start..].strip_suffix(".rs"));
    stems.filter(|stem| !stem.contains('/') && *stem != "tests")
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_says;
    use super::{Extensions, unregistered};
    use crate::{Complaint, Repository};

    fn check(files: &[(&str, &str)]) -> Vec<Complaint> {
        let extensions = Extensions { folder: "crates/a", list: "crates/a.rs", entry: "{}::READER" };
        unregistered(&Repository::of(files), &extensions)
    }

    #[test]
    fn a_file_in_the_list_is_fine() {
        let list = "mod csv; const ALL: &[Reader] = &[csv::READER];";
        assert_says(
            &check(&[("crates/a.rs", list), ("crates/a/csv.rs", ""), ("crates/a/csv/part.rs", "")]),
            &[],
        );
    }

    #[test]
    fn a_file_outside_the_list_is_named() {
        let list = "mod csv; mod json; // csv::READER\nconst ALL: &[Reader] = &[json::READER];";
        let said = check(&[("crates/a.rs", list), ("crates/a/csv.rs", ""), ("crates/a/json.rs", "")]);
        assert_says(&said, &["crates/a/csv.rs: crates/a.rs does not mention csv::READER"]);
    }

    #[test]
    fn a_row_about_nothing_is_a_complaint() {
        assert_says(&check(&[]), &["crates/a.rs: this list is gone: see FOLDERS of the check"]);
        let said = check(&[("crates/a.rs", "")]);
        assert_says(&said, &["crates/a: no extension here: see FOLDERS of the check"]);
    }
}
