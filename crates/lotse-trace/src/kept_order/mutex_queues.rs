//! Queues that are guarded by a mutex alone: threads that take a job under the lock and work for it without the lock.
//!
//! The queue is not recorded, but it shows in the acquisitions: a thread that finds the queue empty leaves, and then there is
//! nothing left for the others either, so that each of them comes at most once more. Work that was divided beforehand ends
//! like that only if everyone has as much to do, and then all acquire the lock equally often.
//!
//! ```text
//! thread 1   ├L┤ job ......├L┤ job ..├L┤ job ...├L┤ job .├L│           L: takes a job, or finds none
//! thread 2   ├L┤ job ..........................├L┤ job ......├L│
//!                                                      the first last L: thread 2 comes once more
//! ```
//!
//! At a barrier of all these threads every division ends evenly, and remainders of several rounds add up. So the use
//! between two barriers is judged by itself.

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::id::{LocationId, PathId, ProcessId};
use lotse_model::trace::{Event, LockKind, Ticks};

use crate::store::{OpRef, Paths, Trace};

/// The difference in acquisitions from which on work was not divided evenly beforehand: a remainder makes a difference of one.
const UNEVEN: usize = 2;

/// At least one thread takes so many jobs.
const FEWEST: usize = 4;

/// A lock of a process, and the call path that acquires it.
type Place = (ProcessId, LockKind, u64, PathId);

/// The use of a lock by one thread.
#[derive(Debug, Clone, Default)]
struct Visits {
    /// The times of its acquisitions.
    at: Vec<Ticks>,
    held: Ticks,
}

/// The threads that take from a queue, and how often they do.
pub(super) fn takers(trace: &Trace) -> Vec<(BTreeSet<LocationId>, usize)> {
    let mut found = Vec::new();
    let firsts: BTreeMap<ProcessId, LocationId> =
        trace.processes().into_iter().map(|(process, all)| (process, all[0])).collect();
    for ((process, ..), mut threads) in visits(trace) {
        if !take_from_a_queue(trace, &threads) {
            // The first thread of the process often fills the queue, under the same lock.
            let Some(first) = firsts.get(&process) else { continue };
            if threads.remove(first).is_none() || !take_from_a_queue(trace, &threads) {
                continue;
            }
        }
        let count = threads.values().map(|it| it.at.len()).sum();
        found.push((threads.into_keys().collect(), count));
    }
    found
}

/// By lock and call path: its use by each thread.
fn visits(trace: &Trace) -> BTreeMap<Place, BTreeMap<LocationId, Visits>> {
    let mut visits: BTreeMap<Place, BTreeMap<LocationId, Visits>> = BTreeMap::new();
    for location in trace.cpu_locations() {
        let process = trace.location(location).process;
        let mut since: BTreeMap<(LockKind, u64), (Ticks, Place)> = BTreeMap::new();
        for (number, op) in trace.timeline(location).ops.iter().enumerate() {
            match *op.shape() {
                Event::AcquireLock { kind, lock, .. } => {
                    let call = trace.call_of(OpRef { location, op: number as u32 });
                    let path = call.map_or(Paths::ROOT, |call| trace.paths.joined(trace.path(call)));
                    let place = (process, kind, lock, path);
                    since.insert((kind, lock), (op.at, place));
                    visits.entry(place).or_default().entry(location).or_default().at.push(op.at);
                }
                Event::ReleaseLock { kind, lock, .. } => {
                    let Some((from, place)) = since.remove(&(kind, lock)) else { continue };
                    let of_thread = visits.entry(place).or_default().entry(location).or_default();
                    of_thread.held = of_thread.held.saturating_add(op.at.saturating_sub(from));
                }
                _ => {}
            }
        }
    }
    visits
}

/// Whether the acquisitions are those of threads that share work which they do without the lock.
fn take_from_a_queue(trace: &Trace, threads: &BTreeMap<LocationId, Visits>) -> bool {
    let works_without = |it: &Visits| match (it.at.first(), it.at.last()) {
        (Some(first), Some(last)) => it.held <= (last - first) / 2 || it.at.len() == 1,
        _ => true,
    };
    let times = || threads.values().map(|it| &it.at[..]);
    if threads.len() < 2 || !is_uneven(times()) || !threads.values().all(works_without) {
        return false;
    }
    let rounds = between_barriers(trace, threads);
    rounds.iter().any(|round| is_uneven(round.iter().copied()))
        && rounds.iter().all(|round| ends_for_all(round.iter().copied()))
}

/// Whether threads come more or less often than those that divided their work evenly beforehand.
fn is_uneven<'a>(times: impl Iterator<Item = &'a [Ticks]> + Clone) -> bool {
    let counts = times.map(<[Ticks]>::len);
    let (Some(most), Some(least)) = (counts.clone().max(), counts.min()) else { return false };
    most >= FEWEST && most - least >= UNEVEN
}

/// Whether each thread comes at most once after another has come for the last time.
fn ends_for_all<'a>(times: impl Iterator<Item = &'a [Ticks]> + Clone) -> bool {
    let Some(ended) = times.clone().filter_map(<[Ticks]>::last).min() else { return true };
    times.into_iter().all(|at| at.len() - at.partition_point(|at| at <= ended) <= 1)
}

/// The acquisitions of each thread, divided at the barriers of all these threads. A thread that acquires nothing between
/// two barriers has an empty row there.
fn between_barriers<'a>(trace: &Trace, threads: &'a BTreeMap<LocationId, Visits>) -> Vec<Vec<&'a [Ticks]>> {
    let Some(first) = threads.keys().next() else { return Vec::new() };
    let barriers = trace.links.barrier_of[first.index()].iter();
    let barriers = barriers.filter_map(|&(_, barrier)| {
        let members = &trace.links.barriers[barrier as usize];
        let left = |thread| members.iter().find(|it| it.location == thread).map(|&it| trace.exit(it));
        threads.keys().map(|&thread| left(thread)).collect::<Option<Vec<Ticks>>>()
    });
    let mut rest: Vec<&[Ticks]> = threads.values().map(|it| &it.at[..]).collect();
    let mut rounds = Vec::new();
    for left in barriers {
        let round = rest.iter_mut().zip(left).map(|(rest, left)| {
            let (before, after) = rest.split_at(rest.partition_point(|&at| at < left));
            *rest = after;
            before
        });
        rounds.push(round.collect());
    }
    rounds.push(rest);
    rounds
}

#[cfg(test)]
mod tests {
    use lotse_model::trace::ObjectKind;

    use super::takers;
    use crate::fixture::Script;

    /// Threads that lock a mutex for 10 at these times, and work in between.
    fn locked(by_thread: &[&[u64]]) -> Script {
        let mut script = Script::threads(by_thread.len() as u32);
        for (thread, times) in by_thread.iter().enumerate() {
            for &at in *times {
                hold(&mut script, thread, (at, at + 10));
                script.call(thread, at + 11, at + 20, "work");
            }
        }
        script
    }

    fn hold(script: &mut Script, thread: usize, (from, to): (u64, u64)) {
        let mutex = (ObjectKind::Lock, 0x1000);
        script.call_about(thread, (from, from + 1), "pthread_mutex_lock", mutex);
        script.call_about(thread, (to, to + 1), "pthread_mutex_unlock", mutex);
    }

    fn found(by_thread: &[&[u64]]) -> Vec<(Vec<u32>, usize)> {
        let found = takers(&locked(by_thread).trace());
        found
            .into_iter()
            .map(|(threads, count)| (threads.into_iter().map(|it| it.0).collect(), count))
            .collect()
    }

    #[test]
    fn threads_that_find_nothing_left_at_the_same_time_share_a_queue() {
        let fast: &[u64] = &[100, 200, 300, 400, 500, 600];
        assert_eq!(found(&[fast, &[120, 480, 640]]), [(vec![0, 1], 9)]);
    }

    #[test]
    fn the_thread_that_fills_the_queue_does_not_hide_it() {
        let fast: &[u64] = &[100, 200, 300, 400, 500, 600];
        let fills: &[u64] = &[0, 20, 40, 60, 80];
        assert_eq!(found(&[fills, fast, &[130, 480, 640]]), [(vec![1, 2], 9)]);
    }

    #[test]
    fn work_that_was_divided_beforehand_is_no_queue() {
        let even: &[u64] = &[100, 200, 300, 400];
        assert_eq!(found(&[even, &[120, 220, 320, 420]]), []);
        assert_eq!(found(&[&[100, 200, 300, 400, 500], &[120, 220, 320, 420]]), [], "a remainder");
        assert_eq!(
            found(&[&[100, 200, 300, 400, 500, 600], &[120, 220]]),
            [],
            "it goes on without the other"
        );
    }

    #[test]
    fn who_works_under_the_lock_only_waits_for_it() {
        let mut script = Script::threads(2);
        for (thread, times) in [(0, &[100, 300, 500, 700, 900][..]), (1, &[200, 800][..])] {
            for &at in times {
                hold(&mut script, thread, (at, at + 95));
            }
        }
        assert_eq!(takers(&script.trace()), []);
    }

    /// Each of the barriers that both threads enter follows on five jobs: three of one thread, two of the other.
    #[test]
    fn a_remainder_in_each_round_is_no_queue() {
        let rounds = |number: u64, jobs: [&[u64]; 2]| {
            let mut script = Script::threads(2);
            for begin in (0..number).map(|round| round * 1000) {
                for (thread, jobs) in jobs.iter().enumerate() {
                    for at in jobs.iter().map(|at| begin + at) {
                        hold(&mut script, thread, (at, at + 10));
                    }
                    let came = begin + 800 + thread as u64;
                    script.call_about(
                        thread,
                        (came, begin + 810),
                        "pthread_barrier_wait",
                        (ObjectKind::Barrier, 0x2000),
                    );
                }
            }
            let trace = script.trace();
            assert_eq!(trace.links.barriers.len(), number as usize);
            takers(&trace).len()
        };
        assert_eq!(rounds(4, [&[100, 300, 500], &[120, 450]]), 0);
        let (queue, other): (&[u64], &[u64]) = (&[100, 200, 300, 400, 500], &[120, 450]);
        assert_eq!(rounds(4, [queue, other]), 1);
        assert_eq!(rounds(4, [queue, &[120, 220]]), 0, "it goes on without the other");
    }
}
