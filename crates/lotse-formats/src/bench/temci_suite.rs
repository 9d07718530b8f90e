//! temci's run configuration (the input of `temci exec`): a list of blocks, each a program and how to run it.
//!
//! The smallest block is `run_config: {cmd: …}`. Keys that Lotse knows but does not support are listed in
//! [`Suite::ignored`], each once; a key that temci does not have is a note with its place. Names of properties become
//! Lotse's names of metrics; the runner keeps temci's name.

mod build;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::Suite;
use lotse_model::bytes::Source;
use lotse_model::suite::{Expected, SuiteProgram};

use super::temci_keys::{Notes, is_off};
use super::temci_names;
use crate::error::FormatError;
use crate::format::{Confidence, Format, Reader};
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;
use crate::yaml::{self, YamlKey, YamlNode, YamlValue};

pub use write::write;

/// temci's run configuration.
pub const FORMAT: Format = Format {
    id: "temci-suite",
    title: "temci run configuration (YAML)",
    extensions: &["yaml", "yml"],
    claim,
    reader: Reader::Suite(read),
};

/// Keys of a run configuration that Lotse does not support, with what to do instead.
const UNSUPPORTED: &[(&str, &str)] = &[
    (
        "cmd_prefix",
        "commands to run before each run (`cmd_prefix`): write them into `run_cmd`, or use --prepare",
    ),
    ("revision", "checking out a revision (`revision`): name it in a `build_config`, or use --rev"),
    ("parse_output", "numbers in the output beside another runner (`parse_output`): use the runner `output`"),
    (
        "spec",
        "the result file of a SPEC benchmark (`spec`): let the command print it, and use the runner `output`",
    ),
    (
        "spec.py",
        "the result files of SPEC CPU (`spec.py`): let the command print them, and use the runner `output`",
    ),
];

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
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
    let mut file = TemciSuiteFile { suite: Suite::default(), notes: Notes::new(text) };
    let end = yaml::each_entry(text, &mut |entry| file.add(&entry));
    if let Some(flaw) = flaw.or_else(|| end.err()) {
        if file.suite.programs.is_empty() {
            return Err(flaw.into_error(source.name()));
        }
        file.notes.diagnostics.push(flaw);
    }
    let TemciSuiteFile { mut suite, notes } = file;
    suite.ignored = notes.ignored;
    Ok(Reading { value: suite, format_id: FORMAT.id, diagnostics: notes.diagnostics })
}

/// What was read from the file so far.
struct TemciSuiteFile<'s> {
    suite: Suite,
    notes: Notes<'s>,
}

impl TemciSuiteFile<'_> {
    /// Adds a block. A block without a run configuration is kept only if it has a build configuration.
    fn add(&mut self, entry: &YamlNode) {
        let Some(entries) = entry.entries() else {
            return self.notes.complain(entry, "expected a block (`attributes`, `run_config`)");
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
                "build_config" => program.build = Some(build::read(node, &mut self.notes)),
                _ => self.notes.unknown_key(key, "a block"),
            }
        }
        if runnable || program.build.is_some() {
            self.suite.programs.push(program);
        } else {
            let message = "expected the key `run_config`, found none: the block is left out";
            self.notes.diagnostics.push(Diagnostic::loss(entry.place(), message));
        }
    }

    fn attributes(&mut self, node: &YamlNode, program: &mut SuiteProgram) {
        let Some(entries) = node.entries() else {
            return self.notes.complain(node, "expected a mapping of attributes");
        };
        for (key, node) in entries {
            match key.name.as_str() {
                "description" => program.name = self.notes.text(node),
                "tags" => program.tags = self.notes.texts(node),
                _ => drop(program.attributes.insert(key.name.clone(), self.notes.attribute(node))),
            }
        }
    }

    fn run_config(&mut self, node: &YamlNode, program: &mut SuiteProgram) {
        let Some(entries) = node.entries() else {
            return self.notes.complain(node, "expected a mapping (`run_cmd`, `runner`, …)");
        };
        for (key, node) in entries {
            self.run_key(key, node, program);
        }
        if program.commands.is_empty() {
            let message = "expected a command (`run_cmd` or `cmd`), found none";
            self.notes.diagnostics.push(Diagnostic::loss(node.place(), message));
        }
    }

    /// Reads a key of a run configuration.
    fn run_key(&mut self, key: &YamlKey, node: &YamlNode, program: &mut SuiteProgram) {
        match key.name.as_str() {
            "run_cmd" | "cmd" => {
                let commands = self.notes.texts(node);
                program.commands.extend(commands.into_iter().filter(|command| !command.is_empty()));
            }
            "env" => program.environment = self.environment(node),
            "cwd" | "cwds" => program.directories = self.directories(node),
            "disable_aslr" if !is_off(node) => self.add_separation("aslr"),
            "disable_aslr" => {}
            "runner" => program.runner = self.notes.text(node),
            "time" | "rusage" | "perf_stat" => self.runner_config(node, program),
            "rusage_properties" => self.properties(node, program),
            "output" => {}
            "validator" => self.validator(node, &mut program.expected),
            "min_runs" => program.min_runs = self.notes.count(node, "runs"),
            "max_runs" => program.max_runs = self.notes.count(node, "runs"),
            "runs" => program.runs = self.notes.count(node, "runs"),
            "discarded_runs" => program.discarded_runs = self.notes.count(node, "runs"),
            "random_cmd" if !is_off(node) => {}
            "random_cmd" => {
                self.notes.not_supported("always taking the first of several commands (`random_cmd: false`)")
            }
            name => match UNSUPPORTED.iter().find(|(key, _)| *key == name) {
                Some((_, meaning)) if !is_off(node) => self.notes.not_supported(meaning),
                Some(_) => {}
                None => self.notes.unknown_key(key, "a run configuration"),
            },
        }
    }

    fn runner_config(&mut self, node: &YamlNode, program: &mut SuiteProgram) {
        for (key, node) in self.notes.mapping(node, "expected a mapping (`properties`)") {
            match key.name.as_str() {
                "properties" => self.properties(node, program),
                "repeat" if node.int() == Some(1) => {}
                "repeat" => self.notes.not_supported("several executions in one run (`repeat`)"),
                // Lotse's counters count the program alone, on whichever CPU it runs.
                "limit_to_cpuset" => {}
                _ => self.notes.unknown_key(key, "a runner"),
            }
        }
    }

    fn properties(&mut self, node: &YamlNode, program: &mut SuiteProgram) {
        let names = self.notes.texts(node);
        let measured_together: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut known: BTreeSet<String> = program.metrics.iter().cloned().collect();
        for name in &measured_together {
            let metric = temci_names::metric_and_factor(name, &measured_together).0.name;
            if known.insert(metric.clone()) {
                program.metrics.push(metric);
            }
        }
    }

    fn environment(&mut self, node: &YamlNode) -> BTreeMap<String, String> {
        let mut environment = BTreeMap::new();
        for (key, node) in self.notes.mapping(node, "expected a mapping from variables to texts") {
            match self.notes.text(node) {
                Some(value) => drop(environment.insert(key.name.clone(), value)),
                None if matches!(node.value, YamlValue::Null) => self.notes.complain(node, "expected a text"),
                None => {}
            }
        }
        environment
    }

    /// Directories for the commands; one if they are all the same.
    fn directories(&mut self, node: &YamlNode) -> Vec<String> {
        let mut directories = self.notes.texts(node);
        let same = directories.windows(2).all(|pair| pair[0] == pair[1]);
        directories.truncate(if same { 1 } else { usize::MAX });
        directories
    }

    fn add_separation(&mut self, action: &str) {
        if !self.suite.separation.iter().any(|known| known == action) {
            self.suite.separation.push(action.to_owned());
        }
    }

    /// Reads what the output and the exit code of a program must be.
    fn validator(&mut self, node: &YamlNode, expected: &mut Expected) {
        let Some(entries) = node.entries() else {
            return self.notes.complain(node, "expected a mapping (`expected_output`, …)");
        };
        for (key, node) in entries {
            match key.name.as_str() {
                "expected_output" => expected.output = self.notes.text(node),
                "expected_output_contains" => expected.output_contains = self.notes.texts(node),
                "unexpected_output_contains" => expected.output_lacks = self.notes.texts(node),
                "expected_err_output_contains" => expected.error_contains.extend(self.notes.texts(node)),
                "unexpected_err_output_contains" => expected.error_lacks = self.notes.texts(node),
                "expected_return_code" => expected.exit_codes = self.exit_codes(node),
                "expected_err_output" => {
                    if let Some(text) = self.notes.text(node) {
                        self.notes.not_supported(
                            "the exact error output (`expected_err_output`): it must only be contained",
                        );
                        expected.error_contains.push(text);
                    }
                }
                _ => self.notes.unknown_key(key, "a validator"),
            }
        }
    }

    fn exit_codes(&mut self, node: &YamlNode) -> Vec<i32> {
        let single = std::slice::from_ref(node);
        let mut codes = Vec::new();
        for element in node.list().unwrap_or(single) {
            match element.int().and_then(|code| i32::try_from(code).ok()) {
                Some(code) => codes.push(code),
                None => self.notes.complain(element, "expected an exit code"),
            }
        }
        // An empty list means that only 0 is expected.
        if codes == [0] { Vec::new() } else { codes }
    }
}
