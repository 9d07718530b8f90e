//! Public items of libraries say what they are, and long functions how they work.
//!
//! The compiler's own lint asks the same of every field, which only gives sentences that repeat the field's name.

use super::Check;
use crate::source::{Function, RustSource};
use crate::{Complaint, Repository};

pub(super) const CHECK: Check = Check {
    name: "documented",
    promise: "public items of libraries have a doc comment, functions of 20 lines and more some comment",
    complaints,
};

/// A function of so many lines is not understood at a glance.
const LONG: usize = 20;

/// How a public item begins.
const ITEMS: [&str; 8] = ["fn", "struct", "enum", "union", "trait", "type", "const", "static"];

fn complaints(repository: &Repository) -> Vec<Complaint> {
    let ours = repository.sources.iter().filter(|source| is_product(&source.path));
    ours.flat_map(|source| [items(source), long_functions(source)].concat()).collect()
}

/// Sources of the product: not tests, chores or benchmarks.
fn is_product(path: &str) -> bool {
    (path.starts_with("crates/") || path.starts_with("runtime/")) && path.contains("/src/")
}

/// Public items without a doc comment.
fn items(source: &RustSource) -> Vec<Complaint> {
    let lines: Vec<&str> = source.text.lines().collect();
    let code = source.production.lines().enumerate();
    let bare = code.filter(|(at, line)| is_public_item(line) && !has_doc(&lines[..*at]));
    bare.map(|(at, _)| Complaint::at(&source.path, at + 1, "say with /// what this is")).collect()
}

/// Items that a macro declares (`pub struct $name`) get their doc comment where the macro is used.
fn is_public_item(line: &str) -> bool {
    if line.contains('$') {
        return false;
    }
    let Some(rest) = line.trim_start().strip_prefix("pub ") else { return false };
    let words = rest.split([' ', '<', '(', ':']);
    words.take_while(|word| *word != "=").take(3).any(|word| ITEMS.contains(&word))
}

/// Whether the lines just above an item, its attributes apart, have a doc comment.
fn has_doc(above: &[&str]) -> bool {
    let ends_something = |line: &str| line.is_empty() || line.ends_with([';', '{', '}']);
    let near = above.iter().rev().map(|line| line.trim());
    near.take_while(|line| line.starts_with("///") || !ends_something(line))
        .any(|line| line.starts_with("///"))
}

/// Long functions with neither a doc comment nor a comment in them.
fn long_functions(source: &RustSource) -> Vec<Complaint> {
    let lines: Vec<&str> = source.text.lines().collect();
    let comments: Vec<&str> = source.comments.lines().collect();
    let is_bare = |function: &&Function| {
        let start = function.line - 1;
        let body = start..(start + function.length).min(comments.len());
        let has_comment = comments[body].iter().any(|line| !line.trim().is_empty());
        function.length >= LONG && !has_comment && !has_doc(&lines[..start])
    };
    let complaint = |function: &Function| {
        let Function { name, line, length } = function;
        let message = format!("fn {name} has {length} lines: say with /// how it works");
        Complaint::at(&source.path, *line, message)
    };
    source.functions.iter().filter(is_bare).map(complaint).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::complaints;
    use crate::Repository;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_complaints(&complaints(&Repository::from_files(&[(path, text)])), expected);
    }

    #[test]
    fn public_items_without_a_sentence_are_named() {
        let text = "//! X.\npub struct A {\n    pub field: u8,\n}\n\n/// B.\n#[derive(Debug)]\npub enum B {}\npub(crate) fn c() {}\n\
                    impl A {\n    pub const fn d() {}\n}\npub use e::f;\n";
        let expected = [
            "crates/a/src/lib.rs:2: say with /// what this is",
            "crates/a/src/lib.rs:11: say with /// what this is",
        ];
        check("crates/a/src/lib.rs", text, &expected);
        check("xtask/src/lib.rs", text, &[]);
    }

    #[test]
    fn attributes_of_several_lines_are_passed_over() {
        check(
            "crates/a/src/b.rs",
            "//! X.\n/// A.\n#[expect(\n    dead_code,\n    reason = \"x\"\n)]\npub fn a() {}\n",
            &[],
        );
    }

    #[test]
    fn long_functions_have_some_comment() {
        let body = "    step();\n".repeat(18);
        let bare = format!("//! X.\nfn a() {{\n{body}}}\n");
        let expected = ["crates/a/src/b.rs:2: fn a has 20 lines: say with /// how it works"];
        check("crates/a/src/b.rs", &bare, &expected);
        check("crates/a/src/b.rs", &bare.replace("fn a", "/// How.\nfn a"), &[]);
        check("crates/a/src/b.rs", &bare.replacen("    step();", "    // Why.\n    step();", 1), &[]);
        check("crates/a/src/b.rs", &bare.replacen("    step();\n", "", 1), &[]);
    }
}
