//! Answers of the smaller verbs, around what the analyses give.

use schemars::JsonSchema;
use serde::Serialize;

use super::Subject;
use crate::efficiency::{Efficiency, efficiency};
use crate::iterations::Iterations;
use crate::levels::{Level, LevelRow};
use crate::overheads::Overheads;
use crate::phases::PhaseAnswer;
use crate::retime::{Change, Graph};
use crate::scaling::ScalingRow;

/// `lotse trace phases --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PhasesAnswer {
    /// `lotse.trace.phases/1`.
    pub schema: &'static str,
    /// The phases, in their order; `--phase` takes their numbers from 1.
    pub phases: Vec<PhaseAnswer>,
    /// What the program does again and again; null where nothing repeats.
    pub iterations: Option<Iterations>,
}

/// `lotse trace efficiency --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct EfficiencyAnswer {
    /// `lotse.trace.efficiency/1`.
    pub schema: &'static str,
    /// The runs; the first is the reference.
    pub runs: Vec<ScalingRow>,
    /// By run: what the recorder left out, in words; null where nothing is missing.
    pub cautions: Vec<Option<String>>,
}

/// `lotse trace overheads --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OverheadsAnswer {
    /// `lotse.trace.overheads/1`.
    pub schema: &'static str,
    /// The comparison.
    #[serde(flatten)]
    pub overheads: Overheads,
}

/// `lotse trace analyze --level … --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LevelAnswer {
    /// `lotse.trace.level/1`.
    pub schema: &'static str,
    /// Which level.
    pub level: Level,
    /// All metrics of all items.
    pub rows: Vec<LevelRow>,
}

/// The efficiencies of a run, those on an ideal network among them.
pub fn efficiency_of(subject: &Subject) -> Option<Efficiency> {
    let graph = Graph::new(&subject.trace, &subject.waits);
    let ideal = graph.run(&subject.trace, &[Change::ideal_network()]);
    let found = efficiency(&subject.trace, ideal.first().map(|outcome| outcome.length));
    found.map(|found| found.only_bounds(subject.facts.hidden))
}
