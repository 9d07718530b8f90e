//! Divides waits over what the causing location did longer than the waiting one.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::interval::{Moment, last_meeting};
use super::{WaitRef, is_charged, is_need};
use crate::near::count_over;
use crate::store::{PathTimes, Trace};
use crate::waits::{Wait, Waits};

/// The shares of many waits, one after the other.
#[derive(Debug, Default)]
pub(super) struct Shares {
    paths: Vec<(PathId, Ticks)>,
    waits: Vec<(u32, Ticks)>,
    ends: Vec<End>,
}

#[derive(Debug, Clone, Copy)]
struct End {
    paths: usize,
    waits: usize,
    work: Ticks,
    total: Ticks,
}

/// The shares of one wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<'a> {
    /// Call paths of the causing location, with their excess.
    pub(super) paths: &'a [(PathId, Ticks)],
    /// Waits of the causing location, by number, with their length.
    pub(super) waits: &'a [(u32, Ticks)],
    /// All excess together.
    pub(super) work: Ticks,
    /// All excess and waits together.
    pub(super) total: Ticks,
}

/// Tables that are used again and again.
#[derive(Debug)]
pub(super) struct Scratch {
    waiting: PathTimes,
    causing: PathTimes,
    /// What `causing` and `waits` hold: all who wait for the last at a meeting look at the same span.
    caused: Option<Span>,
    waits: Vec<(u32, Ticks)>,
    /// By location: before which of its waits the last look ended. The next is mostly near.
    places: Vec<usize>,
    /// By location: the step of the last look.
    steps: Vec<usize>,
    /// The call path that stands for what processes do before their records begin.
    start_up: Option<PathId>,
    /// By call path: the one of the master that is the same code; nothing where workers have no paths of their own.
    joined: Vec<PathId>,
}

/// A span of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    location: LocationId,
    from: Moment,
    to: Ticks,
}

impl Scratch {
    pub(super) fn new(trace: &Trace) -> Self {
        let paths = trace.paths.len();
        let (waiting, causing) = (PathTimes::new(paths), PathTimes::new(paths));
        let (places, steps) = (vec![0; trace.timelines.len()], vec![0; trace.timelines.len()]);
        let own = if trace.paths.has_forked() { paths } else { 0 };
        let joined = (0..own).map(|path| trace.paths.joined(PathId::from(path))).collect();
        let start_up = trace.start_up();
        Self { waiting, causing, caused: None, waits: Vec::new(), places, steps, start_up, joined }
    }

    /// The path under which the time of the waiting location counts.
    fn same(&self, path: PathId) -> PathId {
        self.joined.get(path.index()).copied().unwrap_or(path)
    }

    /// Counts the time of the waiting location under the paths of masters.
    fn join_waiting(&mut self) {
        let moves: Vec<PathId> = match self.joined.is_empty() {
            true => Vec::new(),
            false => self.waiting.touched().filter(|&path| self.same(path) != path).collect(),
        };
        for path in moves {
            let ticks = self.waiting.get(path);
            self.waiting.take(path, ticks);
            self.waiting.add(self.same(path), ticks);
        }
    }
}

impl Shares {
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let mut from = (0, 0);
        self.ends.iter().map(move |end| {
            let (paths, waits) = (&self.paths[from.0..end.paths], &self.waits[from.1..end.waits]);
            from = (end.paths, end.waits);
            Row { paths, waits, work: end.work, total: end.total }
        })
    }

    /// Adds the shares of a wait.
    pub(super) fn divide(
        &mut self,
        trace: &Trace,
        waits: &Waits,
        (location, number): WaitRef,
        scratch: &mut Scratch,
    ) {
        let wait = &waits.by_location[location as usize][number as usize];
        let (mut work, mut waited) = (0, 0);
        if let Some(cause) = wait.cause {
            let of_one = &waits.by_location[location as usize];
            let meeting = last_meeting(trace, of_one, number as usize, cause.location, &mut scratch.steps);
            scratch.look_at(
                trace,
                waits,
                Span { location: cause.location, from: meeting.causing, to: cause.at },
            );
            let here = Span { location: LocationId(location), from: meeting.waiting, to: wait.begin };
            let end = (0..number as usize).rev().find(|&it| of_one[it].end <= wait.begin);
            spent(trace, (of_one, end.map_or(0, |it| it + 1)), here, &mut scratch.waiting, |_, _| {});
            self.waits.extend_from_slice(&scratch.waits);
            waited = scratch.waits.iter().map(|(_, ticks)| ticks).sum();
            work = self.excess(scratch);
            if let Some(path) = scratch.start_up.filter(|_| meeting.late_start > 0) {
                self.paths.push((path, meeting.late_start));
                work += meeting.late_start;
            }
        }
        self.ends.push(End { paths: self.paths.len(), waits: self.waits.len(), work, total: work + waited });
    }

    fn excess(&mut self, scratch: &mut Scratch) -> Ticks {
        let from = self.paths.len();
        scratch.join_waiting();
        for path in scratch.causing.touched() {
            let excess = scratch.causing.get(path).saturating_sub(scratch.waiting.get(scratch.same(path)));
            if excess > 0 {
                self.paths.push((path, excess));
            }
        }
        scratch.waiting.clear();
        self.paths[from..].iter().map(|(_, excess)| excess).sum()
    }
}

impl Scratch {
    /// What a causing location did during a span.
    fn look_at(&mut self, trace: &Trace, waits: &Waits, span: Span) {
        if self.caused == Some(span) {
            return;
        }
        self.causing.clear();
        self.waits.clear();
        let of_one = &waits.by_location[span.location.index()];
        let place = &mut self.places[span.location.index()];
        *place = count_over(of_one.len(), *place, |number| of_one[number].end <= span.to);
        let told = &mut self.waits;
        spent(trace, (of_one, *place), span, &mut self.causing, |number, ticks| told.push((number, ticks)));
        self.caused = Some(span);
    }
}

/// Time by call path without waits, during a span of a location; the waits are told one by one, the last first. Of
/// the location's waits the first `end` are over when the span is.
fn spent(
    trace: &Trace,
    (of_one, mut end): (&[Wait], usize),
    span: Span,
    times: &mut PathTimes,
    mut tell: impl FnMut(u32, Ticks),
) {
    let timeline = trace.timeline(span.location);
    let from = span.from.at;
    timeline.sum_from(span.from.step, from, span.to, times);
    while end > 0 && of_one[end - 1].end > from {
        let call = of_one[end - 1].call;
        let of_call = |it: &usize| of_one[*it].call == call && of_one[*it].end > from;
        let first = (0..end).rev().take_while(of_call).last().unwrap_or(end - 1);
        let mut taken = 0;
        for (number, ticks) in parts(&of_one[..end], first, from) {
            tell(number as u32, ticks);
            taken += ticks;
        }
        times.take(timeline.call_path(call.call), taken);
        end = first;
    }
}

/// The time that a call waited from a moment on: of several waits the longest counts, and what the call needed beyond
/// it. The waits of the call are the last ones.
fn parts(waits: &[Wait], first: usize, from: Ticks) -> impl Iterator<Item = (usize, Ticks)> {
    let longest = |which: fn(&Wait) -> bool| {
        let chosen = (first..waits.len()).filter(|&it| which(&waits[it]));
        let ticks = chosen.map(|it| (it, waits[it].end - waits[it].begin.max(from)));
        ticks.max_by_key(|&(it, ticks)| (ticks, std::cmp::Reverse(it)))
    };
    let waited = longest(is_charged);
    let known = waited.map_or(0, |(_, ticks)| ticks);
    let beyond = longest(is_need).map(|(it, ticks)| (it, ticks.saturating_sub(known)));
    waited.into_iter().chain(beyond.filter(|&(_, ticks)| ticks > 0))
}
