//! The answer of a measurement, in the versioned form that `--json` prints.
//!
//! Seconds and bytes, ratios as program / reference, samples in run order. Nothing here is computed:
//! `analysis` fills it.

use std::collections::BTreeMap;

use lotse_model::id::ProgramId;
use lotse_model::results::{Design, Disturbance, Levels, Outcome, Program, ResultSet, Run, Status};
use lotse_model::{Finding, Fingerprint, Metric};
use schemars::JsonSchema;
use serde::Serialize;

/// The schema's name and version.
pub const SCHEMA: &str = "lotse.bench/1";

/// Everything a measurement says.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// The machine, where known.
    pub machine: Option<Fingerprint>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// How the runs were ordered.
    pub design: Design,
    /// Metrics in the order to show them, with units.
    pub metrics: Vec<Metric>,
    /// The programs with their samples.
    pub programs: Vec<ProgramAnswer>,
    /// Every run in the order it was made, failed ones too.
    pub runs: Vec<RunAnswer>,
    /// Every program against the reference, by metric.
    pub comparisons: Vec<Comparison>,
    /// What the control arm showed, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_check: Option<SelfCheck>,
    /// Seconds the shell itself takes; already subtracted from the clocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_cost: Option<f64>,
    /// What is wrong or remarkable about the measurement.
    pub findings: Vec<Finding>,
}

/// One program and what was measured of it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProgramAnswer {
    /// Distinct name.
    pub name: String,
    /// The command as written.
    pub command: String,
    /// Values of the parameter scan.
    pub parameters: BTreeMap<String, String>,
    /// Words to group by.
    pub tags: Vec<String>,
    /// Values of good runs by metric, in run order.
    pub samples: BTreeMap<String, Vec<f64>>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RunAnswer {
    /// The program's name.
    pub program: String,
    /// Round, from 0.
    pub block: u32,
    /// Place in the round, from 0.
    pub position: u32,
    /// Build, layout and process.
    #[serde(flatten)]
    pub levels: Levels,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What disturbed it.
    #[serde(flatten)]
    pub disturbance: Disturbance,
}

/// A program against the reference on one metric.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// The reference's name.
    pub reference: String,
    /// The program's name.
    pub program: String,
    /// What was compared.
    pub metric: String,
    /// Whether the verdict was planned on this metric; all others are secondary.
    pub primary: bool,
    /// Program / reference; absent where no ratio exists (a reference of 0).
    pub ratio: Option<f64>,
    /// Lower and upper end; an end is absent where the data do not bound it.
    pub interval: [Option<f64>; 2],
    /// Confidence, simultaneous over all looks and (on the primary metric) all programs.
    pub level: f64,
    /// Differences within this share count as none.
    pub delta: f64,
    /// What can be said.
    pub verdict: Verdict,
    /// How the ratio was estimated.
    pub estimator: String,
    /// Blocks (or runs, where unpaired) that went into it.
    pub blocks: u32,
    /// Why measuring stopped.
    pub stopped_by: String,
    /// What limits the statement.
    pub warnings: Vec<String>,
}

/// What can be said about a program against the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The whole interval lies below 1.
    Faster,
    /// The whole interval lies above 1.
    Slower,
    /// The whole interval lies within delta of 1, on both sides of it.
    Equivalent,
    /// None of these, yet.
    Undecided,
}

/// What measuring a program against itself showed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SelfCheck {
    /// The program that was measured against itself.
    pub program: String,
    /// Ratio of the control arm to the program.
    pub ratio: Option<f64>,
    /// Its interval.
    pub interval: [Option<f64>; 2],
    /// Smallest difference (a share) that this measurement would find four times in five.
    pub resolvable: Option<f64>,
    /// Control comparisons made.
    pub repeats: u32,
    /// Of these, how many claimed a difference.
    pub alarms: u32,
}

impl Comparison {
    /// Whether a difference is claimed.
    pub fn differs(&self) -> bool {
        matches!(self.verdict, Verdict::Faster | Verdict::Slower)
    }
}

impl ProgramAnswer {
    fn new(set: &ResultSet, id: ProgramId, program: &Program) -> Self {
        let values = |metric: &Metric| Some((metric.name.clone(), set.samples(id, &metric.name)));
        let samples = set.metrics.iter().filter_map(values).filter(|(_, samples)| !samples.is_empty());
        Self {
            name: program.name.clone(),
            command: program.command.clone(),
            parameters: program.parameters.clone(),
            tags: program.tags.clone(),
            samples: samples.collect(),
        }
    }
}

impl RunAnswer {
    fn new(set: &ResultSet, run: &Run) -> Self {
        Self {
            program: set.programs[run.program.index()].name.clone(),
            block: run.block.0,
            position: run.position,
            levels: run.levels,
            outcome: run.outcome.clone(),
            disturbance: run.disturbance,
        }
    }
}

impl Answer {
    /// The measurements themselves, before anything is concluded from them.
    pub fn of(set: &ResultSet) -> Self {
        Self {
            schema: SCHEMA,
            machine: set.machine.clone(),
            seed: set.seed,
            design: set.design,
            metrics: set.metrics.clone(),
            programs: set
                .program_ids()
                .zip(&set.programs)
                .map(|(id, program)| ProgramAnswer::new(set, id, program))
                .collect(),
            runs: set.runs.iter().map(|run| RunAnswer::new(set, run)).collect(),
            comparisons: Vec::new(),
            self_check: None,
            shell_cost: None,
            findings: Vec::new(),
        }
    }

    /// Runs that did not end as expected.
    pub fn failed_runs(&self) -> impl Iterator<Item = &RunAnswer> {
        self.runs.iter().filter(|run| run.outcome.status != Status::Ok)
    }

    /// Comparisons the verdict was planned on.
    pub fn primary(&self) -> impl Iterator<Item = &Comparison> {
        self.comparisons.iter().filter(|comparison| comparison.primary)
    }
}
