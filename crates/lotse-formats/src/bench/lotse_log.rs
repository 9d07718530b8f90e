//! Lotse's own result file, made while it measures: JSON Lines, a header, then one record per block.
//!
//! Lines are only ever appended, each with one write, so that a file is readable after a kill at any moment: a
//! last line without its end is dropped. A damaged line in the middle is skipped and named. Unknown keys are
//! ignored, so that a newer minor change can be read; another schema is refused.

mod part;

use std::collections::BTreeMap;

use lotse_model::bytes::Source;
use lotse_model::id::BlockId;
use lotse_model::results::{
    Design, LayoutRecord, Program, Run, SeparationRecord, ShellRun, StartCost, Status,
};
use lotse_model::{Fingerprint, Metric, ResultSet};
use serde::{Deserialize, Serialize};

use crate::error::{Flaw, FormatError, Place};
use crate::json;
use crate::reading::{Diagnostic, Reading};
use crate::recognise::{Confidence, Format, Reader};
use crate::shape::Shape;
use crate::text;

pub use part::PartRecord;

/// The schema this Lotse writes.
pub const SCHEMA: &str = "lotse.bench.log/1";

/// Lotse's log.
pub const FORMAT: Format = Format {
    id: "lotse-log",
    title: "Lotse result log (JSON Lines)",
    extensions: &["jsonl", "log"],
    claim,
    reader: Reader::Results(|source| {
        read(source).map(|reading| Reading {
            value: reading.value.results,
            format_id: reading.format_id,
            diagnostics: reading.diagnostics,
        })
    }),
};

/// The first line.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogHeader {
    /// [`SCHEMA`].
    pub schema: String,
    /// When measuring began (UTC, RFC 3339).
    #[serde(default)]
    pub date: Option<String>,
    /// The machine, where known.
    #[serde(default)]
    pub machine: Option<Fingerprint>,
    /// Seed of every random choice.
    #[serde(default)]
    pub seed: Option<u64>,
    /// How the runs are ordered.
    #[serde(default)]
    pub design: Design,
    /// Why they are ordered so, where it was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design_note: Option<String>,
    /// What was done to keep the rest of the machine away, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separation: Option<SeparationRecord>,
    /// Which memory layouts are drawn, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<LayoutRecord>,
    /// Metrics in the order to show them.
    #[serde(default)]
    pub metrics: Vec<Metric>,
    /// The programs compared.
    pub programs: Vec<Program>,
    /// The metric the verdict was planned on.
    #[serde(default)]
    pub primary: Option<String>,
    /// The name of the program the others are compared with.
    #[serde(default)]
    pub reference: Option<String>,
    /// What was to be decided; a file that was cut is judged by it.
    #[serde(default)]
    pub plan: Option<PlanRecord>,
    /// What is subtracted from every run for the shell or the tool that starts the programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_cost: Option<StartCost>,
}

/// What a measurement shall decide.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// Chance of a wrong claim of a difference, over all programs and looks.
    pub alpha: f64,
    /// Differences within this share are too small to matter.
    pub delta: f64,
    /// The precision asked for.
    #[serde(default)]
    pub until: Option<f64>,
}

/// A look at the data while they grow, written before anything it shows is displayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookRecord {
    /// Blocks made until then.
    pub blocks: u32,
    /// The share of the measurement that was over.
    pub fraction: f64,
    /// The p values of its intervals, for one comparison, two, and so on.
    pub nominal_p: Vec<f64>,
    /// The p value of the interval of the shell's cost, where it is subtracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_p: Option<f64>,
}

/// One line per round over all programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockRecord {
    /// Which round.
    pub block: u32,
    /// Its runs in the order they were made.
    pub runs: Vec<Run>,
    /// Runs of an empty command through the shell: what they cost beyond what is subtracted, by metric.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shell: Vec<BTreeMap<String, f64>>,
}

/// The last line of a measurement that came to its end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EndRecord {
    /// What the engine says about the end, such as `stopped_by` and `blocks`.
    pub end: BTreeMap<String, serde_json::Value>,
}

/// A log as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Log {
    /// Header and blocks.
    pub results: ResultSet,
    /// The metric the verdict was planned on.
    pub primary: Option<String>,
    /// The name of the program the others are compared with.
    pub reference: Option<String>,
    /// What was to be decided.
    pub plan: Option<PlanRecord>,
    /// In how many parts it was measured: one, and one more each time runs were added.
    pub parts: u32,
    /// The last look made.
    pub look: Option<LookRecord>,
    /// The end, where it was reached.
    pub end: Option<EndRecord>,
}

/// A value that JSON cannot say.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{metric} of a run in block {block} is {value}, which JSON cannot say")]
pub struct NotFinite {
    /// Which metric.
    pub metric: String,
    /// Which block.
    pub block: u32,
    /// The value.
    pub value: f64,
}

impl LogHeader {
    /// The header of a result.
    pub fn of(set: &ResultSet) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            date: set.date.clone(),
            machine: set.machine.clone(),
            seed: set.seed,
            design: set.design,
            design_note: set.design_note.clone(),
            separation: set.separation.clone(),
            layouts: set.layouts.clone(),
            metrics: set.metrics.clone(),
            programs: set.programs.clone(),
            primary: None,
            reference: None,
            plan: None,
            start_cost: set.start_cost.clone(),
        }
    }

    /// The same with the question that the measurement shall answer.
    #[must_use]
    pub fn asked(self, primary: &str, reference: &str, plan: PlanRecord) -> Self {
        let (primary, reference) = (Some(primary.to_owned()), Some(reference.to_owned()));
        Self { primary, reference, plan: Some(plan), ..self }
    }

    /// The line, with its end.
    pub fn to_line(&self) -> String {
        line(self)
    }
}

impl BlockRecord {
    /// The line, with its end. Refused where a value would not come back.
    pub fn to_line(&self) -> Result<String, NotFinite> {
        for run in &self.runs {
            if let Some((metric, &value)) = run.values.iter().find(|(_, value)| !value.is_finite()) {
                return Err(NotFinite { metric: metric.clone(), block: self.block, value });
            }
        }
        Ok(line(self))
    }
}

impl LookRecord {
    /// The line, with its end.
    pub fn to_line(&self) -> String {
        line(&serde_json::json!({ "look": self }))
    }
}

impl EndRecord {
    /// The line, with its end.
    pub fn to_line(&self) -> String {
        line(self)
    }
}

/// The whole log of a result, for histories and conversions; the engine writes line by line.
pub fn to_text(header: &LogHeader, set: &ResultSet, end: Option<&EndRecord>) -> Result<String, NotFinite> {
    let mut text = header.to_line();
    for runs in set.runs.chunk_by(|one, next| one.block == next.block) {
        let block = runs.first().map_or(0, |run| run.block.0);
        let shell = set.shell.iter().filter(|run| run.block.0 == block).map(|run| run.excess.clone());
        text.push_str(&BlockRecord { block, runs: runs.to_vec(), shell: shell.collect() }.to_line()?);
    }
    text.extend(end.map(EndRecord::to_line));
    Ok(text)
}

fn line(record: &impl Serialize) -> String {
    let mut line = serde_json::to_string(record).expect("numbers, texts and maps with text keys become JSON");
    line.push('\n');
    line
}

fn claim(source: &dyn Source) -> Confidence {
    let schema = Shape::of(source.bytes()).text("schema");
    if schema.is_some_and(|schema| schema.starts_with("lotse.bench.log/")) {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

/// Reads a log with its end, for appending to it.
pub fn read(source: &dyn Source) -> Result<Reading<Log>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut diagnostics = Vec::new();
    let mut lines = text.split_inclusive('\n').enumerate();
    let header = header(lines.next().map_or("", |(_, line)| line), source.name())?;
    let mut log = Log::begin(header);
    for (index, line) in lines {
        if line.trim().is_empty() {
            continue;
        }
        let (number, line_runs) = (index as u64 + 1, log.results.runs.len());
        if let Err(Flaw { place, problem }) = log.add(line, number) {
            let cut = if line.ends_with('\n') { "" } else { "cut off before its end, " };
            diagnostics.push(Diagnostic::loss(place, format!("{cut}left out: {problem}")));
        }
        diagnostics.extend(log.without_primary(line_runs).map(|name| {
            let message =
                format!("a good run of {name} has no value of the metric that the verdict is about");
            Diagnostic::loss(Place::Line(number), message)
        }));
    }
    diagnostics.extend(flaw.map(Diagnostic::from));
    Ok(Reading { value: log, format_id: FORMAT.id, diagnostics })
}

fn header(line: &str, name: &str) -> Result<LogHeader, FormatError> {
    #[derive(Deserialize)]
    struct Schema {
        schema: String,
    }
    let damaged = |error: serde_json::Error| Flaw { place: Place::Line(1), ..json::flaw(error) }.of(name);
    let found = serde_json::from_str::<Schema>(line).map_err(damaged)?.schema;
    if found != SCHEMA {
        return Err(FormatError::Version { name: name.to_owned(), found, known: SCHEMA });
    }
    serde_json::from_str(line).map_err(damaged)
}

impl LogHeader {
    fn into_results(self) -> ResultSet {
        ResultSet {
            date: self.date,
            machine: self.machine,
            seed: self.seed,
            design: self.design,
            design_note: self.design_note,
            separation: self.separation,
            layouts: self.layouts,
            metrics: self.metrics,
            programs: self.programs,
            runs: Vec::new(),
            shell: Vec::new(),
            start_cost: self.start_cost,
        }
    }
}

/// A line after the first: a block, a look, the end, or the beginning of a further part.
#[derive(Deserialize)]
struct Record {
    runs: Option<Vec<Run>>,
    #[serde(default)]
    shell: Vec<BTreeMap<String, f64>>,
    look: Option<LookRecord>,
    end: Option<BTreeMap<String, serde_json::Value>>,
    part: Option<PartRecord>,
}

impl Log {
    fn begin(header: LogHeader) -> Self {
        let (primary, reference, plan) = (header.primary.clone(), header.reference.clone(), header.plan);
        Self { results: header.into_results(), primary, reference, plan, parts: 1, look: None, end: None }
    }

    /// The program of a good run, from the n-th run on, that lacks the metric the verdict was planned on.
    fn without_primary(&self, from: usize) -> Option<&str> {
        let primary = self.primary.as_ref()?;
        let lacks = |run: &&Run| run.outcome.status == Status::Ok && !run.values.contains_key(primary);
        let run = self.results.runs.get(from..)?.iter().find(lacks)?;
        self.results.programs.get(run.program.index()).map(|program| program.name.as_str())
    }

    fn add(&mut self, line: &str, number: u64) -> Result<(), Flaw> {
        let record: Record = serde_json::from_str(line).map_err(|error| {
            let place = Place::At { line: number, column: error.column() as u64 };
            Flaw { place, ..json::flaw(error) }
        })?;
        match record {
            Record { runs: Some(runs), shell, look: None, end: None, part: None } => {
                let block = runs.first().map_or_else(BlockId::default, |run| run.block);
                self.add_runs(runs, number)?;
                self.results.shell.extend(shell.into_iter().map(|excess| ShellRun { block, excess }));
                Ok(())
            }
            Record { runs: None, look: Some(look), end: None, part: None, .. } => {
                self.look = Some(look);
                Ok(())
            }
            Record { runs: None, look: None, end: None, part: Some(part), .. } => {
                self.parts += 1;
                (self.plan, self.look, self.end) = (Some(part.plan), None, None);
                Ok(())
            }
            Record { runs: None, look: None, end: Some(end), part: None, .. } => {
                self.end = Some(EndRecord { end });
                Ok(())
            }
            _ => {
                let problem = "expected a block (`block`, `runs`), a look (`look`), the end (`end`) or a further part (`part`)";
                Err(Flaw::new(Place::Line(number), problem))
            }
        }
    }

    fn add_runs(&mut self, runs: Vec<Run>, number: u64) -> Result<(), Flaw> {
        let programs = self.results.programs.len();
        if let Some(run) = runs.iter().find(|run| run.program.index() >= programs) {
            let problem = format!("expected a program below {programs}, found {}", run.program.0);
            return Err(Flaw::new(Place::Line(number), problem));
        }
        // The header cannot name what only the first run of a program tells.
        for name in runs.iter().flat_map(|run| run.values.keys()) {
            if !self.results.metrics.iter().any(|metric| metric.name == *name) {
                self.results.metrics.push(Metric::named(name));
            }
        }
        self.results.runs.extend(runs);
        // Appended to after it had ended: it is over only when it says so again.
        self.end = None;
        Ok(())
    }
}
