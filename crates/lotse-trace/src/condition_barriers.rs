//! Barriers that programs make of a counter, a mutex and a condition.
//!
//! The last thread to come broadcasts, all others wait for the condition:
//!
//! ```text
//! thread 1   ─ work ─┤lock├┤cond_wait ············├┤unlock├─
//! thread 2   ─ work ────┤lock├┤cond_wait ·········├┤unlock├─
//! thread 3   ─ work ─────────────────┤lock├┤broadcast├┤unlock├─
//! ```
//!
//! No record says so. Calls that concern one condition are taken for a barrier where the run consists of rounds: every
//! wait has exactly one broadcast in it, nobody signals, and in each of at least two rounds the same threads take part, one by
//! broadcasting after all others wait. Where only one thread ever broadcasts, it may as well be one that never
//! waits (a producer): then this is not certain.

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, Ticks};

use crate::patterns::is_condition_wait;
use crate::signals::{condition, is_signal};
use crate::store::{CallRef, OpRef, Trace};

/// A barrier needs as many rounds to be recognised.
const LEAST_ROUNDS: usize = 2;

/// What broadcasts of conditions did.
#[derive(Debug, Default)]
pub(crate) struct ConditionBarriers {
    /// Those that are barriers.
    pub(crate) barriers: Vec<ConditionBarrier>,
    /// Broadcasts that are no part of a barrier and ended waits.
    pub(crate) other_broadcasts: usize,
    /// How long these waits lasted together.
    pub(crate) other_waits: Ticks,
}

/// A barrier made of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConditionBarrier {
    /// In the order of time.
    pub(crate) rounds: Vec<Round>,
    /// Who takes part in every round.
    pub(crate) members: BTreeSet<LocationId>,
    /// Who came last in any round.
    pub(crate) broadcasters: BTreeSet<LocationId>,
}

/// One round of a barrier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Round {
    /// The call of the thread that came last.
    pub(crate) broadcast: CallRef,
    /// The calls of all others.
    pub(crate) waits: Vec<CallRef>,
    /// The call with whose end the thread that came last leaves the barrier: from then on it has no lock that others
    /// need to come.
    pub(crate) leaves: CallRef,
}

impl ConditionBarrier {
    /// Whether different threads came last: a thread that both waits and broadcasts is no mere producer.
    pub(crate) fn is_certain(&self) -> bool {
        self.broadcasters.len() > 1
    }
}

/// The calls that concern one condition.
#[derive(Debug, Default)]
struct Uses {
    waits: Vec<CallRef>,
    broadcasts: Vec<CallRef>,
    /// Whether one waiter was woken, or waits may end by time.
    has_others: bool,
}

impl ConditionBarriers {
    /// Looks for barriers; there are none where nothing waits for a condition.
    pub(crate) fn new(trace: &Trace) -> Self {
        let mut found = Self::default();
        if !trace.classes.iter().any(is_condition_wait) {
            return found;
        }
        let uses = uses(trace);
        let unnamed: BTreeSet<ProcessId> =
            uses.keys().filter(|(_, condition)| condition.is_none()).map(|(process, _)| *process).collect();
        for (&(process, condition), uses) in &uses {
            // A call without a name may concern any condition.
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
    fn add_others(&mut self, trace: &Trace, uses: &Uses) {
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

/// By process and condition: the calls that concern it. Broadcasts are in the order of time.
fn uses(trace: &Trace) -> BTreeMap<(ProcessId, Option<u64>), Uses> {
    let mut all: BTreeMap<(ProcessId, Option<u64>), Uses> = BTreeMap::new();
    for location in trace.locations() {
        let process = trace.location(location).process;
        for call in (0..trace.timeline(location).calls.len() as u32).map(|call| CallRef { location, call }) {
            let class = trace.class(call);
            if !is_signal(class) && !is_condition_wait(class) {
                continue;
            }
            let uses = all.entry((process, condition(trace, call))).or_default();
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

/// The rounds that waits and broadcasts form; none where something else happens as well.
fn rounds(trace: &Trace, uses: &Uses) -> Option<Vec<Round>> {
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
        Some(Round { broadcast, waits, leaves })
    };
    uses.broadcasts.iter().map(round).collect()
}

/// The barrier that rounds are, where the same threads take part in all of them, each once.
fn barrier(rounds: &[Round]) -> Option<ConditionBarrier> {
    let members = |round: &Round| -> Option<BTreeSet<LocationId>> {
        let calls = || round.waits.iter().chain([&round.broadcast]);
        let members: BTreeSet<LocationId> = calls().map(|call| call.location).collect();
        (members.len() == calls().count()).then_some(members)
    };
    let first = members(rounds.first()?)?;
    let is_same = |round: &Round| members(round).as_ref() == Some(&first);
    (rounds.len() >= LEAST_ROUNDS && rounds.iter().all(is_same)).then(|| ConditionBarrier {
        rounds: rounds.to_vec(),
        members: first,
        broadcasters: rounds.iter().map(|round| round.broadcast.location).collect(),
    })
}

/// The mutex that a wait for a condition gives back.
fn mutex(trace: &Trace, wait: CallRef) -> Option<u64> {
    let mut records = trace.timeline(wait.location).ops_of(wait.call);
    records.find_map(|(_, op)| match op.event() {
        Event::ReleaseLock { lock, .. } => Some(lock),
        _ => None,
    })
}

/// With which call a thread that broadcasts gives the mutex back, or the broadcast itself where the thread has not got it.
/// None where the trace does not say when.
fn leaves(trace: &Trace, broadcast: CallRef, mutex: Option<u64>) -> Option<CallRef> {
    let location = broadcast.location;
    let timeline = trace.timeline(location);
    let first = timeline.calls[broadcast.call as usize].first_op;
    let acquires = |op: u32| match trace.op(OpRef { location, op }).event() {
        Event::AcquireLock { lock, .. } if Some(lock) == mutex => Some(true),
        Event::ReleaseLock { lock, .. } if Some(lock) == mutex => Some(false),
        _ => None,
    };
    if mutex.is_none() || (0..first).rev().find_map(acquires) != Some(true) {
        return Some(broadcast);
    }
    let release = (first..timeline.ops.len() as u32).find(|&op| acquires(op).is_some())?;
    let release = OpRef { location, op: release };
    let call = trace.call_of(release)?;
    // What comes behind the release has to be told from it by time.
    (trace.exit(call) > trace.op(release).at).then_some(call)
}

#[cfg(test)]
mod tests;
