//! Moments that others wait for.

use lotse_model::id::LocationId;
use lotse_model::trace::{CollectiveOp, Event, Ticks};

use super::super::graph::HubId;
use super::super::shape::Shape;
use super::Builder;
use crate::matching::Link;
use crate::store::OpRef;
use crate::waits::gathered::{arrival, bytes};

/// Whether others may wait for what a record tells of.
fn may_give(event: &Event) -> bool {
    matches!(
        event,
        Event::MpiSend { .. }
            | Event::MpiIsend { .. }
            | Event::CollectiveEnd { .. }
            | Event::CollectiveComplete { .. }
            | Event::RmaCollectiveEnd { .. }
            | Event::Fork { .. }
            | Event::ThreadCreate { .. }
            | Event::ThreadEnd { .. }
    )
}

impl Builder<'_> {
    /// All moments that records tell of.
    pub(super) fn give_records(&mut self) {
        let trace = self.trace;
        for location in trace.locations().filter(|&it| trace.timeline(it).ops.has(may_give)) {
            for number in 0..trace.timeline(location).ops.len() as u32 {
                let op = OpRef { location, op: number };
                if let Some((giver, at, hub)) = self.given_by(op) {
                    let call = self.place(op);
                    self.of_op[location.index()][number as usize] = Some(self.source(giver, at, call, hub));
                }
            }
        }
    }

    /// Who gives what others wait for, when, and which meeting it counts for.
    fn given_by(&mut self, op: OpRef) -> Option<(LocationId, Ticks, Option<HubId>)> {
        let trace = self.trace;
        let record = trace.op(op);
        match *record.shape() {
            Event::MpiSend { .. } | Event::MpiIsend { .. } => {
                trace.links.partner(op)?;
                let entered = trace.call_of(op).map_or(record.at, |call| trace.enter(call));
                Some((op.location, entered, None))
            }
            Event::CollectiveEnd { .. }
            | Event::CollectiveComplete { .. }
            | Event::RmaCollectiveEnd { .. } => {
                let (_, arrival) = arrival(trace, op)?;
                Some((arrival.location, arrival.at, self.hub_of(op)))
            }
            Event::Fork { .. } | Event::ThreadCreate { .. } | Event::ThreadEnd { .. } => {
                Some((op.location, record.at, None))
            }
            _ => None,
        }
    }

    /// The hub that a member of a collective counts for, made when first asked for.
    fn hub_of(&mut self, op: OpRef) -> Option<HubId> {
        let Link::Collective(number) = self.trace.links.remote(op) else { return None };
        let collective = &self.trace.links.collectives[number as usize];
        let counts = match Shape::of(collective.op) {
            Shape::OneToAll | Shape::Prefix => false,
            Shape::AllToOne => collective.root != Some(op.location) && bytes(self.trace, op).0 > 0,
            Shape::AllToAll => {
                collective.op == CollectiveOp::Barrier
                    || !self.moves_data[number as usize]
                    || bytes(self.trace, op).0 > 0
            }
        };
        if !counts {
            return None;
        }
        let hub = self.of_collective[number as usize].unwrap_or_else(|| self.new_hub());
        self.of_collective[number as usize] = Some(hub);
        Some(hub)
    }

    /// All who come to a barrier of threads.
    pub(super) fn give_barriers(&mut self) {
        for calls in &self.trace.links.barriers {
            let hub = self.new_hub();
            self.of_barrier.push(hub);
            for call in calls {
                self.source(call.location, self.trace.enter(*call), call.call, Some(hub));
            }
        }
    }

    /// In a scan each rank needs all lower ones. The meeting of the first n is that of the first n - 1 and one more,
    /// so that a scan takes room in proportion to its members.
    pub(super) fn give_scans(&mut self) {
        let trace = self.trace;
        for collective in trace.links.collectives.iter().filter(|it| Shape::of(it.op) == Shape::Prefix) {
            let mut lower: Option<HubId> = None;
            for op in collective.by_rank(&trace.definitions) {
                self.of_scan.extend(lower.map(|lower| (op, lower)));
                let Some(source) = self.source_of(op) else { continue };
                let hub = self.new_hub();
                self.count_for(source, hub);
                if let Some(lower) = lower {
                    self.feed(lower, hub);
                }
                lower = Some(hub);
            }
        }
    }

    /// A meeting needs another one.
    fn feed(&mut self, first: HubId, then: HubId) {
        self.graph.hubs[first.index()].feeds = Some(then);
        self.graph.hubs[then.index()].needs += 1;
        self.hub_at[then.index()] = self.hub_at[then.index()].max(self.hub_at[first.index()]);
    }
}
