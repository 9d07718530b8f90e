//! A suite: a file that lists programs to measure and how to measure them.
//!
//! An option that the file does not set is `None`; the command line and the defaults then decide.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Programs to measure together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Suite {
    /// In the order of the file.
    pub programs: Vec<SuiteProgram>,
    /// Settings of the file that Lotse understands but does not support, each listed once.
    pub ignored: Vec<String>,
    /// Changes to the machine that the file requests, as values of `--separate`; nothing is done unless the user agrees.
    #[serde(default)]
    pub separation: Vec<String>,
}

/// One program of a suite.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SuiteProgram {
    /// What the file calls it.
    pub name: Option<String>,
    /// Words to group by.
    pub tags: Vec<String>,
    /// Further attributes, kept for writing results.
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// The commands; several mean that one is drawn for each run.
    pub commands: Vec<String>,
    /// Variables set for the command.
    pub environment: BTreeMap<String, String>,
    /// Directories to run in: one for all commands, one for each, or for a single command one for each of its builds.
    #[serde(default)]
    pub directories: Vec<String>,
    /// How to build it first.
    #[serde(default)]
    pub build: Option<BuildPlan>,
    /// The runner that measures.
    pub runner: Option<String>,
    /// Metrics to keep.
    pub metrics: Vec<String>,
    /// The least number of runs.
    pub min_runs: Option<u32>,
    /// The largest number of runs.
    pub max_runs: Option<u32>,
    /// The exact number of runs.
    pub runs: Option<u32>,
    /// Warm-up runs to discard.
    pub discarded_runs: Option<u32>,
    /// What the output must be like.
    pub expected: Expected,
}

/// How a program is built before it is measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct BuildPlan {
    /// The build command, for a shell.
    pub command: Option<String>,
    /// The folder that contains everything the program needs.
    pub base: Option<String>,
    /// Where the command runs, below the base.
    pub folder: Option<String>,
    /// The revision to build; the folder as it is where none is named.
    pub revision: Option<String>,
    /// The branch whose newest revision is built.
    pub branch: Option<String>,
    /// How many builds.
    pub count: Option<u32>,
    /// What is reordered in each of several builds; everything that can be reordered if the file does not set it.
    pub varied: Option<Vec<Varied>>,
}

/// What a build can reorder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Varied {
    /// Functions.
    Functions,
    /// Constants.
    Constants,
    /// Variables with a value.
    Data,
    /// Variables without one.
    Bss,
    /// The object files as the linker gets them.
    Objects,
}

/// What makes a run valid.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Expected {
    /// Allowed exit codes; empty means 0 only.
    pub exit_codes: Vec<i32>,
    /// Standard output must be just this (surrounding white space aside).
    pub output: Option<String>,
    /// Standard output must contain each of these.
    pub output_contains: Vec<String>,
    /// Standard output must contain none of these.
    pub output_lacks: Vec<String>,
    /// Standard error must contain each of these.
    pub error_contains: Vec<String>,
    /// Standard error must contain none of these.
    pub error_lacks: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::{BuildPlan, Expected, Suite, SuiteProgram, Varied};

    #[test]
    fn a_suite_comes_back() {
        let expected = Expected {
            exit_codes: vec![0, -1],
            output: Some("a\n\"b\"".into()),
            output_contains: vec!["c".into()],
            output_lacks: vec![String::new()],
            error_contains: vec!["d".into()],
            error_lacks: vec!["e".into()],
        };
        let full = SuiteProgram {
            name: Some("a".into()),
            tags: vec!["x".into()],
            attributes: [("author".to_owned(), serde_json::json!([1, null]))].into(),
            commands: vec!["./a".into(), "./b".into()],
            environment: [("LEVEL".to_owned(), "3".to_owned())].into(),
            directories: vec![".".into(), "b".into()],
            build: Some(BuildPlan {
                command: Some("make".into()),
                count: Some(3),
                varied: Some(vec![Varied::Functions, Varied::Bss]),
                ..BuildPlan::default()
            }),
            runner: Some("time".into()),
            metrics: vec!["wall".into()],
            min_runs: Some(1),
            max_runs: Some(2),
            runs: Some(u32::MAX),
            discarded_runs: Some(0),
            expected,
        };
        let programs = vec![full, SuiteProgram::default()];
        let before =
            Suite { programs, ignored: vec!["Something.".into()], separation: vec!["nice=-5".into()] };
        let json = serde_json::to_string(&before).unwrap();
        assert_eq!(serde_json::from_str::<Suite>(&json).unwrap(), before, "{json}");
    }

    #[test]
    fn nothing_expected_is_what_silence_means() {
        assert_eq!(serde_json::from_str::<Expected>("{}").unwrap(), Expected::default());
        let one: Expected = serde_json::from_str(r#"{"exit_codes": [3]}"#).unwrap();
        assert_eq!(one, Expected { exit_codes: vec![3], ..Expected::default() });
    }
}
