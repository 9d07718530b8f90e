//! Members of collectives and of barriers need each other.

use lotse_model::trace::{Event, Ticks};

use super::super::graph::{Dependency, Need};
use super::super::shape::{Shape, is_by_pairs, last_before_exit};
use super::Builder;
use crate::matching::Link;
use crate::store::{CallRef, OpRef};

impl Builder<'_> {
    /// Members of collectives need those who give something; threads at a barrier need all.
    pub(super) fn need_collectives(&mut self) {
        let trace = self.trace;
        for location in trace.locations() {
            for (number, op) in (0..).zip(&trace.timeline(location).ops) {
                if matches!(
                    op.shape(),
                    Event::CollectiveEnd { .. }
                        | Event::CollectiveComplete { .. }
                        | Event::RmaCollectiveEnd { .. }
                ) {
                    self.need_collective(OpRef { location, op: number });
                }
            }
            for &(call, barrier) in &trace.links.barrier_of[location.index()] {
                let hub = self.of_barrier[barrier as usize].into();
                let (call, happened) = (CallRef { location, call }, self.happened(hub));
                // A thread that went on before the others came has not waited for them.
                if !trace.is_team_end(call) || trace.exit(call) >= happened {
                    self.need_call(call, happened, &[hub]);
                }
            }
        }
    }

    fn need_collective(&mut self, op: OpRef) {
        let (Some(call), Link::Collective(number)) = (self.trace.call_of(op), self.trace.links.remote(op))
        else {
            return;
        };
        let Some(need) = self.needed_by(op, number) else { return };
        let happened = self.happened(need);
        let collective = &self.trace.links.collectives[number as usize];
        if is_by_pairs(collective) && happened > self.trace.exit(call) {
            let last = last_before_exit(self.trace, collective, call);
            if let Some((source, came)) = last.and_then(|(came, op)| Some((self.source_of(op)?, came))) {
                self.need_call(call, came.at, &[source.into()]);
            }
            return;
        }
        self.need_call(call, happened, &[need]);
    }

    /// What a member of a collective needs.
    fn needed_by(&self, op: OpRef, collective: u32) -> Option<Need> {
        let hub = self.of_collective[collective as usize].map(Need::from);
        let collective = &self.trace.links.collectives[collective as usize];
        let is_root = collective.root == Some(op.location);
        match Shape::of(collective.op) {
            Shape::AllToAll => hub,
            Shape::AllToOne => hub.filter(|_| is_root),
            Shape::OneToAll if is_root => None,
            Shape::OneToAll => {
                let root = collective.root?;
                let at = collective.members.binary_search_by_key(&root, |member| member.location).ok()?;
                self.source_of(collective.members[at]).map(Need::from)
            }
            Shape::Prefix => self.of_scan.get(&op).copied().map(Need::from),
        }
    }

    /// When a dependency happened in the recorded run.
    fn happened(&self, need: Need) -> Ticks {
        match need.dependency() {
            Dependency::Source(source) => self.graph.source(source).at,
            Dependency::Hub(hub) => self.hub_at[hub.index()],
        }
    }
}
