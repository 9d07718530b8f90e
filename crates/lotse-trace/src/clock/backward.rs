//! Smooths jumps: what precedes one is moved too, less and less, as far as nobody has seen it yet.
//!
//! Moving events later can only give others more room, so that each location is smoothed on its own.

use std::sync::{Mutex, PoisonError};

use lotse_model::Workers;
use lotse_model::trace::Ticks;
use lotse_model::work;

use super::knots::{Group, Knot, Tie};

/// A jump is spread over so many times its length.
const SPREAD: Ticks = 64;

/// Smooths the jumps of all locations.
pub(super) fn smooth(knots: Vec<Vec<Knot>>, groups: &[Group], workers: &dyn Workers) -> Vec<Vec<Knot>> {
    each(workers, knots, |_, mut knots| {
        smooth_one(&mut knots, groups);
        knots
    })
}

fn smooth_one(knots: &mut [Knot], groups: &[Group]) {
    for number in (1..knots.len()).rev() {
        let (after, knot) = (knots[number], &mut knots[number - 1]);
        let wanted = after.shift().saturating_sub((after.at - knot.at) / SPREAD);
        let cap = match knot.tie {
            Tie::Gives(group) => knot.cap.min(groups[group as usize].first_out),
            _ => knot.cap,
        };
        knot.now = knot.now.max(cap.min(knot.at + wanted));
    }
}

/// Changes things of which each belongs to one job.
pub(super) fn each<T: Send, R: Send>(
    workers: &dyn Workers,
    things: Vec<T>,
    change: impl Fn(usize, T) -> R + Sync,
) -> Vec<R> {
    let slots: Vec<Mutex<Option<T>>> = things.into_iter().map(|thing| Mutex::new(Some(thing))).collect();
    work::map(workers, slots.len(), |at| {
        let taken = slots[at].lock().unwrap_or_else(PoisonError::into_inner).take();
        change(at, taken.expect("every slot is taken once"))
    })
}

#[cfg(test)]
mod tests {
    use super::super::knots::{Knot, Tie};
    use super::smooth_one;

    fn knot(at: u64, now: u64, cap: u64) -> Knot {
        Knot { step: 0, op: 0, is_op: false, tie: Tie::Free, at, now, cap }
    }

    fn smoothed(mut knots: Vec<Knot>) -> Vec<u64> {
        smooth_one(&mut knots, &[]);
        knots.iter().map(|knot| knot.now).collect()
    }

    #[test]
    fn a_jump_fades_out_before_it() {
        let knots = vec![
            knot(0, 0, u64::MAX),
            knot(6400, 6400, u64::MAX),
            knot(12_800, 12_800, u64::MAX),
            knot(12_800, 12_950, u64::MAX),
        ];
        assert_eq!(smoothed(knots), [0, 6450, 12_950, 12_950]);
    }

    #[test]
    fn what_was_seen_stays_before_those_who_saw_it() {
        let knots = vec![knot(0, 0, u64::MAX), knot(100, 100, 130), knot(200, 300, u64::MAX)];
        assert_eq!(smoothed(knots), [29, 130, 300]);
    }
}
