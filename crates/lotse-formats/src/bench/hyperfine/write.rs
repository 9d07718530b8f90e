//! Writing hyperfine's JSON: the same fields in the same order and units, so that scripts for it go on working.
//!
//! Only good runs are written, for hyperfine knows no others; a program without one is left out unless its
//! summary came from hyperfine in the first place.

use std::io;

use lotse_model::ResultSet;
use lotse_model::id::ProgramId;
use lotse_model::metric::WALL;
use lotse_model::results::{Program, Run};
use serde_json::{Map, Value, json};

use super::{FIGURES, METRICS};
use crate::bench::summary::{Summary, mean};

/// Which hyperfine the reading script was made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// 1.x: `results[].times`, `mean`, `stddev` and so on.
    V1,
    /// 2.x: `results[].measurements[]` and `summary`.
    #[default]
    V2,
    /// 2.x with the fields of 1.x (`times`, `mean`, …) beside them, for scripts of either time. What both call
    /// alike (`command`, `parameters`) is as in 2.x.
    Both,
}

/// Writes the good runs. `start_time` (UTC, RFC 3339) goes into the metadata of version 2.
///
/// Programs without a good run are left out: hyperfine has no place for them.
pub fn write(
    set: &ResultSet,
    version: Version,
    start_time: Option<&str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let results: Vec<Value> = set
        .program_ids()
        .zip(&set.programs)
        .filter_map(|(id, program)| match version {
            Version::V1 => old_entry(set, id, program),
            Version::V2 => new_entry(set, id, program),
            Version::Both => both_entries(set, id, program),
        })
        .collect();
    let export = match version {
        Version::V1 => json!({ "results": results }),
        Version::V2 | Version::Both => json!({
            "schema_version": 2,
            "metadata": metadata(set, start_time),
            "primary_metric": "time_wall_clock",
            "results": results,
        }),
    };
    serde_json::to_writer_pretty(&mut *out, &export)?;
    out.write_all(b"\n")
}

/// Name of a program and its samples of one of our metrics, for the tables of the CSV export.
pub(crate) fn name_and_samples<'a>(set: &'a ResultSet, id: ProgramId, metric: &str) -> (&'a str, Vec<f64>) {
    let name = set.programs.get(id.index()).map_or("", |program| program.name.as_str());
    (name, set.samples(id, metric))
}

/// Whether the export has no place for a program.
pub(crate) fn left_out(set: &ResultSet, id: ProgramId) -> bool {
    set.samples(id, WALL).is_empty()
}

fn metadata(set: &ResultSet, start_time: Option<&str>) -> Value {
    if let Some(theirs) = set.programs.iter().find_map(|program| program.attributes.get("metadata")) {
        return theirs.clone();
    }
    // The version of the format, not of the writer: scripts look at it to know what to expect.
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

fn new_entry(set: &ResultSet, id: ProgramId, program: &Program) -> Option<Value> {
    let runs: Vec<&Run> = set.good_runs(id).filter(|run| run.values.contains_key(WALL)).collect();
    if runs.is_empty() {
        return None;
    }
    let mut entry = Map::from_iter([("command".to_owned(), json!(program.command))]);
    if program.name != program.command {
        entry.insert("name".to_owned(), json!(program.name));
    }
    entry.insert("measurements".to_owned(), runs.iter().map(|run| measurement(run)).collect());
    if !program.parameters.is_empty() {
        let wrapped =
            program.parameters.iter().map(|(name, value)| (name.clone(), json!({ "value": value })));
        entry.insert("parameters".to_owned(), Value::Object(wrapped.collect()));
    }
    entry
        .extend(program.attributes.get("environment").map(|value| ("environment".to_owned(), value.clone())));
    entry.insert("summary".to_owned(), summaries(&runs));
    Some(entry.into())
}

fn measurement(run: &Run) -> Value {
    let mut fields = Map::new();
    for &(theirs, ours) in METRICS {
        let Some(&value) = run.values.get(ours) else { continue };
        let quantity = match unit(theirs) {
            Some(unit) => json!({ "value": value, "unit": unit }),
            None => json!({ "value": whole(value) }),
        };
        fields.insert(theirs.to_owned(), quantity);
    }
    fields.insert("exit_code".to_owned(), json!(exit_code(run)));
    fields.into()
}

/// Summaries of the metrics every run has, in the order of their names as hyperfine has it.
fn summaries(runs: &[&Run]) -> Value {
    let mut metrics = METRICS.to_vec();
    metrics.sort_unstable();
    let mut summaries = Map::new();
    for (theirs, ours) in metrics {
        let values: Option<Vec<f64>> = runs.iter().map(|run| run.values.get(ours).copied()).collect();
        let Some(summary) = values.as_deref().and_then(Summary::of) else { continue };
        let mut fields = Map::new();
        fields.extend(unit(theirs).map(|unit| ("unit".to_owned(), json!(unit))));
        fields.insert("count".to_owned(), json!(summary.count));
        fields.extend(figures(&summary));
        summaries.insert(theirs.to_owned(), fields.into());
    }
    summaries.into()
}

fn figures(summary: &Summary) -> impl Iterator<Item = (String, Value)> + use<> {
    let Summary { mean, stddev, median, min, max, .. } = *summary;
    let values = [json!(mean), json!(stddev), json!(median), json!(min), json!(max)];
    FIGURES.map(str::to_owned).into_iter().zip(values)
}

fn old_entry(set: &ResultSet, id: ProgramId, program: &Program) -> Option<Value> {
    let runs: Vec<&Run> = set.good_runs(id).filter(|run| run.values.contains_key(WALL)).collect();
    let times: Vec<f64> = runs.iter().filter_map(|run| run.values.get(WALL).copied()).collect();
    let mut figures: Map<String, Value> = match Summary::of(&times) {
        Some(summary) => figures(&summary).collect(),
        None if program.attributes.contains_key("mean") => kept_figures(program),
        None => return None,
    };
    let mut take = |name: &str| (name.to_owned(), figures.remove(name).unwrap_or(Value::Null));
    // The old form has one field for both the command and its name, and the name went into it.
    let mut entry = Map::from_iter([("command".to_owned(), json!(program.name))]);
    entry.extend(["mean", "stddev", "median"].map(&mut take));
    entry.extend(["user", "system"].map(|name| (name.to_owned(), mean_of(&runs, name, program))));
    entry.extend(["min", "max"].map(&mut take));
    if !times.is_empty() {
        entry.insert("times".to_owned(), json!(times));
        let memory: Option<Vec<Value>> =
            runs.iter().map(|run| run.values.get("peak_memory").map(|&bytes| whole(bytes))).collect();
        entry.extend(memory.map(|memory| ("memory_usage_byte".to_owned(), memory.into())));
        entry.insert("exit_codes".to_owned(), runs.iter().map(|run| json!(exit_code(run))).collect());
    }
    if !program.parameters.is_empty() {
        entry.insert("parameters".to_owned(), json!(program.parameters));
    }
    Some(entry.into())
}

fn both_entries(set: &ResultSet, id: ProgramId, program: &Program) -> Option<Value> {
    let (Value::Object(mut both), Value::Object(old)) =
        (new_entry(set, id, program)?, old_entry(set, id, program)?)
    else {
        return None;
    };
    for (key, value) in old {
        both.entry(key).or_insert(value);
    }
    Some(both.into())
}

fn kept_figures(program: &Program) -> Map<String, Value> {
    let kept = |name: &str| program.attributes.get(name).cloned().unwrap_or(Value::Null);
    FIGURES.iter().map(|&name| (name.to_owned(), kept(name))).collect()
}

/// The mean over the runs; where they have no such values, the mean that was read; else null.
fn mean_of(runs: &[&Run], metric: &str, program: &Program) -> Value {
    let values: Vec<f64> = runs.iter().filter_map(|run| run.values.get(metric).copied()).collect();
    match mean(&values) {
        Some(mean) => json!(mean),
        None => {
            program.attributes.get(metric).filter(|value| value.is_number()).cloned().unwrap_or(Value::Null)
        }
    }
}

/// A signal counts as 128 and its number, as in a shell.
fn exit_code(run: &Run) -> Option<i32> {
    run.outcome.exit_code.or_else(|| run.outcome.signal.map(|signal| signal.saturating_add(128)))
}

fn unit(theirs: &str) -> Option<&'static str> {
    if theirs.starts_with("time_") {
        Some("second")
    } else if theirs.starts_with("memory_") {
        Some("byte")
    } else {
        None
    }
}

/// Counts and bytes without a decimal point, where they have no fraction and fit.
fn whole(value: f64) -> Value {
    if value.fract() == 0.0 && (0.0..9e15).contains(&value) { json!(value as u64) } else { json!(value) }
}
