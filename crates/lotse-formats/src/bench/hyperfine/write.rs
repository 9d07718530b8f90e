//! Writes hyperfine's JSON with the same fields in the same order and units, so that scripts for it work.
//!
//! Only good runs are written, because hyperfine's format has no others. A program without a good run is left out, unless
//! its summary was read from hyperfine's format.
//!
//! `mean`, `times` and the other fields of version 1 are of the primary metric. Where that is not the wall time, `metric` and
//! `unit` beside them name it, and `primary_metric` of version 2 names it in every case.

use std::io;

use lotse_model::id::ProgramId;
use lotse_model::metric::WALL;
use lotse_model::results::{Program, Run};
use lotse_model::unit::Unit;
use lotse_model::{Metric, ResultSet};
use serde_json::{Map, Value, json};

use super::{FIGURES, METRICS};
use crate::bench::summary::{HyperfineSummary, mean};

/// Which version of hyperfine the scripts that read the file are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// 1.x: `results[].times`, `mean`, `stddev` and so on.
    V1,
    /// 2.x: `results[].measurements[]` and `summary`.
    #[default]
    V2,
    /// The fields of 2.x and of 1.x (`times`, `mean`, …), for scripts of either version. Fields that both versions have
    /// (`command`, `parameters`) are as in 2.x.
    Both,
}

/// Writes the good runs. `primary` is the metric of the fields that hyperfine has only once; `start_time` (UTC, RFC 3339) goes
/// into the metadata of version 2.
///
/// Programs without a good run are left out, because the format cannot describe them.
pub fn write(
    set: &ResultSet,
    version: Version,
    primary: &Metric,
    start_time: Option<&str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let results: Vec<Value> = set
        .program_ids()
        .zip(&set.programs)
        .filter_map(|(id, program)| match version {
            Version::V1 => old_entry(set, id, program, primary),
            Version::V2 => new_entry(set, id, program, primary),
            Version::Both => both_entries(set, id, program, primary),
        })
        .collect();
    let export = match version {
        Version::V1 => json!({ "results": results }),
        Version::V2 | Version::Both => json!({
            "schema_version": 2,
            "metadata": metadata(set, start_time),
            "primary_metric": hyperfine_name(primary),
            "results": results,
        }),
    };
    serde_json::to_writer_pretty(&mut *out, &export)?;
    out.write_all(b"\n")
}

/// The name of a program and its samples of a metric, for the tables of the CSV export.
pub(crate) fn name_and_samples<'a>(set: &'a ResultSet, id: ProgramId, metric: &str) -> (&'a str, Vec<f64>) {
    let name = set.programs.get(id.index()).map_or("", |program| program.name.as_str());
    (name, set.samples(id, metric))
}

/// Whether a program has no wall times, so that the export leaves it out.
pub(crate) fn has_no_times(set: &ResultSet, id: ProgramId) -> bool {
    set.samples(id, WALL).is_empty()
}

fn metadata(set: &ResultSet, start_time: Option<&str>) -> Value {
    if let Some(read) = set.programs.iter().find_map(|program| program.attributes.get("metadata")) {
        return read.clone();
    }
    // The version of the format, not of Lotse: scripts look at it to know which fields to expect.
    let mut metadata = Map::from_iter([("hyperfine_version".to_owned(), json!("2.0.0"))]);
    metadata.extend(start_time.map(|time| ("start_time".to_owned(), json!(time))));
    let machine = set.machine.as_ref();
    let mut platform = Map::new();
    platform.extend(
        machine.and_then(|machine| machine.kernel.as_ref()).map(|_| ("os".to_owned(), json!("Linux"))),
    );
    let host = machine.and_then(|machine| machine.host.as_ref());
    platform.extend(host.map(|host| ("hostname".to_owned(), json!(host))));
    platform.extend(machine.map(|machine| ("architecture".to_owned(), json!(machine.architecture))));
    metadata.insert("platform".to_owned(), platform.into());
    metadata.into()
}

/// A program in schema 2; `None` if it has no good run.
fn new_entry(set: &ResultSet, id: ProgramId, program: &Program, primary: &Metric) -> Option<Value> {
    let runs: Vec<&Run> = set.good_runs(id).filter(|run| run.values.contains_key(WALL)).collect();
    if runs.is_empty() {
        return None;
    }
    let mut entry = Map::from_iter([("command".to_owned(), json!(program.command))]);
    if program.name != program.command {
        entry.insert("name".to_owned(), json!(program.name));
    }
    entry.insert("measurements".to_owned(), runs.iter().map(|run| measurement(run, primary)).collect());
    if !program.parameters.is_empty() {
        let wrapped =
            program.parameters.iter().map(|(name, value)| (name.clone(), json!({ "value": value })));
        entry.insert("parameters".to_owned(), Value::Object(wrapped.collect()));
    }
    entry
        .extend(program.attributes.get("environment").map(|value| ("environment".to_owned(), value.clone())));
    entry.insert("summary".to_owned(), summaries(&runs, primary));
    Some(entry.into())
}

fn measurement(run: &Run, primary: &Metric) -> Value {
    let mut fields = Map::new();
    for (hyperfine_name, metric_name) in metrics(primary) {
        let Some(&value) = run.values.get(metric_name) else { continue };
        let quantity = match unit(hyperfine_name, primary) {
            Some(unit) => json!({ "value": value, "unit": unit }),
            None => json!({ "value": exact_integer(value) }),
        };
        fields.insert(hyperfine_name.to_owned(), quantity);
    }
    fields.insert("exit_code".to_owned(), json!(exit_code(run)));
    fields.into()
}

/// Summaries of the metrics that every run has, sorted by hyperfine's names.
fn summaries(runs: &[&Run], primary: &Metric) -> Value {
    let mut metrics = metrics(primary);
    metrics.sort_unstable();
    let mut summaries = Map::new();
    for (hyperfine_name, metric_name) in metrics {
        let values: Option<Vec<f64>> = runs.iter().map(|run| run.values.get(metric_name).copied()).collect();
        let Some(summary) = values.as_deref().and_then(HyperfineSummary::from_values) else { continue };
        let mut fields = Map::new();
        fields.extend(unit(hyperfine_name, primary).map(|unit| ("unit".to_owned(), json!(unit))));
        fields.insert("count".to_owned(), json!(summary.count));
        fields.extend(figures(&summary));
        summaries.insert(hyperfine_name.to_owned(), fields.into());
    }
    summaries.into()
}

fn figures(summary: &HyperfineSummary) -> impl Iterator<Item = (String, Value)> + use<> {
    let HyperfineSummary { mean, stddev, median, min, max, .. } = *summary;
    let values = [json!(mean), json!(stddev), json!(median), json!(min), json!(max)];
    FIGURES.map(str::to_owned).into_iter().zip(values)
}

/// A program in schema 1; `None` if it has neither a good run nor a summary that was read.
fn old_entry(set: &ResultSet, id: ProgramId, program: &Program, primary: &Metric) -> Option<Value> {
    let name = primary.name.as_str();
    let runs: Vec<&Run> = set.good_runs(id).filter(|run| run.values.contains_key(name)).collect();
    let times: Vec<f64> = runs.iter().filter_map(|run| run.values.get(name).copied()).collect();
    let mut figures: Map<String, Value> = match HyperfineSummary::from_values(&times) {
        Some(summary) => figures(&summary).collect(),
        None if program.attributes.contains_key("mean") => recorded_figures(program),
        None => return None,
    };
    let mut take = |name: &str| (name.to_owned(), figures.remove(name).unwrap_or(Value::Null));
    // Schema 1 has one field for the command and its name; hyperfine writes the name.
    let mut entry = Map::from_iter([("command".to_owned(), json!(program.name))]);
    entry.extend(["mean", "stddev", "median"].map(&mut take));
    entry.extend(["user", "system"].map(|name| (name.to_owned(), mean_or_recorded(&runs, name, program))));
    entry.extend(["min", "max"].map(&mut take));
    if name != WALL {
        entry.insert("metric".to_owned(), json!(name));
        entry.extend(unit(hyperfine_name(primary), primary).map(|unit| ("unit".to_owned(), json!(unit))));
    }
    if !times.is_empty() {
        entry.insert("times".to_owned(), json!(times));
        let memory: Option<Vec<Value>> =
            runs.iter().map(|run| run.values.get("peak_memory").map(|&bytes| exact_integer(bytes))).collect();
        entry.extend(memory.map(|memory| ("memory_usage_byte".to_owned(), memory.into())));
        entry.insert("exit_codes".to_owned(), runs.iter().map(|run| json!(exit_code(run))).collect());
    }
    if !program.parameters.is_empty() {
        entry.insert("parameters".to_owned(), json!(program.parameters));
    }
    Some(entry.into())
}

/// A program with the fields of both schemas; schema 2 has precedence.
fn both_entries(set: &ResultSet, id: ProgramId, program: &Program, primary: &Metric) -> Option<Value> {
    let (Value::Object(mut both), Value::Object(old)) =
        (new_entry(set, id, program, primary)?, old_entry(set, id, program, primary)?)
    else {
        return None;
    };
    for (key, value) in old {
        both.entry(key).or_insert(value);
    }
    Some(both.into())
}

/// The summary figures that were read from hyperfine's format.
fn recorded_figures(program: &Program) -> Map<String, Value> {
    let recorded = |name: &str| program.attributes.get(name).cloned().unwrap_or(Value::Null);
    FIGURES.iter().map(|&name| (name.to_owned(), recorded(name))).collect()
}

/// The mean over the runs; if they have no values of the metric, the mean that was read; else null.
fn mean_or_recorded(runs: &[&Run], metric: &str, program: &Program) -> Value {
    let values: Vec<f64> = runs.iter().filter_map(|run| run.values.get(metric).copied()).collect();
    match mean(&values) {
        Some(mean) => json!(mean),
        None => {
            program.attributes.get(metric).filter(|value| value.is_number()).cloned().unwrap_or(Value::Null)
        }
    }
}

/// The exit code of a run. A signal becomes 128 plus its number, as in a shell.
fn exit_code(run: &Run) -> Option<i32> {
    run.outcome.exit_code.or_else(|| run.outcome.signal.map(|signal| signal.saturating_add(128)))
}

/// hyperfine's name of a metric, or Lotse's where hyperfine has none.
pub(crate) fn hyperfine_name(metric: &Metric) -> &str {
    let known = METRICS.iter().find(|(_, metric_name)| *metric_name == metric.name);
    known.map_or(metric.name.as_str(), |(hyperfine_name, _)| hyperfine_name)
}

/// hyperfine's and Lotse's names of the metrics to write: all that hyperfine has, and the primary metric.
fn metrics(primary: &Metric) -> Vec<(&str, &str)> {
    let mut metrics: Vec<(&str, &str)> = METRICS.to_vec();
    if !metrics.iter().any(|(_, metric_name)| *metric_name == primary.name) {
        metrics.push((&primary.name, &primary.name));
    }
    metrics
}

fn unit(hyperfine_name: &str, primary: &Metric) -> Option<&'static str> {
    if hyperfine_name.starts_with("time_") {
        Some("second")
    } else if hyperfine_name.starts_with("memory_") {
        Some("byte")
    } else if hyperfine_name == primary.name {
        unit_name(primary.unit)
    } else {
        None
    }
}

/// hyperfine's word for a unit; it has none for counts and numbers.
pub(crate) fn unit_name(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::Seconds => Some("second"),
        Unit::Bytes => Some("byte"),
        _ => None,
    }
}

/// A count or size: as an integer if it has no fraction and is exact as `f64`.
fn exact_integer(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..9e15).contains(&value) { json!(value as u64) } else { json!(value) }
}
