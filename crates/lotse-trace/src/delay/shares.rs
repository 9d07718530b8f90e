//! Divides waits over the call paths in which the causing location spent more time than the waiting one, and over the
//! causing location's own waits. Notation and example are in [`super`].

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::interval::{Memory, TimelinePoint, last_sync_point};
use super::{WaitRef, is_charged, is_need};
use crate::near::count_over;
use crate::store::{PathTimes, Trace};
use crate::waits::{Wait, Waits};

/// The shares of many waits, in flat lists: `ends` has the end of those of each wait.
#[derive(Debug, Default)]
pub(super) struct Shares {
    paths: Vec<(PathId, Ticks)>,
    waits: Vec<(u32, Ticks)>,
    ends: Vec<SharesEnd>,
}

#[derive(Debug, Clone, Copy)]
struct SharesEnd {
    paths: usize,
    waits: usize,
    work: Ticks,
    total: Ticks,
}

/// The shares of one wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitShares<'a> {
    /// Call paths of the causing location, with their excess.
    pub(super) paths: &'a [(PathId, Ticks)],
    /// Waits of the causing location, by index, with their length.
    pub(super) waits: &'a [(u32, Ticks)],
    /// The sum of all excess.
    pub(super) work: Ticks,
    /// The sum of all excess and waits.
    pub(super) total: Ticks,
}

/// Tables that are reused from wait to wait.
#[derive(Debug)]
pub(super) struct Scratch {
    waiting: PathTimes,
    causing: PathTimes,
    /// The times of a single wait.
    waited: PathTimes,
    /// The interval that `causing` and `waits` describe. It is kept because all locations that wait for the last one in
    /// a collective need the same interval.
    caused: Option<LocationInterval>,
    waits: Vec<(u32, Ticks)>,
    /// By location: the number of waits before the end of the last interval. The next interval is mostly near.
    places: Vec<usize>,
    memory: Memory,
    /// The call path that stands for the time of processes before their records begin.
    start_up: Option<PathId>,
    /// By call path: the path of the master with the same code. Empty if workers have no paths of their own.
    joined: Vec<PathId>,
}

/// An interval of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LocationInterval {
    location: LocationId,
    from: TimelinePoint,
    to: Ticks,
}

impl Scratch {
    pub(super) fn new(trace: &Trace) -> Self {
        let paths = trace.paths.len();
        let (waiting, causing, waited) =
            (PathTimes::new(paths), PathTimes::new(paths), PathTimes::new(paths));
        let (places, memory) = (vec![0; trace.timelines.len()], Memory::new(trace.timelines.len()));
        let own = if trace.paths.has_forked() { paths } else { 0 };
        let joined = (0..own).map(|path| trace.paths.joined(PathId::from(path))).collect();
        let start_up = trace.start_up();
        Self { waiting, causing, waited, caused: None, waits: Vec::new(), places, memory, start_up, joined }
    }

    /// The path of the master with the same code.
    fn master_path(&self, path: PathId) -> PathId {
        self.joined.get(path.index()).copied().unwrap_or(path)
    }

    /// Moves the times of the waiting location to the paths of masters.
    fn join_waiting(&mut self) {
        let moves: Vec<PathId> = match self.joined.is_empty() {
            true => Vec::new(),
            false => self.waiting.touched().filter(|&path| self.master_path(path) != path).collect(),
        };
        for path in moves {
            let ticks = self.waiting.get(path);
            self.waiting.take(path, ticks);
            self.waiting.add(self.master_path(path), ticks);
        }
    }
}

impl Shares {
    /// The shares of each wait, in the order in which they were added.
    pub(super) fn by_wait(&self) -> impl Iterator<Item = WaitShares<'_>> {
        let mut from = (0, 0);
        self.ends.iter().map(move |end| {
            let (paths, waits) = (&self.paths[from.0..end.paths], &self.waits[from.1..end.waits]);
            from = (end.paths, end.waits);
            WaitShares { paths, waits, work: end.work, total: end.total }
        })
    }

    /// Adds the shares of a wait: compares the times by call path of the causing location, from the last synchronisation
    /// point to the end of the wait, with those of the waiting location, from that point to the begin of the wait.
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
            let location_waits = &waits.by_location[location as usize];
            let sync =
                last_sync_point(trace, location_waits, number as usize, cause.location, &mut scratch.memory);
            scratch.load_causing(
                trace,
                waits,
                LocationInterval { location: cause.location, from: sync.causing, to: cause.at },
            );
            let here =
                LocationInterval { location: LocationId(location), from: sync.waiting, to: wait.begin };
            let end = (0..number as usize).rev().find(|&it| location_waits[it].end <= wait.begin);
            sum_work(
                trace,
                (location_waits, end.map_or(0, |it| it + 1)),
                here,
                (&mut scratch.waiting, &mut scratch.waited),
                |_, _| {},
            );
            self.waits.extend_from_slice(&scratch.waits);
            waited = scratch.waits.iter().map(|(_, ticks)| ticks).sum();
            work = self.add_excess(scratch);
            if let Some(path) = scratch.start_up.filter(|_| sync.late_start > 0) {
                self.paths.push((path, sync.late_start));
                work += sync.late_start;
            }
        }
        let (paths, waits) = (self.paths.len(), self.waits.len());
        self.ends.push(SharesEnd { paths, waits, work, total: work + waited });
    }

    /// Adds the call paths with excess d_k > 0; returns the sum of the excess.
    fn add_excess(&mut self, scratch: &mut Scratch) -> Ticks {
        let from = self.paths.len();
        scratch.join_waiting();
        for path in scratch.causing.touched() {
            let excess =
                scratch.causing.get(path).saturating_sub(scratch.waiting.get(scratch.master_path(path)));
            if excess > 0 {
                self.paths.push((path, excess));
            }
        }
        scratch.waiting.clear();
        self.paths[from..].iter().map(|(_, excess)| excess).sum()
    }
}

impl Scratch {
    /// Sets `causing` and `waits` to the times and the waits of a causing location in an interval.
    fn load_causing(&mut self, trace: &Trace, waits: &Waits, interval: LocationInterval) {
        if self.caused == Some(interval) {
            return;
        }
        self.causing.clear();
        self.waits.clear();
        let location_waits = &waits.by_location[interval.location.index()];
        let place = &mut self.places[interval.location.index()];
        *place = count_over(location_waits.len(), *place, |number| location_waits[number].end <= interval.to);
        let found = &mut self.waits;
        let times = (&mut self.causing, &mut self.waited);
        sum_work(trace, (location_waits, *place), interval, times, |number, ticks| {
            found.push((number, ticks));
        });
        self.caused = Some(interval);
    }
}

/// Sums the time by call path in an interval of a location, without its waits. `on_wait` is called for each wait, the last
/// first, with its index and its length. The first `end` waits of the location end before the interval does.
fn sum_work(
    trace: &Trace,
    (location_waits, mut end): (&[Wait], usize),
    interval: LocationInterval,
    (times, scratch): (&mut PathTimes, &mut PathTimes),
    mut on_wait: impl FnMut(u32, Ticks),
) {
    let timeline = trace.timeline(interval.location);
    let from = interval.from.at;
    timeline.sum_from(interval.from.step, from, interval.to, times);
    while end > 0 && location_waits[end - 1].end > from {
        let call = location_waits[end - 1].call;
        let is_same_call = |it: &usize| location_waits[*it].call == call && location_waits[*it].end > from;
        let first = (0..end).rev().take_while(is_same_call).last().unwrap_or(end - 1);
        for (number, ticks) in waits_of_call(&location_waits[..end], first, from) {
            on_wait(number as u32, ticks);
            take_wait(trace, &location_waits[number], (from, ticks), times, scratch);
        }
        end = first;
    }
}

/// Takes a wait from the times by call path: from its call, or, if it is a loop of tests that began before its last call,
/// from all that the location was in.
fn take_wait(
    trace: &Trace,
    wait: &Wait,
    (from, ticks): (Ticks, Ticks),
    times: &mut PathTimes,
    scratch: &mut PathTimes,
) {
    let timeline = trace.timeline(wait.call.location);
    if wait.begin >= trace.enter(wait.call) {
        return times.take(timeline.call_path(wait.call.call), ticks);
    }
    timeline.sum(wait.begin.max(from), wait.end, scratch);
    scratch.touched().for_each(|path| times.take(path, scratch.get(path)));
    scratch.clear();
}

/// The time that a call waited after `from`: the longest of its waits, and the part of its longest dependency that exceeds
/// that wait. The waits of the call are `waits[first..]`.
fn waits_of_call(waits: &[Wait], first: usize, from: Ticks) -> impl Iterator<Item = (usize, Ticks)> {
    let longest = |which: fn(&Wait) -> bool| {
        let chosen = (first..waits.len()).filter(|&it| which(&waits[it]));
        let ticks = chosen.map(|it| (it, waits[it].end - waits[it].begin.max(from)));
        ticks.max_by_key(|&(it, ticks)| (ticks, std::cmp::Reverse(it)))
    };
    let waited = longest(is_charged);
    let counted = waited.map_or(0, |(_, ticks)| ticks);
    let beyond = longest(is_need).map(|(it, ticks)| (it, ticks.saturating_sub(counted)));
    waited.into_iter().chain(beyond.filter(|&(_, ticks)| ticks > 0))
}
