//! hyperfine's JSON export: all versions are read, two are written.
//!
//! Schema 2 (hyperfine 2) has a list of measurements per command, each value with its unit. Schema 1 has parallel
//! lists: `times` always, `exit_codes` since 1.12, `parameters` since 1.11 (`parameter` before), `memory_usage_byte`
//! in the last 1.x; CPU times only as the means `user` and `system`. Those means, and all summary figures if the
//! single times are missing, are kept as attributes of the program.
//!
//! hyperfine records a failing run only if it is called with `--ignore-failure`, and includes it in its figures. So such
//! a run is a good run here, with its exit code, and a note says how many there are. A run with a time of 0 or less is
//! invalid.

mod write;

use std::collections::BTreeMap;
use std::fmt;

use lotse_model::bytes::Source;
use lotse_model::id::ProgramId;
use lotse_model::metric::WALL;
use lotse_model::results::{Outcome, Program, Status};
use lotse_model::{Metric, ResultSet, Unit};
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use crate::assemble::Assembly;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json::{self, Collect};
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

pub use write::{Version, write};
pub(crate) use write::{has_no_times, name_and_samples, unit_name};

/// hyperfine's JSON export.
pub const FORMAT: Format = Format {
    id: "hyperfine",
    title: "hyperfine JSON",
    extensions: &["json"],
    claim,
    reader: Reader::Results(read),
};

/// The name of each metric in hyperfine 2 and in Lotse.
const METRICS: &[(&str, &str)] = &[
    ("time_wall_clock", WALL),
    ("time_cpu", "cpu"),
    ("time_user", "user"),
    ("time_system", "system"),
    ("memory_peak_resident", "peak_memory"),
    ("cpu_cycles", "cycles"),
    ("instructions", "instructions"),
    ("cache_references", "cache-references"),
    ("cache_misses", "cache-misses"),
    ("branch_misses", "branch-misses"),
];

/// Summary figures of schema 1 that are kept as attributes.
const FIGURES: [&str; 5] = ["mean", "stddev", "median", "min", "max"];

fn claim(source: &dyn Source) -> Confidence {
    let shape = Shape::from_bytes(source.bytes());
    let old = shape.has("results[].times") || shape.has("results[].mean");
    if shape.has("results[].command") && (old || shape.has("results[].measurements")) {
        Confidence::Certain
    } else if shape.has("results[].command") || (shape.has("results") && shape.has("schema_version")) {
        Confidence::Likely
    } else if shape.has("results") {
        Confidence::Possible
    } else {
        Confidence::No
    }
}

/// Reads an export. A syntax error ends the file: the commands before it are kept.
fn read(source: &dyn Source) -> Result<Reading<ResultSet>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut diagnostics: Vec<Diagnostic> = flaw.into_iter().collect();
    let mut export = HyperfineExport::default();
    if let Err(flaw) = json::parse(text, ExportSeed(&mut export)) {
        if export.results.is_empty() {
            return Err(flaw.into_error(source.name()));
        }
        diagnostics.push(flaw);
    }
    if let Some(version) =
        export.schema_version.as_ref().filter(|version| !matches!(version.as_u64(), Some(1 | 2)))
    {
        let (name, found) = (source.name().to_owned(), version.to_string());
        return Err(FormatError::Version { name, found, known: "hyperfine's JSON of 1.x and schema 2" });
    }
    let mut assembly = Assembly::default();
    for (index, entry) in std::mem::take(&mut export.results).into_iter().enumerate() {
        entry.add(index, export.metadata.as_ref(), &mut assembly, &mut diagnostics);
    }
    let mut value = assembly.finish(&mut diagnostics);
    diagnostics.extend(ignored_failures(&value));
    let started = export.metadata.as_ref().and_then(|metadata| metadata.get("start_time"));
    value.date = started.and_then(Value::as_str).map(str::to_owned);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics })
}

/// The entries of the file that were read so far.
#[derive(Default)]
struct HyperfineExport {
    schema_version: Option<Value>,
    metadata: Option<Value>,
    results: Vec<HyperfineResult>,
}

/// One command, in either schema.
#[derive(Deserialize)]
struct HyperfineResult {
    command: String,
    name: Option<String>,
    measurements: Option<Vec<Map<String, Value>>>,
    times: Option<Vec<f64>>,
    memory_usage_byte: Option<Vec<f64>>,
    exit_codes: Option<Vec<Option<i32>>>,
    #[serde(default)]
    parameters: BTreeMap<String, Value>,
    parameter: Option<Value>,
    environment: Option<Value>,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

impl HyperfineResult {
    /// Adds the program and its runs: schema 2 from `measurements`, schema 1 from `times` and the lists parallel to it.
    fn add(
        self,
        index: usize,
        metadata: Option<&Value>,
        assembly: &mut Assembly,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let program = assembly.add_program(self.program(metadata));
        let place = |key: &str| Place::Path(format!("results[{index}].{key}"));
        if let Some(measurements) = &self.measurements {
            for (run, measurement) in measurements.iter().enumerate() {
                let values = values_of_measurement(measurement, assembly);
                if !values.contains_key(WALL) {
                    let place = Place::Path(format!("results[{index}].measurements[{run}].time_wall_clock"));
                    diagnostics.push(Diagnostic::loss(place, "expected a number in `value`, found none"));
                }
                let code = measurement.get("exit_code").and_then(Value::as_i64);
                let code = code.and_then(|code| i32::try_from(code).ok());
                assembly.add_run(program, run, outcome_of_run(code, &values), values);
            }
            return;
        }
        let Some(times) = &self.times else {
            let message = "the file has no single runs, only their summary: there is nothing to compare";
            diagnostics.push(Diagnostic::note(place("times"), message));
            return;
        };
        self.note_lengths(times.len(), &place, diagnostics);
        for (run, &time) in times.iter().enumerate() {
            let values = self.old_values(run, time, assembly);
            let code = self.exit_codes.as_ref().and_then(|codes| codes.get(run).copied()).flatten();
            assembly.add_run(program, run, outcome_of_run(code, &values), values);
        }
    }

    fn program(&self, metadata: Option<&Value>) -> Program {
        let mut parameters: BTreeMap<String, String> =
            self.parameters.iter().map(|(name, value)| (name.clone(), parameter_text(value))).collect();
        if let Some(value) = &self.parameter {
            parameters.insert("parameter".to_owned(), parameter_text(value));
        }
        Program {
            name: self.name.clone().unwrap_or_else(|| self.command.clone()),
            command: self.command.clone(),
            commands: Vec::new(),
            parameters,
            tags: Vec::new(),
            build_seconds: None,
            attributes: self.attributes(metadata),
        }
    }

    fn attributes(&self, metadata: Option<&Value>) -> BTreeMap<String, Value> {
        let figures: &[&str] =
            if self.times.is_none() && self.measurements.is_none() { &FIGURES } else { &[] };
        let names = ["user", "system"].iter().chain(figures);
        let mut attributes: BTreeMap<String, Value> = names
            .filter_map(|&name| Some((name.to_owned(), self.rest.get(name)?.clone())))
            .filter(|(_, value)| value.is_number())
            .collect();
        attributes.extend(self.environment.clone().map(|value| ("environment".to_owned(), value)));
        attributes.extend(metadata.cloned().map(|value| ("metadata".to_owned(), value)));
        attributes
    }

    /// The values of a run in schema 1. `metric` and `unit`, which Lotse adds, name what `times` are if not wall times.
    fn old_values(&self, run: usize, time: f64, assembly: &mut Assembly) -> BTreeMap<String, f64> {
        let text = |key: &str| self.rest.get(key).and_then(Value::as_str);
        let metric = match text("metric") {
            Some(name) => Metric { name: name.to_owned(), unit: unit(text("unit")) },
            None => Metric::named(WALL),
        };
        let mut values = BTreeMap::from([(metric.name.clone(), time)]);
        assembly.add_metric(metric);
        if let Some(&memory) = self.memory_usage_byte.as_ref().and_then(|memory| memory.get(run)) {
            assembly.add_metric(Metric::named("peak_memory"));
            values.insert("peak_memory".to_owned(), memory);
        }
        values
    }

    fn note_lengths(&self, runs: usize, place: &dyn Fn(&str) -> Place, diagnostics: &mut Vec<Diagnostic>) {
        let memory = self.memory_usage_byte.as_ref().map(Vec::len);
        let codes = self.exit_codes.as_ref().map(Vec::len);
        for (key, length) in [("memory_usage_byte", memory), ("exit_codes", codes)] {
            if let Some(length) = length.filter(|&length| length != runs) {
                let message = format!("expected {runs} values, one for each of `times`, found {length}");
                diagnostics.push(Diagnostic::loss(place(key), message));
            }
        }
    }
}

/// A note for each program on how many of its runs failed and are counted nevertheless.
fn ignored_failures(set: &ResultSet) -> Vec<Diagnostic> {
    let note = |id: ProgramId| {
        let runs: Vec<_> = set.runs.iter().filter(|run| run.program == id).collect();
        let failed = runs.iter().filter(|run| run.outcome.exit_code.is_some_and(|code| code != 0)).count();
        let message = format!(
            "{failed} of {} runs of `{}` ended with an exit code other than 0; they are counted, since hyperfine keeps such runs \
             only where it is told to ignore failure",
            runs.len(),
            set.programs[id.index()].name
        );
        (failed > 0).then(|| Diagnostic::note(Place::Whole, message))
    };
    set.program_ids().filter_map(note).collect()
}

/// The outcome of a run: good, as hyperfine records only runs that it counts, unless its time is 0.
fn outcome_of_run(exit_code: Option<i32>, values: &BTreeMap<String, f64>) -> Outcome {
    let no_time = values.get(WALL).is_some_and(|wall| *wall == 0.0);
    let problem = no_time.then(|| "expected a time above 0, found 0: the run is not counted".to_owned());
    let status = if no_time { Status::Invalid } else { Status::Ok };
    Outcome { status, exit_code, signal: None, problem }
}

/// The text of a parameter. Schema 2 wraps it in an object (`{"value": …}`), schema 1 does not.
fn parameter_text(value: &Value) -> String {
    match value.get("value").unwrap_or(value) {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The unit of hyperfine's word for it.
fn unit(word: Option<&str>) -> Unit {
    match word {
        Some("second") => Unit::Seconds,
        Some("byte") => Unit::Bytes,
        Some(_) => Unit::Number,
        None => Unit::Count,
    }
}

/// The values of a run in schema 2.
fn values_of_measurement(measurement: &Map<String, Value>, assembly: &mut Assembly) -> BTreeMap<String, f64> {
    let mut values = BTreeMap::new();
    for (key, quantity) in measurement {
        let Some(value) = quantity.get("value").and_then(Value::as_f64) else { continue };
        let name = METRICS
            .iter()
            .find(|(hyperfine_name, _)| hyperfine_name == key)
            .map_or(key.as_str(), |&(_, metric_name)| metric_name);
        let unit = unit(quantity.get("unit").and_then(Value::as_str));
        assembly.add_metric(Metric { name: name.to_owned(), unit });
        values.insert(name.to_owned(), value);
    }
    values
}

/// Deserializes into a [`HyperfineExport`], which keeps what was read before an error.
struct ExportSeed<'a>(&'a mut HyperfineExport);

impl<'de> DeserializeSeed<'de> for ExportSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for ExportSeed<'_> {
    type Value = ();

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object with the key `results`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let mut found = false;
        while let Some(key) = entries.next_key::<String>()? {
            match key.as_str() {
                "schema_version" => self.0.schema_version = Some(entries.next_value()?),
                "metadata" => self.0.metadata = Some(entries.next_value()?),
                "results" => {
                    found = true;
                    entries.next_value_seed(Collect(&mut self.0.results))?;
                }
                _ => drop(entries.next_value::<IgnoredAny>()?),
            }
        }
        if found { Ok(()) } else { Err(serde::de::Error::missing_field("results")) }
    }
}
