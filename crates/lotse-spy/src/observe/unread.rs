//! Writes at positions that nothing reads afterwards.
//!
//! For each position the writes since its last read are pending. A read of the position removes them; those that are still
//! pending when the structure is cleared or dropped were never read. Positions are stored as segments with the same number
//! of pending writes (depth):
//!
//! ```text
//! write 0..=9        [0..=9]: 1 each
//! write 5..=9        [0..=4]: 1   [5..=9]: 2
//! read  0..=6        [7..=9]: 2                 6 writes are pending
//! ```
//!
//! A segment also knows the call site of its writes, unless several made them.
//!
//! The result is a lower bound. Pending writes count as read if too many segments would be needed, if segments with strides
//! other than 1 overlap others, and if elements are moved by insertions or deletions in front of them. After several
//! overflows only longer runs of writes are tracked.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::AccessKind;
use crate::instance::CodeId;
use crate::key_counts::KeyCounts;
use crate::phases::is_back;

/// Maximum number of segments.
const MOST: usize = 1024;
/// After this many overflows the writes are considered irregular.
const OVERFLOWS: u32 = 4;
/// Strided runs up to this length are split into single positions; irregular runs up to this length are ignored.
const SHORT: u64 = 8;

/// The writes to a structure that were not read.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Unread {
    #[serde(skip)]
    segments: BTreeMap<u64, WriteSegment>,
    #[serde(rename = "writes")]
    finished: u64,
    /// Of the finished writes those of one call site, by call site.
    #[serde(rename = "codes")]
    finished_codes: KeyCounts<CodeId>,
    #[serde(skip)]
    overflows: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WriteSegment {
    /// The last position.
    end: u64,
    /// Distance of its positions.
    stride: u64,
    /// Number of pending writes of each position.
    depth: u64,
    /// The call site of all of them; `None` if there are several.
    code: Option<CodeId>,
}

impl WriteSegment {
    fn writes(&self, start: u64) -> u64 {
        ((self.end - start) / self.stride).saturating_add(1).saturating_mul(self.depth)
    }
}

impl Unread {
    /// A lower bound of the writes that were not read so far.
    #[must_use]
    pub fn writes(&self) -> u64 {
        let pending = self.segments.iter().map(|(start, segment)| segment.writes(*start));
        pending.fold(self.finished, u64::saturating_add)
    }

    /// The writes that were not read, by call site, as far as one call site made all pending writes of a position.
    pub(crate) fn codes(&self) -> KeyCounts<CodeId> {
        let mut codes = self.finished_codes.clone();
        for (start, segment) in &self.segments {
            if let Some(code) = segment.code {
                codes.add(code, segment.writes(*start));
            }
        }
        codes
    }

    pub(crate) fn add_run(&mut self, run: &AccessRun) {
        match run.first.kind {
            AccessKind::Write => self.write(run),
            AccessKind::Clear => self.finish(),
            _ if self.segments.is_empty() => {}
            AccessKind::Read => self.read(run),
            AccessKind::Insert | AccessKind::Delete => self.shift(run),
            _ => self.segments.clear(),
        }
    }

    /// The structure is cleared or dropped: pending writes are never read.
    pub(crate) fn finish(&mut self) {
        (self.finished, self.finished_codes) = (self.writes(), self.codes());
        self.segments = BTreeMap::new();
    }

    /// Adds a run of writes: as one segment, or one for each position if it is short and has a wide stride.
    fn write(&mut self, run: &AccessRun) {
        if self.overflows >= OVERFLOWS && run.count <= SHORT {
            return;
        }
        let Some((low, high)) = run.index_range() else { return self.segments.clear() };
        let once = WriteSegment { end: high, stride: 1, depth: 1, code: Some(run.first.code) };
        match run.index_stride.unsigned_abs() {
            0 => self.add(low, WriteSegment { depth: run.count, ..once }),
            1 => self.add(low, once),
            _ if run.count <= SHORT => {
                (0..run.count).filter_map(|i| run.nth(i).index).for_each(|at| {
                    self.add(at, WriteSegment { end: at, ..once });
                });
            }
            stride => self.add(low, WriteSegment { stride, ..once }),
        }
        if self.segments.len() > MOST {
            self.shrink();
        }
    }

    fn read(&mut self, run: &AccessRun) {
        let Some((low, high)) = run.index_range() else { return self.segments.clear() };
        if run.index_stride.unsigned_abs() > 1 && run.count <= SHORT {
            (0..run.count).filter_map(|i| run.nth(i).index).for_each(|at| self.mark_read(at, at));
        } else {
            self.mark_read(low, high);
        }
    }

    /// An insertion or deletion. At the back it moves nothing, and a deletion reads the element; elsewhere it moves elements,
    /// and all pending writes count as read.
    fn shift(&mut self, run: &AccessRun) {
        if !(is_back(&run.first) && is_back(&run.last())) {
            self.segments.clear();
        } else if run.first.kind == AccessKind::Delete {
            self.read(run);
        }
    }

    /// Adds writes to the positions of a segment.
    ///
    /// Each overlapped old segment is cut at the borders of the new one: parts outside keep their depth, the common part gets
    /// the sum of both depths. `from` is the first position of the new segment that is not stored yet. Old or new segments
    /// with strides other than 1 cannot be cut, and the old ones are dropped.
    fn add(&mut self, start: u64, new: WriteSegment) {
        let same = self.segments.get_mut(&start).filter(|old| (old.end, old.stride) == (new.end, new.stride));
        if let Some(old) = same {
            old.depth += new.depth;
            old.code = old.code.filter(|code| Some(*code) == new.code);
            return;
        }
        let mut from = start;
        for (at, old) in self.overlapping(start, new.end) {
            if new.stride != 1 || old.stride != 1 {
                self.segments.remove(&at);
                continue;
            }
            self.remove_range(at, old, start, new.end);
            let (low, high) = (at.max(start), old.end.min(new.end));
            if from < low {
                self.segments.insert(from, WriteSegment { end: low - 1, ..new });
            }
            let (depth, code) = (old.depth + new.depth, old.code.filter(|code| Some(*code) == new.code));
            self.segments.insert(low, WriteSegment { end: high, stride: 1, depth, code });
            from = high.saturating_add(1);
        }
        if from <= new.end {
            self.join(from, new);
        }
    }

    /// Inserts a segment that overlaps no other; it is merged with the segment directly before it if that has the same depth.
    fn join(&mut self, start: u64, new: WriteSegment) {
        if new.stride == 1
            && let Some((_, before)) = self.segments.range_mut(..start).next_back()
            && (before.end.saturating_add(1), before.stride) == (start, 1)
            && (before.depth, before.code) == (new.depth, new.code)
        {
            before.end = new.end;
            return;
        }
        self.segments.insert(start, new);
    }

    /// The positions `low..=high` are read.
    fn mark_read(&mut self, low: u64, high: u64) {
        let is_beyond = self.segments.last_key_value().is_none_or(|(_, last)| last.end < low);
        if is_beyond {
            return;
        }
        for (at, old) in self.overlapping(low, high) {
            self.remove_range(at, old, low, high);
        }
    }

    /// Removes `low..=high` from a segment; a segment with another stride than 1 is removed altogether.
    fn remove_range(&mut self, at: u64, old: WriteSegment, low: u64, high: u64) {
        self.segments.remove(&at);
        if old.stride != 1 {
            return;
        }
        if at < low {
            self.segments.insert(at, WriteSegment { end: low - 1, ..old });
        }
        if old.end > high {
            self.segments.insert(high + 1, old);
        }
    }

    /// The segments that overlap `low..=high`.
    fn overlapping(&self, low: u64, high: u64) -> Vec<(u64, WriteSegment)> {
        let copied = |(at, segment): (&u64, &WriteSegment)| (*at, *segment);
        let before = self.segments.range(..low).next_back().filter(|(_, segment)| segment.end >= low);
        before.into_iter().chain(self.segments.range(low..=high)).map(copied).collect()
    }

    /// Drops the smaller half of the segments.
    fn shrink(&mut self) {
        self.overflows += 1;
        let mut sizes: Vec<u64> = self.segments.iter().map(|(at, segment)| segment.writes(*at)).collect();
        let (_, median, _) = sizes.select_nth_unstable(MOST / 2);
        let (limit, mut room) = (*median, MOST / 2);
        self.segments.retain(|at, segment| {
            let keep = segment.writes(*at) >= limit && room > 0;
            room -= usize::from(keep);
            keep
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, any, proptest};

    use super::Unread;
    use crate::access::{Access, AccessRun};
    use crate::container::AccessKind::{self, Clear, Delete, Insert, Read, Search, Write};
    use crate::instance::CodeId;

    fn run(kind: AccessKind, from: u64, to: u64) -> AccessRun {
        let stride = if to < from { -1 } else { 1 };
        let first = AccessRun::single(Access::at(kind, from, 1000, 0));
        AccessRun { count: from.abs_diff(to) + 1, index_stride: stride, ..first }
    }

    fn writes(runs: &[AccessRun]) -> u64 {
        let mut unread = Unread::default();
        runs.iter().for_each(|run| unread.add_run(run));
        unread.writes()
    }

    #[test]
    fn the_example_of_the_module() {
        assert_eq!(writes(&[run(Write, 0, 9), run(Write, 5, 9), run(Read, 0, 6)]), 6);
        assert_eq!(writes(&[run(Write, 9, 0), run(Read, 9, 0)]), 0);
    }

    #[test]
    fn reads_without_an_index_count_as_reads_and_a_clear_does_not() {
        let without_index = |kind| AccessRun::single(Access::without_index(kind, 1000, 0));
        assert_eq!(writes(&[run(Write, 0, 9), without_index(Search)]), 0);
        assert_eq!(writes(&[run(Write, 0, 9), without_index(Clear), run(Read, 0, 9)]), 10);
    }

    #[test]
    fn elements_that_move_count_as_read_and_the_back_moves_nothing() {
        let at = |kind, index| AccessRun::single(Access::at(kind, index, 1000, 0));
        assert_eq!(writes(&[run(Write, 0, 9), at(Insert, 0)]), 0);
        assert_eq!(writes(&[run(Write, 0, 9), at(Insert, 1000)]), 10);
        assert_eq!(writes(&[run(Write, 990, 999), at(Delete, 999)]), 9);
    }

    #[test]
    fn writes_are_counted_by_call_site() {
        let by = |code, from, to| {
            let run = run(Write, from, to);
            AccessRun { first: run.first.by(CodeId(code)), ..run }
        };
        let mut unread = Unread::default();
        [by(1, 0, 9), run(Read, 0, 9), by(2, 0, 7), by(3, 6, 7)].iter().for_each(|run| unread.add_run(run));
        assert_eq!(unread.codes().sorted(), [(CodeId(2), 6)], "two call sites wrote the last two elements");
        unread.finish();
        assert_eq!((unread.writes(), unread.codes().sorted()), (10, vec![(CodeId(2), 6)]));
    }

    #[test]
    fn strides_are_kept_as_one() {
        let wide = AccessRun { index_stride: 3, count: 100, ..run(Write, 0, 0) };
        assert_eq!(writes(&[wide, wide]), 200);
        assert_eq!(writes(&[wide, run(Read, 5, 7)]), 0, "a lower bound");
    }

    proptest! {
        /// Against an array of counters, for steps of one.
        #[test]
        fn steps_of_one_are_exact(ops in proptest::collection::vec((any::<bool>(), 0_u64..40, 0_u64..40), 1..60)) {
            let mut oracle = [0_u64; 40];
            let mut unread = Unread::default();
            for (is_write, from, to) in ops {
                let kind = if is_write { Write } else { Read };
                unread.add_run(&run(kind, from, to));
                for at in from.min(to)..=from.max(to) {
                    oracle[at as usize] = if is_write { oracle[at as usize] + 1 } else { 0 };
                }
            }
            assert_eq!(unread.writes(), oracle.iter().sum::<u64>());
        }

        /// However irregular, never more than there are, and memory is bounded.
        #[test]
        fn any_writes_stay_within_bounds(places in proptest::collection::vec((0_u64..1 << 40).prop_map(|at| at * 2), 1..3000)) {
            let mut unread = Unread::default();
            places.iter().for_each(|at| unread.add_run(&run(Write, *at, *at)));
            assert!(unread.writes() <= places.len() as u64);
            assert!(unread.segments.len() <= super::MOST);
        }
    }
}
