//! What a re-timed run assumes about broadcasts of conditions.

use lotse_model::id::LocationId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::condition_barriers::{ConditionBarrier, ConditionBarriers};
use crate::store::Trace;

/// A barrier that the program makes of a condition.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ConditionBarrierAnswer {
    /// How often the threads met.
    pub rounds: usize,
    /// Who takes part.
    pub members: Vec<u32>,
    /// Who came last in any round. With one alone it may be no barrier, but a thread that wakes others and waits for none.
    pub broadcasters: Vec<u32>,
}

/// Broadcasts of conditions that are no barrier.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct KeptBroadcastsAnswer {
    /// How many ended waits.
    pub count: usize,
    /// How long these waits lasted together.
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

pub(super) fn kept(trace: &Trace, found: &ConditionBarriers) -> Option<KeptBroadcastsAnswer> {
    let (count, seconds) = (found.other_broadcasts, trace.seconds(found.other_waits));
    (count > 0).then_some(KeptBroadcastsAnswer { count, seconds })
}
