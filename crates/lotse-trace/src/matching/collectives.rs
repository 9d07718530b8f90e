//! Collectives: the n-th of a communicator at each member belong together.

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
        for (number, op) in trace.timeline(location).ops.iter().enumerate() {
            let Some(said) = said(trace, location, &op.event) else { continue };
            let count = counts.entry(said.sequence).or_default();
            let instances = sequences.entry(said.sequence).or_default();
            if instances.len() == *count {
                instances.push(found.len() as u32);
                found.push((said.sequence, said.begin()));
            }
            let instance = instances[*count];
            *count += 1;
            let op = OpRef { location, op: number as u32 };
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
