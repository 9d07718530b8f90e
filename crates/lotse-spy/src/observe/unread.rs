//! Writes at positions that nothing reads afterwards.
//!
//! For each position the writes since its last read are pending. A read of the position settles them; at the end of the
//! structure's life, or when it is cleared, those still pending were in vain. Positions are kept as segments of equal
//! depth:
//!
//! ```text
//! write 0..=9        [0..=9]: 1 each
//! write 5..=9        [0..=4]: 1   [5..=9]: 2
//! read  0..=6        [7..=9]: 2                 6 writes are pending
//! ```
//!
//! The result is a lower bound. Pending writes count as read where too many segments would be needed, where strides other
//! than 1 overlap, and where elements are moved by insertions or deletions in front of them. After several overflows only
//! longer runs of writes are kept at all.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::access::AccessRun;
use crate::container::Kind;
use crate::phases::is_back;

/// More segments than this are not kept.
const MOST: usize = 1024;
/// After so many overflows the writes count as irregular.
const OVERFLOWS: u32 = 4;
/// Strided runs up to this length are taken apart, and irregular writes up to this length are not kept.
const SHORT: u64 = 8;

/// Pending writes of a structure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Unread {
    #[serde(skip)]
    segments: BTreeMap<u64, Segment>,
    #[serde(rename = "writes")]
    lost: u64,
    #[serde(skip)]
    overflows: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Segment {
    /// The last position.
    end: u64,
    /// From one position to the next.
    stride: u64,
    /// Pending writes of each position.
    depth: u64,
}

impl Segment {
    fn writes(&self, start: u64) -> u64 {
        ((self.end - start) / self.stride).saturating_add(1).saturating_mul(self.depth)
    }
}

impl Unread {
    /// Writes that nothing read so far, at least.
    #[must_use]
    pub fn writes(&self) -> u64 {
        let pending = self.segments.iter().map(|(start, segment)| segment.writes(*start));
        pending.fold(self.lost, u64::saturating_add)
    }

    pub(crate) fn run(&mut self, run: &AccessRun) {
        match run.first.kind {
            Kind::Write => self.write(run),
            Kind::Clear => self.finish(),
            _ if self.segments.is_empty() => {}
            Kind::Read => self.read(run),
            Kind::Insert | Kind::Delete => self.shift(run),
            _ => self.segments.clear(),
        }
    }

    /// No read will follow.
    pub(crate) fn finish(&mut self) {
        self.lost = self.writes();
        self.segments = BTreeMap::new();
    }

    fn write(&mut self, run: &AccessRun) {
        if self.overflows >= OVERFLOWS && run.count <= SHORT {
            return;
        }
        let Some((low, high)) = run.index_range() else { return self.segments.clear() };
        match run.index_stride.unsigned_abs() {
            0 => self.add(low, Segment { end: high, stride: 1, depth: run.count }),
            1 => self.add(low, Segment { end: high, stride: 1, depth: 1 }),
            _ if run.count <= SHORT => {
                (0..run.count).filter_map(|i| run.nth(i).index).for_each(|at| {
                    self.add(at, Segment { end: at, stride: 1, depth: 1 });
                });
            }
            stride => self.add(low, Segment { end: high, stride, depth: 1 }),
        }
        if self.segments.len() > MOST {
            self.shrink();
        }
    }

    fn read(&mut self, run: &AccessRun) {
        let Some((low, high)) = run.index_range() else { return self.segments.clear() };
        if run.index_stride.unsigned_abs() > 1 && run.count <= SHORT {
            (0..run.count).filter_map(|i| run.nth(i).index).for_each(|at| self.settle(at, at));
        } else {
            self.settle(low, high);
        }
    }

    /// What is added or taken out at the back moves nothing; a deletion hands the element out.
    fn shift(&mut self, run: &AccessRun) {
        if !(is_back(&run.first) && is_back(&run.last())) {
            self.segments.clear();
        } else if run.first.kind == Kind::Delete {
            self.read(run);
        }
    }

    fn add(&mut self, start: u64, new: Segment) {
        let same = self.segments.get_mut(&start).filter(|old| (old.end, old.stride) == (new.end, new.stride));
        if let Some(old) = same {
            old.depth += new.depth;
            return;
        }
        let mut from = start;
        for (at, old) in self.overlapping(start, new.end) {
            if new.stride != 1 || old.stride != 1 {
                self.segments.remove(&at);
                continue;
            }
            self.cut(at, old, start, new.end);
            let (low, high) = (at.max(start), old.end.min(new.end));
            if from < low {
                self.segments.insert(from, Segment { end: low - 1, ..new });
            }
            self.segments.insert(low, Segment { end: high, stride: 1, depth: old.depth + new.depth });
            from = high.saturating_add(1);
        }
        if from <= new.end {
            self.join(from, new);
        }
    }

    /// Inserts a segment that overlaps no other, as part of the one before it if that has the same depth.
    fn join(&mut self, start: u64, new: Segment) {
        if new.stride == 1
            && let Some((_, before)) = self.segments.range_mut(..start).next_back()
            && (before.end.saturating_add(1), before.stride, before.depth) == (start, 1, new.depth)
        {
            before.end = new.end;
            return;
        }
        self.segments.insert(start, new);
    }

    /// The positions from `low` to `high` are read.
    fn settle(&mut self, low: u64, high: u64) {
        let is_beyond = self.segments.last_key_value().is_none_or(|(_, last)| last.end < low);
        if is_beyond {
            return;
        }
        for (at, old) in self.overlapping(low, high) {
            self.cut(at, old, low, high);
        }
    }

    /// Takes the part between `low` and `high` out of a segment; a strided one goes altogether.
    fn cut(&mut self, at: u64, old: Segment, low: u64, high: u64) {
        self.segments.remove(&at);
        if old.stride != 1 {
            return;
        }
        if at < low {
            self.segments.insert(at, Segment { end: low - 1, ..old });
        }
        if old.end > high {
            self.segments.insert(high + 1, old);
        }
    }

    fn overlapping(&self, low: u64, high: u64) -> Vec<(u64, Segment)> {
        let copied = |(at, segment): (&u64, &Segment)| (*at, *segment);
        let before = self.segments.range(..low).next_back().filter(|(_, segment)| segment.end >= low);
        before.into_iter().chain(self.segments.range(low..=high)).map(copied).collect()
    }

    /// Keeps the larger half of the segments.
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
    use crate::container::Kind::{self, Clear, Delete, Insert, Read, Search, Write};

    fn run(kind: Kind, from: u64, to: u64) -> AccessRun {
        let stride = if to < from { -1 } else { 1 };
        let first = AccessRun::single(Access::at(kind, from, 1000, 0));
        AccessRun { count: from.abs_diff(to) + 1, index_stride: stride, ..first }
    }

    fn writes(runs: &[AccessRun]) -> u64 {
        let mut unread = Unread::default();
        runs.iter().for_each(|run| unread.run(run));
        unread.writes()
    }

    #[test]
    fn the_example_of_the_module() {
        assert_eq!(writes(&[run(Write, 0, 9), run(Write, 5, 9), run(Read, 0, 6)]), 6);
        assert_eq!(writes(&[run(Write, 9, 0), run(Read, 9, 0)]), 0);
    }

    #[test]
    fn whole_reads_settle_and_a_clear_does_not() {
        let whole = |kind| AccessRun::single(Access::whole(kind, 1000, 0));
        assert_eq!(writes(&[run(Write, 0, 9), whole(Search)]), 0);
        assert_eq!(writes(&[run(Write, 0, 9), whole(Clear), run(Read, 0, 9)]), 10);
    }

    #[test]
    fn elements_that_move_count_as_read_and_the_back_moves_nothing() {
        let at = |kind, index| AccessRun::single(Access::at(kind, index, 1000, 0));
        assert_eq!(writes(&[run(Write, 0, 9), at(Insert, 0)]), 0);
        assert_eq!(writes(&[run(Write, 0, 9), at(Insert, 1000)]), 10);
        assert_eq!(writes(&[run(Write, 990, 999), at(Delete, 999)]), 9);
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
                unread.run(&run(kind, from, to));
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
            places.iter().for_each(|at| unread.run(&run(Write, *at, *at)));
            assert!(unread.writes() <= places.len() as u64);
            assert!(unread.segments.len() <= super::MOST);
        }
    }
}
