//! Locks: whoever acquires one points to the release by the one who had it before.
//!
//! Some recorders count the acquisitions of a lock. Where none did, the last release before an acquisition is the one:
//! threads of a process have one clock, and nobody else can have had the lock in between. OpenMP's runtime reports a
//! release when it has happened, so that the next thread may have the lock before the release is recorded.

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, LockKind, Ticks, UNORDERED};

use super::{Link, Links, locations_with};
use crate::near::count_over;
use crate::store::{Op, OpRef, Trace};

/// A lock of a process.
type Lock = (ProcessId, LockKind, u64);

/// A record with the recorder's number of the acquisition.
type Numbered = (u32, OpRef);

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
    let mut places: HashMap<Lock, usize> = HashMap::new();
    let mut locks: Vec<RecordsOfLock> = Vec::new();
    for location in locations_with(trace, KINDS) {
        let process = trace.location(location).process;
        let ops = &trace.timeline(location).ops;
        let mut place = |event: &Event| {
            let (Event::AcquireLock { kind, lock, .. } | Event::ReleaseLock { kind, lock, .. }) = *event
            else {
                return None;
            };
            Some(*places.entry((process, kind, lock)).or_insert_with(|| {
                locks.push(RecordsOfLock {
                    may_be_late: kind == LockKind::OpenMp,
                    ..RecordsOfLock::default()
                });
                locks.len() - 1
            }))
        };
        let of_shape: Vec<Option<usize>> = ops.shapes().map(&mut place).collect();
        for (number, op) in ops.iter().enumerate() {
            let Some(place) = of_shape[ops.shape_number(number)] else { continue };
            locks[place].add(op, OpRef { location, op: number as u32 });
        }
    }
    for lock in locks {
        lock.link(links);
    }
}

/// The records of one lock, location by location.
#[derive(Debug, Default)]
struct RecordsOfLock {
    /// Whether a release may be recorded after the next acquisition.
    may_be_late: bool,
    /// Those that the recorder did not count.
    turns: Vec<Turn>,
    acquires: Vec<Numbered>,
    releases: Vec<Numbered>,
}

impl RecordsOfLock {
    fn add(&mut self, op: Op<'_>, at: OpRef) {
        match op.event() {
            Event::AcquireLock { order: UNORDERED, .. } => self.turns.push((op.at, true, at)),
            Event::ReleaseLock { order: UNORDERED, .. } => self.turns.push((op.at, false, at)),
            Event::AcquireLock { order, .. } => self.acquires.push((order, at)),
            Event::ReleaseLock { order, .. } => self.releases.push((order, at)),
            _ => {}
        }
    }

    /// Where the recorder counted, an acquisition follows the release of the number before; of several the last counts.
    fn link(mut self, links: &mut Links) {
        // Those of a location are in order, which a stable sort finds out.
        self.releases.sort_by_key(|release| release.0);
        self.acquires.sort_by_key(|acquire| acquire.0);
        let mut near = 0;
        for (order, at) in self.acquires {
            let Some(before) = order.checked_sub(1) else { continue };
            near = count_over(self.releases.len(), near, |row| self.releases[row].0 <= before);
            let release = near.checked_sub(1).map(|row| self.releases[row]);
            if let Some((_, release)) = release.filter(|release| release.0 == before) {
                links.point(at, Link::Op(release));
            }
        }
        in_turn(self.turns, self.may_be_late, links);
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
