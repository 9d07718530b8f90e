//! The test code of a file: all of a test file, and items under `#[cfg(test)]`.

use std::ops::Range;

use super::closing;

/// The byte ranges of test code, in order and disjoint.
pub(super) fn ranges(path: &str, code: &str) -> Vec<Range<usize>> {
    if is_test_file(path) || code.contains("#![cfg(test)]") {
        return std::iter::once(0..code.len()).collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = code[at..].find("#[cfg(") {
        let start = at + offset;
        let attribute_end = closing(code, start + 1);
        let is_test = asks_for_test(&code[start..attribute_end]);
        at = if is_test { item_end(code, attribute_end) } else { attribute_end };
        if is_test {
            found.push(start..at);
        }
    }
    found
}

fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.contains("/test-support/") || path.ends_with("/tests.rs")
}

/// Whether a `cfg` attribute requires `test`; `not(test)` does not.
fn asks_for_test(attribute: &str) -> bool {
    let words = attribute.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.clone().any(|word| word == "test") && !words.into_iter().any(|word| word == "not")
}

/// The end of the item that follows an attribute: the end of its first braces, or a semicolon before them.
fn item_end(code: &str, from: usize) -> usize {
    let mut at = from;
    while let Some(offset) = code[at..].find(['(', '[', '{', ';']) {
        at += offset;
        match code.as_bytes()[at] {
            b';' => return at + 1,
            b'{' => return closing(code, at),
            _ => at = closing(code, at),
        }
    }
    code.len()
}

#[cfg(test)]
mod tests {
    use super::ranges;

    #[track_caller]
    fn check(code: &str, expected: &[&str]) {
        let found: Vec<_> = ranges("crates/a/src/b.rs", code).into_iter().map(|range| &code[range]).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn modules_functions_and_declarations() {
        check(
            "fn a() {}\n#[cfg(test)]\nmod t { fn b() {} }\nfn c() {}",
            &["#[cfg(test)]\nmod t { fn b() {} }"],
        );
        check("#[cfg(test)] mod tests; fn c() {}", &["#[cfg(test)] mod tests;"]);
        check(
            "#[cfg(all(test, unix))] #[x(y)] fn a(b: [u8; 2]) { }",
            &["#[cfg(all(test, unix))] #[x(y)] fn a(b: [u8; 2]) { }"],
        );
    }

    #[test]
    fn other_conditions_are_production() {
        check("#[cfg(unix)] fn a() {} #[cfg(not(test))] fn b() {} #[cfg(feature = \"\")] mod c {}", &[]);
    }

    #[test]
    fn whole_files() {
        for (path, code) in [
            ("crates/a/tests/b.rs", "fn"),
            ("crates/a/src/b/tests.rs", "fn"),
            ("xtask/b.rs", "#![cfg(test)]"),
        ] {
            assert_eq!(ranges(path, code).first(), Some(&(0..code.len())), "{path}");
        }
    }
}
