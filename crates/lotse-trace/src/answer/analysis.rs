//! What `lotse trace analyze --json` writes.

use std::collections::BTreeMap;

use lotse_model::Finding;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::{Facts, SeverityAnswer, StreamAnswer};
use crate::efficiency::Efficiency;
use crate::focus::FocusAnswer;
use crate::metric::Bound;
use crate::phases::PhaseAnswer;

/// `lotse trace analyze --json`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Answer {
    /// `lotse.trace/1`.
    pub schema: &'static str,
    /// What the trace holds.
    #[serde(flatten)]
    pub facts: Facts,
    /// Time lost, from the clocks as recorded.
    pub severities: Vec<SeverityAnswer>,
    /// Time lost by metric. The time of a metric is also contained in the metric it is part of.
    pub totals: BTreeMap<&'static str, f64>,
    /// Time lost, from the corrected clocks; the same as `severities` where nothing had to be corrected.
    pub corrected_severities: Vec<SeverityAnswer>,
    /// Errors of the clocks, for the locations whose clock was wrong or may have been.
    pub clock_offsets: Vec<OffsetAnswer>,
    /// The part of the run that shares, thresholds and the efficiencies in text output refer to.
    pub focus: FocusAnswer,
    /// What was analysed, in words: the whole run, or the requested part of it. Shares in tables of text output refer to it.
    #[serde(skip)]
    pub analysed: &'static str,
    /// The run by the clocks that the analysis uses; `runtime` and `pop` are by the clocks as recorded.
    pub corrected: CorrectedAnswer,
    /// Processes and call paths that made others wait, over all kinds of waits, the greatest share first.
    pub blame: Vec<BlameAnswer>,
    /// Call paths that made other locations wait.
    pub delay_costs: Vec<DelayCostAnswer>,
    /// How waits cause each other, by location.
    pub wait_propagation: Vec<PropagationAnswer>,
    /// Time on the critical path.
    pub critical_path: Vec<PathTimeAnswer>,
    /// Length of the critical path.
    pub critical_path_length: f64,
    /// By call path: how much longer its time on the critical path is than its mean.
    pub critical_path_imbalance: Vec<ImbalanceAnswer>,
    /// How long the run would be without the time of a call path; for those with the most time on the critical path.
    pub what_if_zero: Vec<ZeroAnswer>,
    /// Efficiencies, from the clocks as recorded; null where nothing ran on CPUs.
    pub pop: Option<Efficiency>,
    /// Phases of similar behaviour.
    pub phases: Vec<PhaseAnswer>,
    /// Utilisation of accelerator streams. Their time is not part of the time of threads.
    pub accelerators: Vec<StreamAnswer>,
    /// The time of all threads, and beside it that of accelerator streams, as a tree: parents before their parts.
    pub time_tree: Vec<TimeAnswer>,
    /// Losses by metric and call path, the greatest first.
    pub losses: Vec<LossAnswer>,
    /// Locks that threads waited for, the longest waited for first; no more than twenty.
    pub locks: Vec<LockAnswer>,
    /// Findings, the most important first.
    pub findings: Vec<Finding>,
    /// Masters that give tasks to the first worker that asks: what-if keeps which worker did which task, so that gains are
    /// lower bounds.
    pub dynamic_distribution: Vec<crate::farm::FarmAnswer>,
    /// Other work that goes to whoever is ready first, or is done as it becomes ready; gains are lower bounds.
    pub kept_order: Vec<crate::kept_order::KeptOrderAnswer>,
    /// The process that ends last, where the others end much earlier: no process waits for it, but it determines the run
    /// time. Null where there is none, and for a part of the run.
    pub late_end: Option<LateEndAnswer>,
    /// Work between unsuccessful tests of requests, which may be waiting and is counted as computation.
    pub polling_work: Vec<crate::polling_work::PollingWorkAnswer>,
    /// Time in calls that sleep, which is neither computation nor waiting for another; absent where no thread sleeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sleeping: Option<crate::sleeping::SleepingAnswer>,
}

/// A process that ends late.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LateEndAnswer {
    /// Its thread that ends last.
    pub location: u32,
    /// The label of the process.
    pub who: String,
    /// How much earlier the first of the others ends, or comes to MPI_Finalize.
    pub seconds: f64,
    /// The total idle time of all others until then.
    pub idle: f64,
}

/// The error of a location's clock.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OffsetAnswer {
    /// The location of the clock.
    pub location: u32,
    /// Its offset at its first event: its time minus that of the reference clock.
    pub seconds: f64,
    /// How much faster than the reference clock it runs, in parts per million.
    pub drift_ppm: f64,
    /// The error of the offset, from the messages and exchanges that constrain it; null where these bound it from one side
    /// only.
    pub uncertainty: Option<f64>,
}

/// Waiting that a call path caused elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DelayCostAnswer {
    /// The location whose delay caused waits.
    pub location: u32,
    /// The call path of the delay.
    pub callpath: String,
    /// Time of waits that it caused directly.
    pub short_term: f64,
    /// Time of waits that those waits caused in turn.
    pub long_term: f64,
}

/// How the waits of a location are caused, and cause others.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PropagationAnswer {
    /// The location that waits.
    pub location: u32,
    /// Waiting caused directly by the excess work of another location.
    pub direct: f64,
    /// Waiting caused by the waiting of another location.
    pub indirect: f64,
    /// Waiting that makes another location wait in turn.
    pub propagating: f64,
    /// Waiting that makes no other location wait.
    pub terminal: f64,
}

/// Time on the critical path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PathTimeAnswer {
    /// The location that the path is on.
    pub location: u32,
    /// The call path that it is in.
    pub callpath: String,
    /// The time there.
    pub seconds: f64,
}

/// Imbalance of a call path on the critical path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ImbalanceAnswer {
    /// The call path.
    pub callpath: String,
    /// Its time on the path minus its mean over the processes, at least 0.
    pub seconds: f64,
}

/// The run re-timed as if a call path took no time.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ZeroAnswer {
    /// The call path.
    pub callpath: String,
    /// The length of the run without its time.
    pub critical_path_length: f64,
    /// How much shorter that is.
    pub gain: f64,
}

/// A node of the time tree, over all locations.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct TimeAnswer {
    /// A class of time, or a metric of waiting.
    pub id: &'static str,
    /// The node it is part of; null for the root.
    pub parent: Option<&'static str>,
    /// Its time including its parts.
    pub inclusive: f64,
    /// Its time excluding its parts.
    pub exclusive: f64,
    /// Waits of this metric during a longer wait of the same call: contained in the severities, but in no sum of this tree.
    pub overlap: f64,
}

/// Time lost by one metric in one call path, over all locations.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LossAnswer {
    /// The metric.
    pub metric: &'static str,
    /// The metric in words.
    pub title: &'static str,
    /// The call path.
    pub callpath: String,
    /// The time lost, over all locations.
    pub seconds: f64,
    /// Its share of the time of all locations in the focus; for waits in starting and ending MPI, in the whole run.
    pub share: f64,
    /// How exact the time is, provided that the clocks are right.
    pub bound: Bound,
    /// The part of it in waits that are shorter than the error of the corrected clocks; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<f64>,
    /// The error of these clocks; absent where nothing is uncertain, or where the error is bounded from one side only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_uncertainty: Option<f64>,
    /// How many locations lost time.
    pub locations: usize,
    /// The location that lost most.
    pub worst_location: u32,
    /// The cause of most of it; null where it is not known.
    pub cause: Option<CauseAnswer>,
    /// The lock that most of the time was waited for; absent for other metrics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<LockAnswer>,
    /// How much shorter the run would be if the cause took no time on its location; where a lock has a `holder`, if the
    /// holder's work were done before the acquisition; where no cause is known, if the wait itself were removed. Null where
    /// it was not computed, and where the recorder left out too much for it.
    pub gain: Option<f64>,
    /// Whether the time is lost. Other time may be well spent, and is contained in other rows.
    pub is_loss: bool,
    /// Whether the time is waiting time.
    pub is_wait: bool,
}

/// A lock that threads waited for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct LockAnswer {
    /// Its name: that of the construct of a critical section, the number or address of a lock, the target of a window's
    /// lock.
    pub name: String,
    /// The recorder's number of the lock, or its address; for a window's lock the number of the window.
    pub number: u64,
    /// The time that all threads together waited for it.
    pub waited: f64,
    /// `waited` as a share of the time of the threads that waited.
    pub share: f64,
    /// How many threads waited for it.
    pub waiters: usize,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How often a thread had to wait for it.
    pub waits: u64,
    /// How long it was held while another thread waited for it.
    pub held: f64,
    /// The call path in which most of that time was spent; null where that is not known.
    pub holder: Option<HolderAnswer>,
}

/// Work done while a lock is held.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HolderAnswer {
    /// The call path; empty outside all regions.
    pub callpath: String,
    /// Its time, on all locations.
    pub seconds: f64,
}

impl LockAnswer {
    /// Whether the threads that wait for it do so at least half of their time.
    pub fn is_convoy(&self) -> bool {
        self.share >= 0.5
    }
}

/// The cause of waits.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CauseAnswer {
    /// The location that was late.
    pub location: u32,
    /// The call path that made it late.
    pub callpath: String,
    /// How much of the loss it causes, directly and by making others late. Where there are very many waits, estimated from
    /// the longest of them.
    pub seconds: f64,
    /// Whether another location may have been as late, within the error of the corrected clocks.
    pub contested: bool,
    /// Whether it is a call for which the recorder did not record what it waits for: the true cause lies beyond it, and the
    /// gain is not known.
    pub unrecorded: bool,
    /// Whether the location is the one that loses most: it made others late, e.g. by holding a lock, for which it waits in
    /// turn.
    pub leads_back: bool,
}

impl LossAnswer {
    /// Whether most of it is in waits shorter than the error of the clocks.
    pub fn is_doubtful(&self) -> bool {
        is_most(self.uncertain, self.seconds)
    }
}

impl SeverityAnswer {
    /// Whether most of it is in waits shorter than the error of the clocks.
    pub fn is_doubtful(&self) -> bool {
        is_most(self.uncertain, self.seconds)
    }
}

fn is_most(part: Option<f64>, total: f64) -> bool {
    part.is_some_and(|part| 2.0 * part > total)
}

/// The waiting of others that one process causes by one call path.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BlameAnswer {
    /// The process; in a program of one process the thread.
    pub who: String,
    /// The call path whose time others wait for.
    pub callpath: String,
    /// How long others wait because of it, directly or indirectly.
    pub seconds: f64,
    /// `seconds` as a share of all waiting with a known cause.
    pub share: f64,
}

/// The run by the clocks that the analysis uses: corrected ones where a correction was necessary.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CorrectedAnswer {
    /// Whether clocks were corrected.
    pub clocks: bool,
    /// Time from the first to the last event.
    pub runtime: f64,
    /// The efficiencies of the whole run.
    pub pop: Option<Efficiency>,
}
