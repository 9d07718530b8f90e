//! temci's run configuration (the input of `temci exec`): a list of blocks, each a program and how to run it.
//!
//! The least a block can be is `run_config: {cmd: …}`. What Lotse understands but does not do is said once each
//! in [`Suite::ignored`]; a key that temci does not have either is a note with its place. Names of properties
//! become Lotse's names of metrics; the runner keeps temci's name.

mod write;

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::Suite;
use lotse_model::bytes::Source;
use lotse_model::suite::{Expected, SuiteProgram};

use super::temci_names;
use crate::error::FormatError;
use crate::reading::{Diagnostic, Reading};
use crate::recognise::{Confidence, Format, Reader};
use crate::shape::Shape;
use crate::text;
use crate::yaml::{self, Key, Node, Tree};

pub use write::write;

/// temci's suites.
pub const FORMAT: Format = Format {
    id: "temci-suite",
    title: "temci run configuration (YAML)",
    extensions: &["yaml", "yml"],
    claim,
    reader: Reader::Suite(read),
};

/// Keys of a run configuration that have a meaning in temci and none here.
const NOT_DONE: &[(&str, &str)] = &[
    ("cmd_prefix", "commands to run before each run (`cmd_prefix`)"),
    ("revision", "checking out a revision (`revision`)"),
    ("disable_aslr", "switching off address space randomisation (`disable_aslr`)"),
    ("parse_output", "numbers in the output beside another runner (`parse_output`)"),
    ("spec", "the result file of a SPEC benchmark (`spec`)"),
    ("spec.py", "the result files of SPEC CPU (`spec.py`)"),
];

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::of(source.bytes());
    if shape.has("[].run_config") {
        let measured = shape.has("[].data") || shape.has("[].property_descriptions");
        if measured { Confidence::Likely } else { Confidence::Certain }
    } else if shape.has("[].build_config") || shape.has("[].attributes") {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

fn read(source: &dyn Source) -> Result<Reading<Suite>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut file = File::default();
    let end = yaml::each_entry(text, &mut |entry| file.add(&entry));
    if let Some(flaw) = flaw.or_else(|| end.err()) {
        if file.suite.programs.is_empty() {
            return Err(flaw.of(source.name()));
        }
        file.diagnostics.push(flaw.into());
    }
    Ok(Reading { value: file.suite, format_id: FORMAT.id, diagnostics: file.diagnostics })
}

/// The file as far as it was read.
#[derive(Default)]
struct File {
    suite: Suite,
    diagnostics: Vec<Diagnostic>,
}

impl File {
    fn add(&mut self, entry: &Node) {
        let Some(entries) = entry.entries() else {
            return self.complain(entry, "expected a block (`attributes`, `run_config`)");
        };
        let mut program = SuiteProgram::default();
        let mut runnable = false;
        for (key, node) in entries {
            match key.name.as_str() {
                "attributes" => self.attributes(node, &mut program),
                "run_config" => {
                    runnable = true;
                    self.run_config(node, &mut program);
                }
                "build_config" => self.ignore("building the programs (`build_config`)"),
                _ => self.unknown(key, "a block"),
            }
        }
        if runnable {
            self.suite.programs.push(program);
        } else {
            let message = "expected the key `run_config`, found none: the block is left out";
            self.diagnostics.push(Diagnostic::loss(entry.place(), message));
        }
    }

    fn attributes(&mut self, node: &Node, program: &mut SuiteProgram) {
        let Some(entries) = node.entries() else {
            return self.complain(node, "expected a mapping of attributes");
        };
        for (key, node) in entries {
            match key.name.as_str() {
                "description" => program.name = self.text(node),
                "tags" => program.tags = self.texts(node),
                _ => drop(program.attributes.insert(key.name.clone(), node.to_json())),
            }
        }
    }

    fn run_config(&mut self, node: &Node, program: &mut SuiteProgram) {
        let Some(entries) = node.entries() else {
            return self.complain(node, "expected a mapping (`run_cmd`, `runner`, …)");
        };
        for (key, node) in entries {
            self.run_key(key, node, program);
        }
        if program.commands.is_empty() {
            let message = "expected a command (`run_cmd` or `cmd`), found none";
            self.diagnostics.push(Diagnostic::loss(node.place(), message));
        }
    }

    fn run_key(&mut self, key: &Key, node: &Node, program: &mut SuiteProgram) {
        match key.name.as_str() {
            "run_cmd" | "cmd" => {
                let commands = self.texts(node);
                program.commands.extend(commands.into_iter().filter(|command| !command.is_empty()));
            }
            "env" => program.environment = self.environment(node),
            "cwd" => program.directory = self.directory(node),
            "runner" => program.runner = self.text(node),
            "time" | "rusage" | "perf_stat" => self.runner_config(node, program),
            "rusage_properties" => self.properties(node, program),
            "output" => {}
            "validator" => self.validator(node, &mut program.expected),
            "min_runs" => program.min_runs = self.count(node),
            "max_runs" => program.max_runs = self.count(node),
            "runs" => program.runs = self.count(node),
            "discarded_runs" => program.discarded_runs = self.count(node),
            "random_cmd" if !is_off(node) => {}
            "random_cmd" => self.ignore("always taking the first of several commands (`random_cmd: false`)"),
            name => match NOT_DONE.iter().find(|(key, _)| *key == name) {
                Some((_, meaning)) if !is_off(node) => self.ignore(meaning),
                Some(_) => {}
                None => self.unknown(key, "a run configuration"),
            },
        }
    }

    fn runner_config(&mut self, node: &Node, program: &mut SuiteProgram) {
        for (key, node) in self.mapping(node, "expected a mapping (`properties`)") {
            match key.name.as_str() {
                "properties" => self.properties(node, program),
                "repeat" if node.int() == Some(1) => {}
                "repeat" => self.ignore("several executions in one run (`repeat`)"),
                // Counters here are of the program alone, wherever it runs.
                "limit_to_cpuset" => {}
                _ => self.unknown(key, "a runner"),
            }
        }
    }

    fn properties(&mut self, node: &Node, program: &mut SuiteProgram) {
        let names = self.texts(node);
        let beside: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut known: BTreeSet<String> = program.metrics.iter().cloned().collect();
        for name in &beside {
            let metric = temci_names::ours(name, &beside).0.name;
            if known.insert(metric.clone()) {
                program.metrics.push(metric);
            }
        }
    }

    fn environment(&mut self, node: &Node) -> BTreeMap<String, String> {
        let mut environment = BTreeMap::new();
        for (key, node) in self.mapping(node, "expected a mapping from variables to texts") {
            match node.text() {
                Some(value) => drop(environment.insert(key.name.clone(), value)),
                None => self.complain(node, "expected a text"),
            }
        }
        environment
    }

    /// One directory; temci also takes one for each command.
    fn directory(&mut self, node: &Node) -> Option<String> {
        let mut directories = self.texts(node);
        directories.dedup();
        if directories.len() > 1 {
            self.ignore(
                "another directory for each of several commands (`cwd` as a list): the first is used",
            );
        }
        directories.into_iter().next()
    }

    fn validator(&mut self, node: &Node, expected: &mut Expected) {
        let Some(entries) = node.entries() else {
            return self.complain(node, "expected a mapping (`expected_output`, …)");
        };
        for (key, node) in entries {
            match key.name.as_str() {
                "expected_output" => expected.output = self.text(node),
                "expected_output_contains" => expected.output_contains = self.texts(node),
                "unexpected_output_contains" => expected.output_lacks = self.texts(node),
                "expected_err_output_contains" => expected.error_contains.extend(self.texts(node)),
                "unexpected_err_output_contains" => expected.error_lacks = self.texts(node),
                "expected_return_code" => expected.exit_codes = self.codes(node),
                "expected_err_output" => {
                    if let Some(text) = self.text(node) {
                        self.ignore(
                            "the exact error output (`expected_err_output`): it must only be contained",
                        );
                        expected.error_contains.push(text);
                    }
                }
                _ => self.unknown(key, "a validator"),
            }
        }
    }

    fn codes(&mut self, node: &Node) -> Vec<i32> {
        let single = std::slice::from_ref(node);
        let mut codes = Vec::new();
        for element in node.list().unwrap_or(single) {
            match element.int().and_then(|code| i32::try_from(code).ok()) {
                Some(code) => codes.push(code),
                None => self.complain(element, "expected an exit code"),
            }
        }
        // Only 0 is what an empty list means.
        if codes == [0] { Vec::new() } else { codes }
    }

    /// A text; null stands for none.
    fn text(&mut self, node: &Node) -> Option<String> {
        let text = node.text();
        if text.is_none() && !matches!(node.value, Tree::Null) {
            self.complain(node, "expected a text");
        }
        text
    }

    /// The entries of a mapping; null stands for none.
    fn mapping<'n>(&mut self, node: &'n Node, expected: &str) -> &'n [(Key, Node)] {
        if node.entries().is_none() && !matches!(node.value, Tree::Null) {
            self.complain(node, expected);
        }
        node.entries().unwrap_or(&[])
    }

    /// A text, or a list of texts.
    fn texts(&mut self, node: &Node) -> Vec<String> {
        let single = std::slice::from_ref(node);
        let elements = if let Tree::Null = node.value { &[] } else { node.list().unwrap_or(single) };
        let mut texts = Vec::with_capacity(elements.len());
        for element in elements {
            match element.text() {
                Some(text) => texts.push(text),
                None => self.complain(element, "expected a text"),
            }
        }
        texts
    }

    /// A number of runs; temci says -1 where it means nothing.
    fn count(&mut self, node: &Node) -> Option<u32> {
        let count = node.int().and_then(|count| u32::try_from(count).ok());
        if count.is_none() && node.int() != Some(-1) {
            self.complain(node, "expected a number of runs");
        }
        count
    }

    fn ignore(&mut self, what: &str) {
        let sentence = format!("Lotse does not do this yet: {what}.");
        if !self.suite.ignored.contains(&sentence) {
            self.suite.ignored.push(sentence);
        }
    }

    fn unknown(&mut self, key: &Key, owner: &str) {
        let message = format!("{:?} is no key of {owner}: ignored", key.name);
        self.diagnostics.push(Diagnostic::note(key.place(), message));
    }

    fn complain(&mut self, node: &Node, expected: &str) {
        let message = format!("{expected}, found {}: left out", node.kind());
        self.diagnostics.push(Diagnostic::loss(node.place(), message));
    }
}

/// Whether a value asks for nothing, as temci's defaults do.
fn is_off(node: &Node) -> bool {
    match &node.value {
        Tree::Null | Tree::Bool(false) | Tree::Int(-1) => true,
        Tree::List(elements) => elements.is_empty(),
        Tree::Map(entries) => entries.is_empty(),
        _ => false,
    }
}
