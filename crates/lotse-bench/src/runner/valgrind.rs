//! Instruction counts by valgrind, which do not depend on other work on the machine.
//!
//! The program runs some fifty times slower under valgrind, so times of such a run are not recorded.

use std::ffi::OsString;
use std::path::Path;

use super::{RunOutput, RunValues, Runner, RunnerError, RunnerKind, Values, refuse_events};

const ID: &str = "valgrind";

pub(super) const KIND: RunnerKind = RunnerKind {
    id: ID,
    title: "instructions executed, counted by valgrind; the same on every run of a deterministic program",
    temci: &[],
    tool: Some("valgrind"),
    primary: "instructions",
    create: |events| {
        refuse_events(ID, events)?;
        Ok(Box::new(Valgrind))
    },
};

struct Valgrind;

impl Runner for Valgrind {
    fn wrap(&self, argv: Vec<OsString>, scratch: &Path) -> Vec<OsString> {
        let mut log = OsString::from("--log-file=");
        log.push(scratch.join("%p.log"));
        let tool =
            ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes"].map(OsString::from);
        let mut words: Vec<OsString> = tool.into();
        words.extend(["--cachegrind-out-file=/dev/null".into(), log]);
        words.extend(argv);
        words
    }

    fn needs_scratch(&self) -> bool {
        true
    }

    fn keeps_usage(&self) -> bool {
        false
    }

    fn metrics(&self) -> Vec<String> {
        vec!["instructions".to_owned()]
    }

    fn values(&self, output: RunOutput<'_>) -> Result<RunValues, RunnerError> {
        let unreadable = |problem: String| RunnerError::Unreadable { runner: ID, problem };
        let logs =
            lotse_host::Scratch::texts(output.scratch).map_err(|error| unreadable(error.to_string()))?;
        let counts: Vec<f64> = logs.iter().filter_map(|text| instructions(text)).collect();
        if counts.is_empty() {
            return Err(unreadable("its log names no instruction count".to_owned()));
        }
        Ok(Values::from([("instructions".to_owned(), counts.iter().sum())]).into())
    }
}

/// The number behind `I refs:` (with thousands separators and white space of any width).
fn instructions(log: &str) -> Option<f64> {
    let is_count = |line: &&str| {
        let words: Vec<&str> = line.split_whitespace().skip(1).take(2).collect();
        words == ["I", "refs:"]
    };
    let line = log.lines().find(is_count)?;
    line.split_whitespace().nth(3)?.replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::instructions;

    #[test]
    fn the_count_is_read_from_the_log() {
        let log = "==12== Cachegrind, a cache profiler\n==12== \n==12== I   refs:      45,345,629\n";
        assert_eq!(instructions(log), Some(45_345_629.0));
        assert_eq!(instructions("==12== I refs:        7\n"), Some(7.0));
        assert_eq!(instructions("==12== killed\n"), None);
    }
}
