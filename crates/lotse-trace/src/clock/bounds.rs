//! Bounds between the clocks of processes, from messages and collectives.
//!
//! Times are taken relative to the first time of each process, so that clocks with very different beginnings do not
//! lose digits.

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
pub(super) type Pair = (ProcessId, ProcessId);

/// Everything known about the clocks of processes.
#[derive(Debug, Default)]
pub(super) struct Bands {
    /// The first time of each process; `None` where nothing happened.
    pub(super) origins: Vec<Option<Ticks>>,
    /// How long each process was recorded.
    pub(super) lengths: Vec<Ticks>,
    /// Differences of clocks.
    pub(super) pairs: BTreeMap<Pair, Band>,
}

/// Something that happened on a process.
type Moment = (ProcessId, Ticks);

struct Collector<'a> {
    origins: &'a [Option<Ticks>],
    pairs: HashMap<Pair, Band>,
}

impl Collector<'_> {
    fn since(&self, (process, at): Moment) -> i64 {
        let origin = self.origins[process.index()].unwrap_or(at);
        i64::try_from(at.saturating_sub(origin)).unwrap_or(i64::MAX)
    }

    /// One thing happened before another.
    fn before(&mut self, cause: Moment, effect: Moment) {
        if cause.0 == effect.0 {
            return;
        }
        let (sent, seen) = (self.since(cause), self.since(effect));
        let band = self.pairs.entry((cause.0.min(effect.0), cause.0.max(effect.0))).or_default();
        band.violated |= cause.1 > effect.1;
        if cause.0 < effect.0 {
            band.at_most(seen, seen.saturating_sub(sent));
        } else {
            band.at_least(sent, sent.saturating_sub(seen));
        }
    }

    fn messages(&mut self, trace: &Trace, location: LocationId) {
        let moment = |op: OpRef| (trace.location(op.location).process, trace.op(op).at);
        for (send, receive) in received(trace, location) {
            self.before(moment(send), moment(receive));
            if let Some(apart) = waited(trace, send, receive) {
                self.waited(moment(send), moment(receive), apart);
            }
        }
    }

    /// A receive waited for its message, so that its bound is nearly the difference of the clocks.
    fn waited(&mut self, sent: Moment, received: Moment, apart: Ticks) {
        if sent.0 == received.0 {
            return;
        }
        let (one, two) = if sent.0 < received.0 { (sent, received) } else { (received, sent) };
        let (first, second) = (self.since(one), self.since(two));
        let band = self.pairs.entry((one.0, two.0)).or_default();
        band.wait(second, second.saturating_sub(first), i64::try_from(apart).unwrap_or(i64::MAX));
    }

    /// All leave an exchange of all with all at about the same time.
    fn meeting(&mut self, first: Moment, other: Moment, apart: Ticks) {
        if first.0 == other.0 {
            return;
        }
        let (one, two) = if first.0 < other.0 { (first, other) } else { (other, first) };
        let (one_left, two_left) = (self.since(one), self.since(two));
        let band = self.pairs.entry((one.0, two.0)).or_default();
        let apart = i64::try_from(apart).unwrap_or(i64::MAX);
        band.meetings.push(two_left, two_left.saturating_sub(one_left), apart);
    }

    /// Members are held against one of them, the root where there is one: all pairs would be too many.
    fn collective(&mut self, trace: &Trace, collective: &Collective) {
        let centre =
            collective.root.and_then(|root| collective.members.iter().find(|op| op.location == root));
        let Some(&centre) = centre.or(collective.members.first()) else { return };
        let Some(first) = roles::role(trace, collective, centre) else { return };
        let process = |role: &roles::Role| trace.location(role.came.location).process;
        let apart = roles::apart(trace, collective);
        for &op in collective.members.iter().filter(|&&op| op != centre) {
            let Some(other) = roles::role(trace, collective, op) else { continue };
            for (giver, taker) in [(&first, &other), (&other, &first)] {
                if giver.gives && taker.takes {
                    let cause = (process(giver), trace.enter(giver.came));
                    self.before(cause, (process(taker), trace.exit(taker.left)));
                }
            }
            if let Some(apart) = apart.filter(|_| first.meets() && other.meets()) {
                let left = |role: &roles::Role| (process(role), trace.exit(role.left));
                self.meeting(left(&first), left(&other), apart);
            }
        }
    }
}

/// A receive waited when it lasts so many times as long as the send does.
const WAITED: Ticks = 8;

/// Whether a receive waited for its message, by the clock of the receiver alone: then the message was received about
/// as long after it was sent as the send took, which is given. Only calls that do nothing else are asked.
fn waited(trace: &Trace, send: OpRef, receive: OpRef) -> Option<Ticks> {
    let timeline = trace.timeline(receive.location);
    let (sends, receives) = (trace.call_of(send)?, trace.call_of(receive)?);
    let alone = |call: CallRef| trace.timeline(call.location).ops_of(call.call).count() == 1;
    if !alone(sends) || !alone(receives) {
        return None;
    }
    // A probe right before it waits for the same message.
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
        collect(&|collector| collector.messages(trace, LocationId::from(at)))
    });
    let from_collectives = collect(&|collector| {
        trace.links.collectives.iter().for_each(|it| collector.collective(trace, it));
    });
    let mut pairs: BTreeMap<Pair, Band> = BTreeMap::new();
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
