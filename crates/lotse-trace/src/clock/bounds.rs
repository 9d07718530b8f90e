//! Bounds between the clocks of processes, from messages and collectives.
//!
//! Times are relative to the first time of each process, so that clocks with very different origins do not lose precision.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::Workers;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::Ticks;
use lotse_model::work;

use super::band::Band;
use super::{received, roles};
use crate::matching::Collective;
use crate::polls::is_blocking_probe;
use crate::store::{CallRef, OpRef, Trace};

/// Two processes, the smaller number first.
pub(super) type ProcessPair = (ProcessId, ProcessId);

/// The bounds between all clocks.
#[derive(Debug, Default)]
pub(super) struct Bands {
    /// By process: its first time; `None` without events.
    pub(super) origins: Vec<Option<Ticks>>,
    /// By process: the length of its record.
    pub(super) lengths: Vec<Ticks>,
    pub(super) pairs: BTreeMap<ProcessPair, Band>,
}

/// A time on a process.
type ProcessTime = (ProcessId, Ticks);

/// The bounds found so far.
struct Collector<'a> {
    origins: &'a [Option<Ticks>],
    pairs: HashMap<ProcessPair, Band>,
}

impl Collector<'_> {
    /// A time relative to the first time of its process.
    fn since_origin(&self, (process, at): ProcessTime) -> i64 {
        let origin = self.origins[process.index()].unwrap_or(at);
        i64::try_from(at.saturating_sub(origin)).unwrap_or(i64::MAX)
    }

    /// Adds the bound of a cause and its effect.
    fn add_bound(&mut self, cause: ProcessTime, effect: ProcessTime) {
        if cause.0 == effect.0 {
            return;
        }
        let (sent, seen) = (self.since_origin(cause), self.since_origin(effect));
        let band = self.pairs.entry((cause.0.min(effect.0), cause.0.max(effect.0))).or_default();
        band.violated |= cause.1 > effect.1;
        if cause.0 < effect.0 {
            band.at_most(seen, seen.saturating_sub(sent));
        } else {
            band.at_least(sent, sent.saturating_sub(seen));
        }
    }

    fn add_messages(&mut self, trace: &Trace, location: LocationId) {
        let process_time = |op: OpRef| (trace.location(op.location).process, trace.op(op).at);
        for (send, receive) in received(trace, location) {
            self.add_bound(process_time(send), process_time(receive));
            if let Some(apart) = transfer_if_waited(trace, send, receive) {
                self.add_wait(process_time(send), process_time(receive), apart);
            }
        }
    }

    /// Adds a receive that waited for its message: its bound is nearly the difference of the clocks.
    fn add_wait(&mut self, sent: ProcessTime, received: ProcessTime, apart: Ticks) {
        if sent.0 == received.0 {
            return;
        }
        let (a, b) = if sent.0 < received.0 { (sent, received) } else { (received, sent) };
        let (first, second) = (self.since_origin(a), self.since_origin(b));
        let band = self.pairs.entry((a.0, b.0)).or_default();
        band.wait(second, second.saturating_sub(first), i64::try_from(apart).unwrap_or(i64::MAX));
    }

    /// Adds the exits of two members from an all-to-all exchange, which are at about the same time.
    fn add_common_exit(&mut self, first: ProcessTime, other: ProcessTime, apart: Ticks) {
        if first.0 == other.0 {
            return;
        }
        let (a, b) = if first.0 < other.0 { (first, other) } else { (other, first) };
        let (a_left, b_left) = (self.since_origin(a), self.since_origin(b));
        let band = self.pairs.entry((a.0, b.0)).or_default();
        let apart = i64::try_from(apart).unwrap_or(i64::MAX);
        band.common_exits.push(b_left, b_left.saturating_sub(a_left), apart);
    }

    /// Adds the bounds of a collective. Members are compared with one of them, the root if there is one: all pairs would be
    /// too many.
    fn add_collective(&mut self, trace: &Trace, collective: &Collective) {
        let centre =
            collective.root.and_then(|root| collective.members.iter().find(|op| op.location == root));
        let Some(&centre) = centre.or(collective.members.first()) else { return };
        let Some(first) = roles::role(trace, collective, centre) else { return };
        let process = |role: &roles::CollectiveRole| trace.location(role.entered.location).process;
        let apart = roles::apart(trace, collective);
        for &op in collective.members.iter().filter(|&&op| op != centre) {
            let Some(other) = roles::role(trace, collective, op) else { continue };
            for (awaited, waiting) in [(&first, &other), (&other, &first)] {
                if awaited.is_awaited && waiting.waits {
                    let cause = (process(awaited), trace.enter(awaited.entered));
                    self.add_bound(cause, (process(waiting), trace.exit(waiting.left)));
                }
            }
            if let Some(apart) = apart.filter(|_| first.is_synchronising() && other.is_synchronising()) {
                let left = |role: &roles::CollectiveRole| (process(role), trace.exit(role.left));
                self.add_common_exit(left(&first), left(&other), apart);
            }
        }
    }
}

/// A receive waited if it lasts more than this many times as long as the send.
const WAITED: Ticks = 8;

/// If a receive waited for its message: the approximate transfer time, which is the length of the send. Only the clock of
/// the receiver is used to decide, and only calls that do nothing else are considered.
fn transfer_if_waited(trace: &Trace, send: OpRef, receive: OpRef) -> Option<Ticks> {
    let timeline = trace.timeline(receive.location);
    let (sends, receives) = (trace.call_of(send)?, trace.call_of(receive)?);
    let has_one_record = |call: CallRef| trace.timeline(call.location).ops_of(call.call).count() == 1;
    if !has_one_record(sends) || !has_one_record(receives) {
        return None;
    }
    // A blocking probe right before the receive waits for the same message.
    let probe = receives.call.checked_sub(1).map(|call| CallRef { call, ..receives });
    let probe = probe.filter(|&call| is_blocking_probe(&trace.class(call).name));
    let begun = probe.map_or_else(|| timeline.enter(receives.call), |call| trace.enter(call));
    let apart = trace.exit(sends).saturating_sub(trace.enter(sends));
    (trace.op(receive).at.saturating_sub(begun) > WAITED.saturating_mul(apart)).then_some(apart)
}

/// Collects all bounds.
pub(super) fn bands(trace: &Trace, workers: &dyn Workers) -> Bands {
    let origins = origins(trace);
    let collect = |fill: &dyn Fn(&mut Collector<'_>)| {
        let mut collector = Collector { origins: &origins, pairs: HashMap::new() };
        fill(&mut collector);
        collector.pairs
    };
    let found = work::map(workers, trace.timelines.len(), |at| {
        collect(&|collector| collector.add_messages(trace, LocationId::from(at)))
    });
    let from_collectives = collect(&|collector| {
        trace.links.collectives.iter().for_each(|it| collector.add_collective(trace, it));
    });
    let mut pairs: BTreeMap<ProcessPair, Band> = BTreeMap::new();
    for (pair, band) in found.into_iter().flatten().chain(from_collectives) {
        pairs.entry(pair).or_default().absorb(&band);
    }
    Bands { lengths: lengths(trace, &origins), origins, pairs }
}

fn lengths(trace: &Trace, origins: &[Option<Ticks>]) -> Vec<Ticks> {
    let mut lengths = vec![0; origins.len()];
    for location in trace.locations() {
        let process = trace.location(location).process.index();
        let Some(origin) = origins[process] else { continue };
        lengths[process] = lengths[process].max(trace.timeline(location).last.saturating_sub(origin));
    }
    lengths
}

fn origins(trace: &Trace) -> Vec<Option<Ticks>> {
    let count = trace.definitions.locations.iter().map(|it| it.process.index() + 1).max().unwrap_or(0);
    let mut origins: Vec<Option<Ticks>> = vec![None; count];
    for location in trace.locations().filter(|&it| !trace.timeline(it).at.is_empty()) {
        let first = trace.timeline(location).first;
        let origin = &mut origins[trace.location(location).process.index()];
        *origin = Some(origin.map_or(first, |known| known.min(first)));
    }
    origins
}
