//! Collectives: the n-th of a communicator at each member belong together, in the order in which they are called: those
//! that do not block may be completed in another.

use hashbrown::HashMap;
use lotse_model::id::{CommunicatorId, LocationId};
use lotse_model::trace::{CollectiveOp, Event};

use super::{Collective, Link, Links, member};
use crate::store::{OpRef, Trace};

/// What tells collectives apart: the communicator, whether it belongs to a window, and for communicators of one
/// process that process.
type Sequence = (CommunicatorId, Option<u32>, LocationId);

pub(super) fn link(trace: &Trace, links: &mut Links) {
    let mut sequences: HashMap<Sequence, Vec<u32>> = HashMap::new();
    let mut found: Vec<(Sequence, Collective)> = Vec::new();
    for location in trace.locations() {
        let mut counts: HashMap<Sequence, usize> = HashMap::new();
        for number in in_order(trace, links, location) {
            let op = OpRef { location, op: number };
            let Some(said) = said(trace, location, &trace.op(op).event) else { continue };
            let count = counts.entry(said.sequence).or_default();
            let instances = sequences.entry(said.sequence).or_default();
            if instances.len() == *count {
                instances.push(found.len() as u32);
                found.push((said.sequence, said.begin()));
            }
            let instance = instances[*count];
            *count += 1;
            let collective = &mut found[instance as usize].1;
            collective.members.push(op);
            collective.root = collective.root.or(said.root);
            links.point(op, Link::Collective(instance));
        }
    }
    for (_, collective) in &mut found {
        let of = &trace.definitions.communicators[collective.communicator.index()];
        collective.complete = of.of_self || collective.members.len() >= of.members.len();
    }
    links.collectives = found.into_iter().map(|(_, collective)| collective).collect();
}

/// The records that end collectives, in the order of their calls.
fn in_order(trace: &Trace, links: &Links, location: LocationId) -> Vec<u32> {
    let local = &links.local[location.index()];
    let mut ends = Vec::new();
    let mut posted = false;
    for (number, op) in trace.timeline(location).ops.iter().enumerate() {
        match op.event {
            Event::CollectiveEnd { .. } | Event::RmaCollectiveEnd { .. } => ends.push(number as u32),
            Event::CollectiveComplete { .. } => {
                posted = true;
                ends.push(number as u32);
            }
            _ => {}
        }
    }
    if posted {
        // Without a partner, `NO_OP`, the record's own place counts; a blocking one has no other half.
        ends.sort_by_key(|&number| local[number as usize].min(number));
    }
    ends
}

/// What a member's record says of its collective.
struct Said {
    sequence: Sequence,
    op: CollectiveOp,
    root: Option<LocationId>,
}

impl Said {
    fn begin(&self) -> Collective {
        Collective {
            op: self.op,
            communicator: self.sequence.0,
            root: self.root,
            members: Vec::new(),
            complete: false,
            one_sided: self.sequence.1.is_some(),
        }
    }
}

fn said(trace: &Trace, location: LocationId, event: &Event) -> Option<Said> {
    let (op, communicator, window, root) = match *event {
        Event::CollectiveEnd { op, communicator, root, .. }
        | Event::CollectiveComplete { op, communicator, root, .. } => (op, communicator, None, root),
        Event::RmaCollectiveEnd { op, window, root, .. } => {
            let communicator = trace.definitions.windows.get(window.index())?.communicator;
            (op, communicator, Some(window.0), root)
        }
        _ => return None,
    };
    let alone = trace.definitions.communicators.get(communicator.index()).is_some_and(|it| it.of_self);
    let whose = if alone { location } else { LocationId(0) };
    let root = root.and_then(|root| member(&trace.definitions, communicator, location, root));
    Some(Said { sequence: (communicator, window, whose), op, root })
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{CollectiveOp, Event, EventKind};

    use crate::fixture::{Script, WORLD};

    /// Two broadcasts are posted and completed in the order given.
    fn posted(script: &mut Script, location: usize, completed: [u64; 2]) {
        for request in [1, 2] {
            let event = Event::CollectiveRequest { request };
            script.event(location, request, EventKind::NonBlockingCollectiveRequest, event);
        }
        for request in completed {
            let (op, root) = (CollectiveOp::Bcast, Some(request as u32 - 1));
            let event =
                Event::CollectiveComplete { op, communicator: WORLD, root, sent: 8, received: 8, request };
            script.event(location, 9, EventKind::NonBlockingCollectiveComplete, event);
        }
    }

    #[test]
    fn what_does_not_block_pairs_in_the_order_of_posting() {
        let mut script = Script::processes(2);
        posted(&mut script, 0, [1, 2]);
        posted(&mut script, 1, [2, 1]);
        let collectives = script.trace().links.collectives;
        let ends: Vec<Vec<u32>> =
            collectives.iter().map(|it| it.members.iter().map(|member| member.op).collect()).collect();
        assert_eq!(ends, [[2, 3], [3, 2]]);
        assert_eq!(collectives[1].root.map(|root| root.0), Some(1));
        assert!(collectives.iter().all(|it| it.complete));
    }
}
