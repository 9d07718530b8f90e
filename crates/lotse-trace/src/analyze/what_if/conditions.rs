//! What a re-timed run assumes about broadcasts to condition variables.

use lotse_model::id::LocationId;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::condition_barriers::{ConditionBarrier, ConditionBarriers};
use crate::store::Trace;

/// A barrier built from a condition variable.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ConditionBarrierAnswer {
    /// How often the threads synchronised.
    pub rounds: usize,
    /// The threads that take part.
    pub members: Vec<u32>,
    /// The threads that arrived last in some round. If it is always the same one, it may be a thread that wakes others and
    /// never waits, and not a barrier.
    pub broadcasters: Vec<u32>,
}

/// Broadcasts to condition variables that do not form a barrier.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KeptBroadcastsAnswer {
    /// How many of them ended waits.
    pub count: usize,
    /// The total time of these waits.
    pub seconds: f64,
}

pub(super) fn barriers(found: &ConditionBarriers) -> Vec<ConditionBarrierAnswer> {
    let numbers = |locations: &mut dyn Iterator<Item = &LocationId>| locations.map(|it| it.0).collect();
    let answer = |it: &ConditionBarrier| ConditionBarrierAnswer {
        rounds: it.rounds.len(),
        members: numbers(&mut it.members.iter()),
        broadcasters: numbers(&mut it.broadcasters.iter()),
    };
    found.barriers.iter().map(answer).collect()
}

pub(super) fn kept_broadcasts(trace: &Trace, found: &ConditionBarriers) -> Option<KeptBroadcastsAnswer> {
    let (count, seconds) = (found.other_broadcasts, trace.seconds(found.other_waits));
    (count > 0).then_some(KeptBroadcastsAnswer { count, seconds })
}
