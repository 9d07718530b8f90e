//! temci's result file (YAML): a list of blocks with attributes and, per property, a list of values.
//!
//! temci does not record which values belong to one run nor in which order the runs of different blocks were
//! made: the n-th values of all properties become the n-th run, and the design is sequential. A recorded error
//! becomes a failed run at the end of its program.
//! Descriptions of properties and of the environment, and names of properties that have several, are kept as attributes of the first program, an error's
//! output as attributes of its program, all under names that begin with `__` as temci's own do.

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
use crate::error::FormatError;
use crate::reading::{Diagnostic, Reading};
use crate::recognise::{Confidence, Format, Reader};
use crate::shape::Shape;
use crate::text;
use crate::yaml::{self, Key, Node};

pub(super) use write::properties;
pub use write::write;

/// temci's results.
pub const FORMAT: Format = Format {
    id: "temci",
    title: "temci result (YAML)",
    extensions: &["yaml", "yml"],
    claim,
    reader: Reader::Results(read),
};

/// Our name of the metric that temci calls so.
pub fn metric_of_property(property: &str) -> String {
    // Beside a better clock the overall time is a metric of its own, and alone it is never what a list of properties means.
    if property == OVERALL { property.to_owned() } else { temci_names::ours(property, &[property]).0.name }
}

/// The values that temci would have of a program, by its names and in its units.
pub fn values_of_property(set: &ResultSet, program: ProgramId, property: &str) -> Option<Vec<f64>> {
    properties(set, program).into_iter().find(|(name, _)| name == property).map(|(_, values)| values)
}

const DESCRIPTIONS: &str = "__property_descriptions";
const ENVIRONMENT: &str = "__env_info";
/// What the file called properties that are written under another name.
const NAMES: &str = "__property_names";
const OUTPUT: &str = "__output";
const ERROR_OUTPUT: &str = "__error_output";

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::of(source.bytes());
    let only_here = ["[].data", "[].property_descriptions", "[].env_info", "[].error", "[].internal_error"];
    if only_here.iter().any(|path| shape.has(path)) {
        if shape.has("[].run_config") { Confidence::Likely } else { Confidence::Certain }
    } else if shape.has("[].attributes") && !shape.has("[].run_config") {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

fn read(source: &dyn Source) -> Result<Reading<ResultSet>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut file = File::default();
    let end = yaml::each_entry(text, &mut |entry| file.add(&entry));
    // What is cut off at a bad byte fails to parse there too; the byte is the reason.
    if let Some(flaw) = flaw.or_else(|| end.err()) {
        if file.programs == 0 {
            return Err(flaw.of(source.name()));
        }
        file.diagnostics.push(flaw.into());
    }
    let File { assembly, mut shared, mut diagnostics, .. } = file;
    let mut value = assembly.finish(&mut diagnostics);
    // Whichever programs are left of a result later, their properties keep their names.
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

/// The file as far as it was read.
#[derive(Default)]
struct File {
    assembly: Assembly,
    programs: usize,
    /// What belongs to no program.
    shared: BTreeMap<String, Value>,
    diagnostics: Vec<Diagnostic>,
}

impl File {
    fn add(&mut self, entry: &Node) {
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

    /// Keeps the descriptions, but for those that Lotse would write of its own accord.
    fn add_descriptions(&mut self, descriptions: &Node) {
        let entries = descriptions.entries().unwrap_or(&[]);
        let foreign: serde_json::Map<String, Value> = entries
            .iter()
            .filter(|(key, text)| text.text().as_deref() != temci_names::meaning(&key.name))
            .map(|(key, text)| (key.name.clone(), text.to_json()))
            .collect();
        if !foreign.is_empty() {
            self.shared.insert(DESCRIPTIONS.to_owned(), foreign.into());
        }
    }

    fn add_program(&mut self, entry: &Node, entries: &[(Key, Node)]) {
        self.programs += 1;
        for (key, _) in entries {
            let known = ["attributes", "data", "error", "internal_error", "run_config", "build_config"];
            if !known.contains(&key.name.as_str()) {
                let message = format!("{:?} is no key of temci's results: ignored", key.name);
                self.diagnostics.push(Diagnostic::note(key.place(), message));
            }
        }
        let mut program = program(entry.get("attributes"), self.programs);
        let failure = failure(entry);
        for (from, to) in [("output", OUTPUT), ("error_output", ERROR_OUTPUT)] {
            let text = entry.get("error").and_then(|error| error.get(from)).and_then(Node::text);
            let text = text.filter(|text| !text.is_empty());
            program.attributes.extend(text.map(|text| (to.to_owned(), text.into())));
        }
        let id = self.assembly.program(program);
        let runs = entry.get("data").map_or(0, |data| self.add_data(id, data));
        if let Some(outcome) = failure {
            self.assembly.run(id, runs, outcome, BTreeMap::new());
        }
    }

    /// Adds the runs and says how many there are.
    fn add_data(&mut self, program: ProgramId, data: &Node) -> usize {
        let Some(properties) = data.entries() else {
            self.complain(data, "expected a mapping from properties to lists");
            return 0;
        };
        let beside: Vec<&str> = properties.iter().map(|(key, _)| key.name.as_str()).collect();
        let mut runs: Vec<BTreeMap<String, f64>> = Vec::new();
        let mut lengths = Vec::new();
        for (key, list) in properties {
            let (metric, factor) = temci_names::ours(&key.name, &beside);
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
            if temci_names::theirs(&metric.name).0 != key.name {
                let names =
                    self.shared.entry(NAMES.to_owned()).or_insert_with(|| Value::Object(Default::default()));
                names[&metric.name] = key.name.clone().into();
            }
            self.assembly.metric(metric);
        }
        if lengths.iter().any(|&length| length != runs.len()) {
            let message = "lists of different lengths: which values belong to one run is not known";
            self.diagnostics.push(Diagnostic::note(data.place(), message));
        }
        let count = runs.len();
        for (block, values) in runs.into_iter().enumerate() {
            let ended = Outcome { status: Status::Ok, exit_code: None, signal: None, problem: None };
            self.assembly.run(program, block, ended, values);
        }
        count
    }

    fn values(&mut self, list: &Node) -> Vec<f64> {
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

    fn complain(&mut self, node: &Node, expected: &str) {
        let message = format!("{expected}, found {}: left out", node.kind());
        self.diagnostics.push(Diagnostic::loss(node.place(), message));
    }
}

/// The program of a block: temci knows it only by its attributes.
fn program(attributes: Option<&Node>, number: usize) -> Program {
    let entries = attributes.and_then(Node::entries).unwrap_or(&[]);
    let mut attributes: BTreeMap<String, Value> =
        entries.iter().map(|(key, node)| (key.name.clone(), node.to_json())).collect();
    let name = attributes.remove("description").filter(|value| !value.is_null()).map(|value| plain(&value));
    let tags = match attributes.remove("tags") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(tags)) => tags.iter().map(plain).collect(),
        Some(single) => vec![plain(&single)],
    };
    let parameters = match attributes.remove("parameters") {
        Some(Value::Object(entries)) => {
            entries.iter().map(|(name, value)| (name.clone(), plain(value))).collect()
        }
        other => {
            attributes.extend(other.map(|other| ("parameters".to_owned(), other)));
            BTreeMap::new()
        }
    };
    let name = name.unwrap_or_else(|| described(&attributes, number));
    let command = attributes.remove("command").map_or_else(|| name.clone(), |command| plain(&command));
    Program { name, command, parameters, tags, build_seconds: None, attributes }
}

/// What temci would call a block without a description.
fn described(attributes: &BTreeMap<String, Value>, number: usize) -> String {
    if attributes.is_empty() {
        return format!("program {number}");
    }
    let parts: Vec<String> =
        attributes.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
    parts.join(", ")
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The failed run that a block tells of.
fn failure(entry: &Node) -> Option<Outcome> {
    let message = |node: &Node| node.get("message").and_then(Node::text);
    if let Some(error) = entry.get("error") {
        let problem = message(error);
        let late = problem.as_ref().is_some_and(|problem| problem.contains("hit a timeout"));
        let status = if late { Status::Timeout } else { Status::Failed };
        // Python's convention: a signal is a negative code.
        let code = error.get("return_code").and_then(Node::int).and_then(|code| i32::try_from(code).ok());
        let (exit_code, signal) = match code {
            // What is written where a run was stopped and nothing tells by which signal.
            Some(-1) if late => (None, None),
            Some(code) if code < 0 => (None, code.checked_neg()),
            other => (other, None),
        };
        return Some(Outcome { status, exit_code, signal, problem });
    }
    let error = entry.get("internal_error")?;
    Some(Outcome { status: Status::Missing, exit_code: None, signal: None, problem: message(error) })
}
