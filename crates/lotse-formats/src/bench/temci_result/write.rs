//! Writes temci's result file, as input for `temci report`.
//!
//! The format can hold only a few lines about the machine, neither the order of runs nor the seed nor what disturbed a
//! run, and one error per program: the last one is written.

use std::collections::BTreeSet;
use std::io;

use lotse_model::id::ProgramId;
use lotse_model::metric::KNOWN;
use lotse_model::results::{Outcome, Program, Status};
use lotse_model::{Fingerprint, Metric, ResultSet};
use serde_json::{Map, Value, json};

use super::{DESCRIPTIONS, ENVIRONMENT, ERROR_OUTPUT, NAMES, OUTPUT};
use crate::bench::temci_names;
use crate::yaml;

/// Writes all programs with their samples.
pub fn write(set: &ResultSet, out: &mut dyn io::Write) -> io::Result<()> {
    let mut entries: Vec<Value> =
        set.program_ids().zip(&set.programs).map(|(id, program)| program_entry(set, id, program)).collect();
    let descriptions = descriptions(set);
    if !descriptions.is_empty() {
        entries.push(json!({ "property_descriptions": descriptions }));
    }
    entries.extend(environment(set).map(|environment| json!({ "env_info": environment })));
    out.write_all(yaml::to_text(&entries.into()).as_bytes())
}

fn program_entry(set: &ResultSet, id: ProgramId, program: &Program) -> Value {
    let list = |values: Vec<f64>| values.into_iter().map(|value| json!(value)).collect();
    let data: Map<String, Value> =
        property_values(set, id).into_iter().map(|(name, values)| (name, list(values))).collect();
    let mut entry =
        Map::from_iter([("attributes".to_owned(), attributes(program)), ("data".to_owned(), data.into())]);
    let mut failures = set.runs.iter().filter(|run| run.program == id && run.outcome.status != Status::Ok);
    entry.extend(failures.next_back().map(|run| failure(&run.outcome, program)));
    entry.into()
}

/// The values of a program, with temci's names and units.
pub(in crate::bench) fn property_values(set: &ResultSet, id: ProgramId) -> Vec<(String, Vec<f64>)> {
    let property = |metric: &Metric| {
        let samples = set.samples(id, &metric.name);
        let factor = temci_names::property_and_divisor(&metric.name).1;
        let values: Vec<f64> = samples.iter().map(|value| value / factor).collect();
        (!values.is_empty()).then(|| (property_name(set, &metric.name), values))
    };
    set.metrics.iter().filter_map(property).collect()
}

/// The property name of a metric in the file it was read from, else temci's first name for it.
fn property_name(set: &ResultSet, metric: &str) -> String {
    let in_file =
        set.programs.iter().find_map(|program| program.attributes.get(NAMES)?.get(metric)?.as_str());
    in_file.unwrap_or(temci_names::property_and_divisor(metric).0).to_owned()
}

/// The attributes of a block: those that describe the program, then the others that were read, without those kept elsewhere.
fn attributes(program: &Program) -> Value {
    let mut attributes = Map::from_iter([("description".to_owned(), json!(program.name))]);
    if !program.tags.is_empty() {
        attributes.insert("tags".to_owned(), json!(program.tags));
    }
    if program.command != program.name {
        attributes.insert("command".to_owned(), json!(program.command));
    }
    if !program.commands.is_empty() {
        attributes.insert("commands".to_owned(), json!(program.commands));
    }
    if !program.parameters.is_empty() {
        attributes.insert("parameters".to_owned(), json!(program.parameters));
    }
    for (name, value) in &program.attributes {
        let elsewhere = [DESCRIPTIONS, ENVIRONMENT, NAMES, OUTPUT, ERROR_OUTPUT].contains(&name.as_str());
        if !elsewhere && !attributes.contains_key(name) {
            attributes.insert(name.clone(), value.clone());
        }
    }
    attributes.into()
}

fn failure(outcome: &Outcome, program: &Program) -> (String, Value) {
    let message = outcome.problem.clone().unwrap_or_else(|| default_message(outcome));
    // Python's convention: the negative number of the signal.
    let code = outcome.exit_code.or_else(|| outcome.signal.and_then(i32::checked_neg));
    let timed_out = (outcome.status == Status::Timeout).then_some(-1);
    let Some(code) = code.or(timed_out) else {
        return ("internal_error".to_owned(), json!({ "message": message }));
    };
    let attribute = |name: &str| program.attributes.get(name).and_then(Value::as_str).unwrap_or("");
    let error = json!({
        "message": message,
        "return_code": code,
        "output": attribute(OUTPUT),
        "error_output": attribute(ERROR_OUTPUT),
    });
    ("error".to_owned(), error)
}

fn default_message(outcome: &Outcome) -> String {
    match (outcome.status, outcome.exit_code) {
        (Status::Timeout, _) => "The run command hit a timeout".to_owned(),
        (Status::Invalid, _) => "Unexpected output".to_owned(),
        (Status::Missing, _) => "The program could not be started".to_owned(),
        (_, Some(code)) => format!("Unexpected return code {code}"),
        (_, None) => "The program failed".to_owned(),
    }
}

/// The description of each property: the one that was read, else Lotse's.
fn descriptions(set: &ResultSet) -> Map<String, Value> {
    let read = set.programs.iter().find_map(|program| program.attributes.get(DESCRIPTIONS));
    let mut descriptions = Map::new();
    for metric in &set.metrics {
        let name = property_name(set, &metric.name);
        let default = KNOWN.iter().find(|known| known.name == metric.name).map(|known| json!(known.meaning));
        let text = read.and_then(|read| read.get(&name)).filter(|text| text.is_string()).cloned().or(default);
        descriptions.extend(text.map(|text| (name, text)));
    }
    // temci keys a table by description, so two properties must not have the same one.
    let mut seen = BTreeSet::new();
    descriptions.retain(|_, text| seen.insert(text.to_string()));
    descriptions
}

fn environment(set: &ResultSet) -> Option<Value> {
    let read = set.programs.iter().find_map(|program| program.attributes.get(ENVIRONMENT));
    read.cloned()
        .or_else(|| set.machine.as_ref().map(|machine| environment_of_machine(machine, set.date.as_deref())))
}

/// The environment in temci's form: sections of pairs of texts.
fn environment_of_machine(machine: &Fingerprint, date: Option<&str>) -> Value {
    let pair = |name: &str, value: Option<String>| value.map(|value| json!([name, value]));
    let section = |name: &str, pairs: Vec<Option<Value>>| {
        let pairs: Vec<Value> = pairs.into_iter().flatten().collect();
        (!pairs.is_empty()).then(|| json!([name, pairs]))
    };
    let sections = [
        section(
            "Measurement",
            vec![pair("date", date.map(str::to_owned)), pair("host", machine.host.clone())],
        ),
        section(
            "Operating system",
            vec![pair("name", machine.system.clone()), pair("release", machine.kernel.clone())],
        ),
        section(
            "CPU",
            vec![
                pair("cpu", machine.processor.clone()),
                pair("threads", machine.online_cpus.map(|cpus| cpus.to_string())),
            ],
        ),
        section("Memory", vec![pair("total", machine.memory.map(|bytes| format!("{bytes} B")))]),
    ];
    sections.into_iter().flatten().collect()
}
