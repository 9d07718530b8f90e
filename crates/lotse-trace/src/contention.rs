//! Lock contention: which locks threads wait for, and what is done while these are held.
//!
//! A lock is contended while one thread holds it and another waits for it. The waiting thread is not necessarily the next
//! owner: a thread that releases a mutex and requests it again at once often acquires it before sleeping threads wake up.
//!
//! ```text
//! thread 0   ┤lock├── work ──┤unlock├┤lock├── work ──┤unlock├
//! thread 1     ┤lock▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒├── work ──┤unlock├
//!              ╰──────── contended in both holdings ───────╯
//! ```
//!
//! Work under a contended lock is serialised, however many threads there are.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::{EventKind, Ticks};

use crate::near::count_over;
use crate::patterns::lock_requested_at;
use crate::signals::Signals;
use crate::store::{CallRef, OpRef, PathTimes, Trace};

mod lock_id;

pub use lock_id::{ContendedKind, LockId};
use lock_id::{LockUse, acquired, name};

/// A lock for which threads waited.
#[derive(Debug, Clone, PartialEq)]
pub struct ContendedLock {
    pub lock: LockId,
    /// Its name in reports.
    pub name: String,
    /// How often it was acquired.
    pub acquisitions: u64,
    /// How often a thread had to wait for it.
    pub waits: u64,
    /// The time that all threads together waited for it.
    pub waited: Ticks,
    /// The threads that waited.
    pub waiters: BTreeSet<LocationId>,
    /// How long it was held while another thread waited for it.
    pub held: Ticks,
    /// The call path in which most of `held` was spent, and how long.
    pub holder: Option<(PathId, Ticks)>,
}

/// An interval: begin and end.
type TickInterval = (Ticks, Ticks);

/// An interval in which a location held a lock that another one waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ContendedHolding {
    from: Ticks,
    to: Ticks,
    /// The number of the lock in [`Contention::locks`].
    lock: u32,
}

/// All locks for which threads waited.
#[derive(Debug, Clone, Default)]
pub struct Contention {
    /// The longest waited for first.
    pub locks: Vec<ContendedLock>,
    /// By location: the intervals in which it held a lock that another one waited for, sorted and disjoint.
    held: Vec<Vec<TickInterval>>,
}

impl Contention {
    /// Finds all acquisitions that waited, and what the holders of the locks did meanwhile.
    pub fn new(trace: &Trace) -> Self {
        let signals = Signals::new(trace);
        let mut places: HashMap<LockId, usize> = HashMap::new();
        let mut sums: Vec<(ContendedLock, Vec<TickInterval>)> = Vec::new();
        for location in trace.locations().filter(|&it| has_locks(trace, it)) {
            let ops = &trace.timeline(location).ops;
            let uses = LockUse::by_shape(trace, location);
            let mut known: Vec<Option<usize>> = vec![None; uses.len()];
            for (op, released) in acquisitions(trace, location, &uses) {
                let shape = ops.shape_number(op.op as usize);
                let Some(LockUse { lock, .. }) = uses[shape] else { continue };
                let place = *known[shape].get_or_insert_with(|| {
                    *places.entry(lock).or_insert_with(|| {
                        sums.push((ContendedLock::new(trace, lock, op), Vec::new()));
                        sums.len() - 1
                    })
                });
                let (sum, waits) = &mut sums[place];
                sum.acquisitions += 1;
                let waited = waited(trace, &signals, op, released);
                waits.extend(waited.inspect(|&span| sum.add(location, span)));
            }
        }
        let mut all: Vec<(ContendedLock, Vec<TickInterval>)> =
            sums.into_iter().filter(|(lock, _)| lock.waits > 0).collect();
        all.sort_by_key(|(lock, _)| (std::cmp::Reverse(lock.waited), lock.lock));
        let (mut locks, waits): (Vec<ContendedLock>, Vec<Vec<TickInterval>>) =
            all.into_iter().map(|(lock, waits)| (lock, merged(waits))).unzip();
        let numbers = (0..).zip(&locks).map(|(number, lock)| (lock.lock, number)).collect();
        let held = holdings(trace, &waits, &numbers);
        add_holders(trace, &held, &mut locks);
        let spans =
            |held: Vec<ContendedHolding>| merged(held.into_iter().map(|it| (it.from, it.to)).collect());
        Self { locks, held: held.into_iter().map(spans).collect() }
    }

    /// The position in `locks` of the lock that a call waited for.
    pub(crate) fn lock_of(&self, trace: &Trace, call: CallRef) -> Option<usize> {
        let records = trace.timeline(call.location).ops_of(call.call);
        let location = call.location;
        let lock = records.filter_map(|(op, _)| acquired(trace, OpRef { location, op })).last()?;
        self.locks.iter().position(|known| known.lock == lock)
    }

    /// Adds to `times` how long a location was in each call path while it held a contended lock, within an interval.
    pub(crate) fn add_held(
        &self,
        trace: &Trace,
        (location, from, to): (LocationId, Ticks, Ticks),
        near: &mut NearSteps,
        times: &mut PathTimes,
    ) {
        let Some(held) = self.held.get(location.index()) else { return };
        let first = held.partition_point(|span| span.1 <= from);
        let step = &mut near.0[location.index()];
        let timeline = trace.timeline(location);
        for span in held[first..].iter().take_while(|span| span.0 < to) {
            let at = span.0.max(from);
            *step = timeline.step_near(*step, at).unwrap_or(0);
            timeline.sum_from(*step, at, span.1.min(to), times);
        }
    }
}

/// By location: the last step found, near which the search for the next one begins.
#[derive(Debug)]
pub(crate) struct NearSteps(Vec<usize>);

impl NearSteps {
    pub(crate) fn new(trace: &Trace) -> Self {
        Self(vec![0; trace.timelines.len()])
    }
}

impl ContendedLock {
    /// The waiting time as a share of the time of the threads that waited.
    pub fn share(&self, trace: &Trace) -> f64 {
        let time = |location: &LocationId| {
            let timeline = trace.timeline(*location);
            (timeline.last - timeline.first) as f64
        };
        let total: f64 = self.waiters.iter().map(time).sum();
        if total > 0.0 { self.waited as f64 / total } else { 0.0 }
    }

    /// Adds a wait. Must be called in the order of locations.
    fn add(&mut self, location: LocationId, span: TickInterval) {
        self.waits += 1;
        self.waited = self.waited.saturating_add(span.1 - span.0);
        if self.waiters.last() != Some(&location) {
            self.waiters.insert(location);
        }
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
    let kinds = [
        EventKind::OmpAcquireLock,
        EventKind::ThreadAcquireLock,
        EventKind::Attribute,
        EventKind::RmaAcquireLock,
    ];
    kinds.into_iter().any(|kind| trace.timeline(location).kinds.has(kind))
}

/// The acquisitions of a location, each with the time of the lock's previous release. The releases lie far apart in
/// memory: they are looked up back to back, so that the processor has several cache misses outstanding at a time.
fn acquisitions(
    trace: &Trace,
    location: LocationId,
    uses: &[Option<LockUse>],
) -> impl Iterator<Item = (OpRef, Option<Ticks>)> {
    let ops = &trace.timeline(location).ops;
    let acquires = |&number: &usize| uses[ops.shape_number(number)].is_some_and(|it| it.acquires);
    let numbers = (0..ops.len()).filter(acquires);
    let acquired: Vec<OpRef> = numbers.map(|number| OpRef { location, op: number as u32 }).collect();
    let at = |op: OpRef| trace.timeline(op.location).ops.at(op.op as usize);
    let released: Vec<Option<Ticks>> = acquired.iter().map(|&op| trace.links.partner(op).map(at)).collect();
    acquired.into_iter().zip(released)
}

/// The interval in which an acquisition waited for another thread's release.
fn waited(trace: &Trace, signals: &Signals, op: OpRef, released: Option<Ticks>) -> Option<TickInterval> {
    let (call, released) = (trace.call_of(op)?, released?);
    let span = (lock_requested_at(trace, signals, call), released.min(trace.op(op).at));
    (span.0 < span.1).then_some(span)
}

/// The union of intervals that may overlap, as sorted disjoint intervals.
fn merged(mut spans: Vec<TickInterval>) -> Vec<TickInterval> {
    // The intervals of each location are sorted already, which the stable sort exploits.
    spans.sort();
    spans.dedup_by(|next, last| {
        let touches = next.0 <= last.1;
        if touches {
            last.1 = last.1.max(next.1);
        }
        touches
    });
    spans
}

/// By location: the intervals in which it held a lock while another location waited for it. `waits` has, by lock, the
/// sorted disjoint intervals of waiting; `numbers` the number of each lock.
fn holdings(
    trace: &Trace,
    waits: &[Vec<TickInterval>],
    numbers: &HashMap<LockId, u32>,
) -> Vec<Vec<ContendedHolding>> {
    let mut held = vec![Vec::new(); trace.timelines.len()];
    for location in trace.locations().filter(|&it| !numbers.is_empty() && has_locks(trace, it)) {
        let of_one = &mut held[location.index()];
        let ops = &trace.timeline(location).ops;
        let number = |it: &Option<LockUse>| it.and_then(|it| Some((*numbers.get(&it.lock)?, it.acquires)));
        let of_shape: Vec<Option<(u32, bool)>> =
            LockUse::by_shape(trace, location).iter().map(number).collect();
        let mut since: Vec<Option<Ticks>> = vec![None; waits.len()];
        // By lock: the first of its waits that may overlap the next holding.
        let mut near = vec![0; waits.len()];
        for number in 0..ops.len() {
            let Some((lock, acquires)) = of_shape[ops.shape_number(number)] else { continue };
            let at = ops.at(number);
            if acquires {
                since[lock as usize] = Some(at);
            } else if let Some(from) = since[lock as usize].take() {
                let (waits, near) = (&waits[lock as usize], &mut near[lock as usize]);
                *near = count_over(waits.len(), *near, |number| waits[number].1 <= from);
                let common = common(&waits[*near..], (from, at));
                of_one.extend(common.map(|(from, to)| ContendedHolding { from, to, lock }));
            }
        }
        of_one.sort_unstable();
    }
    held
}

/// The intersections of an interval with others, which are sorted and end after its begin.
fn common(spans: &[TickInterval], (from, to): TickInterval) -> impl Iterator<Item = TickInterval> + '_ {
    let inside = spans.iter().take_while(move |span| span.0 < to);
    inside.map(move |span| (span.0.max(from), span.1.min(to)))
}

/// Sums the time of contended holdings by lock and call path; fills in `held` and `holder` of each lock.
fn add_holders(trace: &Trace, held: &[Vec<ContendedHolding>], locks: &mut [ContendedLock]) {
    let mut sums: Vec<BTreeMap<PathId, Ticks>> = vec![BTreeMap::new(); locks.len()];
    let mut times = PathTimes::new(trace.paths.len());
    for (location, held) in trace.locations().zip(held) {
        let by_lock = sorted_by_lock(held, locks.len());
        for of_one in by_lock.chunk_by(|one, other| one.lock == other.lock) {
            let (timeline, mut step) = (trace.timeline(location), 0);
            for it in of_one {
                step = timeline.step_near(step, it.from).unwrap_or(0);
                timeline.sum_from(step, it.from, it.to, &mut times);
            }
            let of_lock = &mut sums[of_one[0].lock as usize];
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

/// A stable counting sort of holdings by lock.
fn sorted_by_lock(held: &[ContendedHolding], locks: usize) -> Vec<ContendedHolding> {
    let mut next = vec![0; locks + 1];
    held.iter().for_each(|it| next[it.lock as usize + 1] += 1);
    (0..locks).for_each(|lock| next[lock + 1] += next[lock]);
    let mut ordered = held.to_vec();
    for it in held {
        let place = &mut next[it.lock as usize];
        ordered[*place] = *it;
        *place += 1;
    }
    ordered
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::{Event, EventKind, LockKind, ObjectKind, Paradigm, RegionRole};

    use super::{ContendedKind, Contention, NearSteps};
    use crate::fixture::Script;
    use crate::store::{PathTimes, Trace};

    /// Three threads request a mutex at 0; each holds it for 100, of which it works 80. A fourth thread has another mutex.
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
        assert_eq!((lock.name.as_str(), lock.lock.kind), ("mutex 0x7fff00001000", ContendedKind::Mutex));
        assert_eq!((lock.acquisitions, lock.waits, lock.waited), (3, 2, 110 + 220));
        assert_eq!((lock.waiters.len(), lock.held), (2, 200));
        let holder = lock.holder.map(|(path, ticks)| (trace.path_name(path), ticks));
        assert_eq!(holder, Some(("work".to_owned(), 160)));
    }

    /// The first thread acquires the mutex three times before the second, which requests it at 50, gets it.
    #[test]
    fn a_thread_that_reacquires_a_lock_makes_waiting_threads_wait_longer() {
        let mut script = Script::threads(2);
        let (kind, lock) = (LockKind::Mutex, 1);
        let mut hold = |thread: usize, order: u32, asks: u64, gets: u64| {
            let acquire = (EventKind::ThreadAcquireLock, Event::AcquireLock { kind, lock, order });
            let release = (EventKind::ThreadReleaseLock, Event::ReleaseLock { kind, lock, order });
            script.with_record(thread, (asks, gets), "pthread_mutex_lock", gets, acquire);
            script.call(thread, gets, gets + 90, "work");
            script.with_record(thread, (gets + 90, gets + 91), "pthread_mutex_unlock", gets + 90, release);
        };
        [0, 100, 200].into_iter().zip(1..).for_each(|(at, order)| hold(0, order, at, at));
        hold(1, 4, 50, 295);
        let trace = script.trace();
        let contention = Contention::new(&trace);
        let [lock] = &contention.locks[..] else { panic!("{:?}", contention.locks) };
        assert_eq!((lock.name.as_str(), lock.waits, lock.waited), ("mutex 1", 1, 240));
        assert_eq!(lock.held, 40 + 90 + 90);
    }

    /// OpenMP's locks have numbers; a critical section has the name of its construct.
    #[test]
    fn a_critical_section_is_called_by_its_construct() {
        for (role, expected) in
            [(RegionRole::Critical, "!$omp critical @a.c:3"), (RegionRole::Function, "OpenMP lock 5")]
        {
            let mut script = Script::threads(2);
            script.define("!$omp critical @a.c:3", role, Paradigm::OpenMp);
            let (kind, lock) = (LockKind::OpenMp, 5);
            for (thread, order, gets) in [(0, 1, 0), (1, 2, 100)] {
                let acquire = Event::AcquireLock { kind, lock, order };
                let release = Event::ReleaseLock { kind, lock, order };
                script.enter(thread, 0, "!$omp critical @a.c:3");
                script.event(thread, gets, EventKind::ThreadAcquireLock, acquire);
                script.event(thread, gets + 100, EventKind::ThreadReleaseLock, release);
                script.leave(thread, gets + 100, "!$omp critical @a.c:3");
            }
            let names: Vec<String> =
                Contention::new(&script.trace()).locks.into_iter().map(|lock| lock.name).collect();
            assert_eq!(names, [expected]);
        }
    }

    #[test]
    fn the_lock_of_a_window_is_called_by_its_target() {
        let mut script = Script::processes(3);
        for (rank, gets) in [(1, 10), (2, 110)] {
            script.lock(rank, (0, gets), 0, true).call(rank, gets, gets + 90, "work");
            script.unlock(rank, (gets + 90, gets + 100), 0);
        }
        let trace = script.trace();
        let contention = Contention::new(&trace);
        let [lock] = &contention.locks[..] else { panic!("{:?}", contention.locks) };
        assert_eq!(lock.name, "the window lock of rank 0");
        assert_eq!((lock.acquisitions, lock.waits, lock.waited, lock.held), (2, 1, 110, 100));
        let holder = lock.holder.map(|(path, ticks)| (trace.path_name(path), ticks));
        assert_eq!(holder, Some(("work".to_owned(), 90)));
    }

    #[test]
    fn time_with_the_lock_is_cut_to_a_span() {
        let trace = convoy();
        let mut times = PathTimes::new(trace.paths.len());
        let first = trace.locations().next().unwrap();
        Contention::new(&trace).add_held(&trace, (first, 50, 1000), &mut NearSteps::new(&trace), &mut times);
        let work = trace.paths_named("work")[0];
        assert_eq!(times.get(work), 50);
    }

    /// The first thread holds a mutex from 0 to 100, and within it another one from 10 to 20. Both are waited for.
    #[test]
    fn an_outer_lock_is_held_after_an_inner_one_was_released() {
        let mut script = Script::threads(3);
        let kind = LockKind::Mutex;
        let acquire = |script: &mut Script, thread: usize, (asks, gets): (u64, u64), lock: u64| {
            let record = Event::AcquireLock { kind, lock, order: 1 + u32::from(thread > 0) };
            let record = (EventKind::ThreadAcquireLock, record);
            script.with_record(thread, (asks, gets), "pthread_mutex_lock", gets, record);
        };
        let release = |script: &mut Script, thread: usize, at: u64, lock: u64| {
            let record = Event::ReleaseLock { kind, lock, order: 1 + u32::from(thread > 0) };
            let record = (EventKind::ThreadReleaseLock, record);
            script.with_record(thread, (at, at), "pthread_mutex_unlock", at, record);
        };
        acquire(&mut script, 0, (0, 0), 1);
        acquire(&mut script, 0, (10, 10), 2);
        release(&mut script, 0, 20, 2);
        script.call(0, 20, 100, "work");
        release(&mut script, 0, 100, 1);
        acquire(&mut script, 1, (5, 100), 1);
        release(&mut script, 1, 110, 1);
        acquire(&mut script, 2, (12, 20), 2);
        release(&mut script, 2, 30, 2);
        let trace = script.trace();
        let mut times = PathTimes::new(trace.paths.len());
        let first = trace.locations().next().unwrap();
        Contention::new(&trace).add_held(&trace, (first, 50, 60), &mut NearSteps::new(&trace), &mut times);
        assert_eq!(times.get(trace.paths_named("work")[0]), 10);
    }
}
