//! JSON for a codespeed server: a list with one entry for each program and property, as temci writes it.
//!
//! Names, units and order of the properties are those of temci, so that a history begun with temci can be continued. The
//! standard deviation is that of the population (divided by n), as in temci.

use std::io;

use lotse_model::ResultSet;
use serde::Serialize;

use super::temci_names::OVERALL;
use super::temci_result;

/// What a codespeed server needs besides the figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Codespeed {
    pub project: Option<String>,
    /// By default the project's name.
    pub executable: Option<String>,
    /// By default the machine's name.
    pub environment: Option<String>,
    /// By default `master`.
    pub branch: Option<String>,
    pub commit: Option<String>,
}

#[derive(Serialize)]
struct CodespeedEntry<'a> {
    project: &'a str,
    executable: &'a str,
    environment: &'a str,
    branch: &'a str,
    commitid: Option<&'a str>,
    benchmark: String,
    result_value: f64,
    std_dev: f64,
    min: f64,
    max: f64,
}

/// Writes all programs with the properties that have values and are not excluded.
pub fn write(
    set: &ResultSet,
    about: &Codespeed,
    excluded: &[String],
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let project = about.project.as_deref().unwrap_or("");
    let environment = about.environment.as_deref();
    let host = set.machine.as_ref().and_then(|machine| machine.host.as_deref());
    let mut entries = Vec::new();
    for (id, program) in set.program_ids().zip(&set.programs) {
        let mut properties = temci_result::property_values(set, id);
        properties.retain(|(name, _)| *name != OVERALL && !excluded.contains(name));
        properties.sort_by(|(left, _), (right, _)| left.cmp(right));
        entries.extend(properties.into_iter().map(|(name, values)| {
            let mean = values.iter().sum::<f64>() / values.len() as f64;
            let variance =
                values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
            CodespeedEntry {
                project,
                executable: about.executable.as_deref().unwrap_or(project),
                environment: environment.or(host).unwrap_or("unknown"),
                branch: about.branch.as_deref().unwrap_or("master"),
                commitid: about.commit.as_deref(),
                benchmark: format!("{}: {name}", program.name),
                result_value: mean,
                std_dev: variance.sqrt(),
                min: values.iter().copied().fold(f64::INFINITY, f64::min),
                max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            }
        }));
    }
    serde_json::to_writer_pretty(&mut *out, &entries)?;
    writeln!(out)
}
