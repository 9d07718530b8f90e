//! Waits of the members of collectives and of thread barriers.

use lotse_model::trace::{Event, Ticks};

use super::super::graph::{Dependency, Need};
use super::super::shape::{CollectiveShape, has_pairwise_lengths, last_before_exit};
use super::Builder;
use crate::matching::Link;
use crate::store::{CallRef, OpRef};

impl Builder<'_> {
    /// Members of collectives depend on those that contribute data; threads at a barrier depend on all.
    pub(super) fn add_collective_waits(&mut self) {
        let trace = self.trace;
        for location in trace.locations() {
            for (number, op) in (0..).zip(&trace.timeline(location).ops) {
                if matches!(
                    op.shape(),
                    Event::CollectiveEnd { .. }
                        | Event::CollectiveComplete { .. }
                        | Event::RmaCollectiveEnd { .. }
                ) {
                    self.add_collective_wait(OpRef { location, op: number });
                }
            }
            for &(call, barrier) in &trace.links.barrier_of[location.index()] {
                let hub = self.hub_of_barrier[barrier as usize].into();
                let (call, happened) = (CallRef { location, call }, self.happened(hub));
                // A thread that left before the others arrived has not waited for them.
                if !trace.is_team_end(call) || trace.exit(call) >= happened {
                    self.add_call_wait(call, happened, &[hub]);
                }
            }
        }
    }

    fn add_collective_wait(&mut self, op: OpRef) {
        let (Some(call), Link::Collective(number)) = (self.trace.call_of(op), self.trace.links.remote(op))
        else {
            return;
        };
        let Some(need) = self.needed_by(op, number) else { return };
        let happened = self.happened(need);
        let collective = &self.trace.links.collectives[number as usize];
        if has_pairwise_lengths(collective) && happened > self.trace.exit(call) {
            let last = last_before_exit(self.trace, collective, call);
            if let Some((source, arrival)) =
                last.and_then(|(arrival, op)| Some((self.source_of(op)?, arrival)))
            {
                self.add_call_wait(call, arrival.at, &[source.into()]);
            }
            return;
        }
        self.add_call_wait(call, happened, &[need]);
    }

    /// What a member of a collective depends on.
    fn needed_by(&self, op: OpRef, collective: u32) -> Option<Need> {
        let hub = self.hub_of_collective[collective as usize].map(Need::from);
        let collective = &self.trace.links.collectives[collective as usize];
        let is_root = collective.root == Some(op.location);
        match CollectiveShape::from_op(collective.op) {
            CollectiveShape::AllToAll => hub,
            CollectiveShape::AllToOne => hub.filter(|_| is_root),
            CollectiveShape::OneToAll if is_root => None,
            CollectiveShape::OneToAll => {
                let root = collective.root?;
                let at = collective.members.binary_search_by_key(&root, |member| member.location).ok()?;
                self.source_of(collective.members[at]).map(Need::from)
            }
            CollectiveShape::Prefix => self.hub_of_scan.get(&op).copied().map(Need::from),
        }
    }

    /// When a dependency happened in the recorded execution.
    fn happened(&self, need: Need) -> Ticks {
        match need.dependency() {
            Dependency::Source(source) => self.graph.source(source).at,
            Dependency::Hub(hub) => self.hub_at[hub.index()],
        }
    }
}
