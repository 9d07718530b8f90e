//! temci's result file (YAML): a list of blocks with attributes and, for each property, a list of values.
//!
//! temci records neither which values belong to one run nor the order of the runs of different blocks. So the n-th
//! values of all properties become the n-th run, and the design is sequential. A recorded error becomes a failed run at
//! the end of its program.
//!
//! What the model has no place for is kept as attributes of programs, under names that begin with `__` as temci's own
//! do: descriptions of properties and of the environment, the file's names of properties that have several names, and
//! the output of a failed program.

mod write;

use std::collections::BTreeMap;

use lotse_model::ResultSet;
use lotse_model::bytes::Source;
use lotse_model::id::ProgramId;
use lotse_model::metric::WALL;
use lotse_model::results::{Outcome, Program, Status};
use serde_json::Value;

use super::temci_names::{self, OVERALL};
use crate::assemble::Assembly;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;
use crate::yaml::{self, YamlKey, YamlNode};

pub(super) use write::property_values;
pub use write::write;

/// temci's result file.
pub const FORMAT: Format = Format {
    id: "temci",
    title: "temci result (YAML)",
    extensions: &["yaml", "yml"],
    claim,
    reader: Reader::Results(read),
};

/// The name of the metric that a property corresponds to.
pub fn metric_of_property(property: &str) -> String {
    // Next to a better clock the overall time is a metric of its own; in a list of properties it never means `wall`.
    if property == OVERALL {
        property.to_owned()
    } else {
        temci_names::metric_and_factor(property, &[property]).0.name
    }
}

/// A program's values of a property, in temci's unit.
pub fn values_of_property(set: &ResultSet, program: ProgramId, property: &str) -> Option<Vec<f64>> {
    property_values(set, program).into_iter().find(|(name, _)| name == property).map(|(_, values)| values)
}

const DESCRIPTIONS: &str = "__property_descriptions";
const ENVIRONMENT: &str = "__env_info";
/// The file's names of properties, for metrics that would be written under another name.
const NAMES: &str = "__property_names";
const OUTPUT: &str = "__output";
const ERROR_OUTPUT: &str = "__error_output";

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
    let only_here = ["[].data", "[].property_descriptions", "[].env_info", "[].error", "[].internal_error"];
    if only_here.iter().any(|path| shape.has(path)) {
        if shape.has("[].run_config") { Confidence::Likely } else { Confidence::Certain }
    } else if shape.has("[].attributes") && !shape.has("[].run_config") {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

/// Reads a result file. An error ends the file: the blocks before it are kept.
fn read(source: &dyn Source) -> Result<Reading<ResultSet>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut file = TemciResultFile { source: text, ..TemciResultFile::default() };
    let end = yaml::each_entry(text, &mut |entry| file.add(&entry));
    // Text that was cut at an invalid byte usually does not parse either; then the byte is the cause.
    if let Some(flaw) = flaw.or_else(|| end.err()) {
        if file.programs == 0 {
            return Err(flaw.into_error(source.name()));
        }
        file.diagnostics.push(flaw);
    } else if !text.ends_with('\n') {
        let problem = "the file ends inside this line, perhaps too early: temci ends every line";
        file.diagnostics.push(Diagnostic::note(Place::Line(text.lines().count() as u64), problem));
    }
    let TemciResultFile { assembly, mut shared, mut diagnostics, .. } = file;
    let mut value = assembly.finish(&mut diagnostics);
    // Each program keeps the names, since programs may be removed from the results later.
    if let Some(names) = shared.remove(NAMES) {
        value.programs.iter_mut().for_each(|program| {
            program.attributes.insert(NAMES.to_owned(), names.clone());
        });
    }
    if let Some(first) = value.programs.first_mut() {
        first.attributes.extend(shared);
    }
    Ok(Reading { value, format_id: FORMAT.id, diagnostics })
}

/// What was read from the file so far.
#[derive(Default)]
struct TemciResultFile<'s> {
    /// The text of the file.
    source: &'s str,
    assembly: Assembly,
    programs: usize,
    /// Attributes that belong to no single program.
    shared: BTreeMap<String, Value>,
    diagnostics: Vec<Diagnostic>,
}

impl TemciResultFile<'_> {
    fn add(&mut self, entry: &YamlNode) {
        let Some(entries) = entry.entries() else {
            return self.complain(entry, "expected a mapping (`attributes`, `data`)");
        };
        if let Some(descriptions) = entry.get("property_descriptions") {
            self.add_descriptions(descriptions);
        } else if let Some(environment) = entry.get("env_info") {
            self.shared.insert(ENVIRONMENT.to_owned(), environment.to_json());
        } else {
            self.add_program(entry, entries);
        }
    }

    /// Keeps the descriptions that differ from those that Lotse would write.
    fn add_descriptions(&mut self, descriptions: &YamlNode) {
        let entries = descriptions.entries().unwrap_or(&[]);
        let foreign: serde_json::Map<String, Value> = entries
            .iter()
            .filter(|(key, text)| text.text().as_deref() != temci_names::description(&key.name))
            .map(|(key, text)| (key.name.clone(), text.to_json()))
            .collect();
        if !foreign.is_empty() {
            self.shared.insert(DESCRIPTIONS.to_owned(), foreign.into());
        }
    }

    /// Adds a block as a program with its runs, and a recorded error as a failed run after them.
    fn add_program(&mut self, entry: &YamlNode, entries: &[(YamlKey, YamlNode)]) {
        self.programs += 1;
        for (key, _) in entries {
            let known = ["attributes", "data", "error", "internal_error", "run_config", "build_config"];
            if !known.contains(&key.name.as_str()) {
                let message = format!("{:?} is no key of temci's results: ignored", key.name);
                self.diagnostics.push(Diagnostic::note(key.place(), message));
            }
        }
        let mut program = program(entry.get("attributes"), self.programs, self.source);
        let failure = failure(entry);
        for (from, to) in [("output", OUTPUT), ("error_output", ERROR_OUTPUT)] {
            let text = entry.get("error").and_then(|error| error.get(from)).and_then(YamlNode::text);
            let text = text.filter(|text| !text.is_empty());
            program.attributes.extend(text.map(|text| (to.to_owned(), text.into())));
        }
        let id = self.assembly.add_program(program);
        let runs = entry.get("data").map_or(0, |data| self.add_data(id, data));
        if let Some(outcome) = failure {
            self.assembly.add_run(id, runs, outcome, BTreeMap::new());
        }
    }

    /// Adds the runs and returns their number. The n-th values of all properties are the n-th run.
    fn add_data(&mut self, program: ProgramId, data: &YamlNode) -> usize {
        let Some(properties) = data.entries() else {
            self.complain(data, "expected a mapping from properties to lists");
            return 0;
        };
        let measured_together: Vec<&str> = properties.iter().map(|(key, _)| key.name.as_str()).collect();
        let mut runs: Vec<BTreeMap<String, f64>> = Vec::new();
        let mut lengths = Vec::new();
        for (key, list) in properties {
            let (metric, factor) = temci_names::metric_and_factor(&key.name, &measured_together);
            if key.name == OVERALL && metric.name == WALL {
                let message = "temci's overall time is the only clock here: it includes starting its wrapper";
                self.diagnostics.push(Diagnostic::note(key.place(), message));
            }
            let values = self.values(list);
            lengths.push(values.len());
            runs.resize(runs.len().max(values.len()), BTreeMap::new());
            for (run, value) in runs.iter_mut().zip(values) {
                run.insert(metric.name.clone(), value * factor);
            }
            if temci_names::property_and_divisor(&metric.name).0 != key.name {
                let names =
                    self.shared.entry(NAMES.to_owned()).or_insert_with(|| Value::Object(Default::default()));
                names[&metric.name] = key.name.clone().into();
            }
            self.assembly.add_metric(metric);
        }
        if lengths.iter().any(|&length| length != runs.len()) {
            let message = "lists of different lengths: which values belong to one run is not known";
            self.diagnostics.push(Diagnostic::note(data.place(), message));
        }
        let count = runs.len();
        for (block, values) in runs.into_iter().enumerate() {
            let outcome = Outcome { status: Status::Ok, exit_code: None, signal: None, problem: None };
            self.assembly.add_run(program, block, outcome, values);
        }
        count
    }

    /// The finite numbers of a list.
    fn values(&mut self, list: &YamlNode) -> Vec<f64> {
        let Some(elements) = list.list() else {
            self.complain(list, "expected a list of numbers");
            return Vec::new();
        };
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            match element.number() {
                Some(value) if value.is_finite() => values.push(value),
                _ => self.complain(element, "expected a finite number"),
            }
        }
        values
    }

    fn complain(&mut self, node: &YamlNode, expected: &str) {
        let message = format!("{expected}, found {}: left out", node.kind());
        self.diagnostics.push(Diagnostic::loss(node.place(), message));
    }
}

/// The program of a block, which temci describes by attributes only. Name and tags are texts as they stand in the source.
fn program(attributes: Option<&YamlNode>, number: usize, source: &str) -> Program {
    let entries = attributes.and_then(YamlNode::entries).unwrap_or(&[]);
    let as_text = |node: &YamlNode| node.text_in(source).map_or_else(|| node.to_json(), Value::from);
    let value = |name: &str, node: &YamlNode| match (name, node.list()) {
        ("description", _) | ("tags", None) => as_text(node),
        ("tags", Some(tags)) => tags.iter().map(as_text).collect(),
        _ => node.to_json(),
    };
    let mut attributes: BTreeMap<String, Value> =
        entries.iter().map(|(key, node)| (key.name.clone(), value(&key.name, node))).collect();
    let name =
        attributes.remove("description").filter(|value| !value.is_null()).map(|value| plain_text(&value));
    let tags = match attributes.remove("tags") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(tags)) => tags.iter().map(plain_text).collect(),
        Some(single) => vec![plain_text(&single)],
    };
    let parameters = match attributes.remove("parameters") {
        Some(Value::Object(entries)) => {
            entries.iter().map(|(name, value)| (name.clone(), plain_text(value))).collect()
        }
        other => {
            attributes.extend(other.map(|other| ("parameters".to_owned(), other)));
            BTreeMap::new()
        }
    };
    let name = name.unwrap_or_else(|| name_from_attributes(&attributes, number));
    let command = attributes.remove("command").map_or_else(|| name.clone(), |command| plain_text(&command));
    let commands = match attributes.get("commands") {
        Some(Value::Array(commands)) => commands.iter().map(plain_text).collect(),
        _ => Vec::new(),
    };
    if !commands.is_empty() {
        attributes.remove("commands");
    }
    Program { name, command, commands, parameters, tags, build_seconds: None, attributes }
}

/// The name temci gives to a block without a description, such as `compiler=gcc, level=2`.
fn name_from_attributes(attributes: &BTreeMap<String, Value>, number: usize) -> String {
    if attributes.is_empty() {
        return format!("program {number}");
    }
    let parts: Vec<String> =
        attributes.iter().map(|(name, value)| format!("{name}={}", plain_text(value))).collect();
    parts.join(", ")
}

/// A value as text, without the quotes of JSON.
fn plain_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The failed run that a block records.
fn failure(entry: &YamlNode) -> Option<Outcome> {
    let message = |node: &YamlNode| node.get("message").and_then(YamlNode::text);
    if let Some(error) = entry.get("error") {
        let problem = message(error);
        let timed_out = problem.as_ref().is_some_and(|problem| problem.contains("hit a timeout"));
        let status = if timed_out { Status::Timeout } else { Status::Failed };
        // Python's convention: the negative number of the signal.
        let code = error.get("return_code").and_then(YamlNode::int).and_then(|code| i32::try_from(code).ok());
        let (exit_code, signal) = match code {
            // Our writer writes -1 if a run was stopped at a time limit and the signal is not known.
            Some(-1) if timed_out => (None, None),
            Some(code) if code < 0 => (None, code.checked_neg()),
            other => (other, None),
        };
        return Some(Outcome { status, exit_code, signal, problem });
    }
    let error = entry.get("internal_error")?;
    Some(Outcome { status: Status::Missing, exit_code: None, signal: None, problem: message(error) })
}
