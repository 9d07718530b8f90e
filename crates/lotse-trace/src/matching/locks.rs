//! Locks: whoever acquires one points to the release by the one who had it before.
//!
//! Some recorders count the acquisitions of a lock. Where none did, the last release before an acquisition is the one:
//! threads of a process have one clock, and nobody else can have had the lock in between. OpenMP's runtime reports a
//! release when it has happened, so that the next thread may have the lock before the release is recorded.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, LockKind, Ticks, UNORDERED};

use super::{Link, Links, locations_with};
use crate::store::{OpRef, Trace};

/// A lock of a process.
type Lock = (ProcessId, LockKind, u64);

/// One holding of a lock.
type Holding = (Lock, u32);

/// What happened to a lock: when, whether it was acquired, by which record. At one moment it is first released.
type Turn = (Ticks, bool, OpRef);

const KINDS: &[EventKind] = &[
    EventKind::OmpAcquireLock,
    EventKind::OmpReleaseLock,
    EventKind::ThreadAcquireLock,
    EventKind::ThreadReleaseLock,
    EventKind::Attribute,
];

pub(super) fn link(trace: &Trace, links: &mut Links) {
    let mut releases: HashMap<Holding, OpRef> = HashMap::new();
    let mut acquires: Vec<(Holding, OpRef)> = Vec::new();
    let mut turns: HashMap<Lock, Vec<Turn>> = HashMap::new();
    for location in locations_with(trace, KINDS) {
        let process = trace.location(location).process;
        for (number, op) in trace.timeline(location).ops.iter().enumerate() {
            let at = OpRef { location, op: number as u32 };
            match op.event() {
                Event::AcquireLock { kind, lock, order: UNORDERED } => {
                    turns.entry((process, kind, lock)).or_default().push((op.at, true, at));
                }
                Event::ReleaseLock { kind, lock, order: UNORDERED } => {
                    turns.entry((process, kind, lock)).or_default().push((op.at, false, at));
                }
                Event::AcquireLock { kind, lock, order } => {
                    acquires.push((((process, kind, lock), order), at));
                }
                Event::ReleaseLock { kind, lock, order } => {
                    releases.insert(((process, kind, lock), order), at);
                }
                _ => {}
            }
        }
    }
    for ((lock, order), at) in acquires {
        let before = order.checked_sub(1).and_then(|before| releases.get(&(lock, before)));
        if let Some(&release) = before {
            links.point(at, Link::Op(release));
        }
    }
    for ((_, kind, _), turns) in turns {
        in_turn(turns, kind == LockKind::OpenMp, links);
    }
}

/// Each acquisition follows the last release, or that of the holder where it may be recorded late.
fn in_turn(mut turns: Vec<Turn>, may_be_late: bool, links: &mut Links) {
    turns.sort_unstable();
    let (mut released, mut holder) = (None, None);
    for (at, &(_, acquires, op)) in turns.iter().enumerate() {
        if !acquires {
            released = Some(op);
            holder = holder.filter(|holder| *holder != op.location);
            continue;
        }
        let before = holder.filter(|holder| may_be_late && *holder != op.location);
        let late = before.and_then(|holder| late_release(&turns[at + 1..], holder, op.location));
        if let Some(release) = late.or(released) {
            links.point(op, Link::Op(release));
        }
        holder = Some(op.location);
    }
}

/// Among so many records of a lock a late release is looked for.
const NEAR: usize = 64;

/// The release by the holder before, where it comes before that of the next.
fn late_release(turns: &[Turn], holder: LocationId, next: LocationId) -> Option<OpRef> {
    let mut releases = turns.iter().take(NEAR).filter(|(_, acquires, _)| !acquires).map(|&(.., op)| op);
    releases.find(|op| op.location == holder || op.location == next).filter(|op| op.location == holder)
}
