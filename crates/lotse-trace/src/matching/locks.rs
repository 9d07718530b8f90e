//! Locks: whoever acquires one points to the release by the one who had it before.

use hashbrown::HashMap;
use lotse_model::id::ProcessId;
use lotse_model::trace::{Event, EventKind, LockKind};

use super::{Link, Links, locations_with};
use crate::store::{OpRef, Trace};

/// One holding of a lock.
type Holding = (ProcessId, LockKind, u32, u32);

const KINDS: &[EventKind] = &[
    EventKind::OmpAcquireLock,
    EventKind::OmpReleaseLock,
    EventKind::ThreadAcquireLock,
    EventKind::ThreadReleaseLock,
];

pub(super) fn link(trace: &Trace, links: &mut Links) {
    let mut releases: HashMap<Holding, OpRef> = HashMap::new();
    let mut acquires: Vec<(Holding, OpRef)> = Vec::new();
    for location in locations_with(trace, KINDS) {
        let process = trace.location(location).process;
        for (number, op) in trace.timeline(location).ops.iter().enumerate() {
            let at = OpRef { location, op: number as u32 };
            match op.event {
                Event::AcquireLock { kind, lock, order } => acquires.push(((process, kind, lock, order), at)),
                Event::ReleaseLock { kind, lock, order } => {
                    releases.insert((process, kind, lock, order), at);
                }
                _ => {}
            }
        }
    }
    for ((process, kind, lock, order), at) in acquires {
        let before = order.checked_sub(1).and_then(|before| releases.get(&(process, kind, lock, before)));
        if let Some(&release) = before {
            links.point(at, Link::Op(release));
        }
    }
}
