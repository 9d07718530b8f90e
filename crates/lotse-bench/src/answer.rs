//! The answer of a measurement, in the versioned form that `--json` prints.
//!
//! Seconds and bytes, ratios as program / reference, samples in run order. Nothing here is computed:
//! `analysis` fills it.

use std::collections::BTreeMap;

use lotse_model::id::ProgramId;
use lotse_model::metric::WALL;
use lotse_model::results::{
    Design, Disturbance, LayoutRecord, Levels, Outcome, Program, ResultSet, Run, SeparationRecord, StartCost,
    Status,
};
use lotse_model::{Finding, Fingerprint, Metric};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::analysis::Question;
use crate::trial::Conclusion;

mod levels;

pub use levels::{Division, LevelShare, LevelSpread, ProgramLevels, Units};

/// The schema's name and version.
pub const SCHEMA: &str = "lotse.bench/1";

/// Everything a measurement says.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Answer {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// When measuring began (UTC, RFC 3339), where known.
    pub date: Option<String>,
    /// The machine, where known.
    pub machine: Option<Fingerprint>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// How the runs were ordered.
    pub design: Design,
    /// The reason for the order, if the user did not choose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub design_note: Option<String>,
    /// What was done to keep the rest of the machine away, where that was asked for (`--separate`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub separation: Option<SeparationRecord>,
    /// Which memory layouts were drawn (`--layouts`), where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layouts: Option<LayoutRecord>,
    /// Metrics in the order to show them, with units.
    pub metrics: Vec<Metric>,
    /// Metrics that were asked for (`--metrics`), in that order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chosen_metrics: Vec<String>,
    /// The programs with their samples.
    pub programs: Vec<ProgramAnswer>,
    /// Every run in the order it was made, failed ones too.
    pub runs: Vec<RunAnswer>,
    /// Every program against the reference, by metric.
    pub comparisons: Vec<Comparison>,
    /// The question and the last look, from which the comparisons follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conclusion: Option<Ending>,
    /// How much of each program's spread comes from builds, layouts and single runs, where those were drawn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<ProgramLevels>,
    /// Whether the precision asked for (`--until`) was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<Precision>,
    /// What the control arm showed, where there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub self_check: Option<SelfCheck>,
    /// Seconds the shell itself takes at least; already subtracted from the wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_cost: Option<f64>,
    /// What was subtracted from every run for the shell or the tool that starts the programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_cost: Option<StartCost>,
    /// What is wrong or remarkable about the measurement.
    pub findings: Vec<Finding>,
}

/// One program and what was measured of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ProgramAnswer {
    /// Distinct name.
    pub name: String,
    /// The command as written.
    pub command: String,
    /// All commands, where there are several and every run draws one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Values of the parameter scan.
    pub parameters: BTreeMap<String, String>,
    /// Words to group by.
    pub tags: Vec<String>,
    /// Further attributes that a suite or a result gave it.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, serde_json::Value>,
    /// Seconds that one more build takes, where builds are measured and that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build_seconds: Option<f64>,
    /// Values of good runs by metric, in run order: one for each good run, null where the system gave none.
    pub samples: BTreeMap<String, Vec<Option<f64>>>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
    /// What was measured several times within the run, by metric; the samples have the mean of each list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub within: BTreeMap<String, Vec<f64>>,
}

/// A program against the reference on one metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
    /// Program - reference in the metric's unit, where there is no ratio: a metric that is mostly 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
    /// Confidence, simultaneous over all looks and (on the primary metric) all programs.
    pub level: f64,
    /// Differences within this share are too small to matter.
    pub delta: f64,
    /// What can be said.
    pub verdict: Verdict,
    /// Whether the whole interval lies within delta of 1: the difference, if there is one, is too small to matter. Always
    /// so for `equivalent`; `faster` and `slower` may be so too.
    pub within_delta: bool,
    /// How the ratio was estimated.
    pub estimator: String,
    /// The builds or layouts that its interval is computed from, where those were drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub units: Option<Units>,
    /// How time is best divided over builds, layouts and runs, where their spread and their cost are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub division: Option<Division>,
    /// Blocks that went into it; where unpaired the smaller number of runs.
    pub blocks: u32,
    /// Runs of the program and of the reference that went into it, where unpaired.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<[u32; 2]>,
    /// Why measuring stopped.
    pub stopped_by: String,
    /// What limits the statement.
    pub warnings: Vec<String>,
}

/// A difference in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Difference {
    /// Program - reference.
    pub value: f64,
    /// Lower and upper end; an end is absent where the data do not bound it.
    pub interval: [Option<f64>; 2],
}

/// The question of a measurement and its last look: what a later report needs to give the same intervals.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Ending {
    /// The metric the verdict was planned on.
    pub primary: String,
    /// The name of the reference.
    pub reference: Option<String>,
    /// Why measuring stopped.
    pub stopped_by: String,
    /// Blocks made.
    pub blocks: u32,
    /// Blocks made until the last look: the intervals are about these.
    pub looked: u32,
    /// Chance of a wrong claim of a difference, over all programs and looks.
    pub alpha: f64,
    /// Differences within this share are too small to matter.
    pub delta: f64,
    /// The precision asked for.
    pub until: Option<f64>,
    /// The share of the measurement that was over at the last look.
    pub fraction: Option<f64>,
    /// The p values of the last look's intervals, for one comparison, two, and so on.
    pub nominal_p: Vec<f64>,
    /// By how much the subtracted cost of the shell may be wrong, by metric: every interval allows for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell: Option<BTreeMap<String, [Option<f64>; 2]>>,
}

/// The precision asked for and the one reached.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Precision {
    /// Share to either side that was asked for.
    pub asked: f64,
    /// Share to either side of the widest interval; absent where the data do not bound it.
    pub reached: Option<f64>,
    /// Whether that is precise enough.
    pub met: bool,
    /// The interval of the centre of a program that is compared with none, in the metric's unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
}

/// What can be said about a program against the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
    /// The level to repeat for a more precise comparison: `build`, `layout` or `run`.
    pub fn repeated(&self) -> &'static str {
        self.units.map_or("run", |units| units.level)
    }

    /// Whether a difference is claimed.
    pub fn differs(&self) -> bool {
        matches!(self.verdict, Verdict::Faster | Verdict::Slower)
    }
}

impl Ending {
    /// The end of a measurement, so that a later report can compute the same intervals.
    pub(crate) fn new(set: &ResultSet, question: &Question<'_>, conclusion: &Conclusion) -> Self {
        Self {
            primary: question.primary.to_owned(),
            reference: set.programs.get(question.reference.index()).map(|program| program.name.clone()),
            stopped_by: conclusion.stopped_by.word().to_owned(),
            blocks: conclusion.blocks,
            looked: conclusion.looked,
            alpha: conclusion.plan.alpha,
            delta: conclusion.plan.delta,
            until: conclusion.plan.until,
            fraction: conclusion.looks.first().map(|look| look.fraction),
            nominal_p: conclusion.looks.iter().map(|look| look.nominal_p).collect(),
            shell: conclusion.shell.as_ref().map(|shell| {
                let finite = |end: f64| end.is_finite().then_some(end);
                shell.clocks.iter().map(|(clock, bounds)| (clock.clone(), bounds.map(finite))).collect()
            }),
        }
    }
}

impl ProgramAnswer {
    fn new(set: &ResultSet, id: ProgramId, program: &Program) -> Self {
        let value = |run: &Run, metric: &Metric| run.values.get(&metric.name).copied();
        let values = |metric: &Metric| -> Vec<Option<f64>> {
            set.good_runs(id).map(|run| value(run, metric)).collect()
        };
        let samples = set.metrics.iter().map(|metric| (metric.name.clone(), values(metric)));
        let samples = samples.filter(|(_, samples)| samples.iter().any(Option::is_some));
        Self {
            name: program.name.clone(),
            command: program.command.clone(),
            commands: program.commands.clone(),
            parameters: program.parameters.clone(),
            tags: program.tags.clone(),
            // Names that begin with two underscores are internal to a file format.
            attributes: program
                .attributes
                .iter()
                .filter(|(name, _)| !name.starts_with("__"))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect(),
            build_seconds: program.build_seconds,
            samples: samples.collect(),
        }
    }
}

impl ProgramAnswer {
    /// The known values of a metric, in run order.
    pub fn values(&self, metric: &str) -> Vec<f64> {
        self.samples.get(metric).into_iter().flatten().flatten().copied().collect()
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
            within: run.within.clone(),
        }
    }
}

impl Answer {
    /// An answer with the measurements alone, without comparisons and findings.
    pub fn from_results(set: &ResultSet) -> Self {
        Self {
            schema: SCHEMA,
            date: set.date.clone(),
            machine: set.machine.clone(),
            seed: set.seed,
            design: set.design,
            design_note: set.design_note.clone(),
            separation: set.separation.clone(),
            layouts: set.layouts.clone(),
            metrics: set.metrics.clone(),
            chosen_metrics: Vec::new(),
            programs: set
                .program_ids()
                .zip(&set.programs)
                .map(|(id, program)| ProgramAnswer::new(set, id, program))
                .collect(),
            runs: set.runs.iter().map(|run| RunAnswer::new(set, run)).collect(),
            comparisons: Vec::new(),
            conclusion: None,
            levels: Vec::new(),
            precision: None,
            self_check: None,
            shell_cost: set.start_cost.as_ref().and_then(|cost| cost.subtracted.get(WALL).copied()),
            start_cost: set.start_cost.clone(),
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
