//! Reads Lotse's own answer (`--json`): programs with their samples, and the runs the samples come from.
//!
//! Samples are those of the good runs, in run order. So the n-th good run of a program gets the n-th value of each
//! metric, and no value if that is null. Comparisons and findings are not read: they follow from the samples.

use std::collections::{BTreeMap, HashMap, HashSet};

use lotse_model::bytes::Source;
use lotse_model::id::{BlockId, ProgramId};
use lotse_model::results::{
    Design, Disturbance, LayoutRecord, Levels, Outcome, Program, Run, SeparationRecord, StartCost, Status,
};
use lotse_model::{Fingerprint, Metric, ResultSet};
use serde::Deserialize;

use super::lotse_log::EndRecord;
use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json;
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

/// The schema of the answers of this Lotse.
pub const SCHEMA: &str = "lotse.bench/1";

/// Lotse's answer (`--json`).
pub const FORMAT: Format = Format {
    id: "lotse-json",
    title: "Lotse answer (--json)",
    extensions: &["json"],
    claim,
    reader: Reader::Results(read),
};

fn claim(source: &dyn Source) -> Confidence {
    let schema = Shape::from_bytes(source.bytes()).text("schema");
    if schema.is_some_and(|schema| schema.starts_with("lotse.bench/")) {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

/// The parts of the answer that are read.
#[derive(Deserialize)]
struct AnswerFile {
    #[serde(default)]
    date: Option<String>,
    #[serde(default)]
    machine: Option<Fingerprint>,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    design: Design,
    #[serde(default)]
    design_note: Option<String>,
    #[serde(default)]
    separation: Option<SeparationRecord>,
    #[serde(default)]
    layouts: Option<LayoutRecord>,
    #[serde(default)]
    metrics: Vec<Metric>,
    programs: Vec<AnswerProgram>,
    #[serde(default)]
    runs: Vec<AnswerRun>,
    #[serde(default)]
    start_cost: Option<StartCost>,
}

#[derive(Deserialize)]
struct AnswerProgram {
    #[serde(flatten)]
    program: Program,
    #[serde(default)]
    samples: BTreeMap<String, Vec<Option<f64>>>,
}

/// A run with the name of its program.
#[derive(Deserialize)]
struct AnswerRun {
    program: String,
    #[serde(default)]
    block: BlockId,
    #[serde(default)]
    position: u32,
    #[serde(flatten)]
    levels: Levels,
    #[serde(flatten)]
    outcome: Outcome,
    #[serde(flatten)]
    disturbance: Disturbance,
    #[serde(default)]
    within: BTreeMap<String, Vec<f64>>,
}

#[derive(Deserialize)]
struct Schema {
    schema: String,
}

fn read(source: &dyn Source) -> Result<Reading<ResultSet>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    if let Some(flaw) = flaw {
        return Err(flaw.into_error(source.name()));
    }
    let damaged = |error| json::flaw(error).into_error(source.name());
    let found = serde_json::from_str::<Schema>(text).map_err(damaged)?.schema;
    if found != SCHEMA {
        return Err(FormatError::Version { name: source.name().to_owned(), found, known: SCHEMA });
    }
    let answer: AnswerFile = serde_json::from_str(text).map_err(damaged)?;
    let mut diagnostics = Vec::new();
    let value = answer.into_results(&mut diagnostics);
    Ok(Reading { value, format_id: FORMAT.id, diagnostics })
}

impl AnswerFile {
    /// Gives each good run its values from the samples of its program. Runs of unknown programs are left out, and
    /// metrics that only occur in samples are added.
    fn into_results(mut self, diagnostics: &mut Vec<Diagnostic>) -> ResultSet {
        let (programs, samples): (Vec<Program>, Vec<_>) =
            self.programs.into_iter().map(|program| (program.program, program.samples)).unzip();
        let mut named: HashSet<String> = self.metrics.iter().map(|metric| metric.name.clone()).collect();
        for name in samples.iter().flat_map(BTreeMap::keys) {
            if named.insert(name.clone()) {
                self.metrics.push(Metric::named(name));
            }
        }
        let by_name: HashMap<&str, usize> =
            programs.iter().enumerate().map(|(index, program)| (program.name.as_str(), index)).collect();
        let mut good = vec![0_usize; programs.len()];
        let mut runs = Vec::with_capacity(self.runs.len());
        for (index, run) in self.runs.into_iter().enumerate() {
            let Some(&program) = by_name.get(run.program.as_str()) else {
                let message = format!("expected the name of a program, found {:?}: left out", run.program);
                diagnostics.push(Diagnostic::loss(Place::Path(format!("runs[{index}].program")), message));
                continue;
            };
            let values = match (run.outcome.status, samples.get(program), good.get_mut(program)) {
                (Status::Ok, Some(samples), Some(good)) => next_values(samples, good),
                _ => BTreeMap::new(),
            };
            runs.push(run.into_run(ProgramId::from(program), values));
        }
        check_lengths(&samples, &good, diagnostics);
        ResultSet {
            date: self.date,
            machine: self.machine,
            seed: self.seed,
            design: self.design,
            design_note: self.design_note,
            separation: self.separation,
            layouts: self.layouts,
            metrics: self.metrics,
            programs,
            runs,
            shell: Vec::new(),
            start_cost: self.start_cost,
        }
    }
}

/// The conclusion of an answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AnswerEnd {
    /// The metric that the verdict is about.
    pub primary: Option<String>,
    /// The name of the reference program.
    pub reference: Option<String>,
    /// The last look, with the keys of the log's last line.
    pub end: EndRecord,
}

/// Reads the conclusion of an answer, if it has one; [`FORMAT`] reads the runs.
pub fn read_end(source: &dyn Source) -> Option<AnswerEnd> {
    #[derive(Deserialize)]
    struct Ended {
        conclusion: BTreeMap<String, serde_json::Value>,
    }
    let (text, _) = text::decode(source.bytes());
    let end = serde_json::from_str::<Ended>(text).ok()?.conclusion;
    let word = |key: &str| end.get(key).and_then(serde_json::Value::as_str).map(str::to_owned);
    Some(AnswerEnd { primary: word("primary"), reference: word("reference"), end: EndRecord { end } })
}

/// The values of the next good run; `good` counts the good runs before it.
fn next_values(samples: &BTreeMap<String, Vec<Option<f64>>>, good: &mut usize) -> BTreeMap<String, f64> {
    let at = *good;
    *good += 1;
    samples.iter().filter_map(|(name, values)| Some((name.clone(), (*values.get(at)?)?))).collect()
}

fn check_lengths(
    samples: &[BTreeMap<String, Vec<Option<f64>>>],
    good: &[usize],
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (program, (samples, &good)) in samples.iter().zip(good).enumerate() {
        for (name, values) in samples.iter().filter(|(_, values)| values.len() != good) {
            let message = format!("expected {good} values, one for each good run, found {}", values.len());
            let place = Place::Path(format!("programs[{program}].samples.{name}"));
            diagnostics.push(Diagnostic::loss(place, message));
        }
    }
}

impl AnswerRun {
    fn into_run(self, program: ProgramId, values: BTreeMap<String, f64>) -> Run {
        let Self { block, position, levels, outcome, disturbance, within, program: _ } = self;
        Run { program, block, position, levels, outcome, disturbance, values, within }
    }
}
