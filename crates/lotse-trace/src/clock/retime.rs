//! Sets the corrected times of all events: first the linear correction of the process, then an interpolation between the
//! neighbouring synchronisation events.

use lotse_model::Workers;
use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use super::backward::each;
use super::line::ClockLine;
use super::sync_events::SyncEvent;
use crate::store::{PathTimes, PathUse, Timeline, Trace};

/// The number of moved events and the largest move.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct MovedEvents {
    pub(super) events: u64,
    pub(super) largest: Ticks,
}

impl MovedEvents {
    #[inline]
    fn count(&mut self, from: Ticks, to: Ticks) -> Ticks {
        let by = from.abs_diff(to);
        self.events += u64::from(by > 0);
        self.largest = self.largest.max(by);
        to
    }
}

/// Moves the events of all locations.
pub(super) fn retime(
    trace: &mut Trace,
    lines: &[ClockLine],
    sync_events: Vec<Vec<SyncEvent>>,
    workers: &dyn Workers,
) -> MovedEvents {
    let locations = std::mem::take(&mut trace.timelines).into_iter().zip(std::mem::take(&mut trace.uses));
    let changed =
        each(workers, locations.zip(sync_events).collect(), |at, ((mut timeline, uses), sync_events)| {
            let moves = retime_one(&mut timeline, &lines[at], &sync_events);
            let uses = if moves.events > 0 { path_uses(&timeline, &uses) } else { uses };
            (timeline, uses, moves)
        });
    let mut all = MovedEvents::default();
    for (timeline, uses, moves) in changed {
        trace.timelines.push(timeline);
        trace.uses.push(uses);
        all.events += moves.events;
        all.largest = all.largest.max(moves.largest);
    }
    all
}

fn retime_one(timeline: &mut Timeline, line: &ClockLine, sync_events: &[SyncEvent]) -> MovedEvents {
    let (mut moves, mut clock) = (MovedEvents::default(), PiecewiseClock { line, sync_events, number: 0 });
    for (step, at) in timeline.at.iter_mut().enumerate() {
        clock.advance(|event| event.step <= step as u32);
        *at = moves.count(*at, clock.time(*at));
    }
    clock.number = 0;
    for (number, at) in timeline.ops.times_mut().enumerate() {
        clock.advance(|event| event.op <= number as u32);
        *at = moves.count(*at, clock.time(*at));
    }
    clock.advance(|_| true);
    timeline.last = clock.time(timeline.last);
    timeline.first = timeline.at.first().copied().unwrap_or(timeline.first);
    timeline.update_calls();
    moves
}

/// The corrected clock, which is linear between two synchronisation events.
struct PiecewiseClock<'a> {
    line: &'a ClockLine,
    sync_events: &'a [SyncEvent],
    number: usize,
}

impl PiecewiseClock<'_> {
    /// Advances to the last synchronisation event that is not after an event.
    #[inline]
    fn advance(&mut self, is_before: impl Fn(&SyncEvent) -> bool) {
        while self.sync_events.get(self.number + 1).is_some_and(&is_before) {
            self.number += 1;
        }
    }

    #[inline]
    fn time(&self, raw: Ticks) -> Ticks {
        let at = self.line.map(raw);
        let Some(from) = self.sync_events.get(self.number) else { return at };
        let passed = at.saturating_sub(from.at);
        match self.sync_events.get(self.number + 1) {
            Some(to) if to.shift() != from.shift() => from.now + stretched(passed, from, to),
            _ => from.now.saturating_add(passed),
        }
    }
}

/// The corrected time that has passed since `from`, by linear interpolation.
fn stretched(passed: Ticks, from: &SyncEvent, to: &SyncEvent) -> Ticks {
    let (recorded, corrected) = (u128::from(to.at - from.at), u128::from(to.now - from.now));
    // Between synchronisation events of the same time no time passes.
    (u128::from(passed) * corrected).checked_div(recorded).unwrap_or(0) as Ticks
}

/// The uses of call paths with times from the corrected steps and the visits of before.
fn path_uses(timeline: &Timeline, before: &[PathUse]) -> Vec<PathUse> {
    let mut times = PathTimes::new(timeline.path.iter().map(|path| path.index() + 1).max().unwrap_or(0));
    let ends = timeline.at.iter().skip(1).chain([&timeline.last]);
    for ((&path, from), to) in timeline.path.iter().zip(&timeline.at).zip(ends) {
        times.add(path, to - from);
    }
    let is_new = |path: PathId| before.binary_search_by_key(&path, |used| used.path).is_err();
    let new = times.touched().filter(|&path| is_new(path));
    let new = new.map(|path| PathUse { path, visits: 0, exclusive: 0 });
    let mut uses: Vec<PathUse> = before.iter().copied().chain(new).collect();
    uses.iter_mut().for_each(|used| used.exclusive = times.get(used.path));
    uses.retain(|used| used.visits > 0 || used.exclusive > 0);
    uses.sort_unstable_by_key(|used| used.path);
    uses
}
