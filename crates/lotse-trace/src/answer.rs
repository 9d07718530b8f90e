//! Answers as data: what `--json` writes. Times are in seconds, locations are positions in the order of definition.

use std::collections::BTreeMap;

use lotse_formats::trace::Repair;
use schemars::JsonSchema;
use serde::Serialize;

use crate::metric::Bound;
use crate::store::Trace;
use crate::unrecorded::{GapAnswer, Hidden, UnrecordedAnswer};

mod accelerators;
mod analysis;
mod facts;
mod rows;

pub use accelerators::StreamAnswer;
pub(crate) use accelerators::streams;
pub use analysis::{
    Answer, BlameAnswer, CauseAnswer, CorrectedAnswer, DelayCostAnswer, HolderAnswer, ImbalanceAnswer,
    LateEndAnswer, LockAnswer, LossAnswer, OffsetAnswer, PathTimeAnswer, PropagationAnswer, TimeAnswer,
    ZeroAnswer,
};
pub(crate) use rows::{PathNames, severities, time_tree, totals};

/// What a trace holds, before anything is analysed. Times are as recorded.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Facts {
    /// The format of the trace.
    pub format: String,
    /// Records of events. Of one phase those that the analysis keeps with their time.
    pub events: u64,
    /// Threads and other places where events happen.
    pub locations: usize,
    /// How many of them are threads on processors.
    pub threads: usize,
    /// How many are streams of accelerators with events.
    pub accelerator_streams: usize,
    /// Their names, as recorded.
    pub location_names: Vec<String>,
    /// What the text calls them: `rank 2`.
    pub location_labels: Vec<String>,
    /// The recorder's numbers for them.
    pub location_ids: Vec<u64>,
    /// Messages that were sent and received.
    pub messages: u64,
    /// Messages without a receive.
    pub unmatched_sends: u64,
    /// Messages without a send.
    pub unmatched_recvs: u64,
    /// Operations of whole communicators.
    pub collectives: usize,
    /// Messages that arrived before they were sent, by the clocks as recorded; of all of the run where one phase is
    /// asked for.
    pub clock_violations: u64,
    /// From the first to the last event.
    pub runtime: f64,
    /// When the first event happened.
    pub first_tick: u64,
    /// When the last event happened.
    pub last_tick: u64,
    /// Ticks in a second.
    pub timer_resolution: u64,
    /// The deepest call stack.
    pub max_depth: u32,
    /// How many records there are of each kind, by OTF2's names.
    pub event_kinds: BTreeMap<&'static str, u64>,
    /// How often each region was entered.
    pub visits: BTreeMap<String, u64>,
    /// What was odd about the trace and how it was taken.
    pub repairs: Vec<RepairAnswer>,
    /// Locations that lost events.
    pub incomplete_locations: Vec<u32>,
    /// Calls of which the recorder wrote nothing but their times: what they wait for is not known.
    pub unrecorded: Vec<UnrecordedAnswer>,
    /// Operations of which the recorder wrote one half only.
    pub gaps: Vec<GapAnswer>,
    /// What answers cannot know because of that.
    pub hidden: Hidden,
}

/// Something odd about the trace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepairAnswer {
    /// Whose events are concerned; null where it is the definitions or all.
    pub location: Option<u32>,
    /// The file, or the location's name.
    pub file: String,
    /// Where in the file; null for all of it.
    pub place: Option<String>,
    /// What was found and what was done.
    pub message: String,
    /// Whether events or definitions are missing because of it.
    pub loss: bool,
}

impl From<&Repair> for RepairAnswer {
    fn from(repair: &Repair) -> Self {
        let place = match &repair.place {
            lotse_formats::Place::Whole => None,
            place => Some(place.to_string()),
        };
        Self {
            location: repair.location.map(|it| it.0),
            file: repair.file.clone(),
            place,
            message: repair.message.clone(),
            loss: repair.loss,
        }
    }
}

/// `lotse trace info --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct InfoAnswer {
    /// `lotse.trace.info/1`.
    pub schema: &'static str,
    /// What the trace holds.
    #[serde(flatten)]
    pub facts: Facts,
    /// Processes with at least one location.
    pub processes: usize,
    /// Machines and their parts.
    pub machines: Vec<String>,
    /// Distinct call paths.
    pub call_paths: usize,
    /// Every location: what it is and what happened there.
    pub location_rows: Vec<LocationAnswer>,
    /// What the recorder wrote about itself and the program.
    pub properties: BTreeMap<String, String>,
}

/// A location.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LocationAnswer {
    /// Its name.
    pub name: String,
    /// The process it belongs to.
    pub process: String,
    /// `cpu`, `accelerator`, `metric`, `annotation` or `unknown`.
    pub kind: &'static str,
    /// Records of events.
    pub events: u64,
    /// When its first event happened, in seconds after the first of all.
    pub begin: f64,
    /// When its last event happened, likewise.
    pub end: f64,
}

impl InfoAnswer {
    /// What is known of a trace.
    pub fn of(trace: &Trace) -> Self {
        facts::info(trace)
    }
}

/// `lotse trace analyze --metric … --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SeveritiesAnswer {
    /// `lotse.trace.severities/1`.
    pub schema: &'static str,
    /// Time lost, by the clocks asked for.
    pub severities: Vec<SeverityAnswer>,
}

/// Time lost in one way at one place: a cell of the cube.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SeverityAnswer {
    /// In which way.
    pub metric: &'static str,
    /// Who waited.
    pub location: u32,
    /// In which call.
    pub callpath: String,
    /// How long.
    pub seconds: f64,
    /// How exact that is, if the clocks are right.
    pub bound: Bound,
    /// How much of it comes of waits shorter than the corrected clocks are known to; absent where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<f64>,
}
