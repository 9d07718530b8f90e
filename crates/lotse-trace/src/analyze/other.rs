//! Answers of the smaller commands: phases, efficiency, overheads, levels.

use lotse_model::trace::Ticks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::Subject;
use crate::efficiency::{Efficiency, efficiency};
use crate::focus::{Focus, FocusAnswer};
use crate::iterations::Iterations;
use crate::levels::{Level, LevelRow};
use crate::overheads::Overheads;
use crate::phases::PhaseAnswer;
use crate::retime::{Change, Graph, recorded_under_change};
use crate::scaling::ScalingRow;

/// `lotse trace phases --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PhasesAnswer {
    /// `lotse.trace.phases/1`.
    pub schema: &'static str,
    /// The phases, in their order; `--phase` takes their numbers from 1.
    pub phases: Vec<PhaseAnswer>,
    /// The program's repeated iterations; null where nothing repeats.
    pub iterations: Option<Iterations>,
}

/// `lotse trace efficiency --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct EfficiencyAnswer {
    /// `lotse.trace.efficiency/1`.
    pub schema: &'static str,
    /// The runs; the first is the reference.
    pub runs: Vec<ScalingRow>,
    /// By run: what the recorder left out, in words; null where nothing is missing.
    pub cautions: Vec<Option<String>>,
}

/// `lotse trace overheads --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OverheadsAnswer {
    /// `lotse.trace.overheads/1`.
    pub schema: &'static str,
    /// The comparison.
    #[serde(flatten)]
    pub overheads: Overheads,
}

/// `lotse trace analyze --level … --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LevelAnswer {
    /// `lotse.trace.level/1`.
    pub schema: &'static str,
    /// The level that was requested.
    pub level: Level,
    /// One row for each item and metric.
    pub rows: Vec<LevelRow>,
}

/// The efficiencies of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEfficiency {
    /// Of the whole run, or of the requested phase.
    pub run: Efficiency,
    /// Of the program's own part or of the requested region; absent where that is the whole run.
    pub focus: Option<FocusAnswer>,
}

impl RunEfficiency {
    /// The efficiencies of the focus, or those of the run where the focus is the whole run.
    pub(crate) fn own(&self) -> &Efficiency {
        let focus = self.focus.as_ref().and_then(|focus| focus.efficiency.as_ref());
        focus.unwrap_or(&self.run)
    }
}

/// The efficiencies of a run, including those that need the run re-timed on an ideal network; absent where nothing ran on
/// a CPU.
pub fn efficiency_of(subject: &Subject) -> Option<RunEfficiency> {
    let trace = &subject.trace;
    let changes = [Change::none(), Change::ideal_network(), Focus::ideal_network(trace)];
    let graph = Graph::new(trace, &subject.waits);
    let lengths: Vec<Ticks> = graph.run(trace, &changes).iter().map(|outcome| outcome.length).collect();
    let ideal = if subject.focus.is_whole { lengths[1] } else { lengths[2] };
    let gain = lengths[0].saturating_sub(ideal);
    let focus = subject.focus_answer(Some(gain));
    Some(match &subject.part {
        Some(part) => RunEfficiency { run: part.run.pop.clone()?, focus: Some(focus) },
        None => RunEfficiency {
            run: efficiency(trace, Some(recorded_under_change(trace, lengths[0], lengths[1])))?
                .only_bounds(&subject.facts),
            focus: (!subject.focus.is_whole).then_some(focus),
        },
    })
}
