//! The size of the code base in a few numbers: lengths of files and functions, comments, tests.

use std::fmt;

use crate::Repository;
use crate::source::RustSource;

/// Measures of all Rust code of the repository, without tests unless stated otherwise.
#[derive(Debug, Clone, PartialEq)]
pub struct CodeMeasure {
    /// Lengths of files with production code.
    pub files: Quantiles,
    pub functions: Quantiles,
    pub production_lines: usize,
    /// Production lines that contain only a comment.
    pub comment_lines: usize,
    /// Production lines that contain code.
    pub code_lines: usize,
    /// Lines of tests that contain code.
    pub test_code_lines: usize,
}

/// The number of values and some of their quantiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Quantiles {
    pub count: usize,
    pub median: usize,
    /// The 90 % quantile.
    pub p90: usize,
    pub max: usize,
}

impl CodeMeasure {
    /// Measures a repository.
    #[must_use]
    pub fn new(repository: &Repository) -> Self {
        let total = |lines: fn(&RustSource) -> usize| repository.sources.iter().map(lines).sum();
        let files = repository.sources.iter().map(|source| source.production_lines);
        let functions = repository.sources.iter().flat_map(|source| &source.functions);
        Self {
            files: Quantiles::from_values(files.filter(|&lines| lines > 0).collect()),
            functions: Quantiles::from_values(functions.map(|function| function.length).collect()),
            production_lines: total(|source| source.production_lines),
            comment_lines: total(RustSource::comment_lines),
            code_lines: total(RustSource::production_code_lines),
            test_code_lines: total(|source| source.test_code_lines),
        }
    }

    /// Lines of test code per line of production code, without comments; `None` if there is no production code.
    #[must_use]
    pub fn tests_per_line(&self) -> Option<f64> {
        share(self.test_code_lines, self.code_lines)
    }
}

impl Quantiles {
    /// The quantiles of values. A quantile is the smallest value with at least that share of values up to it.
    fn from_values(mut values: Vec<usize>) -> Self {
        values.sort_unstable();
        let quantile = |percent: usize| {
            let rank = (values.len() * percent).div_ceil(100).max(1);
            values.get(rank - 1).copied().unwrap_or(0)
        };
        Self { count: values.len(), median: quantile(50), p90: quantile(90), max: quantile(100) }
    }
}

fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl fmt::Display for CodeMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "files      {}", self.files)?;
        writeln!(f, "functions  {}", self.functions)?;
        let comments = share(self.comment_lines, self.production_lines).unwrap_or(0.0) * 100.0;
        writeln!(f, "lines      {} of production, {comments:.0} % of them comments", self.production_lines)?;
        let ratio = self.tests_per_line().unwrap_or(0.0);
        write!(
            f,
            "tests      {} lines of code, {ratio:.2} for each line of production code",
            self.test_code_lines
        )
    }
}

impl fmt::Display for Quantiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, median, p90, max } = self;
        write!(f, "{count:>5}   lines: median {median}, p90 {p90}, longest {max}")
    }
}

#[cfg(test)]
mod tests {
    use super::{CodeMeasure, Quantiles};
    use crate::Repository;

    #[test]
    fn quantiles_are_values_that_occur() {
        let spread = Quantiles::from_values((1..=10).rev().collect());
        assert_eq!(spread, Quantiles { count: 10, median: 5, p90: 9, max: 10 });
        assert_eq!(Quantiles::from_values(Vec::new()), Quantiles::default());
        assert_eq!(Quantiles::from_values(vec![7]).median, 7);
    }

    #[test]
    fn test_files_are_no_production_files() {
        let library = "//! Doc.\nfn a() {\n}\n";
        let tests = "//! T.\nfn b() {}\n";
        let repository =
            Repository::from_files(&[("xtask/src/lib.rs", library), ("xtask/tests/a.rs", tests)]);
        let measure = CodeMeasure::new(&repository);
        assert_eq!((measure.files.count, measure.functions.median), (1, 2));
        assert_eq!((measure.production_lines, measure.comment_lines), (3, 1));
        assert_eq!((measure.code_lines, measure.test_code_lines), (2, 1));
        assert!(measure.to_string().contains("0.50 for each line"));
    }

    #[test]
    fn nothing_has_no_ratio() {
        let measure = CodeMeasure::new(&Repository::from_files(&[]));
        assert_eq!(measure.tests_per_line(), None);
        assert_eq!(measure.files, Quantiles::default());
    }
}
