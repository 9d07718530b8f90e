//! The timeline of one location: its call path at every time, its primitive calls, its records.

use lotse_model::id::PathId;
use lotse_model::trace::{EventKind, Ticks};

use crate::near::count_over;

use super::ops::{NO_CALL, Op, Ops};
use super::sums::Blocks;

/// The events of one location.
///
/// Every enter and leave is a step: from `at[i]` to `at[i + 1]` the location is in `path[i]`. Times never decrease.
#[derive(Debug, Default)]
pub struct Timeline {
    /// By step: its time.
    pub at: Vec<Ticks>,
    /// By step: the call path from then on.
    pub path: Vec<PathId>,
    /// Primitive calls, in the order of their enters.
    pub calls: Vec<Call>,
    /// Records other than enter and leave.
    pub ops: Ops,
    pub kinds: Kinds,
    /// The time of the first event of any kind.
    pub first: Ticks,
    /// The time of the last event.
    pub last: Ticks,
    pub(crate) blocks: Blocks,
}

/// A primitive call: from one step to another.
///
/// Times and path are copies of those of the steps. Most accesses come from other locations at random, and this saves cache
/// misses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The step that entered it.
    pub enter: u32,
    /// The step that left it.
    pub exit: u32,
    /// The first record inside it, or the first after it if it has none.
    pub first_op: u32,
    pub path: PathId,
    pub entered: Ticks,
    pub left: Ticks,
}

/// Counts of records by kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kinds([u64; EventKind::ALL.len()]);

impl Default for Kinds {
    fn default() -> Self {
        Self([0; EventKind::ALL.len()])
    }
}

impl Kinds {
    #[inline]
    pub(crate) fn count(&mut self, kind: EventKind) {
        self.0[kind as usize] += 1;
    }

    /// Adds the counts of another timeline.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// The kinds that occurred, with their counts; without attributes, which are not events.
    pub fn seen(&self) -> impl Iterator<Item = (EventKind, u64)> + '_ {
        let all = EventKind::ALL.iter().copied().zip(self.0);
        all.filter(|&(kind, count)| count > 0 && kind != EventKind::Attribute)
    }

    /// How often a kind occurred.
    pub(crate) fn count_of(&self, kind: EventKind) -> usize {
        self.0[kind as usize] as usize
    }

    /// Whether a kind occurred.
    pub fn has(&self, kind: EventKind) -> bool {
        self.0[kind as usize] > 0
    }

    /// The number of all records without attributes.
    pub fn total(&self) -> u64 {
        self.0.iter().sum::<u64>() - self.0[EventKind::Attribute as usize]
    }
}

impl Timeline {
    /// When a call was entered.
    #[inline]
    pub fn enter(&self, call: u32) -> Ticks {
        self.calls[call as usize].entered
    }

    /// When a call was left.
    #[inline]
    pub fn exit(&self, call: u32) -> Ticks {
        self.calls[call as usize].left
    }

    /// The call path of a call.
    #[inline]
    pub fn call_path(&self, call: u32) -> PathId {
        self.calls[call as usize].path
    }

    /// The records of a call with their indices, without those of calls inside it.
    pub fn ops_of(&self, call: u32) -> impl Iterator<Item = (u32, Op<'_>)> + '_ {
        let first = self.calls[call as usize].first_op as usize;
        let calls = (first..self.ops.len()).map(|number| (number, self.ops.call(number)));
        let inside = calls.take_while(move |&(_, other)| other == call || self.is_inside(other, call));
        let own = inside.filter(move |&(_, other)| other == call);
        own.map(|(number, _)| (number as u32, self.ops.get(number)))
    }

    /// The records of the same call after one of them. Unlike [`Timeline::ops_of`], this does not count the records first: it
    /// may be called for each record of a call with many.
    pub fn ops_after(&self, op: u32) -> impl Iterator<Item = Op<'_>> + '_ {
        let call = self.ops.call(op as usize);
        let following = op as usize + 1..self.ops.len();
        let inside = following.take_while(move |&number| self.is_within(number, call));
        inside.filter(move |&number| self.ops.call(number) == call).map(|number| self.ops.get(number))
    }

    /// Whether a record happened in a call or in one inside it.
    fn is_within(&self, number: usize, call: u32) -> bool {
        let other = self.ops.call(number);
        other == call || self.is_inside(other, call)
    }

    /// Whether a call is made inside another: calls are numbered in the order of their enters.
    fn is_inside(&self, inner: u32, outer: u32) -> bool {
        inner != NO_CALL
            && outer != NO_CALL
            && inner > outer
            && self.calls[inner as usize].enter < self.calls[outer as usize].exit
    }

    /// The last step at or before a time; `None` before the first.
    pub fn step_at(&self, time: Ticks) -> Option<usize> {
        self.at.partition_point(|&at| at <= time).checked_sub(1)
    }

    /// The same; the search begins at the step `near`.
    pub(crate) fn step_near(&self, near: usize, time: Ticks) -> Option<usize> {
        count_over(self.at.len(), near, |step| self.at[step] <= time).checked_sub(1)
    }

    /// The index of the first call that is entered at or after a time.
    pub fn call_from(&self, time: Ticks) -> usize {
        self.calls.partition_point(|call| call.entered < time)
    }
}
