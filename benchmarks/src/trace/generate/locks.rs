//! The workload of locks: threads of one process compute, acquire one of a few locks, compute while holding it, and release it.
//! Locks are granted in the order of requests.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use lotse_model::id::{MachineId, ProcessId};
use lotse_model::trace::{
    Clock, Definitions, EventSink, Location, LocationKind, LockKind, Machine, Process, ProcessKind, Ticks,
};

use super::process::Rank;
use super::{DRIFT, Shape, Simulated, regions};

/// Locks that all threads share.
const LOCKS: usize = 4;
/// Nanoseconds from the release of a lock to its acquisition by a waiting thread.
const HAND_OVER: Ticks = 200;
/// Computing 2, acquiring 3, computing 2, releasing 3.
pub(super) const EVENTS_OF_STEP: f64 = 10.0;

/// What the events refer to.
pub(super) fn definitions(threads: u32) -> Definitions {
    let mut all = Definitions::new(Clock::default());
    all.regions.extend(regions::all());
    let machine = Machine { name: "simulated".to_owned(), class: "machine".to_owned(), parent: None };
    all.machines.push(machine);
    let process =
        Process { name: "process".to_owned(), machine: Some(MachineId(0)), kind: ProcessKind::System };
    all.processes.push(process);
    all.locations = (0..threads)
        .map(|thread| Location {
            number: u64::from(thread),
            name: format!("thread {thread}"),
            kind: LocationKind::Cpu,
            process: ProcessId(0),
        })
        .collect();
    all
}

/// A lock: when it was released last, and how often it was acquired.
#[derive(Debug, Clone, Copy, Default)]
struct Lock {
    free_from: Ticks,
    order: u32,
}

/// A waiting thread: time of the request, number of the thread, number of its step, number of the lock.
type LockRequest = (Ticks, usize, u64, usize);

/// Runs the program. A priority queue grants requests in the order of time.
pub(super) fn simulate<S: EventSink>(shape: &Shape, sinks: &mut [S]) -> Simulated {
    let mut threads: Vec<_> =
        sinks.iter_mut().zip(0..).map(|(sink, number)| Rank::new(shape.seed, number, sink)).collect();
    let mut locks = [Lock::default(); LOCKS];
    let mut requests: BinaryHeap<Reverse<LockRequest>> = BinaryHeap::new();
    for (number, thread) in threads.iter_mut().enumerate() {
        thread.enter(regions::MAIN);
        requests.extend(request_lock(thread, shape, (number, 0)).map(Reverse));
    }
    while let Some(Reverse((_, number, step, lock))) = requests.pop() {
        hold(&mut threads[number], lock, &mut locks[lock]);
        requests.extend(request_lock(&mut threads[number], shape, (number, step + 1)).map(Reverse));
    }
    let length = threads.iter().map(Rank::now).max().unwrap_or(0);
    Simulated { length, events: threads.iter().map(Rank::events).sum() }
}

/// Lets a thread compute and request a lock; ends the thread after its last step.
fn request_lock<S: EventSink>(
    thread: &mut Rank<'_, S>,
    shape: &Shape,
    (number, step): (usize, u64),
) -> Option<LockRequest> {
    if step == shape.steps {
        thread.leave(regions::MAIN);
        return None;
    }
    if step.is_multiple_of(DRIFT) {
        thread.drift();
    }
    thread.enter(regions::STENCIL);
    thread.compute(9000);
    thread.leave(regions::STENCIL);
    let lock = thread.choose(LOCKS);
    thread.enter(regions::LOCK);
    Some((thread.now(), number, step, lock))
}

/// Lets a thread acquire a lock, compute while holding it, and release it.
fn hold<S: EventSink>(thread: &mut Rank<'_, S>, number: usize, lock: &mut Lock) {
    let had = if lock.free_from > thread.now() { lock.free_from + HAND_OVER } else { thread.now() };
    lock.order += 1;
    thread.acquire(LockKind::Mutex, number as u64 + 1, lock.order, had);
    thread.enter(regions::UPDATE);
    thread.compute(1500);
    thread.leave(regions::UPDATE);
    thread.enter(regions::UNLOCK);
    lock.free_from = thread.release(LockKind::Mutex, number as u64 + 1, lock.order);
}
