//! Relative links, anchors and paths of the repository in documents must refer to something that exists.

use super::Check;
use crate::markdown::{MarkdownDocument, Mention};
use crate::{Complaint, Repository};

pub(super) const CHECK: Check =
    Check { name: "dead links", promise: "documents point only at what exists", complaints };

/// Documents in the root folder.
const DOCUMENTS: &[&str] = &["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];
/// Folders whose Markdown files are all documents.
const DOCUMENT_FOLDERS: &[&str] = &["docs/", "benchmarks/", "examples/"];

/// A code span with one of these prefixes is a path of the repository.
const PATH_STARTS: &[&str] =
    &["crates/", "runtime/", "xtask/", "benchmarks/", "docs/", "examples/", "fixtures/", "fuzz/"];

fn complaints(repository: &Repository) -> Vec<Complaint> {
    let documents = repository.texts().filter(|(path, _)| is_document(path));
    documents
        .flat_map(|(path, text)| dead_mentions(repository, path, &MarkdownDocument::parse(text)))
        .collect()
}

fn is_document(path: &str) -> bool {
    let in_folder = DOCUMENT_FOLDERS.iter().any(|folder| path.starts_with(folder));
    DOCUMENTS.contains(&path) || (in_folder && path.ends_with(".md"))
}

/// The dead links and paths of one document.
fn dead_mentions(repository: &Repository, path: &str, document: &MarkdownDocument) -> Vec<Complaint> {
    let complain = |mention: &Mention, problem: String| Complaint::at(path, mention.line, problem);
    let links = document.links.iter().filter(|link| !is_remote(&link.text));
    let dead = links.filter_map(|link| Some(complain(link, dead(repository, path, document, &link.text)?)));
    let paths = document.code_spans.iter().filter_map(|span| {
        let named = repository_path(&span.text).filter(|named| !repository.has(named))?;
        Some(complain(span, format!("there is no `{named}`")))
    });
    dead.chain(paths).collect()
}

fn is_remote(target: &str) -> bool {
    target.contains("://") || target.starts_with("mailto:")
}

/// The problem of a link, if there is one.
fn dead(repository: &Repository, path: &str, document: &MarkdownDocument, link: &str) -> Option<String> {
    let (target, anchor) =
        link.split_once('#').map_or((link, None), |(target, anchor)| (target, Some(anchor)));
    if target.is_empty() {
        return anchor.and_then(|anchor| without_anchor(document, anchor, "here"));
    }
    let Some(target) = resolved(path, target).filter(|target| repository.has(target)) else {
        return Some(format!("the link {link} leads nowhere"));
    };
    let text = repository.files.get(&target).and_then(Option::as_deref)?;
    let anchor = anchor.filter(|_| target.ends_with(".md"))?;
    without_anchor(&MarkdownDocument::parse(text), anchor, &target)
}

fn without_anchor(document: &MarkdownDocument, anchor: &str, place: &str) -> Option<String> {
    (!document.anchors.contains(anchor)).then(|| format!("no heading makes the anchor #{anchor} ({place})"))
}

/// The target path of a link in `document`; `None` if it is outside of the repository.
fn resolved(document: &str, target: &str) -> Option<String> {
    let target = target.replace("%20", " ");
    let mut parts: Vec<&str> = document.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            // The target of an absolute link depends on the site that shows the document.
            "" => return None,
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The path in a code span, without a line number; `None` if the span is no path or a pattern.
fn repository_path(span: &str) -> Option<&str> {
    let is_pattern = span.contains(|c: char| c.is_whitespace() || "*<>{}$…?|".contains(c));
    let is_path = PATH_STARTS.iter().any(|start| span.starts_with(start));
    let named = span.split(':').next()?;
    (is_path && !is_pattern).then_some(named)
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::complaints;
    use crate::Repository;

    fn check(readme: &str, expected: &[&str]) {
        let repository = Repository::from_files(&[
            ("README.md", readme),
            ("docs/a.md", "# The title\n[up](../README.md)\n"),
            ("docs/b c.svg", ""),
            ("crates/a/src/lib.rs", "//! A.\n"),
        ]);
        assert_complaints(&complaints(&repository), expected);
    }

    #[test]
    fn living_links() {
        check(
            "# Here\n[a](docs/a.md) [b](docs/a.md#the-title) [c](#here) [d](docs) [e](<docs/b c.svg>)\n[f](https://example.org/x)",
            &[],
        );
        check("`crates/a/src/lib.rs:3` `crates/a/` `crates/*/src` `crates/NAME x` `cargo`", &[]);
    }

    #[test]
    fn dead_links() {
        check("x\n[a](docs/z.md)", &["README.md:2: the link docs/z.md leads nowhere"]);
        check("[a](../out.md)", &["README.md:1: the link ../out.md leads nowhere"]);
        check("[a](/docs/a.md)", &["README.md:1: the link /docs/a.md leads nowhere"]);
        check("[a](#gone)", &["README.md:1: no heading makes the anchor #gone (here)"]);
        check("[a](docs/a.md#gone)", &["README.md:1: no heading makes the anchor #gone (docs/a.md)"]);
        check("`crates/b/src/lib.rs`", &["README.md:1: there is no `crates/b/src/lib.rs`"]);
    }

    #[test]
    fn only_documents_are_read() {
        assert_complaints(
            &complaints(&Repository::from_files(&[("fixtures/a.md", "[a](b)"), ("docs/a.txt", "[a](b)")])),
            &[],
        );
    }
}
