//! The links between records of a phase: those links of the whole trace of which both ends were kept.

use lotse_model::id::LocationId;
use lotse_model::trace::Event;

use super::LocationPart;
use crate::matching::{Collective, Link, Links, NO_OP, Pointer, TeamInstance};
use crate::store::{CallRef, OpRef, Trace};

/// Restricts all links to the phase, with the new numbers of records, calls and collectives.
pub(super) fn narrow(trace: &Trace, parts: &[LocationPart]) -> Links {
    let narrow = Restriction { whole: &trace.links, parts };
    let mut links = Links { odd_requests: trace.links.odd_requests, ..Links::default() };
    let collectives = narrow.collectives(&mut links);
    narrow.barriers(&mut links);
    narrow.teams(&mut links);
    links.rma = trace.links.rma.narrow(|op| narrow.op(op), |number| collectives[number as usize]);
    for (at, part) in parts.iter().enumerate() {
        let location = LocationId::from(at);
        links.local.push(narrow.local(location, part));
        links.remote.push(narrow.remote(location, part, &collectives));
    }
    for (&one, &other) in &trace.links.across {
        if let (Some(one), Some(other)) = (narrow.op(one), narrow.op(other)) {
            links.link_halves(one, other);
        }
    }
    count_messages(trace, parts, &mut links);
    links
}

struct Restriction<'a> {
    whole: &'a Links,
    parts: &'a [LocationPart],
}

impl Restriction<'_> {
    fn op(&self, old: OpRef) -> Option<OpRef> {
        let op = self.parts[old.location.index()].op(old.op)?;
        Some(OpRef { op, ..old })
    }

    fn call(&self, old: CallRef) -> Option<CallRef> {
        let call = self.parts[old.location.index()].call(old.call)?;
        Some(CallRef { call, ..old })
    }

    fn ops(&self, old: &[OpRef]) -> Vec<OpRef> {
        old.iter().filter_map(|&op| self.op(op)).collect()
    }

    fn local(&self, location: LocationId, part: &LocationPart) -> Vec<u32> {
        let old = &self.whole.local[location.index()][part.ops.0..part.ops.1];
        old.iter().map(|&half| part.op(half).unwrap_or(NO_OP)).collect()
    }

    fn remote(&self, location: LocationId, part: &LocationPart, collectives: &[Option<u32>]) -> Vec<Pointer> {
        let old = &self.whole.remote[location.index()][part.ops.0..part.ops.1];
        let link = |(number, pointer): (usize, &Pointer)| match pointer.link() {
            Link::None => Link::None,
            Link::Op(other) => self.op(other).map_or(Link::None, Link::Op),
            Link::Collective(_) if self.was_posted_outside(OpRef { location, op: number as u32 }) => {
                Link::None
            }
            Link::Collective(number) => collectives[number as usize].map_or(Link::None, Link::Collective),
        };
        (part.ops.0..).zip(old).map(link).map(Pointer::from).collect()
    }

    /// Whether the operation that a record completes was posted outside of the phase: then no call in the phase waits for
    /// it.
    fn was_posted_outside(&self, old: OpRef) -> bool {
        self.whole.other_half(old).is_some_and(|posting| self.op(posting).is_none())
    }

    /// Keeps the collectives with at least one member in the phase; gives the new number by old number.
    fn collectives(&self, links: &mut Links) -> Vec<Option<u32>> {
        let mut numbers = Vec::with_capacity(self.whole.collectives.len());
        for old in &self.whole.collectives {
            let present = old.members.iter().filter(|&&member| !self.was_posted_outside(member));
            let members: Vec<OpRef> = present.filter_map(|&member| self.op(member)).collect();
            if members.is_empty() {
                numbers.push(None);
                continue;
            }
            let complete = old.complete && members.len() == old.members.len();
            numbers.push(Some(links.collectives.len() as u32));
            links.collectives.push(Collective { members, complete, ..old.clone() });
        }
        numbers
    }

    fn barriers(&self, links: &mut Links) {
        links.barrier_of = vec![Vec::new(); self.parts.len()];
        for old in &self.whole.barriers {
            let calls: Vec<CallRef> = old.iter().filter_map(|&call| self.call(call)).collect();
            if calls.is_empty() {
                continue;
            }
            let number = links.barriers.len() as u32;
            for call in &calls {
                links.barrier_of[call.location.index()].push((call.call, number));
            }
            links.barriers.push(calls);
        }
        links.barrier_of.iter_mut().for_each(|of| of.sort_unstable());
    }

    fn teams(&self, links: &mut Links) {
        links.teams = self.whole.teams.iter().filter_map(|team| self.team(team)).collect();
        links.forked = vec![Vec::new(); self.parts.len()];
        for (number, team) in links.teams.iter().enumerate() {
            if let Some(fork) = team.fork {
                links.forked[fork.location.index()].push(number as u32);
            }
        }
        let Links { teams, forked, .. } = links;
        forked.iter_mut().for_each(|numbers| numbers.sort_by_key(|&number| teams[number as usize].fork));
    }

    fn team(&self, old: &TeamInstance) -> Option<TeamInstance> {
        let (begins, ends) = (self.ops(&old.begins), self.ops(&old.ends));
        let fork = old.fork.and_then(|fork| self.op(fork));
        let is_left = fork.is_some() || !begins.is_empty() || !ends.is_empty();
        is_left.then_some(TeamInstance { team: old.team, fork, begins, ends })
    }
}

/// Counts messages. A message that crosses the border of the phase is neither a message of the phase nor unmatched.
fn count_messages(trace: &Trace, parts: &[LocationPart], links: &mut Links) {
    for (at, part) in parts.iter().enumerate() {
        let old = &trace.links.remote[at][part.ops.0..part.ops.1];
        for ((op, was), is) in part.timeline.ops.iter().zip(old).zip(&links.remote[at]) {
            let matched = matches!(is.link(), Link::Op(_));
            let unmatched = *was == Pointer::NONE;
            match op.event() {
                Event::MpiSend { .. } | Event::MpiIsend { .. } => {
                    links.messages += u64::from(matched);
                    links.unmatched_sends += u64::from(unmatched);
                }
                Event::MpiRecv { .. } | Event::MpiIrecv { .. } => {
                    links.unmatched_recvs += u64::from(unmatched);
                }
                _ => {}
            }
        }
    }
}
