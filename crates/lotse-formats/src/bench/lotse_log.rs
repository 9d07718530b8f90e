//! Lotse's own result file, written while it measures: JSON Lines, a header, then one record per block.
//!
//! ```text
//! {"schema": "lotse.bench.log/1", "programs": […], "plan": {…}, …}   header
//! {"block": 0, "runs": […]}                                          one round over all programs
//! {"look": {"blocks": 1, …}}                                         an interim analysis
//! {"end": {"stopped_by": …}}                                         the measurement was finished
//! {"part": {"date": …, "plan": {…}}}                                 runs were added to the file later
//! ```
//!
//! Lines are only appended, each with one write, so a file is readable even if Lotse was killed: an incomplete last
//! line is dropped. A damaged line in the middle is skipped and reported. Unknown keys are ignored, so that files of
//! newer versions with the same schema can be read; another schema is refused.

mod part;

use std::collections::BTreeMap;

use lotse_model::bytes::Source;
use lotse_model::id::BlockId;
use lotse_model::results::{
    Design, LayoutRecord, Program, Run, SeparationRecord, ShellRun, StartCost, Status,
};
use lotse_model::{Fingerprint, Metric, ResultSet};
use serde::{Deserialize, Serialize};

use crate::error::{FormatError, Place};
use crate::format::{Confidence, Format, Reader};
use crate::json;
use crate::reading::{Diagnostic, Reading};
use crate::shape::Shape;
use crate::text;

pub use part::PartRecord;

/// The schema of the logs of this Lotse.
pub const SCHEMA: &str = "lotse.bench.log/1";

/// Lotse's result log.
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

/// The first line of a log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogHeader {
    /// [`SCHEMA`].
    pub schema: String,
    /// When measuring began (UTC, RFC 3339).
    #[serde(default)]
    pub date: Option<String>,
    #[serde(default)]
    pub machine: Option<Fingerprint>,
    /// The seed of all random choices.
    #[serde(default)]
    pub seed: Option<u64>,
    /// How the runs are ordered.
    #[serde(default)]
    pub design: Design,
    /// Why the runs are ordered so, unless the user chose the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design_note: Option<String>,
    /// What was done to separate the programs from the rest of the machine, if the user asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separation: Option<SeparationRecord>,
    /// Which random memory layouts are used, if the user asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<LayoutRecord>,
    /// In the order of reports.
    #[serde(default)]
    pub metrics: Vec<Metric>,
    pub programs: Vec<Program>,
    /// The metric that the verdict is about.
    #[serde(default)]
    pub primary: Option<String>,
    /// The name of the program that the others are compared with.
    #[serde(default)]
    pub reference: Option<String>,
    /// What the measurement was to decide; a truncated log is analysed by it.
    #[serde(default)]
    pub plan: Option<PlanRecord>,
    /// What is subtracted from each run for the shell or tool that starts the programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_cost: Option<StartCost>,
}

/// What a measurement is to decide.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// The probability of claiming a difference that does not exist, over all programs and looks.
    pub alpha: f64,
    /// Relative differences up to this are too small to matter.
    pub delta: f64,
    /// The precision at which the measurement ends.
    #[serde(default)]
    pub until: Option<f64>,
}

/// An interim analysis of the data, written before its results are displayed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LookRecord {
    /// Blocks measured before the look.
    pub blocks: u32,
    /// The share of the measurement that was done.
    pub fraction: f64,
    /// The p values of the look's intervals, for one comparison, two, and so on.
    pub nominal_p: Vec<f64>,
    /// The p value of the interval of the shell's cost, if that is subtracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shell_p: Option<f64>,
}

/// A line with the runs of one round over all programs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockRecord {
    pub block: u32,
    /// In the order they were made.
    pub runs: Vec<Run>,
    /// Runs of an empty command through the shell: their cost minus what is subtracted, by metric.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shell: Vec<BTreeMap<String, f64>>,
}

/// The last line of a measurement that was finished.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How the measurement ended, such as `stopped_by` and `blocks`.
    pub end: BTreeMap<String, serde_json::Value>,
}

/// A log that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResultLog {
    /// The results in header and blocks.
    pub results: ResultSet,
    /// The metric that the verdict is about.
    pub primary: Option<String>,
    /// The name of the program that the others are compared with.
    pub reference: Option<String>,
    pub plan: Option<PlanRecord>,
    /// How often it was measured: once, and once more each time runs were added.
    pub parts: u32,
    /// The last look.
    pub look: Option<LookRecord>,
    /// `None` if the last measurement was not finished.
    pub end: Option<EndRecord>,
}

/// A value that JSON cannot represent.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{metric} of a run in block {block} is {value}, which JSON cannot represent")]
pub struct NotFinite {
    pub metric: String,
    pub block: u32,
    pub value: f64,
}

impl LogHeader {
    /// The header for a result set, without a plan.
    pub fn from_results(set: &ResultSet) -> Self {
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

    /// The same header with what the measurement is to decide.
    #[must_use]
    pub fn with_plan(self, primary: &str, reference: &str, plan: PlanRecord) -> Self {
        let (primary, reference) = (Some(primary.to_owned()), Some(reference.to_owned()));
        Self { primary, reference, plan: Some(plan), ..self }
    }

    /// The line, with its line end.
    pub fn to_line(&self) -> String {
        json_line(self)
    }
}

impl BlockRecord {
    /// The line, with its line end; an error if a value is not finite.
    pub fn to_line(&self) -> Result<String, NotFinite> {
        for run in &self.runs {
            if let Some((metric, &value)) = run.values.iter().find(|(_, value)| !value.is_finite()) {
                return Err(NotFinite { metric: metric.clone(), block: self.block, value });
            }
        }
        Ok(json_line(self))
    }
}

impl LookRecord {
    /// The line, with its line end.
    pub fn to_line(&self) -> String {
        json_line(&serde_json::json!({ "look": self }))
    }
}

impl EndRecord {
    /// The line, with its line end.
    pub fn to_line(&self) -> String {
        json_line(self)
    }
}

/// The complete log of a result set, for histories and conversions. While it measures, Lotse writes line by line.
pub fn to_text(header: &LogHeader, set: &ResultSet, end: Option<&EndRecord>) -> Result<String, NotFinite> {
    let mut text = header.to_line();
    for runs in set.runs.chunk_by(|run, next| run.block == next.block) {
        let block = runs.first().map_or(0, |run| run.block.0);
        let shell = set.shell.iter().filter(|run| run.block.0 == block).map(|run| run.excess.clone());
        text.push_str(&BlockRecord { block, runs: runs.to_vec(), shell: shell.collect() }.to_line()?);
    }
    text.extend(end.map(EndRecord::to_line));
    Ok(text)
}

fn json_line(record: &impl Serialize) -> String {
    let mut line = serde_json::to_string(record).expect("numbers, texts and maps with text keys become JSON");
    line.push('\n');
    line
}

fn claim(source: &dyn Source) -> Confidence {
    let schema = Shape::from_bytes(source.bytes()).text("schema");
    if schema.is_some_and(|schema| schema.starts_with("lotse.bench.log/")) {
        Confidence::Certain
    } else {
        Confidence::No
    }
}

/// Reads a log with everything that is needed to append to it.
pub fn read(source: &dyn Source) -> Result<Reading<ResultLog>, FormatError> {
    let (text, flaw) = text::decode(source.bytes());
    let mut diagnostics = Vec::new();
    let mut lines = text.split_inclusive('\n').enumerate();
    let header = parse_header(lines.next().map_or("", |(_, line)| line), source.name())?;
    let mut log = ResultLog::from_header(header);
    for (index, line) in lines {
        if line.trim().is_empty() {
            continue;
        }
        let (number, line_runs) = (index as u64 + 1, log.results.runs.len());
        if let Err(Diagnostic { place, message: problem, .. }) = log.add_line(line, number) {
            let cut = if line.ends_with('\n') { "" } else { "cut off before its end, " };
            diagnostics.push(Diagnostic::loss(place, format!("{cut}left out: {problem}")));
        }
        diagnostics.extend(log.program_without_primary(line_runs).map(|name| {
            let message =
                format!("a good run of {name} has no value of the metric that the verdict is about");
            Diagnostic::loss(Place::Line(number), message)
        }));
    }
    diagnostics.extend(flaw);
    Ok(Reading { value: log, format_id: FORMAT.id, diagnostics })
}

fn parse_header(line: &str, name: &str) -> Result<LogHeader, FormatError> {
    #[derive(Deserialize)]
    struct Schema {
        schema: String,
    }
    let damaged =
        |error: serde_json::Error| Diagnostic { place: Place::Line(1), ..json::flaw(error) }.into_error(name);
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

/// A line after the first: a block, a look, an end, or the beginning of another measurement.
#[derive(Deserialize)]
struct LogRecord {
    runs: Option<Vec<Run>>,
    #[serde(default)]
    shell: Vec<BTreeMap<String, f64>>,
    look: Option<LookRecord>,
    end: Option<BTreeMap<String, serde_json::Value>>,
    part: Option<PartRecord>,
}

impl ResultLog {
    fn from_header(header: LogHeader) -> Self {
        let (primary, reference, plan) = (header.primary.clone(), header.reference.clone(), header.plan);
        Self { results: header.into_results(), primary, reference, plan, parts: 1, look: None, end: None }
    }

    /// The program of the first good run, from run number `from` on, that has no value of the primary metric.
    fn program_without_primary(&self, from: usize) -> Option<&str> {
        let primary = self.primary.as_ref()?;
        let lacks = |run: &&Run| run.outcome.status == Status::Ok && !run.values.contains_key(primary);
        let run = self.results.runs.get(from..)?.iter().find(lacks)?;
        self.results.programs.get(run.program.index()).map(|program| program.name.as_str())
    }

    /// Adds the line with the given number. The key that a line has determines its type.
    fn add_line(&mut self, line: &str, number: u64) -> Result<(), Diagnostic> {
        let record: LogRecord = serde_json::from_str(line).map_err(|error| {
            let place = Place::At { line: number, column: error.column() as u64 };
            Diagnostic { place, ..json::flaw(error) }
        })?;
        match record {
            LogRecord { runs: Some(runs), shell, look: None, end: None, part: None } => {
                let block = runs.first().map_or_else(BlockId::default, |run| run.block);
                self.add_runs(runs, number)?;
                self.results.shell.extend(shell.into_iter().map(|excess| ShellRun { block, excess }));
                Ok(())
            }
            LogRecord { runs: None, look: Some(look), end: None, part: None, .. } => {
                self.look = Some(look);
                Ok(())
            }
            LogRecord { runs: None, look: None, end: None, part: Some(part), .. } => {
                self.parts += 1;
                (self.plan, self.look, self.end) = (Some(part.plan), None, None);
                Ok(())
            }
            LogRecord { runs: None, look: None, end: Some(end), part: None, .. } => {
                self.end = Some(EndRecord { end });
                Ok(())
            }
            _ => {
                let problem = "expected a block (`block`, `runs`), a look (`look`), the end (`end`) or a further part (`part`)";
                Err(Diagnostic::loss(Place::Line(number), problem))
            }
        }
    }

    fn add_runs(&mut self, runs: Vec<Run>, number: u64) -> Result<(), Diagnostic> {
        let programs = self.results.programs.len();
        if let Some(run) = runs.iter().find(|run| run.program.index() >= programs) {
            let problem = format!("expected a program below {programs}, found {}", run.program.0);
            return Err(Diagnostic::loss(Place::Line(number), problem));
        }
        // Metrics that a program prints itself are not known when the header is written.
        for name in runs.iter().flat_map(|run| run.values.keys()) {
            if !self.results.metrics.iter().any(|metric| metric.name == *name) {
                self.results.metrics.push(Metric::named(name));
            }
        }
        self.results.runs.extend(runs);
        // Runs after an end: the measurement was continued, and is finished only at the next end.
        self.end = None;
        Ok(())
    }
}
