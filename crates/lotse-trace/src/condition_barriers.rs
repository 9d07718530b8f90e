//! Barriers that programs build from a counter, a mutex and a condition variable.
//!
//! The last thread to arrive broadcasts, all others wait for the condition:
//!
//! ```text
//! thread 1   ─ work ─┤lock├┤cond_wait ············├┤unlock├─
//! thread 2   ─ work ────┤lock├┤cond_wait ·········├┤unlock├─
//! thread 3   ─ work ─────────────────┤lock├┤broadcast├┤unlock├─
//! ```
//!
//! No record marks such a barrier. The calls on one condition variable are recognised as a barrier if they form rounds:
//! exactly one broadcast happens during every wait, there are no signals, and in each of at least two rounds the same
//! threads take part, one of which broadcasts after all others wait. If always the same thread broadcasts, it may be a
//! producer that never waits: then the barrier is not certain.

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};

use crate::patterns::is_condition_wait;
use crate::signals::{condition, is_signal};
use crate::store::{CallRef, OpRef, Trace};

/// A barrier is recognised from this number of rounds on.
const LEAST_ROUNDS: usize = 2;

/// Barriers built from condition variables, and sums over all other broadcasts.
#[derive(Debug, Default)]
pub(crate) struct ConditionBarriers {
    pub(crate) barriers: Vec<ConditionBarrier>,
    /// Number of broadcasts that ended waits without being part of a barrier.
    pub(crate) other_broadcasts: usize,
    /// The total time of these waits.
    pub(crate) other_waits: Ticks,
}

/// A barrier built from a condition variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConditionBarrier {
    /// In the order of time.
    pub(crate) rounds: Vec<BarrierRound>,
    /// The threads that take part in every round.
    pub(crate) members: BTreeSet<LocationId>,
    /// The threads that arrived last in some round.
    pub(crate) broadcasters: BTreeSet<LocationId>,
}

/// One round of a barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BarrierRound {
    /// The broadcast by the thread that arrived last.
    pub(crate) broadcast: CallRef,
    /// The waits of all others.
    pub(crate) waits: Vec<CallRef>,
    /// The call at whose end the last thread leaves the barrier: from then on it does not hold the mutex that others need
    /// to enter the barrier.
    pub(crate) leaves: CallRef,
}

impl ConditionBarrier {
    /// Whether different threads arrived last: a thread that both waits and broadcasts is not merely a producer.
    pub(crate) fn is_certain(&self) -> bool {
        self.broadcasters.len() > 1
    }
}

/// The calls on one condition variable.
#[derive(Debug, Default)]
struct ConditionCalls {
    waits: Vec<CallRef>,
    broadcasts: Vec<CallRef>,
    /// The threads that wake others.
    wakers: BTreeSet<LocationId>,
    /// Whether there are calls that wake a single waiter, or waits with a timeout.
    has_others: bool,
}

impl ConditionBarriers {
    /// Searches all condition variables for barriers.
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut found = Self::default();
        if !trace.classes.iter().any(is_condition_wait) {
            return found;
        }
        let uses = uses(trace);
        let unnamed: BTreeSet<ProcessId> =
            uses.keys().filter(|(_, condition)| condition.is_none()).map(|(process, _)| *process).collect();
        for (&(process, condition), uses) in &uses {
            // A call that does not name its condition variable may concern any of them.
            let is_alone = condition.is_none() || !unnamed.contains(&process);
            let rounds = rounds(trace, uses);
            match rounds.as_ref().filter(|_| is_alone).and_then(|rounds| barrier(rounds)) {
                Some(barrier) => found.barriers.push(barrier),
                None => found.add_others(trace, uses),
            }
        }
        found
    }

    /// Counts the broadcasts that ended waits.
    fn add_others(&mut self, trace: &Trace, uses: &ConditionCalls) {
        let mut seen = BTreeSet::new();
        for &wait in &uses.waits {
            if let Some(broadcast) = last_during(trace, &uses.broadcasts, wait) {
                seen.insert(broadcast);
                self.other_waits += trace.enter(broadcast) - trace.enter(wait);
            }
        }
        self.other_broadcasts += seen.len();
    }
}

/// For each condition variable that is no barrier and at which several threads wait for others: these threads, and the number
/// of their waits.
pub(crate) fn waited_for_by_several(trace: &Trace) -> Vec<(BTreeSet<LocationId>, usize)> {
    if !trace.classes.iter().any(is_condition_wait) {
        return Vec::new();
    }
    let waiting = |uses: &ConditionCalls| {
        let waiting: BTreeSet<LocationId> = uses.waits.iter().map(|call| call.location).collect();
        let is_barrier = rounds(trace, uses).as_deref().and_then(barrier).is_some();
        let is_queue = waiting.len() > 1 && !uses.wakers.is_subset(&waiting) && !is_barrier;
        is_queue.then_some((waiting, uses.waits.len()))
    };
    uses(trace).values().filter_map(waiting).collect()
}

/// By process and condition variable: the calls on it. Broadcasts are in the order of time.
fn uses(trace: &Trace) -> BTreeMap<(ProcessId, Option<u64>), ConditionCalls> {
    let mut all: BTreeMap<(ProcessId, Option<u64>), ConditionCalls> = BTreeMap::new();
    for location in trace.locations() {
        let process = trace.location(location).process;
        for call in (0..trace.timeline(location).calls.len() as u32).map(|call| CallRef { location, call }) {
            let class = trace.class(call);
            if !is_signal(class) && !is_condition_wait(class) {
                continue;
            }
            let uses = all.entry((process, condition(trace, call))).or_default();
            if is_signal(class) {
                uses.wakers.insert(location);
            }
            match class.name.as_str() {
                "pthread_cond_wait" => uses.waits.push(call),
                "pthread_cond_broadcast" => uses.broadcasts.push(call),
                name => {
                    uses.has_others = true;
                    if name != "pthread_cond_signal" {
                        uses.waits.push(call);
                    }
                }
            }
        }
    }
    all.values_mut().for_each(|uses| uses.broadcasts.sort_by_key(|&call| (trace.enter(call), call)));
    all
}

/// The last broadcast of another thread during a wait.
fn last_during(trace: &Trace, broadcasts: &[CallRef], wait: CallRef) -> Option<CallRef> {
    let during = during(trace, broadcasts, wait);
    during.iter().rev().copied().find(|call| call.location != wait.location)
}

/// The broadcasts that are entered during a wait.
fn during<'a>(trace: &Trace, broadcasts: &'a [CallRef], wait: CallRef) -> &'a [CallRef] {
    let first = broadcasts.partition_point(|&call| trace.enter(call) <= trace.enter(wait));
    let count = broadcasts[first..].partition_point(|&call| trace.enter(call) < trace.exit(wait));
    &broadcasts[first..first + count]
}

/// The rounds that waits and broadcasts form; none if there are other calls or a wait without exactly one broadcast.
fn rounds(trace: &Trace, uses: &ConditionCalls) -> Option<Vec<BarrierRound>> {
    if uses.has_others {
        return None;
    }
    let mut waits: BTreeMap<CallRef, Vec<CallRef>> = BTreeMap::new();
    for &wait in &uses.waits {
        let [broadcast] = during(trace, &uses.broadcasts, wait) else { return None };
        waits.entry(*broadcast).or_default().push(wait);
    }
    let round = |&broadcast: &CallRef| {
        let waits = waits.remove(&broadcast)?;
        let leaves = leaves(trace, broadcast, mutex(trace, *waits.first()?))?;
        Some(BarrierRound { broadcast, waits, leaves })
    };
    uses.broadcasts.iter().map(round).collect()
}

/// The barrier of these rounds, if the same threads take part in all of them, each once.
fn barrier(rounds: &[BarrierRound]) -> Option<ConditionBarrier> {
    let members = |round: &BarrierRound| -> Option<BTreeSet<LocationId>> {
        let calls = || round.waits.iter().chain([&round.broadcast]);
        let members: BTreeSet<LocationId> = calls().map(|call| call.location).collect();
        (members.len() == calls().count()).then_some(members)
    };
    let first = members(rounds.first()?)?;
    let is_same = |round: &BarrierRound| members(round).as_ref() == Some(&first);
    (rounds.len() >= LEAST_ROUNDS && rounds.iter().all(is_same)).then(|| ConditionBarrier {
        rounds: rounds.to_vec(),
        members: first,
        broadcasters: rounds.iter().map(|round| round.broadcast.location).collect(),
    })
}

/// The mutex that a wait for a condition releases.
fn mutex(trace: &Trace, wait: CallRef) -> Option<u64> {
    let mut records = trace.timeline(wait.location).ops_of(wait.call);
    records.find_map(|(_, op)| match op.event() {
        Event::ReleaseLock { lock, .. } => Some(lock),
        _ => None,
    })
}

/// The call by which a broadcasting thread releases the mutex, or the broadcast itself if the thread does not hold it.
/// None if the trace does not contain the time of the release.
fn leaves(trace: &Trace, broadcast: CallRef, mutex: Option<u64>) -> Option<CallRef> {
    let location = broadcast.location;
    let timeline = trace.timeline(location);
    let first = timeline.calls[broadcast.call as usize].first_op;
    let is_acquisition = |op: u32| match trace.op(OpRef { location, op }).event() {
        Event::AcquireLock { lock, .. } if Some(lock) == mutex => Some(true),
        Event::ReleaseLock { lock, .. } if Some(lock) == mutex => Some(false),
        _ => None,
    };
    if mutex.is_none() || (0..first).rev().find_map(is_acquisition) != Some(true) {
        return Some(broadcast);
    }
    let release = (first..timeline.ops.len() as u32).find(|&op| is_acquisition(op).is_some())?;
    let release = OpRef { location, op: release };
    let call = trace.call_of(release)?;
    // Activities after the release must be distinguishable from it by their time.
    (trace.exit(call) > trace.op(release).at).then_some(call)
}

#[cfg(test)]
mod tests;
