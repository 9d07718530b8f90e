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

use lotse_model::trace::Ticks;

use super::super::graph::{Holding, SourceId};

/// A lock.
#[derive(Debug, Clone, Default)]
pub(super) struct Lock {
    /// The present holding.
    pub(super) holder: Option<u32>,
    /// When it was released last.
    pub(super) free_from: Ticks,
    /// That release.
    pub(super) released_by: Option<SourceId>,
    pub(super) asking: Vec<Asking>,
}

/// A thread that asks for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asking {
    pub(super) worker: u32,
    pub(super) holding: u32,
    pub(super) asked: Ticks,
}

impl Lock {
    /// Who gets the lock next by what is known: its place among those that ask, and when that is certain.
    pub(super) fn next(&self, holdings: &[Holding]) -> Option<(Ticks, usize)> {
        let rows = || self.asking.iter().enumerate().map(|(at, it)| (at, it, &holdings[it.holding as usize]));
        let came = |&(_, it, _): &(usize, &Asking, &Holding)| it.asked >= self.free_from;
        let earliest = |&(_, it, holding): &(usize, &Asking, &Holding)| (it.asked, holding.order);
        let queued = |&(_, it, holding): &(usize, &Asking, &Holding)| {
            (it.asked.saturating_add(holding.queued_after), holding.order)
        };
        let Some((first, _, waits)) = rows().filter(|row| !came(row)).min_by_key(queued) else {
            return rows().min_by_key(earliest).map(|(at, it, _)| (it.asked, at));
        };
        let until = self.free_from.saturating_add(waits.yields_for);
        let overtakes = |row: &(usize, &Asking, &Holding)| row.1.asked < until && row.2.order < waits.order;
        let overtaking = rows().filter(came).filter(overtakes).min_by_key(earliest);
        Some(overtaking.map_or((until, first), |(at, it, _)| (it.asked, at)))
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
    use super::{Asking, Lock};
    use crate::retime::graph::Holding;

    /// Holdings in the recorded order; how much later each queues, and for how long it yields.
    fn holdings(rows: &[(u64, u64)]) -> Vec<Holding> {
        let holding = |(order, &(queued_after, yields_for)): (u32, &(u64, u64))| Holding {
            lock: 0,
            order,
            if_free: 1,
            hand_over: 5,
            queued_after,
            yields_for,
        };
        (0..).zip(rows).map(holding).collect()
    }

    /// Who is next of those who ask at these times, each with the holding of its number; released at 100.
    fn next(asked: &[u64], rows: &[(u64, u64)]) -> Option<(u64, usize)> {
        let asking =
            (0..).zip(asked).map(|(number, &asked)| Asking { worker: number, holding: number, asked });
        Lock { free_from: 100, asking: asking.collect(), ..Lock::default() }.next(&holdings(rows))
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
}
