//! A lock in a simulation: its holder, its waiting requests, and the next holder.
//!
//! Requests queue in their order. Two effects of the recorded execution are repeated, because otherwise a simulation without
//! a change would differ from the recorded execution:
//!
//! - Overtaking: if others requested the lock later, waited as well and got it first, the request is queued later by that
//!   difference.
//! - Barging: a waiting thread has to be woken up, and meanwhile another thread takes the lock:
//!
//! ```text
//! A   ┤ holds ├─┤ holds ├─┤ holds ├──          requests the lock again right after each release
//! B     ┤ requests · · · · · · · ├ holds       is woken up too late twice
//! ```
//!
//! Barging is repeated only for requests to which it happened, and only for as long after a release as was observed.

use std::collections::VecDeque;

use lotse_model::trace::Ticks;

use super::super::graph::{LockHolding, SourceId};

/// The state of a lock.
#[derive(Debug, Clone, Default)]
pub(super) struct LockState {
    /// The current holding.
    pub(super) holder: Option<u32>,
    /// The time of the last release.
    free_from: Ticks,
    /// The source of that release.
    pub(super) released_by: Option<SourceId>,
    /// The time of the next pending decision about the lock.
    pub(super) due: Option<Ticks>,
    /// Requests before the last release, in the order of the queue.
    queue: Queue,
    /// Requests after the last release, in the order of time.
    arriving: Queue,
}

/// A sorted queue. Entries are mostly pushed at the back and removed from the front, so that others are rarely moved.
#[derive(Debug, Clone, Default)]
struct Queue(VecDeque<QueueEntry>);

impl Queue {
    fn push(&mut self, place: QueueEntry) {
        if self.0.back().is_none_or(|last| *last < place) {
            self.0.push_back(place);
        } else {
            let at = self.0.partition_point(|before| *before < place);
            self.0.insert(at, place);
        }
    }

    fn remove(&mut self, request: LockRequest) -> bool {
        if self.0.front().is_some_and(|first| first.2 == request) {
            return self.0.pop_front().is_some();
        }
        let at = self.0.iter().position(|place| place.2 == request);
        at.and_then(|at| self.0.remove(at)).is_some()
    }
}

/// The request of a thread for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct LockRequest {
    pub(super) worker: u32,
    pub(super) holding: u32,
    pub(super) requested: Ticks,
}

/// The time since which the request counts as queued, the recorded order of its holding, and the request.
type QueueEntry = (Ticks, u32, LockRequest);

impl LockState {
    /// Adds a request.
    pub(super) fn add_request(&mut self, request: LockRequest, holdings: &[LockHolding]) {
        if request.requested < self.free_from {
            self.enqueue(request, holdings);
        } else {
            let order = holdings[request.holding as usize].order;
            self.arriving.push((request.requested, order, request));
        }
    }

    fn enqueue(&mut self, request: LockRequest, holdings: &[LockHolding]) {
        let holding = &holdings[request.holding as usize];
        let since = request.requested.saturating_add(holding.queued_after);
        self.queue.push((since, holding.order, request));
    }

    /// The holder releases the lock. Requests up to now move into the queue.
    pub(super) fn release(&mut self, at: Ticks, source: SourceId, holdings: &[LockHolding]) {
        self.holder = None;
        self.free_from = at.max(self.free_from);
        self.released_by = Some(source);
        while let Some(&(requested, _, request)) = self.arriving.0.front()
            && requested < self.free_from
        {
            self.arriving.0.pop_front();
            self.enqueue(request, holdings);
        }
    }

    /// The next request to be granted, as far as is known, and the time at which this is certain.
    pub(super) fn next(&self, holdings: &[LockHolding]) -> Option<(Ticks, LockRequest)> {
        let Some(&(_, order, first)) = self.queue.0.front() else {
            return self.arriving.0.front().map(|&(requested, _, request)| (requested, request));
        };
        let until = self.free_from.saturating_add(holdings[first.holding as usize].yields_for);
        let overtaking = self.overtaking(until, order);
        Some(overtaking.map_or((until, first), |request| (request.requested, request)))
    }

    /// The first request before a time that precedes a holding in the recorded order.
    fn overtaking(&self, until: Ticks, order: u32) -> Option<LockRequest> {
        let mut near = self.arriving.0.iter().take_while(|place| place.0 < until);
        near.find(|place| place.1 < order).map(|place| place.2)
    }

    /// Removes a request.
    pub(super) fn remove(&mut self, request: LockRequest) {
        if !self.queue.remove(request) {
            self.arriving.remove(request);
        }
    }

    /// The request of a thread.
    pub(super) fn request_of(&self, worker: u32) -> Option<LockRequest> {
        let all = self.queue.0.iter().chain(&self.arriving.0).map(|place| place.2);
        all.into_iter().find(|request| request.worker == worker)
    }

    /// When a request is granted, and whether it had to wait. `if_free` is the time of an acquisition when the lock is free,
    /// `hand_over` that after a release.
    pub(super) fn acquired_at(&self, requested: Ticks, if_free: Ticks, hand_over: i64) -> (Ticks, bool) {
        if requested >= self.free_from {
            (requested + if_free, false)
        } else {
            (self.free_from.saturating_add_signed(hand_over).max(requested), true)
        }
    }
}

#[cfg(test)]
mod tests {
    use lotse_model::id::PathId;
    use proptest::prelude::*;

    use super::{LockRequest, LockState, Queue, QueueEntry};
    use crate::retime::graph::{LockHolding, SourceId};

    /// Holdings in the recorded order, with `queued_after` and `yields_for`.
    fn holdings(rows: &[(u64, u64)]) -> Vec<LockHolding> {
        let holding = |(order, &(queued_after, yields_for)): (u32, &(u64, u64))| LockHolding {
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

    /// The next of some requests at these times, each for the holding of its index; the lock is released at 100.
    fn next(requested: &[u64], rows: &[(u64, u64)]) -> Option<(u64, usize)> {
        let holdings = holdings(rows);
        let mut lock = LockState { free_from: 100, ..LockState::default() };
        for (number, &requested) in (0..).zip(requested) {
            lock.add_request(LockRequest { worker: number, holding: number, requested }, &holdings);
        }
        let found = lock.next(&holdings);
        assert_eq!(lock.next(&holdings), found, "looking changes nothing");
        found.map(|(at, request)| (at, request.worker as usize))
    }

    #[test]
    fn requests_before_a_release_are_queued_after_it() {
        let holdings = holdings(&[(0, 0), (30, 0), (0, 0)]);
        let mut lock = LockState::default();
        let request = [20, 10, 40].into_iter().zip(0..);
        for (requested, number) in request {
            lock.add_request(LockRequest { worker: number, holding: number, requested }, &holdings);
        }
        let next = |lock: &LockState| lock.next(&holdings).map(|(at, request)| (at, request.worker));
        assert_eq!(next(&lock), Some((10, 1)), "the lock is free");
        lock.release(30, SourceId::from_index(0), &holdings);
        assert_eq!(next(&lock), Some((30, 0)), "the second queues behind the first");
        lock.request_of(0).into_iter().for_each(|first| lock.remove(first));
        assert_eq!(next(&lock), Some((30, 1)));
        lock.request_of(1).into_iter().for_each(|second| lock.remove(second));
        assert_eq!(next(&lock), Some((40, 2)));
    }

    #[test]
    fn requests_queue_in_their_order() {
        assert_eq!(next(&[50, 40, 45], &[(0, 0); 3]), Some((100, 1)));
        assert_eq!(next(&[130, 120], &[(0, 0); 2]), Some((120, 1)), "a free lock");
        assert_eq!(next(&[100, 40], &[(0, 0); 2]), Some((100, 1)), "a new request is behind a waiting one");
        assert_eq!(next(&[], &[]), None);
    }

    #[test]
    fn a_request_that_was_overtaken_queues_later() {
        assert_eq!(next(&[50, 40], &[(0, 0), (10, 0)]), Some((100, 0)));
        assert_eq!(next(&[51, 40], &[(0, 0), (10, 0)]), Some((100, 1)));
    }

    #[test]
    fn barging_is_repeated() {
        assert_eq!(next(&[103, 40], &[(0, 0), (0, 4)]), Some((103, 0)));
        assert_eq!(next(&[104, 40], &[(0, 0), (0, 4)]), Some((104, 1)), "but not by a later request");
        assert_eq!(
            next(&[40, 103], &[(0, 4), (0, 0)]),
            Some((104, 0)),
            "nor by one that followed in the recorded order"
        );
    }

    #[test]
    fn a_lock_is_acquired_after_the_release() {
        let lock = LockState { free_from: 100, ..LockState::default() };
        assert_eq!((lock.acquired_at(120, 1, 5), lock.acquired_at(40, 1, 5)), ((121, false), (105, true)));
        assert_eq!((lock.acquired_at(40, 1, -3), lock.acquired_at(99, 1, -3)), ((97, true), (99, true)));
    }

    proptest! {
        #[test]
        fn a_queue_stays_sorted(
            coming in proptest::collection::vec((0..20_u64, 0..4_u32), 0..40),
            going in proptest::collection::vec(any::<proptest::sample::Index>(), 0..40),
        ) {
            let place = |(worker, (since, order)): (u32, (u64, u32))| -> QueueEntry {
                (since, order, LockRequest { worker, holding: worker, requested: since })
            };
            let mut expected: Vec<QueueEntry> = (0..).zip(coming).map(place).collect();
            let mut queue = Queue::default();
            expected.iter().for_each(|&place| queue.push(place));
            for index in going {
                if expected.is_empty() {
                    break;
                }
                let (.., removed) = expected.swap_remove(index.index(expected.len()));
                prop_assert!(queue.remove(removed));
                prop_assert!(!queue.remove(removed), "it is already removed");
            }
            expected.sort_unstable();
            prop_assert_eq!(Vec::from(queue.0), expected);
        }
    }
}
