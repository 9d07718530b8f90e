//! What `lotse trace analyze --json` writes.

use std::collections::BTreeMap;

use lotse_model::Finding;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Facts, SeverityAnswer, StreamAnswer};
use crate::efficiency::Efficiency;
use crate::focus::FocusAnswer;
use crate::metric::Bound;
use crate::phases::PhaseAnswer;

/// `lotse trace analyze --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// `lotse.trace/1`.
    pub schema: &'static str,
    /// What the trace holds.
    #[serde(flatten)]
    pub facts: Facts,
    /// Time lost, from the clocks as recorded.
    pub severities: Vec<SeverityAnswer>,
    /// Its sums by metric. A metric's time is also contained in the metric it is part of.
    pub totals: BTreeMap<&'static str, f64>,
    /// Time lost, from the corrected clocks; the same as `severities` where nothing had to be corrected.
    pub corrected_severities: Vec<SeverityAnswer>,
    /// How wrong the clocks were found, for the locations whose clock was, or may have been.
    pub clock_offsets: Vec<OffsetAnswer>,
    /// The part of the run that shares, thresholds and the text's efficiencies are about.
    pub focus: FocusAnswer,
    /// The run by the clocks that the analysis uses; `runtime` and `pop` are by the clocks as recorded.
    pub corrected: CorrectedAnswer,
    /// Who made others wait, over all kinds of waits, the greatest share first.
    pub blame: Vec<BlameAnswer>,
    /// What made others wait.
    pub delay_costs: Vec<DelayCostAnswer>,
    /// How waits hang together, by location.
    pub wait_propagation: Vec<PropagationAnswer>,
    /// Time on the critical path.
    pub critical_path: Vec<PathTimeAnswer>,
    /// How long the critical path is.
    pub critical_path_length: f64,
    /// By call path: how much longer it is on the critical path than on average.
    pub critical_path_imbalance: Vec<ImbalanceAnswer>,
    /// How long the run would be without the time of a call path; for those with the most time on the critical path.
    pub what_if_zero: Vec<ZeroAnswer>,
    /// Efficiencies, from the clocks as recorded; null where nothing ran on processors.
    pub pop: Option<Efficiency>,
    /// Phases of like behaviour.
    pub phases: Vec<PhaseAnswer>,
    /// Streams of accelerators, and how busy they were. Their time is no thread's time.
    pub accelerators: Vec<StreamAnswer>,
    /// Where the time of all threads went, and that of accelerator streams beside it: parents before their parts.
    pub time_tree: Vec<TimeAnswer>,
    /// What costs most: waits by metric and call path, the greatest first.
    pub losses: Vec<LossAnswer>,
    /// Locks that threads waited for, the longest waited for first; no more than twenty.
    pub locks: Vec<LockAnswer>,
    /// What to look at, the weightiest first.
    pub findings: Vec<Finding>,
    /// Masters that give tasks to whoever asks first: what-if keeps who did which, so that gains are lower bounds.
    pub dynamic_distribution: Vec<crate::farm::FarmAnswer>,
    /// The process that ends last, where the others end much earlier: nobody waits for it, but the run lasts as long as it
    /// does. Null where there is none, and for a part of the run.
    pub late_end: Option<LateEndAnswer>,
    /// Work between tests that fail, which may be waiting and is counted as computation.
    pub polling_work: Vec<crate::polling_work::PollingWorkAnswer>,
}

/// A process that ends late.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LateEndAnswer {
    /// Its thread that ends last.
    pub location: u32,
    /// What the process is called.
    pub who: String,
    /// How much earlier the first of the others ends, or comes to MPI_Finalize.
    pub seconds: f64,
    /// How long all others together have nothing to do until then.
    pub idle: f64,
}

/// How wrong a location's clock was.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OffsetAnswer {
    /// Whose clock.
    pub location: u32,
    /// Its first time minus what the reference's clock showed then.
    pub seconds: f64,
    /// How much faster than the reference's clock it runs, in millionths.
    pub drift_ppm: f64,
    /// How far off the offset may be, by the messages and exchanges that tell of it; null where it is bounded from one
    /// side.
    pub uncertainty: Option<f64>,
}

/// Waiting that a call path caused elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DelayCostAnswer {
    /// Where.
    pub location: u32,
    /// In which call path.
    pub callpath: String,
    /// Waits that it caused directly.
    pub short_term: f64,
    /// Waits that those waits caused in turn.
    pub long_term: f64,
}

/// How the waits of a location hang together with others.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PropagationAnswer {
    /// Where.
    pub location: u32,
    /// Caused by what somebody did too long.
    pub direct: f64,
    /// Caused by somebody's own waiting.
    pub indirect: f64,
    /// Delays somebody in turn.
    pub propagating: f64,
    /// Delays nobody.
    pub terminal: f64,
}

/// Time on the critical path.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PathTimeAnswer {
    /// Where.
    pub location: u32,
    /// In which call path.
    pub callpath: String,
    /// How long.
    pub seconds: f64,
}

/// How unevenly a call path on the critical path is spread.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ImbalanceAnswer {
    /// Which.
    pub callpath: String,
    /// Its time on the path minus its mean over the processes, at least 0.
    pub seconds: f64,
}

/// What zeroing a call path gives.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ZeroAnswer {
    /// Which.
    pub callpath: String,
    /// The length of the run without its time.
    pub critical_path_length: f64,
    /// How much shorter that is.
    pub gain: f64,
}

/// A node of the time tree, over all locations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TimeAnswer {
    /// A class of time, or a metric of waiting.
    pub id: &'static str,
    /// The node it is part of; null for the root.
    pub parent: Option<&'static str>,
    /// Its time with that of its parts.
    pub inclusive: f64,
    /// Its time alone.
    pub exclusive: f64,
    /// Waits of this kind during a longer wait of the same call: severities have them, no sum of this tree does.
    pub overlap: f64,
}

/// Time lost in one way in one call path, on all locations.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LossAnswer {
    /// In which way.
    pub metric: &'static str,
    /// The same in words.
    pub title: &'static str,
    /// In which call.
    pub callpath: String,
    /// How long, over all locations.
    pub seconds: f64,
    /// Its share of the time of all locations.
    pub share: f64,
    /// How exact the time is, if the clocks are right.
    pub bound: Bound,
    /// How much of it comes of waits shorter than the corrected clocks are known to; absent where nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<f64>,
    /// How far these clocks may be off; absent where nothing is uncertain, or where they are bounded from one side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock_uncertainty: Option<f64>,
    /// How many locations lost time so.
    pub locations: usize,
    /// Which of them lost most.
    pub worst_location: u32,
    /// What is to blame for most of it; null where it is not known.
    pub cause: Option<CauseAnswer>,
    /// The lock that most of it is waiting for; absent where it is not waiting for a lock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<LockAnswer>,
    /// How much shorter the run would be if its cause took no time on that location; where a lock has a `holder`, if
    /// that were done before the lock is acquired; where no cause is known, without the wait itself. Null where it was
    /// not computed, and where the recorder left out too much for it.
    pub gain: Option<f64>,
    /// Whether the time is lost. What is not may be well spent, and is part of other rows.
    pub is_loss: bool,
    /// Whether it is waiting.
    pub is_wait: bool,
}

/// A lock that threads waited for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LockAnswer {
    /// What it is called: a critical section by its construct, a lock by its number or address, that of a window by its
    /// target.
    pub name: String,
    /// The recorder's number of it, or its address; of a window's lock the window's number.
    pub number: u64,
    /// How long all threads together waited for it.
    pub waited: f64,
    /// How much that is of the time of those who waited.
    pub share: f64,
    /// How many threads waited for it.
    pub waiters: usize,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How often somebody had to wait for it.
    pub waits: u64,
    /// How long it was held while another waited for it.
    pub held: f64,
    /// What most of that time was spent in; null where that is not known.
    pub holder: Option<HolderAnswer>,
}

/// What is done while a lock is held.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HolderAnswer {
    /// In which call path; empty outside all regions.
    pub callpath: String,
    /// How long, on all locations.
    pub seconds: f64,
}

impl LockAnswer {
    /// Whether those who wait for it do so most of the time.
    pub fn is_convoy(&self) -> bool {
        self.share >= 0.5
    }
}

/// What makes others wait.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CauseAnswer {
    /// Where.
    pub location: u32,
    /// In which call path.
    pub callpath: String,
    /// How much of the loss it causes, directly and by making others late. Where there are very many waits, as the
    /// longest of them tell.
    pub seconds: f64,
    /// Whether somebody else may have come as late, as far as the corrected clocks are known.
    pub contested: bool,
    /// Whether it is a call of which the recorder did not write what it waits for: the true cause lies beyond it, and
    /// what could be gained is not known.
    pub unrecorded: bool,
}

impl LossAnswer {
    /// Whether most of it comes of waits that the clocks cannot tell from nothing.
    pub fn is_doubtful(&self) -> bool {
        is_most(self.uncertain, self.seconds)
    }
}

impl SeverityAnswer {
    /// Whether most of it comes of waits that the clocks cannot tell from nothing.
    pub fn is_doubtful(&self) -> bool {
        is_most(self.uncertain, self.seconds)
    }
}

fn is_most(part: Option<f64>, whole: f64) -> bool {
    part.is_some_and(|part| 2.0 * part > whole)
}

/// What one process makes others wait by one call path.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct BlameAnswer {
    /// The process; in a program of one process the thread.
    pub who: String,
    /// The call path whose time others wait for.
    pub callpath: String,
    /// How long others wait because of it, directly or through others.
    pub seconds: f64,
    /// How much that is of all waiting that has a cause.
    pub share: f64,
}

/// The run by the clocks that the analysis uses: corrected ones where they had to be.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CorrectedAnswer {
    /// Whether clocks were corrected.
    pub clocks: bool,
    /// From the first to the last event.
    pub runtime: f64,
    /// The efficiencies of the whole run.
    pub pop: Option<Efficiency>,
}
