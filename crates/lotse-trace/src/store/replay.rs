//! Builds a timeline from events: maintains the call stack, determines call paths, and assigns records to calls.
//!
//! A leave without an enter is ignored. A call without a leave is closed by the leave of a caller or at the end. Both are
//! counted and reported.

use hashbrown::HashMap;
use lotse_model::id::{PathId, RegionId};
use lotse_model::trace::{Event, EventKind, EventSink, LockKind, Ticks};

use super::load::{OmptRegion, RegionInfo, RegionKinds};
use super::ops::{NO_CALL, Ops};
use super::paths::{PathCache, Paths};
use super::timeline::{Call, Timeline};
use super::{GapRegions, PathUse};
use crate::class::{Class, RegionClass};

mod objects;
mod ompt;
mod team_ends;

/// The replay of the events of one location.
#[derive(Debug)]
pub(super) struct Replay<'a> {
    classes: &'a [RegionClass],
    info: &'a [RegionInfo],
    gaps: GapRegions,
    pub(super) timeline: Timeline,
    pub(super) paths: Paths,
    cache: PathCache,
    stack: Vec<Frame>,
    /// By path.
    totals: Vec<PathTotals>,
    now: Ticks,
    current_path: PathId,
    call: u32,
    tasks: Tasks,
    teams: team_ends::TeamState,
    ompt: ompt::OmptState,
    /// Open calls with an action to be done when they are left, the innermost last.
    on_leave: Vec<(u32, objects::OnLeave)>,
    started: bool,
    pub(super) issues: ReplayIssues,
    pub(super) max_depth: u32,
}

/// Visits and exclusive time of a path.
#[derive(Debug, Clone, Copy, Default)]
struct PathTotals {
    visits: u64,
    ticks: Ticks,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    region: RegionId,
    path: PathId,
    /// Its index in [`Timeline::calls`] if it is a primitive call, else [`NO_CALL`].
    call: u32,
    /// The innermost primitive call around it.
    outer: u32,
}

/// Explicit tasks. Suspended tasks have their own part of the call stack.
#[derive(Debug, Default)]
struct Tasks {
    waiting: HashMap<TaskKey, Vec<Frame>>,
    running: Option<TaskKey>,
    /// The number of stack frames of the implicit task.
    base: usize,
}

type TaskKey = (u32, u32, u32);

/// Counts of irregular events.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplayIssues {
    /// Leaves of regions that were not entered.
    pub stray_leaves: u64,
    /// Calls closed because a caller was left.
    pub missing_leaves: u64,
    /// Calls still open at the end.
    pub open_at_end: u64,
    /// Events with an earlier time than the previous event.
    pub backwards: u64,
    /// Messages with an implausible length.
    pub impossible_lengths: u64,
}

/// Maximum plausible length of a message in bytes: processors cannot address more memory. Recorders that query the length at
/// the wrong time record arbitrary values.
const LONGEST_MESSAGE: u64 = 1 << 48;

#[inline(always)]
fn is_too_long(event: &Event) -> bool {
    match *event {
        Event::MpiSend { length, .. }
        | Event::MpiIsend { length, .. }
        | Event::MpiRecv { length, .. }
        | Event::MpiIrecv { length, .. } => length > LONGEST_MESSAGE,
        Event::CollectiveEnd { sent, received, .. } | Event::CollectiveComplete { sent, received, .. } => {
            sent.max(received) > LONGEST_MESSAGE
        }
        _ => false,
    }
}

impl<'a> Replay<'a> {
    /// Begins a location with call paths of other locations. `expected` is the expected number of events: each may be a
    /// step or a record. Reserved memory that is not used costs nothing; a growing vector is copied.
    pub(super) fn new(kinds: &'a RegionKinds, paths: Paths, expected: usize) -> Self {
        let timeline = Timeline {
            at: Vec::with_capacity(expected + 1),
            path: Vec::with_capacity(expected + 1),
            calls: Vec::with_capacity(expected / 2),
            ops: Ops::with_capacity(expected),
            ..Timeline::default()
        };
        Self {
            classes: &kinds.classes,
            info: &kinds.info,
            gaps: kinds.gaps,
            timeline,
            cache: PathCache::new(),
            stack: Vec::new(),
            totals: vec![PathTotals::default(); paths.len()],
            paths,
            now: 0,
            current_path: Paths::ROOT,
            call: NO_CALL,
            tasks: Tasks::default(),
            teams: team_ends::TeamState::default(),
            ompt: ompt::OmptState::new(&kinds.info),
            on_leave: Vec::new(),
            started: false,
            issues: ReplayIssues::default(),
            max_depth: 0,
        }
    }

    /// Adds a step: from now on the location is in `path`.
    #[inline]
    fn step(&mut self, path: PathId) -> u32 {
        let number = self.timeline.at.len() as u32;
        self.timeline.at.push(self.now);
        self.timeline.path.push(path);
        self.current_path = path;
        number
    }

    /// Advances the time; the time since the last event counts for the current path.
    #[inline]
    fn advance(&mut self, at: Ticks) {
        if !self.started {
            self.started = true;
            self.now = at;
            self.timeline.first = at;
            self.step(Paths::ROOT);
            return;
        }
        if at < self.now {
            self.issues.backwards += 1;
            return;
        }
        self.totals[self.current_path.index()].ticks += at - self.now;
        self.now = at;
    }

    /// Enters a region: pushes a frame, adds a step, and for a primitive region a call.
    #[inline(always)]
    fn enter(&mut self, region: RegionId) {
        let RegionInfo { class, canonical: region, .. } = self.info[region.index()];
        let path = self.cache.child(&mut self.paths, self.current_path, region);
        match self.totals.get_mut(path.index()) {
            Some(totals) => totals.visits += 1,
            None => self.first_visit(path),
        }
        let step = self.step(path);
        let outer = self.call;
        let mut call = NO_CALL;
        if class.is_primitive() {
            call = self.timeline.calls.len() as u32;
            let first_op = self.timeline.ops.len() as u32;
            let (entered, left) = (self.now, self.now);
            self.timeline.calls.push(Call { enter: step, exit: u32::MAX, first_op, path, entered, left });
            self.call = call;
            if class == Class::Threading {
                self.enter_threading(region, call);
            }
        }
        self.stack.push(Frame { region, path, call, outer });
        self.max_depth = self.max_depth.max(self.stack.len() as u32);
    }

    #[cold]
    fn first_visit(&mut self, path: PathId) {
        self.totals.resize(path.index() + 1, PathTotals::default());
        self.totals[path.index()].visits += 1;
    }

    #[inline(always)]
    fn leave(&mut self, region: RegionId) {
        match self.stack.last() {
            Some(frame) if frame.region == region => self.pop(),
            _ => self.leave_unmatched(region),
        }
    }

    /// Handles a leave that does not match the innermost frame: closes all frames up to the matching one.
    #[cold]
    fn leave_unmatched(&mut self, region: RegionId) {
        let Some(position) = self.stack.iter().rposition(|frame| frame.region == region) else {
            self.issues.stray_leaves += 1;
            return;
        };
        while self.stack.len() > position {
            self.issues.missing_leaves += u64::from(self.stack.len() > position + 1);
            self.pop();
        }
    }

    #[inline(always)]
    fn pop(&mut self) {
        let Some(frame) = self.stack.pop() else { return };
        let path = self.stack.last().map_or(Paths::ROOT, |below| below.path);
        let step = self.step(path);
        if frame.call != NO_CALL {
            let call = &mut self.timeline.calls[frame.call as usize];
            (call.exit, call.left) = (step, self.now);
            if self.on_leave.last().is_some_and(|(call, _)| *call == frame.call) {
                self.run_leave_actions(frame.call);
            }
        }
        self.call = frame.outer;
    }

    fn record(&mut self, kind: EventKind, event: Event) {
        self.timeline.ops.push(self.now, self.call, kind, event);
    }

    /// Switches to another task: saves the frames of the current explicit task and restores those of the next.
    fn switch_task(&mut self, to: TaskKey) {
        match self.tasks.running.take() {
            Some(running) => {
                let base = self.tasks.base.min(self.stack.len());
                let frames = self.stack.split_off(base);
                if !frames.is_empty() {
                    self.tasks.waiting.insert(running, frames);
                }
            }
            None => self.tasks.base = self.stack.len(),
        }
        // Generation 0 is the implicit task, whose frames stay on the stack.
        self.ompt.resumes = to.2 == 0;
        if to.2 != 0 {
            let frames = self.tasks.waiting.remove(&to);
            self.ompt.resumes = frames.is_some();
            self.stack.extend(frames.into_iter().flatten());
            self.tasks.running = Some(to);
        }
        self.call =
            self.stack.last().map_or(NO_CALL, |top| if top.call == NO_CALL { top.outer } else { top.call });
        let path = self.stack.last().map_or(Paths::ROOT, |top| top.path);
        self.step(path);
    }

    /// Closes all open calls; returns the use of each path.
    pub(super) fn finish(&mut self) -> Vec<PathUse> {
        self.timeline.last = self.now;
        self.stop_waiting_for_team();
        let waiting: Vec<Vec<Frame>> = self.tasks.waiting.drain().map(|(_, frames)| frames).collect();
        let open = self.stack.len() + waiting.iter().map(Vec::len).sum::<usize>();
        self.issues.open_at_end += open as u64;
        while !self.stack.is_empty() {
            self.pop();
        }
        // The calls of suspended tasks end with the location.
        let end = (self.timeline.at.len() as u32).saturating_sub(1);
        for call in self.timeline.calls.iter_mut().filter(|call| call.exit == u32::MAX) {
            (call.exit, call.left) = (end, self.timeline.at[end as usize]);
        }
        self.timeline.at.shrink_to_fit();
        self.timeline.path.shrink_to_fit();
        self.timeline.ops.close();
        self.timeline.calls.shrink_to_fit();
        let used = self.totals.iter().enumerate();
        used.map(|(path, &PathTotals { visits, ticks })| PathUse {
            path: PathId::from(path),
            visits,
            exclusive: ticks,
        })
        .filter(|used| used.visits > 0 || used.exclusive > 0)
        .collect()
    }
}

impl EventSink for Replay<'_> {
    /// Replays the next event. Special states (end of a team, acquisition of an OMPT lock) are checked first.
    #[inline(always)]
    fn event(&mut self, at: Ticks, kind: EventKind, event: Event) {
        self.timeline.kinds.count(kind);
        self.advance(at);
        if self.teams.is_at_end() {
            self.event_after_team(&event);
        }
        if self.ompt.is_acquiring {
            self.check_acquisition(&event);
        }
        match event {
            Event::Enter { region } => match self.info[region.index()].ompt {
                OmptRegion::Other => self.enter(region),
                _ => self.enter_ompt(region),
            },
            Event::Leave { region } if self.info[region.index()].ompt == OmptRegion::Task => {
                self.leave_task(self.info[region.index()].canonical);
            }
            Event::AcquireLock { kind: LockKind::OpenMp, .. }
            | Event::ReleaseLock { kind: LockKind::OpenMp, .. }
                if self.ompt.is_used =>
            {
                self.ompt_lock(kind, event);
            }
            Event::Leave { region } => {
                self.leave(self.info[region.index()].canonical);
                if self.teams.is_at_end() {
                    self.wait_for_team();
                }
            }
            Event::Object { kind, address } => self.add_object(kind, address),
            Event::Other | Event::ProgramBegin | Event::ProgramEnd => {}
            Event::BufferFlush { until } => {
                self.enter(self.gaps.flush);
                self.advance(until.max(self.now));
                self.leave(self.gaps.flush);
            }
            Event::Measurement { on: true } => self.leave_gap(),
            Event::Measurement { on: false } => self.enter(self.gaps.off),
            Event::TeamBegin { .. } => {
                self.record(kind, event);
                self.begin_in_team();
            }
            Event::TeamEnd { .. } => {
                self.record(kind, event);
                self.end_in_team();
            }
            Event::TaskSwitch { team, thread, generation } => {
                self.record(kind, event);
                self.switch_task((team.0, thread, generation));
            }
            _ if is_too_long(&event) => self.message_of_unknown_length(kind, event),
            _ => self.record(kind, event),
        }
    }
}

impl Replay<'_> {
    /// Records a message with an implausible length as length 0, so that nothing is derived from it. In a collective it
    /// matters whether a member sends at all, so the length becomes 1.
    #[cold]
    fn message_of_unknown_length(&mut self, kind: EventKind, mut event: Event) {
        self.issues.impossible_lengths += 1;
        if let Event::MpiSend { length, .. }
        | Event::MpiIsend { length, .. }
        | Event::MpiRecv { length, .. }
        | Event::MpiIrecv { length, .. } = &mut event
        {
            *length = 0;
        }
        if let Event::CollectiveEnd { sent, received, .. }
        | Event::CollectiveComplete { sent, received, .. } = &mut event
        {
            let known = |length: u64| if length > LONGEST_MESSAGE { 1 } else { length };
            (*sent, *received) = (known(*sent), known(*received));
        }
        self.record(kind, event);
    }

    /// Recording is switched on. Recorders write this at the begin as well, when it was not off.
    fn leave_gap(&mut self) {
        if self.stack.last().is_some_and(|frame| frame.region == self.gaps.off) {
            self.leave(self.gaps.off);
        }
    }
}

#[cfg(test)]
mod tests;
