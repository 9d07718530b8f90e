//! Work that goes to whoever is ready first, or is done in the order in which it becomes ready. Re-timing keeps who did what
//! and in which order, so it gains too little.
//!
//! ```text
//! thread 1  ┤take├ item 1 ......├take├ item 3 ...     Twice as fast, thread 1 would take more than every second item;
//! thread 2  ┤take├ item 2 ......├take├ item 4 ...     the re-timed run leaves them to thread 2.
//! ```
//!
//! - Several threads wait at one condition variable or semaphore, which a thread that does not wait there signals: they take
//!   from a queue.
//! - Several threads take from a queue that only a mutex guards (`mutex_queues`).
//! - A process receives in the order in which MPI_Waitany or MPI_Waitsome returns its requests.
//!
//! Masters that give tasks by messages are found by `farm`.

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::id::LocationId;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::condition_barriers::waited_for_by_several;
use crate::farm::FarmAnswer;
use crate::matching::semaphores::{Semaphore, semaphores};
use crate::store::Trace;

mod mutex_queues;

/// Work whose distribution or order is kept although a changed run would have another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KeptOrderAnswer {
    /// What decides who is first.
    pub kind: KeptOrderKind,
    /// The threads that take from the queue, or the process that receives.
    pub locations: Vec<u32>,
    /// The number of calls that decide it.
    pub calls: u64,
}

/// What decides who is first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum KeptOrderKind {
    /// Threads wait at one condition variable or semaphore.
    Queue,
    /// Threads lock one mutex as threads do that take from a queue.
    MutexQueue,
    /// Messages are received as they arrive.
    Arrival,
}

/// All of them; the masters among `farms` are not named again.
pub(crate) fn kept_orders(trace: &Trace, farms: &[FarmAnswer]) -> Vec<KeptOrderAnswer> {
    let mut queues: BTreeMap<BTreeSet<LocationId>, u64> = BTreeMap::new();
    let takers = semaphores(trace).into_iter().filter_map(|it| takers(&it)).collect::<Vec<_>>();
    for (threads, calls) in waited_for_by_several(trace).into_iter().chain(takers) {
        *queues.entry(threads).or_default() += calls as u64;
    }
    let queue = |kind| {
        move |(threads, calls): (BTreeSet<LocationId>, u64)| KeptOrderAnswer {
            kind,
            locations: threads.into_iter().map(|it| it.0).collect(),
            calls,
        }
    };
    let known: BTreeSet<LocationId> = queues.keys().flatten().copied().collect();
    let mut guarded: BTreeMap<BTreeSet<LocationId>, u64> = BTreeMap::new();
    for (threads, calls) in mutex_queues::takers(trace) {
        if threads.is_disjoint(&known) {
            *guarded.entry(threads).or_default() += calls as u64;
        }
    }
    let is_master = |location: &LocationId| farms.iter().any(|farm| farm.master == location.0);
    let arrivals = trace.cpu_locations().filter(|it| !is_master(it)).filter_map(|it| arrivals(trace, it));
    let queues = queues.into_iter().map(queue(KeptOrderKind::Queue));
    queues.chain(guarded.into_iter().map(queue(KeptOrderKind::MutexQueue))).chain(arrivals).collect()
}

/// The threads that take tokens of a semaphore which another thread posts, and the number of tokens.
fn takers(semaphore: &Semaphore) -> Option<(BTreeSet<LocationId>, usize)> {
    let takers: BTreeSet<LocationId> = semaphore.taken.iter().map(|it| it.call.location).collect();
    let is_posted = semaphore.posts.iter().any(|post| !takers.contains(&post.location));
    (takers.len() > 1 && is_posted).then_some((takers, semaphore.taken.len()))
}

/// The calls of a location that complete whichever request is ready.
fn arrivals(trace: &Trace, location: LocationId) -> Option<KeptOrderAnswer> {
    let completes_any =
        |name: &str| matches!(name, "mpi_waitany" | "mpi_waitsome" | "mpi_testany" | "mpi_testsome");
    let uses = trace.uses[location.index()].iter();
    let calls: u64 = uses
        .filter(|used| completes_any(&trace.classes[trace.paths.region(used.path).index()].name))
        .map(|used| used.visits)
        .sum();
    (calls > 1).then(|| KeptOrderAnswer { kind: KeptOrderKind::Arrival, locations: vec![location.0], calls })
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::ObjectKind;

    use super::{KeptOrderKind, kept_orders};
    use crate::fixture::Script;

    fn found(script: &Script) -> Vec<(KeptOrderKind, Vec<u32>, u64)> {
        kept_orders(&script.trace(), &[]).into_iter().map(|it| (it.kind, it.locations, it.calls)).collect()
    }

    #[test]
    fn threads_that_wait_at_one_condition_take_from_a_queue() {
        let mut script = Script::threads(3);
        for at in [100, 300] {
            script.call(0, at + 50, at + 51, "pthread_cond_signal").call(
                0,
                at + 80,
                at + 81,
                "pthread_cond_signal",
            );
            script.call(1, at, at + 55, "pthread_cond_wait").call(2, at + 10, at + 85, "pthread_cond_wait");
        }
        assert_eq!(found(&script), [(KeptOrderKind::Queue, vec![1, 2], 4)]);
    }

    #[test]
    fn threads_that_take_what_others_post_take_from_a_queue_but_not_at_a_limit() {
        let script = |posted_by: usize| {
            let mut script = Script::threads(3);
            let semaphore = (ObjectKind::Semaphore, 1);
            for (thread, at) in [(1, 100), (2, 200)] {
                script.call_about(thread, (at, at + 60), "sem_wait", semaphore);
                let by = if posted_by == 0 { 0 } else { thread };
                script.call_about(by, (at + 50, at + 51), "sem_post", semaphore);
            }
            found(&script)
        };
        assert_eq!(script(0), [(KeptOrderKind::Queue, vec![1, 2], 2)]);
        assert_eq!(script(1), []);
    }

    #[test]
    fn one_that_waits_for_any_request_keeps_the_order_of_arrival() {
        let mut script = Script::processes(2);
        script.call(0, 100, 200, "MPI_Waitany").call(0, 300, 400, "MPI_Waitany").call(1, 0, 400, "work");
        assert_eq!(found(&script), [(KeptOrderKind::Arrival, vec![0], 2)]);
    }
}
