//! Limits for the length of files and functions, and for the amount of test code.

use super::Check;
use crate::source::{Function, RustSource};
use crate::{CodeMeasure, Complaint, Repository};

pub(super) const CHECK: Check =
    Check { name: "sizes", promise: "files and functions are within their budgets", complaints };

/// The largest number of lines of a file and of a function, and the exceptions.
struct Limits {
    file: usize,
    function: usize,
    exceptions: &'static [Exception],
}

/// A file, or a function as `path::name`, that may exceed the limit.
struct Exception {
    place: &'static str,
    reason: &'static str,
}

const LIMITS: Limits = Limits { file: 400, function: 60, exceptions: &[] };

/// Limits for the whole code base.
const MEDIAN_FILE: usize = 200;
const P90_FUNCTION: usize = 40;
const TESTS_PER_LINE: f64 = 0.5;

fn complaints(repository: &Repository) -> Vec<Complaint> {
    [size_complaints(repository, &LIMITS), total_complaints(&CodeMeasure::new(repository))].concat()
}

/// Files and functions over their limits, and exceptions that are not needed.
fn size_complaints(repository: &Repository, limits: &Limits) -> Vec<Complaint> {
    let long: Vec<_> = repository.sources.iter().flat_map(|source| too_long(source, limits)).collect();
    let is_excepted = |place: &str| limits.exceptions.iter().any(|exception| exception.place == place);
    let is_needed = |exception: &&Exception| long.iter().any(|(place, _)| place == exception.place);
    let unneeded = limits.exceptions.iter().filter(|exception| !is_needed(exception)).map(|exception| {
        Complaint::about(exception.place, format!("exception no longer needed ({})", exception.reason))
    });
    let over = long.iter().filter(|(place, _)| !is_excepted(place)).map(|(_, complaint)| complaint.clone());
    over.chain(unneeded).collect()
}

/// The file and the functions over their limits, each with the name that an exception would use.
fn too_long(source: &RustSource, limits: &Limits) -> Vec<(String, Complaint)> {
    let lines = source.production_lines;
    let file = (lines > limits.file).then(|| {
        let message = format!("{lines} lines without tests, at most {}", limits.file);
        (source.path.clone(), Complaint::about(&source.path, message))
    });
    let functions = source.functions.iter().filter(|function| function.length > limits.function);
    let complaint = |function: &Function| {
        let Function { name, line, length } = function;
        let message = format!("fn {name} has {length} lines, at most {}", limits.function);
        (format!("{}::{name}", source.path), Complaint::at(&source.path, *line, message))
    };
    file.into_iter().chain(functions.map(complaint)).collect()
}

/// Violations of the limits for the whole code base.
fn total_complaints(measure: &CodeMeasure) -> Vec<Complaint> {
    let mut found = Vec::new();
    let mut complain = |message: String| found.push(Complaint::about("the whole", message));
    if measure.files.median > MEDIAN_FILE {
        complain(format!("the median file has {} lines, at most {MEDIAN_FILE}", measure.files.median));
    }
    if measure.functions.p90 > P90_FUNCTION {
        complain(format!(
            "one function in ten is over {} lines, at most {P90_FUNCTION}",
            measure.functions.p90
        ));
    }
    if let Some(ratio) = measure.tests_per_line().filter(|ratio| *ratio < TESTS_PER_LINE) {
        complain(format!("{ratio:.2} lines of test code for each line of code, at least {TESTS_PER_LINE}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::assert_complaints;
    use super::{Exception, Limits, size_complaints, total_complaints};
    use crate::{CodeMeasure, Quantiles, Repository};

    const LONG: &str = "//! Doc.\n\nfn a() {\n    1;\n    2;\n}\n\n#[cfg(test)]\nmod tests {\n}\n";

    fn check(exceptions: &'static [Exception], expected: &[&str]) {
        let repository =
            Repository::from_files(&[("crates/a.rs", LONG), ("crates/b.rs", "//! Short.\nfn b() {}\n")]);
        assert_complaints(
            &size_complaints(&repository, &Limits { file: 6, function: 3, exceptions }),
            expected,
        );
    }

    #[test]
    fn long_files_and_functions_are_named() {
        check(
            &[],
            &["crates/a.rs: 7 lines without tests, at most 6", "crates/a.rs:3: fn a has 4 lines, at most 3"],
        );
    }

    #[test]
    fn exceptions_hold_and_must_be_needed() {
        check(
            &[
                Exception { place: "crates/a.rs", reason: "a table" },
                Exception { place: "crates/a.rs::a", reason: "one match" },
                Exception { place: "crates/b.rs", reason: "was long" },
            ],
            &["crates/b.rs: exception no longer needed (was long)"],
        );
    }

    fn measure(file: usize, function: usize, test_code_lines: usize) -> CodeMeasure {
        let spread = |value| Quantiles { count: 1, median: value, p90: value, max: value };
        CodeMeasure {
            files: spread(file),
            functions: spread(function),
            production_lines: 100,
            comment_lines: 0,
            code_lines: 100,
            test_code_lines,
        }
    }

    #[test]
    fn the_code_base_has_limits_too() {
        assert_complaints(&total_complaints(&measure(200, 40, 50)), &[]);
        assert_complaints(
            &total_complaints(&measure(201, 41, 49)),
            &[
                "the whole: the median file has 201 lines, at most 200",
                "the whole: one function in ten is over 41 lines, at most 40",
                "the whole: 0.49 lines of test code for each line of code, at least 0.5",
            ],
        );
    }
}
