//! Answers as written by `--json`. Times are in seconds; locations are numbered in the order of their definition.

use std::collections::BTreeMap;

use lotse_formats::trace::Repair;
#[cfg(feature = "schema")]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Facts {
    /// The format of the trace.
    pub format: String,
    /// Number of event records. For a phase: those that the analysis keeps with their times.
    pub events: u64,
    /// Threads and other places where events happen.
    pub locations: usize,
    /// How many of them are threads on CPUs.
    pub threads: usize,
    /// How many of them are streams of accelerators with events.
    pub accelerator_streams: usize,
    /// The names of the locations, as recorded.
    pub location_names: Vec<String>,
    /// The labels of the locations in text output: `rank 2`.
    pub location_labels: Vec<String>,
    /// The recorder's numbers of the locations.
    pub location_ids: Vec<u64>,
    /// Messages that were sent and received.
    pub messages: u64,
    /// Messages without a receive.
    pub unmatched_sends: u64,
    /// Messages without a send.
    pub unmatched_recvs: u64,
    /// Collective operations.
    pub collectives: usize,
    /// Messages that arrived before they were sent, by the clocks as recorded; those of the whole run even where one phase
    /// is requested.
    pub clock_violations: u64,
    /// Time from the first to the last event.
    pub runtime: f64,
    /// Time of the first event.
    pub first_tick: u64,
    /// Time of the last event.
    pub last_tick: u64,
    /// Ticks per second.
    pub timer_resolution: u64,
    /// The depth of the deepest call stack.
    pub max_depth: u32,
    /// How many records there are of each kind, by OTF2's names.
    pub event_kinds: BTreeMap<&'static str, u64>,
    /// How often each region was entered.
    pub visits: BTreeMap<String, u64>,
    /// Errors in the trace and how they were repaired.
    pub repairs: Vec<RepairAnswer>,
    /// Locations that lost events.
    pub incomplete_locations: Vec<u32>,
    /// Calls of which only the times were recorded: what they wait for is not known.
    pub unrecorded: Vec<UnrecordedAnswer>,
    /// Operations of which only one half was recorded.
    pub gaps: Vec<GapAnswer>,
    /// Which results are unreliable because of missing records.
    pub hidden: Hidden,
}

/// An error in the trace and its repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RepairAnswer {
    /// The location whose events are concerned; null for definitions or the whole trace.
    pub location: Option<u32>,
    /// The file, or the location's name.
    pub file: String,
    /// The position in the file; null for the whole file.
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LocationAnswer {
    /// Its name, as recorded.
    pub name: String,
    /// The process it belongs to.
    pub process: String,
    /// `cpu`, `accelerator`, `metric`, `annotation` or `unknown`.
    pub kind: &'static str,
    /// Number of event records.
    pub events: u64,
    /// Time of its first event, in seconds after the first event of the trace.
    pub begin: f64,
    /// Time of its last event, in seconds after the first event of the trace.
    pub end: f64,
}

impl InfoAnswer {
    /// Describes a trace.
    pub fn from_trace(trace: &Trace) -> Self {
        facts::info(trace)
    }
}

/// `lotse trace analyze --metric … --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SeveritiesAnswer {
    /// `lotse.trace.severities/1`.
    pub schema: &'static str,
    /// Time lost, by the requested clocks.
    pub severities: Vec<SeverityAnswer>,
}

/// Time lost by one metric, location and call path: a cell of the severity cube.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SeverityAnswer {
    /// The metric.
    pub metric: &'static str,
    /// The location that waited.
    pub location: u32,
    /// The call path that waited.
    pub callpath: String,
    /// The time lost.
    pub seconds: f64,
    /// How exact the time is, provided that the clocks are right.
    pub bound: Bound,
    /// The part of it in waits that are shorter than the error of the corrected clocks; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<f64>,
}
