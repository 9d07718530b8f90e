//! Locks: an acquisition points to the release by the previous holder.
//!
//! Some recorders number the acquisitions of a lock. Otherwise it is the last release before the acquisition: threads of a
//! process share a clock, and no other thread can have held the lock in between. The OpenMP runtime reports a release
//! after it happened, so the next acquisition may be recorded before the release:
//!
//! ```text
//! thread 0   acquire .... release (happens)     release (recorded)
//! thread 1                          acquire (recorded)
//! ```

use hashbrown::HashMap;
use lotse_model::id::{LocationId, ProcessId};
use lotse_model::trace::{Event, EventKind, LockKind, Ticks, UNORDERED};

use super::{Link, Links, locations_with};
use crate::near::count_over;
use crate::store::{Op, OpRef, Trace};

/// A lock of a process.
type LockKey = (ProcessId, LockKind, u64);

/// A record with the recorder's number of the acquisition.
type Numbered = (u32, OpRef);

/// An event of a lock: time, whether it is an acquisition, record. At equal times releases sort first.
type LockEvent = (Ticks, bool, OpRef);

const KINDS: &[EventKind] = &[
    EventKind::OmpAcquireLock,
    EventKind::OmpReleaseLock,
    EventKind::ThreadAcquireLock,
    EventKind::ThreadReleaseLock,
    EventKind::Attribute,
];

/// Collects the records of each lock over all locations, then matches those of each lock. The lock of a record is looked
/// up once per shape (event without its varying part) of a location, and not once per record.
pub(super) fn link(trace: &Trace, links: &mut Links) {
    let mut places: HashMap<LockKey, usize> = HashMap::new();
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
    /// Acquisitions and releases without a number.
    unnumbered: Vec<LockEvent>,
    acquires: Vec<Numbered>,
    releases: Vec<Numbered>,
}

impl RecordsOfLock {
    fn add(&mut self, op: Op<'_>, at: OpRef) {
        match op.event() {
            Event::AcquireLock { order: UNORDERED, .. } => self.unnumbered.push((op.at, true, at)),
            Event::ReleaseLock { order: UNORDERED, .. } => self.unnumbered.push((op.at, false, at)),
            Event::AcquireLock { order, .. } => self.acquires.push((order, at)),
            Event::ReleaseLock { order, .. } => self.releases.push((order, at)),
            _ => {}
        }
    }

    /// Links acquisition n to release n - 1, if they are numbered; of several such releases to the last.
    fn link(mut self, links: &mut Links) {
        // The records of a location are already in order, which makes a stable sort fast.
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
        link_by_time(self.unnumbered, self.may_be_late, links);
    }
}

/// Links each acquisition to the last release, or to that of the holder if it may be recorded late.
fn link_by_time(mut events: Vec<LockEvent>, may_be_late: bool, links: &mut Links) {
    events.sort_unstable();
    let (mut released, mut holder) = (None, None);
    for (at, &(_, acquires, op)) in events.iter().enumerate() {
        if !acquires {
            released = Some(op);
            holder = holder.filter(|holder| *holder != op.location);
            continue;
        }
        let before = holder.filter(|holder| may_be_late && *holder != op.location);
        let late = before.and_then(|holder| late_release(&events[at + 1..], holder, op.location));
        if let Some(release) = late.or(released) {
            links.point(op, Link::Op(release));
        }
        holder = Some(op.location);
    }
}

/// A late release is searched among this many records of a lock.
const NEAR: usize = 64;

/// The release by the previous holder, if it is recorded before that of the next holder.
fn late_release(events: &[LockEvent], holder: LocationId, next: LocationId) -> Option<OpRef> {
    let mut releases = events.iter().take(NEAR).filter(|(_, acquires, _)| !acquires).map(|&(.., op)| op);
    releases.find(|op| op.location == holder || op.location == next).filter(|op| op.location == holder)
}
