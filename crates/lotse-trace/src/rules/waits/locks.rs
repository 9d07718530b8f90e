//! Locks in findings: which lock is waited for, and what is done while it is held.

use std::collections::{BTreeMap, BTreeSet};

use lotse_model::id::PathId;
use lotse_model::trace::Ticks;
use lotse_report::number::{format_percent, format_seconds};

use super::super::Context;
use super::Loss;
use crate::answer::{HolderAnswer, LockAnswer};
use crate::contention::{ContendedLock, NearSteps};
use crate::store::{OUTSIDE, PathTimes, Trace};

/// At most this many locks are listed.
const MOST: usize = 20;

/// The locks with the longest waiting times.
pub(crate) fn lock_answers(context: &Context<'_>) -> Vec<LockAnswer> {
    context.contention.locks.iter().take(MOST).map(|lock| answer(context.trace, lock)).collect()
}

pub(super) fn answer(trace: &Trace, lock: &ContendedLock) -> LockAnswer {
    LockAnswer {
        name: lock.name.clone(),
        number: lock.lock.number,
        waited: trace.seconds(lock.waited),
        share: lock.share(trace),
        waiters: lock.waiters.len(),
        acquisitions: lock.acquisitions,
        waits: lock.waits,
        held: trace.seconds(lock.held),
        holder: lock.holder.map(|(path, ticks)| HolderAnswer {
            callpath: trace.path_name(path),
            seconds: trace.seconds(ticks),
        }),
    }
}

/// The lock that most of a loss is waiting for.
pub(super) fn lock_of<'a>(context: &'a Context<'_>, loss: &Loss) -> Option<&'a ContendedLock> {
    let position = *loss.lock.get_or_init(|| find_lock(context, loss));
    position.map(|position| &context.contention.locks[position])
}

fn find_lock(context: &Context<'_>, loss: &Loss) -> Option<usize> {
    let locks = &context.contention.locks;
    if locks.is_empty() || !loss.is_for_locks() {
        return None;
    }
    let mut sums: Vec<Option<Ticks>> = vec![None; locks.len()];
    for wait in loss.waits(context) {
        if let Some(lock) = context.contention.lock_of(context.trace, wait.call) {
            *sums[lock].get_or_insert(0) += wait.ticks();
        }
    }
    let waited_for = sums.iter().enumerate().filter_map(|(lock, ticks)| Some((lock, (*ticks)?)));
    waited_for.max_by_key(|&(lock, ticks)| (ticks, std::cmp::Reverse(locks[lock].lock))).map(|(lock, _)| lock)
}

/// A clause about a lock, its waiting threads and its holder.
pub(super) fn clause(lock: &LockAnswer, who: &str) -> String {
    let convoy = match lock.is_convoy() {
        true => format!(
            ", which its {} waiting {who} do {} of the time",
            lock.waiters,
            format_percent(lock.share, 0)
        ),
        false => String::new(),
    };
    let holder = lock.holder.as_ref().map_or_else(String::new, |holder| {
        let path = if holder.callpath.is_empty() { OUTSIDE } else { &holder.callpath };
        format!(", mostly by {path} ({})", format_seconds(holder.seconds))
    });
    format!(
        "; they wait for {}{convoy}; meanwhile it is held for {}{holder}",
        lock.name,
        format_seconds(lock.held)
    )
}

/// By call path: time on the critical path under a contended lock. Such time is on the path because the lock serialises
/// threads, and not because the work is distributed unevenly.
pub(in super::super) fn held_on_path(context: &Context<'_>) -> BTreeMap<PathId, Ticks> {
    let mut sums = BTreeMap::new();
    if context.contention.locks.is_empty() {
        return sums;
    }
    let trace = context.trace;
    let (mut times, mut near) = (PathTimes::new(trace.paths.len()), NearSteps::new(trace));
    for segment in &context.path.segments {
        let span = (segment.location, segment.from, segment.to);
        context.contention.add_held(trace, span, &mut near, &mut times);
    }
    let touched: BTreeSet<PathId> = times.touched().collect();
    for path in touched {
        *sums.entry(trace.paths.joined(path)).or_default() += times.get(path);
    }
    sums
}
