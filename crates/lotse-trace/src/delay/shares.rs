//! Divides waits over what the causing location did longer than the waiting one.

use lotse_model::id::{LocationId, PathId};
use lotse_model::trace::Ticks;

use super::interval::last_meeting;
use super::{WaitRef, is_charged};
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
}

impl Scratch {
    pub(super) fn new(trace: &Trace) -> Self {
        let paths = trace.paths.len();
        Self { waiting: PathTimes::new(paths), causing: PathTimes::new(paths) }
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
            let meeting = last_meeting(trace, wait, cause.location);
            let here = (LocationId(location), meeting.waiting, wait.begin);
            let there = (cause.location, meeting.causing, cause.at);
            spent(trace, waits, here, &mut scratch.waiting, |_, _| {});
            spent(trace, waits, there, &mut scratch.causing, |number, ticks| {
                self.waits.push((number, ticks));
                waited += ticks;
            });
            work = self.excess(scratch);
        }
        self.ends.push(End { paths: self.paths.len(), waits: self.waits.len(), work, total: work + waited });
    }

    fn excess(&mut self, scratch: &mut Scratch) -> Ticks {
        let from = self.paths.len();
        for &path in scratch.causing.touched() {
            let excess = scratch.causing.get(path).saturating_sub(scratch.waiting.get(path));
            if excess > 0 {
                self.paths.push((path, excess));
            }
        }
        scratch.waiting.clear();
        scratch.causing.clear();
        self.paths[from..].iter().map(|(_, excess)| excess).sum()
    }
}

/// Time by call path without waits, during a span of a location; the waits are told one by one.
fn spent(
    trace: &Trace,
    waits: &Waits,
    (location, from, to): (LocationId, Ticks, Ticks),
    times: &mut PathTimes,
    mut tell: impl FnMut(u32, Ticks),
) {
    let timeline = trace.timeline(location);
    timeline.sum(from, to, times);
    let of_one = &waits.by_location[location.index()];
    let first = of_one.partition_point(|wait| wait.end <= from);
    let last = of_one.partition_point(|wait| wait.end <= to);
    let mut at = first;
    while at < last {
        let call = of_one[at].call;
        let end = (at..last).find(|&it| of_one[it].call != call).unwrap_or(last);
        // Of several waits of one call the longest counts.
        let charged = (at..end).filter(|&it| is_charged(&of_one[it]) && of_one[it].begin >= from);
        if let Some(longest) = charged.max_by_key(|&it| (of_one[it].ticks(), std::cmp::Reverse(it))) {
            let wait: &Wait = &of_one[longest];
            times.take(timeline.call_path(call.call), wait.ticks());
            tell(longest as u32, wait.ticks());
        }
        at = end;
    }
}
