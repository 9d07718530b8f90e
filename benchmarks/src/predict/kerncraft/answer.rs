//! What kerncraft writes.

use serde_json::Value;

use super::TOOL;
use crate::error::Error;

/// The cycles of the ECM model for the iterations that write one line of a cache.
#[derive(Debug, Clone, PartialEq)]
pub struct Ecm {
    /// Cycles of what overlaps with everything else: instructions that are neither loads nor stores.
    pub overlapping: f64,
    /// Cycles of what follows one after the other: loads and stores, and transfers of each level.
    pub serial: Vec<f64>,
    /// Iterations for one line.
    pub iterations: f64,
}

impl Ecm {
    /// Reads the file that `--json` names. It holds one object, under a key that lists all options.
    pub(super) fn from_json(text: &str) -> Result<Self, Error> {
        // Python writes what JSON does not have, for the number of cores that saturate the memory.
        let text = text.replace(": Infinity", ": null").replace(": NaN", ": null");
        let json: Value = serde_json::from_str(&text).map_err(|source| Error::Json { tool: TOOL, source })?;
        let lacks = |what: &str| Error::Answer { tool: TOOL, what: what.to_owned() };
        let only = json.as_object().and_then(|all| all.values().next()).ok_or_else(|| lacks("result"))?;
        let terms = only["ECM"].as_array().ok_or_else(|| lacks("`ECM`"))?;
        let overlapping = terms.iter().filter_map(Value::as_f64).fold(0.0, f64::max);
        let serial = terms.last().and_then(Value::as_array).ok_or_else(|| lacks("transfers in `ECM`"))?;
        let serial: Option<Vec<f64>> = serial.iter().map(Value::as_f64).collect();
        let serial = serial.ok_or_else(|| lacks("numbers in `ECM`"))?;
        let iterations = number(&only["iterations per cacheline"]);
        let iterations =
            iterations.filter(|it| *it > 0.0).ok_or_else(|| lacks("`iterations per cacheline`"))?;
        Ok(Self { overlapping, serial, iterations })
    }

    /// Cycles for one line.
    pub fn cycles(&self) -> f64 {
        self.overlapping.max(self.serial.iter().sum())
    }

    /// Seconds of so many iterations at a clock.
    pub fn seconds(&self, iterations: f64, clock_ghz: f64) -> f64 {
        self.cycles() * iterations / self.iterations / clock_ghz * 1e-9
    }
}

/// A number, or a fraction in text such as "16/3".
fn number(value: &Value) -> Option<f64> {
    if let Some(number) = value.as_f64() {
        return Some(number);
    }
    let text = value.as_str()?;
    let (above, below) = text.split_once('/').unwrap_or((text, "1"));
    Some(above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?)
}

/// Why there is no answer: what the model says about itself, else the first line of the Python error, without its class.
pub fn reason(stdout: &str, stderr: &str) -> String {
    let begins = ["In-core analysis failed: ", "Error parsing kernel code: "];
    let own = |line: &str| begins.iter().find_map(|begin| line.strip_prefix(begin)).map(sentence);
    if let Some(reason) = stdout.lines().find_map(own) {
        return reason;
    }
    let raised = |line: &str| {
        let (class, text) = line.split_once(": ")?;
        let is_class = class.ends_with("Error") && class.chars().all(|it| it.is_alphanumeric() || it == '.');
        is_class.then(|| sentence(text))
    };
    let last = || stderr.lines().rev().find(|line| !line.trim().is_empty()).map(sentence);
    stderr.lines().rev().find_map(raised).or_else(last).unwrap_or_else(|| "no answer".to_owned())
}

/// The first sentence; a syntax tree in it is cut off.
fn sentence(text: &str) -> String {
    let is_end = |at: &usize| text[at + 2..].starts_with(char::is_uppercase);
    let end = text.match_indices(". ").map(|(at, _)| at).find(is_end).unwrap_or(text.len());
    let first = &text[..end];
    let tree = first.find("(type=").or_else(|| first.ends_with('(').then(|| first.len() - 1));
    first[..tree.unwrap_or(first.len())].trim().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Ecm, reason};

    const JSON: &str = r#"{"(('asm_block', 'auto'),)": {"T_comp": 5.96, "iterations per cacheline": "8",
        "ECM": [5.96, [2.5, 5.8, 0.0, 0.25]], "scaling cores": Infinity, "total cycles": {"cy/CL": "8.55 cy/CL"}}}"#;

    #[test]
    fn cycles_are_the_longer_of_computing_and_the_sum_of_transfers() {
        let ecm = Ecm::from_json(JSON).unwrap();
        assert_eq!((ecm.overlapping, ecm.iterations), (5.96, 8.0));
        assert!((ecm.cycles() - 8.55).abs() < 1e-9);
        assert!((ecm.seconds(8000.0, 2.0) - 8550.0 / 2e9).abs() < 1e-15);
        let computing = Ecm { overlapping: 16.0, ..ecm };
        assert_eq!(computing.cycles(), 16.0);
    }

    #[test]
    fn fractions_of_a_line_are_read_and_gaps_are_named() {
        let text = JSON.replace("\"8\"", "\"16/3\"");
        assert!((Ecm::from_json(&text).unwrap().iterations - 16.0 / 3.0).abs() < 1e-12);
        let error = Ecm::from_json(&JSON.replace("ECM\"", "x\"")).unwrap_err();
        assert_eq!(error.to_string(), "the answer of kerncraft has no `ECM`");
        assert!(Ecm::from_json("no json").is_err());
    }

    #[test]
    fn reasons_are_those_of_the_last_line() {
        let trace = "Traceback (most recent call last):\n  File \"k\", line 1\nAssertionError: only lt (<) is allowed as \
            loop condition\n";
        assert_eq!(reason("", trace), "only lt (<) is allowed as loop condition");
        let failed =
            "ECM\nIn-core analysis failed: pointer_increment could not be detected automatically. Use it.\n";
        assert_eq!(reason(failed, "warning"), "pointer_increment could not be detected automatically");
        let tree =
            "ValueError: Expected for loop, found Assignment(op='=',\n  lvalue=ID(name='s')\n ) instead.\n";
        assert_eq!(reason("", tree), "Expected for loop, found Assignment(op='=',");
        let decl = "AssertionError: no Decl(\n name: 1\n)";
        assert_eq!(reason("", decl), "no Decl");
        assert_eq!(reason("Error parsing kernel code: x.c:5:1: before: #\n", ""), "x.c:5:1: before: #");
        assert_eq!(reason("", "error: the argument is: bad"), "error: the argument is: bad");
        assert_eq!(
            reason("", "AssertionError: right of cond. operand has to be."),
            "right of cond. operand has to be"
        );
        assert_eq!(reason("", ""), "no answer");
    }

    /// On processors whose caches transfer while the core computes, several terms overlap.
    #[test]
    fn the_longest_of_the_overlapping_terms_counts() {
        let text = r#"{"k": {"iterations per cacheline": 8, "ECM": [3.0, 9.5, 2.0, [4.0, 1.0]]}}"#;
        let ecm = Ecm::from_json(text).unwrap();
        assert_eq!((ecm.overlapping, ecm.serial.len()), (9.5, 2));
        assert_eq!(ecm.cycles(), 9.5);
    }
}
