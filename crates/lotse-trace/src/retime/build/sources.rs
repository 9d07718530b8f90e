//! Sources: events that others may wait for.

use lotse_model::id::LocationId;
use lotse_model::trace::{CollectiveOp, Event, Ticks};

use super::super::graph::HubId;
use super::super::shape::CollectiveShape;
use super::Builder;
use crate::matching::Link;
use crate::store::OpRef;
use crate::waits::gathered::{arrival, bytes};

/// Whether others may wait for an event of this kind.
fn may_be_source(event: &Event) -> bool {
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
    /// Adds the sources of all records.
    pub(super) fn add_record_sources(&mut self) {
        let trace = self.trace;
        for location in trace.locations().filter(|&it| trace.timeline(it).ops.has(may_be_source)) {
            for number in 0..trace.timeline(location).ops.len() as u32 {
                let op = OpRef { location, op: number };
                if let Some((giver, at, hub)) = self.source_at_record(op) {
                    let call = self.order_call(op);
                    self.source_of_op[location.index()][number as usize] =
                        Some(self.source(giver, at, call, hub));
                }
            }
        }
    }

    /// The location and time of the event that others may wait for, and its hub.
    fn source_at_record(&mut self, op: OpRef) -> Option<(LocationId, Ticks, Option<HubId>)> {
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
                Some((arrival.location, arrival.at, self.hub_for(op)))
            }
            Event::Fork { .. } | Event::ThreadCreate { .. } | Event::ThreadEnd { .. } => {
                Some((op.location, record.at, None))
            }
            _ => None,
        }
    }

    /// The hub of the collective of a record, which is created if it is new; none if no other member depends on this one,
    /// e.g. because it contributes no data.
    fn hub_for(&mut self, op: OpRef) -> Option<HubId> {
        let Link::Collective(number) = self.trace.links.remote(op) else { return None };
        let collective = &self.trace.links.collectives[number as usize];
        let counts = match CollectiveShape::from_op(collective.op) {
            CollectiveShape::OneToAll | CollectiveShape::Prefix => false,
            CollectiveShape::AllToOne => collective.root != Some(op.location) && bytes(self.trace, op).0 > 0,
            CollectiveShape::AllToAll => {
                collective.op == CollectiveOp::Barrier
                    || !self.moves_data[number as usize]
                    || bytes(self.trace, op).0 > 0
            }
        };
        if !counts {
            return None;
        }
        let hub = self.hub_of_collective[number as usize].unwrap_or_else(|| self.new_hub());
        self.hub_of_collective[number as usize] = Some(hub);
        Some(hub)
    }

    /// Adds a hub for each thread barrier, and the arrivals of its threads.
    pub(super) fn add_barrier_sources(&mut self) {
        for calls in &self.trace.links.barriers {
            let hub = self.new_hub();
            self.hub_of_barrier.push(hub);
            for call in calls {
                self.source(call.location, self.trace.enter(*call), call.call, Some(hub));
            }
        }
    }

    /// In a scan each rank depends on all lower ranks. The hub of the first n ranks depends on that of the first n - 1 and one
    /// source, so that the memory of a scan is linear in its members.
    pub(super) fn add_scan_hubs(&mut self) {
        let trace = self.trace;
        for collective in trace
            .links
            .collectives
            .iter()
            .filter(|it| CollectiveShape::from_op(it.op) == CollectiveShape::Prefix)
        {
            let mut lower: Option<HubId> = None;
            for op in collective.by_rank(&trace.definitions) {
                self.hub_of_scan.extend(lower.map(|lower| (op, lower)));
                let Some(source) = self.source_of(op) else { continue };
                let hub = self.new_hub();
                self.add_to_hub(source, hub);
                if let Some(lower) = lower {
                    self.link_hubs(lower, hub);
                }
                lower = Some(hub);
            }
        }
    }

    /// Makes the hub `then` depend on the hub `first`.
    fn link_hubs(&mut self, first: HubId, then: HubId) {
        self.graph.hubs[first.index()].feeds = Some(then);
        self.graph.hubs[then.index()].needs += 1;
        self.hub_at[then.index()] = self.hub_at[then.index()].max(self.hub_at[first.index()]);
    }
}
