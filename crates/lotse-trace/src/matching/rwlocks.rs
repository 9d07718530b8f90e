//! Reader-writer locks: an acquisition points to the release that made it possible.
//!
//! A writer needs the release of all earlier holders, a reader that of the last writer before it. A thread releases its
//! last acquisition. An acquisition without a release is ignored: it may not have succeeded.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use lotse_model::id::ProcessId;
use lotse_model::trace::{Event, EventKind, ObjectKind, Ticks};

use super::{Link, Links, locations_with};
use crate::store::{CallRef, OpRef, Trace};

/// When a lock was released, and by which record.
type Released = (Ticks, OpRef);

/// An interval during which a thread held a reader-writer lock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RwHolding {
    /// The record of the call that acquires it.
    pub(crate) op: OpRef,
    pub(crate) call: CallRef,
    pub(crate) access: RwAccess,
    pub(crate) requested: Ticks,
    /// When it was acquired.
    pub(crate) at: Ticks,
    pub(crate) release: OpRef,
    pub(crate) released: Ticks,
    /// The release of an earlier holder that it needed.
    pub(crate) needs: Option<Released>,
}

/// The mode of an acquisition: shared or exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RwAccess {
    Read,
    Write,
}

pub(super) fn link(trace: &Trace, links: &mut Links) {
    for holding in rwlocks(trace).iter().flatten() {
        if let Some((_, release)) = holding.needs {
            links.point(holding.op, Link::Op(release));
        }
    }
}

/// The holdings of each lock in the order in which they began; locks in the order of processes and addresses.
pub(crate) fn rwlocks(trace: &Trace) -> Vec<Vec<RwHolding>> {
    let mut locks: BTreeMap<(ProcessId, u64), Vec<RwHolding>> = BTreeMap::new();
    for location in locations_with(trace, &[EventKind::Attribute]) {
        let (process, ops) = (trace.location(location).process, &trace.timeline(location).ops);
        if !ops.has(|event| matches!(event, Event::Object { kind: ObjectKind::RwLock, .. })) {
            continue;
        }
        let mut open: HashMap<u64, Vec<(OpRef, CallRef, RwAccess)>> = HashMap::new();
        for (number, record) in (0..).zip(ops) {
            let Event::Object { kind: ObjectKind::RwLock, address } = record.event() else { continue };
            let op = OpRef { location, op: number };
            let Some(call) = trace.call_of(op) else { continue };
            let open = open.entry(address).or_default();
            if let Some(access) = access(&trace.class(call).name) {
                open.push((op, call, access));
            } else if trace.class(call).name == "pthread_rwlock_unlock"
                && let Some(acquired) = open.pop()
            {
                locks.entry((process, address)).or_default().push(holding(trace, acquired, (op, call)));
            }
        }
    }
    locks.into_values().map(with_needs).collect()
}

/// The mode of a call: `rdlock`, `tryrdlock`, `timedrdlock`, `clockrdlock` read; the same with `wr` write.
fn access(name: &str) -> Option<RwAccess> {
    let rest = name.strip_prefix("pthread_rwlock_")?;
    match rest {
        _ if rest.ends_with("rdlock") => Some(RwAccess::Read),
        _ if rest.ends_with("wrlock") => Some(RwAccess::Write),
        _ => None,
    }
}

fn holding(trace: &Trace, (op, call, access): (OpRef, CallRef, RwAccess), by: (OpRef, CallRef)) -> RwHolding {
    let (requested, at) = (trace.enter(call), trace.exit(call));
    RwHolding { op, call, access, requested, at, release: by.0, released: trace.enter(by.1), needs: None }
}

/// Sorts holdings by acquisition and sets the releases that they needed.
pub(crate) fn with_needs(mut holdings: Vec<RwHolding>) -> Vec<RwHolding> {
    holdings.sort_by_key(|it| (it.at, it.op));
    let (mut last, mut last_writer): (Option<Released>, Option<Released>) = (None, None);
    for holding in &mut holdings {
        holding.needs = if holding.access == RwAccess::Write { last } else { last_writer };
        let released = Some((holding.released, holding.release));
        last = last.max(released);
        if holding.access == RwAccess::Write {
            last_writer = last_writer.max(released);
        }
    }
    holdings
}
