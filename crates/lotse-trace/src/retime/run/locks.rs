//! A lock of a changed run: who has it, who waits for it, and who is next.
//!
//! Threads queue in the order in which they ask. Two things of the recorded run are kept, without which an unchanged
//! run would not be the recorded one:
//!
//! - A thread that others overtook while all of them waited queues so much later as they asked after it.
//! - A thread that has to be woken up may find that another one, which came by meanwhile, took the lock before it:
//!
//! ```text
//! A   ┤ has it ├─┤ has it ├─┤ has it ├──       asks again right after each release
//! B     ┤ asks · · · · · · · · · · · ├ has it  is woken up too late twice
//! ```
//!
//! This happens again only as long after a release as it was seen, and only to those to whom it happened.

use std::collections::VecDeque;

use lotse_model::trace::Ticks;

use super::super::graph::{Holding, SourceId};

/// A lock.
#[derive(Debug, Clone, Default)]
pub(super) struct Lock {
    /// The present holding.
    pub(super) holder: Option<u32>,
    /// When it was released last.
    free_from: Ticks,
    /// That release.
    pub(super) released_by: Option<SourceId>,
    /// The earliest moment at which it is looked who gets it.
    pub(super) due: Option<Ticks>,
    /// Those who asked before the last release, by their place in the queue.
    queue: Queue,
    /// Those who ask later, by when.
    came: Queue,
}

/// Threads in the order of their places. They mostly come in that order and leave from the front, so that neither moves
/// any other.
#[derive(Debug, Clone, Default)]
struct Queue(VecDeque<Place>);

impl Queue {
    fn push(&mut self, place: Place) {
        if self.0.back().is_none_or(|last| *last < place) {
            self.0.push_back(place);
        } else {
            let at = self.0.partition_point(|before| *before < place);
            self.0.insert(at, place);
        }
    }

    fn remove(&mut self, asking: Asking) -> bool {
        let at = self.0.iter().position(|place| place.2 == asking);
        at.and_then(|at| self.0.remove(at)).is_some()
    }
}

/// A thread that asks for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asking {
    pub(super) worker: u32,
    pub(super) holding: u32,
    pub(super) asked: Ticks,
}

/// Since when a thread counts as waiting, the recorded order of its holding, and the thread.
type Place = (Ticks, u32, Asking);

impl Lock {
    /// A thread asks for the lock.
    pub(super) fn ask(&mut self, asking: Asking, holdings: &[Holding]) {
        if asking.asked < self.free_from {
            self.wait(asking, holdings);
        } else {
            let order = holdings[asking.holding as usize].order;
            self.came.push((asking.asked, order, asking));
        }
    }

    fn wait(&mut self, asking: Asking, holdings: &[Holding]) {
        let holding = &holdings[asking.holding as usize];
        let since = asking.asked.saturating_add(holding.queued_after);
        self.queue.push((since, holding.order, asking));
    }

    /// The holder releases the lock: who has asked by now is in the queue.
    pub(super) fn release(&mut self, at: Ticks, source: SourceId, holdings: &[Holding]) {
        self.holder = None;
        self.free_from = at.max(self.free_from);
        self.released_by = Some(source);
        while let Some(&(asked, _, asking)) = self.came.0.front()
            && asked < self.free_from
        {
            self.came.0.pop_front();
            self.wait(asking, holdings);
        }
    }

    /// Who gets the lock next by what is known, and when that is certain.
    pub(super) fn next(&self, holdings: &[Holding]) -> Option<(Ticks, Asking)> {
        let Some(&(_, order, first)) = self.queue.0.front() else {
            return self.came.0.front().map(|&(asked, _, asking)| (asked, asking));
        };
        let until = self.free_from.saturating_add(holdings[first.holding as usize].yields_for);
        let overtaking = self.overtaking(until, order);
        Some(overtaking.map_or((until, first), |asking| (asking.asked, asking)))
    }

    /// The first who comes before a moment and had the lock before a holding in the recorded run.
    fn overtaking(&self, until: Ticks, order: u32) -> Option<Asking> {
        let mut near = self.came.0.iter().take_while(|place| place.0 < until);
        near.find(|place| place.1 < order).map(|place| place.2)
    }

    /// A thread no longer asks.
    pub(super) fn remove(&mut self, asking: Asking) {
        if !self.queue.remove(asking) {
            self.came.remove(asking);
        }
    }

    /// What a thread asks for.
    pub(super) fn asked_by(&self, worker: u32) -> Option<Asking> {
        let all = self.queue.0.iter().chain(&self.came.0).map(|place| place.2);
        all.into_iter().find(|asking| asking.worker == worker)
    }

    /// When a thread gets the lock, if acquiring takes so long when it is free and after a hand-over; whether it had
    /// to wait.
    pub(super) fn had_at(&self, asked: Ticks, if_free: Ticks, hand_over: i64) -> (Ticks, bool) {
        if asked >= self.free_from {
            (asked + if_free, false)
        } else {
            (self.free_from.saturating_add_signed(hand_over).max(asked), true)
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::PathId;
    use proptest::prelude::*;

    use super::{Asking, Lock, Place, Queue};
    use crate::retime::graph::{Holding, SourceId};

    /// Holdings in the recorded order; how much later each queues, and for how long it yields.
    fn holdings(rows: &[(u64, u64)]) -> Vec<Holding> {
        let holding = |(order, &(queued_after, yields_for)): (u32, &(u64, u64))| Holding {
            lock: 0,
            order,
            path: PathId::default(),
            if_free: 1,
            hand_over: 5,
            queued_after,
            yields_for,
        };
        (0..).zip(rows).map(holding).collect()
    }

    /// Who is next of those who ask at these times, each with the holding of its number; released at 100.
    fn next(asked: &[u64], rows: &[(u64, u64)]) -> Option<(u64, usize)> {
        let holdings = holdings(rows);
        let mut lock = Lock { free_from: 100, ..Lock::default() };
        for (number, &asked) in (0..).zip(asked) {
            lock.ask(Asking { worker: number, holding: number, asked }, &holdings);
        }
        let found = lock.next(&holdings);
        assert_eq!(lock.next(&holdings), found, "looking changes nothing");
        found.map(|(at, asking)| (at, asking.worker as usize))
    }

    #[test]
    fn who_came_before_a_release_waits_after_it() {
        let holdings = holdings(&[(0, 0), (30, 0), (0, 0)]);
        let mut lock = Lock::default();
        let asking = [20, 10, 40].into_iter().zip(0..);
        for (asked, number) in asking {
            lock.ask(Asking { worker: number, holding: number, asked }, &holdings);
        }
        let next = |lock: &Lock| lock.next(&holdings).map(|(at, asking)| (at, asking.worker));
        assert_eq!(next(&lock), Some((10, 1)), "the lock is free");
        lock.release(30, SourceId::from_index(0), &holdings);
        assert_eq!(next(&lock), Some((30, 0)), "the second queues behind the first");
        lock.asked_by(0).into_iter().for_each(|first| lock.remove(first));
        assert_eq!(next(&lock), Some((30, 1)));
        lock.asked_by(1).into_iter().for_each(|second| lock.remove(second));
        assert_eq!(next(&lock), Some((40, 2)));
    }

    #[test]
    fn threads_queue_as_they_ask() {
        assert_eq!(next(&[50, 40, 45], &[(0, 0); 3]), Some((100, 1)));
        assert_eq!(next(&[130, 120], &[(0, 0); 2]), Some((120, 1)), "a free lock");
        assert_eq!(
            next(&[100, 40], &[(0, 0); 2]),
            Some((100, 1)),
            "one that comes now is behind one that waits"
        );
        assert_eq!(next(&[], &[]), None);
    }

    #[test]
    fn a_thread_that_was_overtaken_queues_later() {
        assert_eq!(next(&[50, 40], &[(0, 0), (10, 0)]), Some((100, 0)));
        assert_eq!(next(&[51, 40], &[(0, 0), (10, 0)]), Some((100, 1)));
    }

    #[test]
    fn a_thread_that_was_woken_too_late_is_so_again() {
        assert_eq!(next(&[103, 40], &[(0, 0), (0, 4)]), Some((103, 0)));
        assert_eq!(next(&[104, 40], &[(0, 0), (0, 4)]), Some((104, 1)), "but not by one that comes later");
        assert_eq!(next(&[40, 103], &[(0, 4), (0, 0)]), Some((104, 0)), "nor by one that came behind it");
    }

    #[test]
    fn a_lock_is_had_after_the_release() {
        let lock = Lock { free_from: 100, ..Lock::default() };
        assert_eq!((lock.had_at(120, 1, 5), lock.had_at(40, 1, 5)), ((121, false), (105, true)));
        assert_eq!((lock.had_at(40, 1, -3), lock.had_at(99, 1, -3)), ((97, true), (99, true)));
    }

    proptest! {
        #[test]
        fn a_queue_is_sorted_whoever_comes_and_goes(
            coming in proptest::collection::vec((0..20_u64, 0..4_u32), 0..40),
            going in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
        ) {
            let place = |(worker, (since, order)): (u32, (u64, u32))| -> Place {
                (since, order, Asking { worker, holding: worker, asked: since })
            };
            let mut expected: Vec<Place> = (0..).zip(coming).map(place).collect();
            let mut queue = Queue::default();
            expected.iter().for_each(|&place| queue.push(place));
            for index in going {
                if expected.is_empty() {
                    break;
                }
                let (.., gone) = expected.swap_remove(index.index(expected.len()));
                prop_assert!(queue.remove(gone));
                prop_assert!(!queue.remove(gone), "it is there no longer");
            }
            expected.sort_unstable();
            prop_assert_eq!(Vec::from(queue.0), expected);
        }
    }
}
