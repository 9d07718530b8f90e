//! hyperfine's CSV export. It is only written, since it has no single runs that could be read.
//!
//! Version 1 has fixed columns; version 2 has six columns per metric, by default for wall time and peak memory. Metrics
//! without values and programs without a good run are left out.
//!
//! The figures of version 1 are of the primary metric; where that is not the wall time, the columns `metric` and `unit` name it.

use std::io;

use lotse_model::id::ProgramId;
use lotse_model::metric::WALL;
use lotse_model::{Metric, ResultSet};

use super::hyperfine::{Version, has_no_times, name_and_samples, unit_name};
use super::summary::{HyperfineSummary, mean};

/// Writes one row per program; `primary` is the metric of the figures of version 1.
pub fn write(set: &ResultSet, version: Version, primary: &Metric, out: &mut dyn io::Write) -> io::Result<()> {
    let programs: Vec<ProgramId> = set.program_ids().filter(|&id| !has_no_times(set, id)).collect();
    let parameters = parameter_names(set);
    let metrics = metrics(set, &programs);
    let named = (version == Version::V1 && primary.name != WALL).then_some(primary);
    write_row(&header(version, &metrics, named, &parameters), out)?;
    for &id in &programs {
        let mut fields = match version {
            Version::V1 => old_fields(set, id, &primary.name),
            Version::V2 | Version::Both => new_fields(set, id, &metrics),
        };
        fields.extend(
            named
                .iter()
                .flat_map(|metric| [metric.name.clone(), unit_name(metric.unit).unwrap_or("").to_owned()]),
        );
        let program = set.programs.get(id.index());
        let value = |name: &String| program.and_then(|program| program.parameters.get(name));
        fields.extend(parameters.iter().map(|name| value(name).map_or_else(String::new, String::clone)));
        write_row(&fields, out)?;
    }
    Ok(())
}

/// hyperfine's name of a metric, Lotse's name, and the unit.
type MetricColumn = (&'static str, &'static str, &'static str);

fn metrics(set: &ResultSet, programs: &[ProgramId]) -> Vec<MetricColumn> {
    let measured = |column: &MetricColumn| programs.iter().any(|&id| !set.samples(id, column.1).is_empty());
    let mut columns = vec![("time_wall_clock", WALL, "s"), ("memory_peak_resident", "peak_memory", "B")];
    columns.retain(measured);
    columns
}

fn parameter_names(set: &ResultSet) -> Vec<String> {
    let mut names: Vec<String> =
        set.programs.iter().flat_map(|program| program.parameters.keys().cloned()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The titles of the columns: those of the version, `metric` and `unit` where a metric is named, and the parameters.
fn header(
    version: Version,
    metrics: &[MetricColumn],
    named: Option<&Metric>,
    parameters: &[String],
) -> Vec<String> {
    let mut header: Vec<String> = match version {
        Version::V1 => {
            ["command", "mean", "stddev", "median", "user", "system", "min", "max"].map(str::to_owned).into()
        }
        Version::V2 | Version::Both => vec!["command".to_owned()],
    };
    if version != Version::V1 {
        for (name, _, _) in metrics {
            let fields = ["unit", "mean", "stddev", "median", "min", "max"];
            header.extend(fields.map(|field| format!("{name}_{field}")));
        }
    }
    header.extend(named.iter().flat_map(|_| ["metric", "unit"].map(str::to_owned)));
    header.extend(parameters.iter().map(|name| format!("parameter_{name}")));
    header
}

fn old_fields(set: &ResultSet, id: ProgramId, metric: &str) -> Vec<String> {
    let (name, times) = name_and_samples(set, id, metric);
    let [mean_time, stddev, median, min, max] = figures(&times);
    let cpu =
        |metric: &str| number(mean(&set.samples(id, metric)).or_else(|| recorded_mean(set, id, metric)));
    vec![name.to_owned(), mean_time, stddev, median, cpu("user"), cpu("system"), min, max]
}

fn new_fields(set: &ResultSet, id: ProgramId, metrics: &[MetricColumn]) -> Vec<String> {
    let mut fields = vec![name_and_samples(set, id, WALL).0.to_owned()];
    for (_, metric, unit) in metrics {
        fields.push((*unit).to_owned());
        fields.extend(figures(&set.samples(id, metric)));
    }
    fields
}

fn figures(values: &[f64]) -> [String; 5] {
    let summary = HyperfineSummary::from_values(values);
    let pick = |figure: fn(&HyperfineSummary) -> Option<f64>| number(summary.as_ref().and_then(figure));
    [
        pick(|summary| Some(summary.mean)),
        pick(|summary| summary.stddev),
        pick(|summary| Some(summary.median)),
        pick(|summary| Some(summary.min)),
        pick(|summary| Some(summary.max)),
    ]
}

/// The mean CPU time that was read from an export of hyperfine 1.x.
fn recorded_mean(set: &ResultSet, id: ProgramId, metric: &str) -> Option<f64> {
    set.programs.get(id.index())?.attributes.get(metric)?.as_f64()
}

/// A number, or an empty field.
fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn write_row(fields: &[String], out: &mut dyn io::Write) -> io::Result<()> {
    let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
    writeln!(out, "{}", fields.join(","))
}

/// A field, quoted if a reader would otherwise split or trim it.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
