//! Insertions and deletions at the two ends of a structure.

use serde::{Deserialize, Serialize};

use crate::access::{Access, AccessRun};
use crate::container::AccessKind;
use crate::phases::is_back;

/// Insertions and deletions at the ends.
///
/// An insertion into an empty structure and the deletion of its only element are at both ends.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EndOperations {
    pub insert: EndCount,
    pub delete: EndCount,
}

/// Operations of one kind (insertions or deletions) at each end.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct EndCount {
    pub front: u64,
    pub back: u64,
    /// At both ends, because there is only one position; included in the other two.
    pub both: u64,
    /// Sum over the operations at the front of the elements behind it, which a contiguous structure has to move.
    pub moved: u64,
}

impl EndOperations {
    pub(crate) fn add_run(&mut self, run: &AccessRun) {
        let count = match run.first.kind {
            AccessKind::Insert => &mut self.insert,
            AccessKind::Delete => &mut self.delete,
            _ => return,
        };
        let Some((low, high)) = run.index_range() else { return };
        if low == 0 && high == 0 {
            count.front += run.count;
            count.both += backs(run);
            let moved = (run.mean(behind_front) * run.count as f64).round() as u64;
            count.moved = count.moved.saturating_add(moved);
        } else if low == 0 {
            // If the index changes, only the first or the last access of the run is at 0.
            let at = if run.first.is_front() { run.first } else { run.last() };
            count.front += 1;
            count.both += u64::from(is_back(&at));
            count.moved = count.moved.saturating_add(behind_front(&at) as u64);
        }
        count.back += backs(run);
    }
}

/// Number of elements behind the first position that an operation there moves.
fn behind_front(access: &Access) -> f64 {
    let behind =
        if access.kind == AccessKind::Delete { access.length.saturating_sub(1) } else { access.length };
    behind as f64
}

/// Number of accesses of a run that are at the back: all, none, or the one where index and length meet.
///
/// Index and length change linearly, so their distance `length - index - offset` does, too, by `closing` per step; the access
/// where it becomes 0 is at the back.
fn backs(run: &AccessRun) -> u64 {
    let (first, last) = (is_back(&run.first), is_back(&run.last()));
    if first && last {
        return run.count;
    }
    if first || last {
        return 1;
    }
    let offset = i128::from(run.first.kind == AccessKind::Delete);
    let index = run.first.index.map_or(0, i128::from);
    let distance = i128::from(run.first.length) - index - offset;
    let closing = i128::from(run.index_stride) - i128::from(run.length_stride);
    let meets =
        closing != 0 && distance % closing == 0 && (0..i128::from(run.count)).contains(&(distance / closing));
    u64::from(meets)
}

#[cfg(test)]
mod tests {
    use super::EndOperations;
    use crate::access::{Access, AccessRun};
    use crate::container::AccessKind;

    fn check(run: AccessRun) -> EndOperations {
        let (mut whole, mut single) = (EndOperations::default(), EndOperations::default());
        whole.add_run(&run);
        (0..run.count).for_each(|i| single.add_run(&AccessRun::single(run.nth(i))));
        assert_eq!(whole, single, "{run:?}");
        whole
    }

    fn run(kind: AccessKind, index: (u64, i64), length: (u64, i64), count: u64) -> AccessRun {
        let first = AccessRun::single(Access::at(kind, index.0, length.0, 0));
        AccessRun { count, index_stride: index.1, length_stride: length.1, last_time: count, ..first }
    }

    #[test]
    fn a_run_counts_as_its_accesses() {
        let pushes = check(run(AccessKind::Insert, (0, 1), (0, 1), 100)).insert;
        assert_eq!((pushes.front, pushes.back, pushes.both), (1, 100, 1));
        let fronts = check(run(AccessKind::Insert, (0, 0), (0, 1), 100)).insert;
        assert_eq!((fronts.front, fronts.back, fronts.both, fronts.moved), (100, 1, 1, 4950));
        let pops = check(run(AccessKind::Delete, (99, -1), (100, -1), 100)).delete;
        assert_eq!((pops.front, pops.back, pops.both), (1, 100, 1));
        let every_other = check(run(AccessKind::Delete, (0, 1), (100, -1), 60)).delete;
        assert_eq!((every_other.front, every_other.back, every_other.both), (1, 0, 0));
        let every_other = check(run(AccessKind::Delete, (0, 1), (101, -1), 60)).delete;
        assert_eq!((every_other.front, every_other.back), (1, 1));
    }
}
