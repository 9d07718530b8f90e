//! Every Rust file starts with a module comment.

use super::Check;
use crate::source::RustSource;
use crate::{Complaint, Repository};

pub(super) const CHECK: Check =
    Check { name: "module docs", promise: "every Rust file begins with //! and a sentence", complaints };

fn complaints(repository: &Repository) -> Vec<Complaint> {
    let complaint =
        |source: &RustSource| Complaint::at(&source.path, 1, "say with //! what this file promises");
    repository.sources.iter().filter(|source| !has_module_comment(&source.text)).map(complaint).collect()
}

fn has_module_comment(text: &str) -> bool {
    text.strip_prefix("//!").and_then(|rest| rest.lines().next()).is_some_and(|line| !line.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::complaints;
    use crate::Repository;

    #[test]
    fn files_without_a_sentence_are_named() {
        let repository = Repository::from_files(&[
            ("crates/a.rs", "//! Good.\n"),
            ("crates/b.rs", "fn b() {}\n"),
            ("crates/c.rs", "//!\nfn c() {}\n"),
            ("crates/d.rs", ""),
        ]);
        let found = complaints(&repository);
        let lines = ["crates/b.rs:1", "crates/c.rs:1", "crates/d.rs:1"]
            .map(|place| format!("{place}: say with //! what this file promises"));
        assert_complaints(&found, &lines.each_ref().map(String::as_str));
    }
}
