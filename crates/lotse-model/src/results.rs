//! Benchmark results: which programs were run, in which order, and what each run measured.
//!
//! Only the runs are stored; samples are computed from them. A failed run keeps its position and its outcome but adds
//! nothing to the samples. Results that other tools wrote have the same form, with [`Design::Sequential`] where the order of
//! their runs is not known.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::id::{BlockId, ProgramId};
use crate::metric::Metric;

mod layouts;

pub use layouts::{FixedHeap, LayoutPart, LayoutRecord};

/// Measurements of several programs made together.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ResultSet {
    /// When measuring began (UTC, RFC 3339), where known.
    #[serde(default)]
    pub date: Option<String>,
    /// The machine, where known.
    pub machine: Option<Fingerprint>,
    /// Seed of every random choice.
    pub seed: Option<u64>,
    /// How the runs were ordered.
    pub design: Design,
    /// The reason for the order, if the user did not choose it.
    #[serde(default)]
    pub design_note: Option<String>,
    /// The separation from the rest of the machine, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separation: Option<SeparationRecord>,
    /// The random memory layouts, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layouts: Option<LayoutRecord>,
    /// Metrics in the order to show them.
    pub metrics: Vec<Metric>,
    /// The programs compared.
    pub programs: Vec<Program>,
    /// All runs in the order they were made.
    pub runs: Vec<Run>,
    /// Runs of an empty command through the shell that starts the programs, where its cost is subtracted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shell: Vec<ShellRun>,
    /// What was subtracted from every run for the shell or the tool that starts the programs, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_cost: Option<StartCost>,
}

/// The actions that separated the programs from the rest of the machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SeparationRecord {
    /// Actions that had an effect.
    pub applied: Vec<AppliedAction>,
    /// Requested actions that were not done, or undone because they had no effect.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedAction>,
}

/// An action that had an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AppliedAction {
    /// Its name.
    pub action: String,
    /// What it did, such as `cpuset 1`.
    pub effect: String,
}

/// A requested action that was not done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RefusedAction {
    /// Its name.
    pub action: String,
    /// Why it was not done.
    pub reason: String,
}

/// What a shell or a measuring tool that starts the programs costs by itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct StartCost {
    /// What starts the programs, such as `the shell`.
    pub starter: String,
    /// The smallest cost that was measured, by metric: this much was subtracted from every run.
    pub subtracted: BTreeMap<String, f64>,
    /// The largest value that the starter alone has, by metric. A maximum (`peak_memory`) is that of the starter and the
    /// program together, so nothing can be subtracted from it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub peaks: BTreeMap<String, f64>,
}

/// A run of an empty command through the shell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ShellRun {
    /// The block in which it was made.
    pub block: BlockId,
    /// What it cost beyond what is subtracted from every run, by metric; negative where it cost less.
    pub excess: BTreeMap<String, f64>,
}

/// How the runs were ordered, which determines the valid comparison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Design {
    /// Every program once per block in random, mirrored order: runs of a block are pairs.
    Blocks,
    /// Both programs of a block at the same time on two CPUs, swapped every block.
    Duet,
    /// All runs of one program, then all of the next.
    #[default]
    Sequential,
}

impl Design {
    /// Whether runs of one block belong together.
    pub fn paired(self) -> bool {
        matches!(self, Self::Blocks | Self::Duet)
    }
}

/// One of the things compared.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Program {
    /// Distinct among the programs of a result.
    pub name: String,
    /// The command as the user wrote it, parameters filled in.
    pub command: String,
    /// All commands, the first one included, where there are several and every run draws one of them; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Values of the parameter scan.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
    /// Words to group by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Seconds that one more build of it takes, where builds are measured and that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build_seconds: Option<f64>,
    /// Further attributes a foreign format carried, kept so that nothing is lost when it is written again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, serde_json::Value>,
}

/// One execution of one program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Run {
    /// Which program.
    pub program: ProgramId,
    /// Which round.
    pub block: BlockId,
    /// Place in the block, from 0.
    pub position: u32,
    /// Which build, layout and process this run belongs to.
    #[serde(flatten)]
    pub levels: Levels,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What disturbed it.
    #[serde(flatten)]
    pub disturbance: Disturbance,
    /// Values by metric name. Kept for failed runs too, but no sample then.
    #[serde(default)]
    pub values: BTreeMap<String, f64>,
    /// What was measured several times within the run (a program that prints a list), by metric: the lowest level of
    /// repetition. `values` has the mean of each list.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub within: BTreeMap<String, Vec<f64>>,
}

/// The nesting of repetitions: runs within processes within layouts within builds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Levels {
    /// Which build of the program.
    #[serde(default)]
    pub build: u32,
    /// Which memory layout of that build.
    #[serde(default)]
    pub layout: u32,
    /// Which process of that layout.
    #[serde(default)]
    pub process: u32,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Outcome {
    /// The outcome in one word.
    pub status: Status,
    /// Exit code, where it exited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    /// Signal, where one ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// The problem, as a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Outcome {
    /// The outcome of a run that exited with 0.
    pub fn ok() -> Self {
        Self { status: Status::Ok, exit_code: Some(0), signal: None, problem: None }
    }
}

/// The outcome of a run in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It did what was expected.
    Ok,
    /// It ended with a code or a signal that was not expected.
    Failed,
    /// It ran longer than allowed and was stopped.
    Timeout,
    /// It ended well, but what it printed was not what was expected.
    Invalid,
    /// It could not be started.
    Missing,
}

/// What disturbed a run. A value is absent if the system does not provide it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Disturbance {
    /// Whether the run had to share its CPU noticeably.
    pub contended: bool,
    /// Seconds a hypervisor took from all CPUs.
    pub steal: Option<f64>,
    /// The number of involuntary context switches.
    pub involuntary_switches: Option<u64>,
    /// Share of the run during which some task waited for a CPU (PSI).
    pub pressure: Option<f64>,
    /// Seconds its first thread was ready but had no CPU.
    pub run_delay: Option<f64>,
    /// Times its first thread moved to another CPU.
    pub migrations: Option<u64>,
    /// Load average over one minute.
    pub load: Option<f64>,
}

impl ResultSet {
    /// The runs of one program that did not fail, in run order.
    pub fn good_runs(&self, program: ProgramId) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.program == program && run.outcome.status == Status::Ok)
    }

    /// The values of one metric over the good runs of one program, in run order.
    pub fn samples(&self, program: ProgramId, metric: &str) -> Vec<f64> {
        self.good_runs(program).filter_map(|run| run.values.get(metric).copied()).collect()
    }

    /// Ids of all programs.
    pub fn program_ids(&self) -> impl Iterator<Item = ProgramId> + use<> {
        (0..self.programs.len()).map(ProgramId::from)
    }

    /// The result with only the programs that `wanted` accepts and their runs, with program ids renumbered.
    pub fn keep_programs(&self, wanted: impl Fn(&Program) -> bool) -> Self {
        let kept: Vec<ProgramId> =
            self.program_ids().filter(|id| wanted(&self.programs[id.index()])).collect();
        let moved = |run: &Run| {
            let index = kept.iter().position(|id| *id == run.program)?;
            Some(Run { program: ProgramId::from(index), ..run.clone() })
        };
        Self {
            programs: kept.iter().map(|id| self.programs[id.index()].clone()).collect(),
            runs: self.runs.iter().filter_map(moved).collect(),
            date: self.date.clone(),
            machine: self.machine.clone(),
            design_note: self.design_note.clone(),
            separation: self.separation.clone(),
            layouts: self.layouts.clone(),
            metrics: self.metrics.clone(),
            shell: self.shell.clone(),
            start_cost: self.start_cost.clone(),
            ..*self
        }
    }

    /// The program of that name.
    pub fn program_named(&self, name: &str) -> Option<ProgramId> {
        self.programs.iter().position(|program| program.name == name).map(ProgramId::from)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        AppliedAction, BTreeMap, BlockId, Design, Disturbance, Fingerprint, LayoutPart, LayoutRecord, Levels,
        Metric, Outcome, Program, ProgramId, RefusedAction, ResultSet, Run, SeparationRecord, ShellRun,
        StartCost, Status,
    };

    fn run(program: u32, block: u32, status: Status, wall: f64) -> Run {
        Run {
            program: ProgramId(program),
            block: BlockId(block),
            position: 0,
            levels: Levels::default(),
            outcome: Outcome { status, ..Outcome::ok() },
            disturbance: Disturbance::default(),
            values: [("wall".to_owned(), wall)].into(),
            within: BTreeMap::new(),
        }
    }

    #[test]
    fn failed_runs_give_no_samples() {
        let program = Program { name: "a".into(), ..Program::default() };
        let runs =
            vec![run(0, 0, Status::Ok, 1.0), run(0, 1, Status::Failed, 9.0), run(0, 2, Status::Ok, 2.0)];
        let set = ResultSet { programs: vec![program], runs, ..ResultSet::default() };
        assert_eq!(set.samples(ProgramId(0), "wall"), [1.0, 2.0]);
        assert_eq!(set.program_named("a"), Some(ProgramId(0)));
    }

    #[test]
    fn kept_programs_keep_their_runs() {
        let program = |name: &str| Program { name: name.into(), ..Program::default() };
        let runs = vec![run(0, 0, Status::Ok, 1.0), run(1, 0, Status::Ok, 2.0), run(2, 0, Status::Ok, 3.0)];
        let programs = vec![program("a"), program("b"), program("c")];
        let set = ResultSet { programs, runs, ..ResultSet::default() };
        let kept = set.keep_programs(|program| program.name != "b");
        assert_eq!(kept.programs.len(), 2);
        assert_eq!(kept.samples(ProgramId(1), "wall"), [3.0]);
    }

    #[test]
    fn a_run_is_flat_in_json_and_comes_back() {
        let before = run(1, 2, Status::Timeout, 0.5);
        let json = serde_json::to_value(&before).unwrap();
        assert_eq!(json["status"], "timeout");
        assert_eq!(json["build"], 0);
        assert_eq!(serde_json::from_value::<Run>(json).unwrap(), before);
    }

    #[test]
    fn a_whole_result_comes_back() {
        let program = Program {
            name: "a".into(),
            command: "./a 1".into(),
            commands: vec!["./a 1".into(), "./a 2".into()],
            parameters: [("n".to_owned(), "1".to_owned())].into(),
            tags: vec!["new".into()],
            build_seconds: Some(0.5),
            attributes: [("author".to_owned(), serde_json::json!({ "name": ["us"] }))].into(),
        };
        let disturbance = Disturbance {
            contended: true,
            steal: Some(0.5),
            involuntary_switches: Some(u64::MAX),
            pressure: Some(0.25),
            run_delay: Some(1e-9),
            migrations: Some(3),
            load: Some(2.5),
        };
        let outcome = Outcome { signal: Some(9), problem: Some("late".into()), ..Outcome::ok() };
        let levels = Levels { build: 1, layout: 2, process: 3 };
        let within = [("pause".to_owned(), vec![0.1, 0.3])].into();
        let full = Run { disturbance, levels, outcome, within, ..run(0, 4, Status::Ok, 0.1 + 0.2) };
        for design in [Design::Blocks, Design::Duet, Design::Sequential] {
            let before = ResultSet {
                date: Some("2026-11-15T12:00:00Z".into()),
                design_note: Some("setups differ".into()),
                separation: Some(SeparationRecord {
                    applied: vec![AppliedAction { action: "nice".into(), effect: "autogroup -20".into() }],
                    refused: vec![RefusedAction { action: "swap".into(), reason: "none".into() }],
                }),
                layouts: Some(LayoutRecord { count: 8, parts: LayoutPart::ALL.into(), fixed_heaps: vec![] }),
                machine: Some(Fingerprint { load: Some(0.5), ..Fingerprint::default() }),
                seed: Some(u64::MAX),
                design,
                metrics: vec![Metric::named("wall"), Metric::named("requests")],
                programs: vec![program.clone(), Program::default()],
                runs: vec![full.clone(), run(1, 4, Status::Missing, 0.0)],
                shell: vec![ShellRun { block: BlockId(4), excess: [("wall".to_owned(), -1e-4)].into() }],
                start_cost: Some(StartCost { starter: "the shell".to_owned(), ..StartCost::default() }),
            };
            let json = serde_json::to_string(&before).unwrap();
            assert_eq!(serde_json::from_str::<ResultSet>(&json).unwrap(), before, "{json}");
            assert_eq!(design.paired(), design != Design::Sequential);
        }
    }

    #[test]
    fn a_run_needs_only_its_place_and_its_status() {
        let least = r#"{"program": 1, "block": 2, "position": 3, "status": "ok", "later": "key"}"#;
        let read: Run = serde_json::from_str(least).unwrap();
        assert_eq!((read.levels, read.disturbance), (Levels::default(), Disturbance::default()));
        assert_eq!((read.outcome.exit_code, read.values.len(), read.within.len()), (None, 0, 0));
        for (key, message) in [("program", "missing field `program`"), ("status", "missing field `status`")] {
            let without = least.replace(&format!("\"{key}\""), "\"other\"");
            let error = serde_json::from_str::<Run>(&without).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
