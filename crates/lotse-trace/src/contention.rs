//! Which locks threads wait for, and what is done while these are held.
//!
//! A holding is contended when the next to acquire the lock was waiting for its release:
//!
//! ```text
//! thread 0   ┤lock├── work ──┤unlock├
//! thread 1     ┤lock▒▒▒▒▒▒▒▒▒▒▒├── work ──┤unlock├      the first holding is contended,
//! thread 2                         ┤lock▒▒▒▒▒▒▒▒▒├ …     and so is the second
//! ```
//!
//! Work in contended holdings is done one after the other, however many threads there are.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId, ProcessId};
use lotse_model::trace::{Event, EventKind, LockKind, RegionRole, Ticks};

use crate::patterns::asked_for_lock;
use crate::signals::Signals;
use crate::store::{CallRef, OpRef, PathTimes, Trace};

/// A lock of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LockId {
    /// Whose.
    pub process: ProcessId,
    /// What it is.
    pub kind: LockKind,
    /// The recorder's number, or its address.
    pub number: u64,
}

/// A lock that was waited for.
#[derive(Debug, Clone, PartialEq)]
pub struct ContendedLock {
    /// Which.
    pub lock: LockId,
    /// What people call it.
    pub name: String,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How often somebody had to wait for it.
    pub waits: u64,
    /// How long all threads waited for it together.
    pub waited: Ticks,
    /// Who waited.
    pub waiters: BTreeSet<LocationId>,
    /// How long it was held while another waited for it.
    pub held: Ticks,
    /// What most of that time was spent in, and how long.
    pub holder: Option<(PathId, Ticks)>,
}

/// A time during which a location held a lock that another waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Held {
    from: Ticks,
    to: Ticks,
    /// The number of the lock in [`Contention::locks`].
    lock: u32,
}

/// All locks that were waited for.
#[derive(Debug, Clone, Default)]
pub struct Contention {
    /// The longest waited for first.
    pub locks: Vec<ContendedLock>,
    /// By location: contended holdings in their order.
    held: Vec<Vec<Held>>,
}

impl Contention {
    /// Finds all acquisitions that waited, and what was done meanwhile.
    pub fn new(trace: &Trace) -> Self {
        let signals = Signals::new(trace);
        let mut sums: BTreeMap<LockId, ContendedLock> = BTreeMap::new();
        let mut releases: Vec<OpRef> = Vec::new();
        for location in trace.locations().filter(|&it| has_locks(trace, it)) {
            for number in 0..trace.timeline(location).ops.len() as u32 {
                let op = OpRef { location, op: number };
                let Some(lock) = acquired(trace, op) else { continue };
                let sum = sums.entry(lock).or_insert_with(|| ContendedLock::new(trace, lock, op));
                sum.acquisitions += 1;
                let Some((release, ticks)) = waited(trace, &signals, op) else { continue };
                sum.waits += 1;
                sum.waited = sum.waited.saturating_add(ticks);
                sum.waiters.insert(location);
                releases.push(release);
            }
        }
        releases.sort_unstable();
        let mut locks: Vec<ContendedLock> = sums.into_values().filter(|lock| lock.waits > 0).collect();
        locks.sort_by_key(|lock| (std::cmp::Reverse(lock.waited), lock.lock));
        let numbers = (0..).zip(&locks).map(|(number, lock)| (lock.lock, number)).collect();
        let held = holdings(trace, &releases, &numbers);
        held_in(trace, &held, &mut locks);
        Self { locks, held }
    }

    /// The lock that a call waited for.
    pub(crate) fn lock_of(&self, trace: &Trace, call: CallRef) -> Option<&ContendedLock> {
        let records = trace.timeline(call.location).ops_of(call.call);
        let location = call.location;
        let lock = records.filter_map(|(op, _)| acquired(trace, OpRef { location, op })).next_back()?;
        self.locks.iter().find(|known| known.lock == lock)
    }

    /// How long a location was in each call path while it held a lock that another waited for, within a span.
    pub(crate) fn add_held(
        &self,
        trace: &Trace,
        (location, from, to): (LocationId, Ticks, Ticks),
        times: &mut PathTimes,
    ) {
        let Some(held) = self.held.get(location.index()) else { return };
        let first = held.partition_point(|it| it.to <= from);
        let mut at = from;
        for it in held[first..].iter().take_while(|it| it.from < to) {
            trace.timeline(location).sum(it.from.max(at), it.to.min(to), times);
            at = it.to.max(at);
        }
    }
}

impl ContendedLock {
    /// How much of the time of those who wait for it they do.
    pub fn share(&self, trace: &Trace) -> f64 {
        let time = |location: &LocationId| {
            let timeline = trace.timeline(*location);
            (timeline.last - timeline.first) as f64
        };
        let whole: f64 = self.waiters.iter().map(time).sum();
        if whole > 0.0 { self.waited as f64 / whole } else { 0.0 }
    }

    fn new(trace: &Trace, lock: LockId, first: OpRef) -> Self {
        Self {
            lock,
            name: name(trace, lock, first),
            acquisitions: 0,
            waits: 0,
            waited: 0,
            waiters: BTreeSet::new(),
            held: 0,
            holder: None,
        }
    }
}

/// Whether a location has records of locks.
fn has_locks(trace: &Trace, location: LocationId) -> bool {
    let kinds = [EventKind::OmpAcquireLock, EventKind::ThreadAcquireLock, EventKind::Attribute];
    kinds.into_iter().any(|kind| trace.timeline(location).kinds.has(kind))
}

/// The lock that a record acquires.
fn acquired(trace: &Trace, op: OpRef) -> Option<LockId> {
    matches!(trace.op(op).event, Event::AcquireLock { .. }).then(|| lock_in(trace, op)).flatten()
}

/// The lock that a record acquires or releases.
fn lock_in(trace: &Trace, op: OpRef) -> Option<LockId> {
    match trace.op(op).event {
        Event::AcquireLock { kind, lock: number, .. } | Event::ReleaseLock { kind, lock: number, .. } => {
            Some(LockId { process: trace.location(op.location).process, kind, number })
        }
        _ => None,
    }
}

/// The release that an acquisition waited for, and how long.
fn waited(trace: &Trace, signals: &Signals, op: OpRef) -> Option<(OpRef, Ticks)> {
    let (call, release) = (trace.call_of(op)?, trace.links.partner(op)?);
    let end = trace.op(release).at.min(trace.op(op).at);
    let ticks = end.checked_sub(asked_for_lock(trace, signals, call)).filter(|&ticks| ticks > 0)?;
    Some((release, ticks))
}

/// By location: the holdings that end with these releases, which are in order.
fn holdings(trace: &Trace, releases: &[OpRef], numbers: &HashMap<LockId, u32>) -> Vec<Vec<Held>> {
    let mut held = vec![Vec::new(); trace.timelines.len()];
    for of_one in releases.chunk_by(|a, b| a.location == b.location) {
        let location = of_one[0].location;
        let mut since: HashMap<LockId, Ticks> = HashMap::new();
        let mut releases = of_one.iter().peekable();
        for (number, op) in (0..).zip(&trace.timeline(location).ops) {
            let at = OpRef { location, op: number };
            if let Some(lock) = acquired(trace, at) {
                since.insert(lock, op.at);
            }
            // Two threads may have waited for one release where clocks are wrong.
            while releases.next_if(|&&release| release == at).is_some() {
                let lock = lock_in(trace, at);
                let from = lock.and_then(|lock| since.remove(&lock));
                let lock = lock.and_then(|lock| numbers.get(&lock).copied());
                held[location.index()].extend(from.zip(lock).map(|(from, lock)| Held {
                    from,
                    to: op.at,
                    lock,
                }));
            }
        }
        held[location.index()].sort_unstable();
    }
    held
}

/// Sums by lock and call path what was done in contended holdings.
fn held_in(trace: &Trace, held: &[Vec<Held>], locks: &mut [ContendedLock]) {
    let mut sums: Vec<BTreeMap<PathId, Ticks>> = vec![BTreeMap::new(); locks.len()];
    let mut times = PathTimes::new(trace.paths.len());
    for (location, held) in trace.locations().zip(held) {
        for it in held {
            trace.timeline(location).sum(it.from, it.to, &mut times);
            let of_lock = &mut sums[it.lock as usize];
            for path in times.touched() {
                *of_lock.entry(trace.paths.joined(path)).or_default() += times.get(path);
            }
            times.clear();
        }
    }
    for (lock, paths) in locks.iter_mut().zip(&sums) {
        lock.held = paths.values().sum();
        let work = paths.iter().filter(|(path, _)| !trace.class_of(**path).is_primitive());
        let longest = work.max_by_key(|&(path, &ticks)| (ticks, std::cmp::Reverse(*path)));
        lock.holder = longest.map(|(&path, &ticks)| (path, ticks)).filter(|(_, ticks)| *ticks > 0);
    }
}

/// A critical section is called by its construct, a lock by its number or address.
fn name(trace: &Trace, lock: LockId, first: OpRef) -> String {
    let number = match u32::try_from(lock.number) {
        Ok(number) => number.to_string(),
        Err(_) => format!("{:#x}", lock.number),
    };
    let name = match lock.kind {
        LockKind::OpenMp => critical(trace, first).unwrap_or_else(|| format!("OpenMP lock {number}")),
        LockKind::Mutex => format!("mutex {number}"),
    };
    match trace.processes().len() {
        0 | 1 => name,
        _ => format!("{name} of {}", trace.process_label(lock.process)),
    }
}

/// The name of the critical section that a record is in.
fn critical(trace: &Trace, op: OpRef) -> Option<String> {
    let region = trace.paths.region(trace.path(trace.call_of(op)?));
    let region = &trace.definitions.regions[region.index()];
    (region.role == RegionRole::Critical).then(|| region.name.clone())
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind, LockKind, ObjectKind};

    use super::Contention;
    use crate::fixture::Script;
    use crate::store::{PathTimes, Trace};

    /// Three threads ask for a mutex at 0; each holds it for 100, of which it works 80. A fourth has another mutex.
    fn convoy() -> Trace {
        let mut script = Script::threads(4);
        for (thread, gets, address) in [
            (0, 10, 0x7fff_0000_1000_u64),
            (1, 120, 0x7fff_0000_1000),
            (2, 230, 0x7fff_0000_1000),
            (3, 10, 7),
        ] {
            let about = Event::Object { kind: ObjectKind::Lock, address };
            script.enter(thread, 0, "pthread_mutex_lock").event(thread, 0, EventKind::Attribute, about);
            script.leave(thread, gets, "pthread_mutex_lock").call(thread, gets + 10, gets + 90, "work");
            script.enter(thread, gets + 100, "pthread_mutex_unlock");
            script.event(thread, gets + 100, EventKind::Attribute, about);
            script.leave(thread, gets + 105, "pthread_mutex_unlock");
        }
        script.trace()
    }

    #[test]
    fn a_convoy_has_a_lock_and_what_is_done_inside() {
        let trace = convoy();
        let contention = Contention::new(&trace);
        let [lock] = &contention.locks[..] else { panic!("{:?}", contention.locks) };
        assert_eq!((lock.name.as_str(), lock.lock.kind), ("mutex 0x7fff00001000", LockKind::Mutex));
        assert_eq!((lock.acquisitions, lock.waits, lock.waited), (3, 2, 110 + 220));
        assert_eq!((lock.waiters.len(), lock.held), (2, 200));
        let holder = lock.holder.map(|(path, ticks)| (trace.path_name(path), ticks));
        assert_eq!(holder, Some(("work".to_owned(), 160)));
    }

    #[test]
    fn time_with_the_lock_is_cut_to_a_span() {
        let trace = convoy();
        let mut times = PathTimes::new(trace.paths.len());
        let first = trace.locations().next().unwrap();
        Contention::new(&trace).add_held(&trace, (first, 50, 1000), &mut times);
        let work = trace.paths_named("work")[0];
        assert_eq!(times.get(work), 50);
    }
}
