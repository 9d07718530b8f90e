//! What happened on one location: where it was at every moment, its primitive calls, its records.

use lotse_model::id::PathId;
use lotse_model::trace::{EventKind, Ticks};

use crate::near::count_over;

use super::ops::{NO_CALL, Op, Ops};
use super::sums::Blocks;

/// One location's events.
///
/// Every enter and leave is a step: from `at[i]` on the location was in `path[i]`, until `at[i + 1]`. Times of a
/// timeline never go back.
#[derive(Debug, Default)]
pub struct Timeline {
    /// When the steps were made.
    pub at: Vec<Ticks>,
    /// Where the location was from then on.
    pub path: Vec<PathId>,
    /// Calls that are primitive activities, in the order of their enters.
    pub calls: Vec<Call>,
    /// Records other than enter and leave, in their order.
    pub ops: Ops,
    /// How many records there were of each kind.
    pub kinds: Kinds,
    /// When the first event happened, whatever its kind.
    pub first: Ticks,
    /// When the last event happened.
    pub last: Ticks,
    /// Sums over blocks of steps, made when first needed.
    pub(crate) blocks: Blocks,
}

/// A primitive call: from one step to another.
///
/// Times and path are those of the steps. They are repeated here because most questions come from other locations,
/// one at a time, and then each look into a column is a wait for memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// The step that entered it.
    pub enter: u32,
    /// The step that left it.
    pub exit: u32,
    /// The first record inside it, or after it where it has none.
    pub first_op: u32,
    /// Where it is called.
    pub path: PathId,
    /// When it was entered.
    pub entered: Ticks,
    /// When it was left.
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

    /// Adds another's counts.
    pub fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// Kinds that occurred, with how often; attributes are no events.
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

    /// All records together.
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

    /// The records of a call, with their numbers; not those of calls inside it.
    pub fn ops_of(&self, call: u32) -> impl DoubleEndedIterator<Item = (u32, Op<'_>)> + '_ {
        let first = self.calls[call as usize].first_op as usize;
        let count = (first..self.ops.len()).take_while(|&number| self.is_within(number, call)).count();
        let own = (first..first + count).filter(move |&number| self.ops.call(number) == call);
        own.map(|number| (number as u32, self.ops.get(number)))
    }

    /// The records of the same call after one of them. They are not counted first: of a call with many, each is asked.
    pub fn ops_after(&self, op: u32) -> impl Iterator<Item = Op<'_>> + '_ {
        let call = self.ops.call(op as usize);
        let behind = op as usize + 1..self.ops.len();
        let inside = behind.take_while(move |&number| self.is_within(number, call));
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

    /// The last step made at or before a time; `None` before the first.
    pub fn step_at(&self, time: Ticks) -> Option<usize> {
        self.at.partition_point(|&at| at <= time).checked_sub(1)
    }

    /// The same, looked for near a step where it may be.
    pub(crate) fn step_near(&self, near: usize, time: Ticks) -> Option<usize> {
        count_over(self.at.len(), near, |step| self.at[step] <= time).checked_sub(1)
    }

    /// The first call entered at or after a time.
    pub fn call_from(&self, time: Ticks) -> usize {
        self.calls.partition_point(|call| call.entered < time)
    }
}
