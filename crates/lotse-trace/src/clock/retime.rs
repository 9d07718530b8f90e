//! Gives events their corrected times: first along the line of the process, then between the knots around them.

use lotse_model::Workers;
use lotse_model::id::PathId;
use lotse_model::trace::Ticks;

use super::backward::each;
use super::knots::Knot;
use super::line::Line;
use crate::store::{PathTimes, PathUse, Timeline, Trace};

/// How much was moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Moves {
    pub(super) events: u64,
    pub(super) largest: Ticks,
}

impl Moves {
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
    lines: &[Line],
    knots: Vec<Vec<Knot>>,
    workers: &dyn Workers,
) -> Moves {
    let locations = std::mem::take(&mut trace.timelines).into_iter().zip(std::mem::take(&mut trace.uses));
    let changed = each(workers, locations.zip(knots).collect(), |at, ((mut timeline, uses), knots)| {
        let moves = retime_one(&mut timeline, &lines[at], &knots);
        let uses = if moves.events > 0 { used(&timeline, &uses) } else { uses };
        (timeline, uses, moves)
    });
    let mut all = Moves::default();
    for (timeline, uses, moves) in changed {
        trace.timelines.push(timeline);
        trace.uses.push(uses);
        all.events += moves.events;
        all.largest = all.largest.max(moves.largest);
    }
    all
}

fn retime_one(timeline: &mut Timeline, line: &Line, knots: &[Knot]) -> Moves {
    let (mut moves, mut clock) = (Moves::default(), Between { line, knots, number: 0 });
    for (step, at) in timeline.at.iter_mut().enumerate() {
        clock.go(|knot| knot.step <= step as u32);
        *at = moves.count(*at, clock.time(*at));
    }
    clock.number = 0;
    for (number, at) in timeline.ops.times_mut().enumerate() {
        clock.go(|knot| knot.op <= number as u32);
        *at = moves.count(*at, clock.time(*at));
    }
    clock.go(|_| true);
    timeline.last = clock.time(timeline.last);
    timeline.first = timeline.at.first().copied().unwrap_or(timeline.first);
    timeline.retimed();
    moves
}

/// The clock from one knot to the next.
struct Between<'a> {
    line: &'a Line,
    knots: &'a [Knot],
    number: usize,
}

impl Between<'_> {
    /// Goes on to the last knot that is not after an event.
    #[inline]
    fn go(&mut self, is_before: impl Fn(&Knot) -> bool) {
        while self.knots.get(self.number + 1).is_some_and(&is_before) {
            self.number += 1;
        }
    }

    #[inline]
    fn time(&self, raw: Ticks) -> Ticks {
        let at = self.line.map(raw);
        let Some(from) = self.knots.get(self.number) else { return at };
        let passed = at.saturating_sub(from.at);
        match self.knots.get(self.number + 1) {
            Some(to) if to.shift() != from.shift() => from.now + stretched(passed, from, to),
            _ => from.now.saturating_add(passed),
        }
    }
}

/// The part of the way between two knots.
fn stretched(passed: Ticks, from: &Knot, to: &Knot) -> Ticks {
    let (whole, way) = (u128::from(to.at - from.at), u128::from(to.now - from.now));
    // Between knots of the same time nothing passes.
    (u128::from(passed) * way).checked_div(whole).unwrap_or(0) as Ticks
}

/// Time by call path, from the steps; visits stay.
fn used(timeline: &Timeline, before: &[PathUse]) -> Vec<PathUse> {
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
