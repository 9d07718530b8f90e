//! Accesses to a data structure, and runs of accesses that differ by equal steps.
//!
//! A run is meant as in run-length encoding: `v[0], v[2], v[4], v[6]` is one run of four reads with index stride 2.

use serde::{Deserialize, Serialize};

use crate::container::AccessKind;
use crate::instance::{CodeId, LoopId, ThreadId};

/// One access to an instance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    pub kind: AccessKind,
    /// Position of the accessed element, where there is one and it is known.
    pub index: Option<u64>,
    /// Number of elements before the access.
    pub length: u64,
    /// Nanoseconds since a point in time that is the same for all accesses.
    pub time: u64,
    pub thread: ThreadId,
    pub code: CodeId,
    /// The iteration of the innermost loop around the call site, where the recorder knows it.
    pub iteration: Option<Iteration>,
    /// For an access to many elements: how many it visited, where that is known. It may be only a part of the structure.
    pub passed: Option<u64>,
}

/// An iteration of a loop. A number smaller than the previous one means that the loop was entered again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Iteration {
    #[serde(rename = "of_loop")]
    pub loop_id: LoopId,
    /// Counted from 0 each time the loop is entered.
    pub number: u64,
}

/// Consecutive accesses of one kind, thread and call site whose index, length and iteration change by constant strides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AccessRun {
    pub first: Access,
    /// Number of accesses, at least 1.
    pub count: u64,
    /// From one index to the next.
    pub index_stride: i64,
    /// From one length to the next.
    pub length_stride: i64,
    /// From one iteration to the next.
    pub iteration_stride: u64,
    /// The time of the last access; the times between first and last are taken as evenly spaced.
    pub last_time: u64,
    /// Whether a single library operation such as `resize` or `extend` makes all of them, without a capacity check for each.
    pub at_once: bool,
}

impl Access {
    /// An access at a position, by the first thread and the first call site.
    #[must_use]
    pub fn at(kind: AccessKind, index: u64, length: u64, time: u64) -> Self {
        Self { index: Some(index), ..Self::without_index(kind, length, time) }
    }

    /// An access without an index, to the structure as a whole, by the first thread and the first call site.
    #[must_use]
    pub fn without_index(kind: AccessKind, length: u64, time: u64) -> Self {
        let (thread, code) = (ThreadId::default(), CodeId::default());
        Self { kind, index: None, length, time, thread, code, iteration: None, passed: None }
    }

    /// The same access, made by this call site.
    #[must_use]
    pub fn by(self, code: CodeId) -> Self {
        Self { code, ..self }
    }

    /// Whether it is at the first position.
    #[must_use]
    pub fn is_front(&self) -> bool {
        self.index == Some(0)
    }

    /// Number of elements after the access.
    #[must_use]
    pub fn length_after(&self) -> u64 {
        match self.kind {
            AccessKind::Insert => self.length.saturating_add(1),
            AccessKind::Delete => self.length.saturating_sub(1),
            AccessKind::Clear => 0,
            _ => self.length,
        }
    }
}

/// `whole * part / parts`, for a part that is at most all `parts`.
pub(crate) fn portion(whole: u64, part: u64, parts: u64) -> u64 {
    // Fast paths: a division of 128 bits takes several times as long.
    match whole.checked_mul(part) {
        _ if whole == parts => part,
        Some(product) => product / parts,
        None => (u128::from(whole) * u128::from(part) / u128::from(parts)) as u64,
    }
}

/// `base + stride * steps`, clamped to the range of `u64`.
fn stepped(base: u64, stride: i64, steps: u64) -> u64 {
    // Fast path: the numbers are nearly always small enough for 64 bits.
    let near = i64::try_from(steps).ok().and_then(|steps| stride.checked_mul(steps));
    if let Some(place) = near.and_then(|moved| base.checked_add_signed(moved)) {
        return place;
    }
    let moved = i128::from(stride).saturating_mul(i128::from(steps)).saturating_add(i128::from(base));
    moved.clamp(0, i128::from(u64::MAX)) as u64
}

impl AccessRun {
    /// A run of one access.
    #[must_use]
    pub fn single(first: Access) -> Self {
        Self {
            first,
            count: 1,
            index_stride: 0,
            length_stride: 0,
            iteration_stride: 0,
            last_time: first.time,
            at_once: false,
        }
    }

    /// The access `steps` steps after the first one.
    #[must_use]
    pub fn nth(&self, steps: u64) -> Access {
        let index = self.first.index.map(|index| stepped(index, self.index_stride, steps));
        let iteration = self.first.iteration.map(|first| Iteration {
            number: first.number.saturating_add(self.iteration_stride.saturating_mul(steps)),
            ..first
        });
        let length = stepped(self.first.length, self.length_stride, steps);
        Access { index, length, iteration, time: self.time_at(steps), ..self.first }
    }

    /// The last access.
    #[must_use]
    pub fn last(&self) -> Access {
        if self.count <= 1 { self.first } else { self.nth(self.count - 1) }
    }

    /// The accesses `from..to` of the run, counted from 0; `from < to <= count`.
    #[must_use]
    pub fn part(&self, from: u64, to: u64) -> Self {
        let last_time = self.time_at(to.saturating_sub(1));
        Self { first: self.nth(from), count: to - from, last_time, ..*self }
    }

    /// Nanoseconds from the first to the last access.
    #[must_use]
    pub fn duration(&self) -> u64 {
        self.last_time.saturating_sub(self.first.time)
    }

    /// The mean over the run of a quantity that changes linearly along it.
    pub(crate) fn mean(&self, value: impl Fn(&Access) -> f64) -> f64 {
        let first = value(&self.first);
        if self.count == 1 { first } else { f64::midpoint(first, value(&self.last())) }
    }

    /// The smallest and the largest index.
    pub(crate) fn index_range(&self) -> Option<(u64, u64)> {
        let (first, last) = (self.first.index?, self.last().index?);
        Some((first.min(last), first.max(last)))
    }

    /// Appends an access if it continues the run, and returns whether it did. `longest_gap` is the longest permitted time
    /// between two accesses of a run, so that a pause does not look like evenly spaced accesses.
    pub(crate) fn extend(&mut self, next: &Access, at_once: bool, longest_gap: u64) -> bool {
        let same = self.at_once == at_once
            && next.kind == self.first.kind
            && next.code == self.first.code
            && next.thread == self.first.thread
            && next.passed == self.first.passed
            && next.time.saturating_sub(self.last_time) <= longest_gap;
        same && self.extend_steps(next)
    }

    /// Appends an access if its strides are those of the run; the second access of a run defines the strides.
    fn extend_steps(&mut self, next: &Access) -> bool {
        let last = self.last();
        let index = match (last.index, next.index) {
            (Some(from), Some(to)) => to.wrapping_sub(from) as i64,
            (None, None) => 0,
            _ => return false,
        };
        let length = next.length.wrapping_sub(last.length) as i64;
        let Some(iteration) = iteration_step(last.iteration, next.iteration) else { return false };
        let steps = (index, length, iteration);
        let fits = self.count == 1 || steps == (self.index_stride, self.length_stride, self.iteration_stride);
        if fits {
            (self.index_stride, self.length_stride, self.iteration_stride) = steps;
            self.count += 1;
            self.last_time = next.time;
        }
        fits
    }

    /// The time of the access after `steps` steps, interpolated.
    fn time_at(&self, steps: u64) -> u64 {
        if steps == 0 || self.count <= 1 {
            return self.first.time;
        }
        if steps == self.count - 1 {
            return self.first.time.max(self.last_time);
        }
        self.first.time.saturating_add(portion(self.duration(), steps, self.count - 1))
    }
}

/// The stride from one iteration to a later one of the same loop; `None` for another loop or an earlier iteration.
fn iteration_step(last: Option<Iteration>, next: Option<Iteration>) -> Option<u64> {
    match (last, next) {
        (None, None) => Some(0),
        (Some(last), Some(next)) if last.loop_id == next.loop_id => next.number.checked_sub(last.number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, AccessRun, Iteration};
    use crate::container::AccessKind;
    use crate::instance::{CodeId, LoopId, ThreadId};

    fn joined(accesses: &[Access]) -> Vec<u64> {
        let mut runs: Vec<AccessRun> = Vec::new();
        for access in accesses {
            if !runs.last_mut().is_some_and(|run| run.extend(access, false, 100)) {
                runs.push(AccessRun::single(*access));
            }
        }
        assert_eq!(
            runs.iter().flat_map(|run| (0..run.count).map(|i| run.nth(i))).collect::<Vec<_>>(),
            accesses
        );
        runs.iter().map(|run| run.count).collect()
    }

    #[test]
    fn equal_steps_are_joined() {
        let read = |index, time| Access::at(AccessKind::Read, index, 9, time);
        assert_eq!(joined(&[read(0, 0), read(1, 5), read(2, 10), read(4, 15)]), [3, 1]);
        assert_eq!(joined(&[read(8, 0), read(6, 5), read(4, 10)]), [3]);
        assert_eq!(joined(&[read(0, 0), read(1, 200)]), [1, 1], "a pause ends a run");
        assert_eq!(joined(&[read(0, 0), Access { thread: ThreadId(1), ..read(1, 1) }]), [1, 1]);
        assert_eq!(joined(&[read(0, 0), read(1, 1).by(CodeId(3))]), [1, 1]);
        assert_eq!(joined(&[read(0, 0), Access::at(AccessKind::Write, 1, 9, 1)]), [1, 1]);
        assert_eq!(joined(&[read(0, 0), Access { index: None, ..read(1, 1) }]), [1, 1]);
    }

    #[test]
    fn iterations_are_joined_while_they_advance() {
        let write = |index, number| Access {
            iteration: Some(Iteration { loop_id: LoopId(1), number }),
            ..Access::at(AccessKind::Write, index, 9, index)
        };
        assert_eq!(joined(&[write(0, 0), write(1, 1), write(2, 2)]), [3]);
        assert_eq!(joined(&[write(0, 0), write(1, 1), write(2, 0)]), [2, 1]);
    }

    #[test]
    fn parts_keep_their_place() {
        let first = Access::at(AccessKind::Delete, 9, 10, 100);
        let run = AccessRun {
            count: 5,
            index_stride: -1,
            length_stride: -1,
            last_time: 140,
            ..AccessRun::single(first)
        };
        let part = run.part(1, 4);
        assert_eq!((part.first, part.last()), (run.nth(1), run.nth(3)));
        assert_eq!(run.index_range(), Some((5, 9)));
        assert_eq!(run.nth(20).index, Some(0), "indices below 0 are clamped to 0");
        assert_eq!((first.length_after(), run.last().time), (9, 140));
    }
}
